/* SPDX-License-Identifier: MIT
 * Strings one a line; the first byte chooses the alphabet. */
#include "core/err.h"
#include "fuzz.h"
#include "io/input.h"
#include "text/alphabet.h"
#include "text/corpus.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const alphabets[] = {"01", "ACGT", "a", "\"'"};
    static uint8_t codes[1 << 20];
    struct err e = {0};
    struct alphabet a;
    if (size == 0)
        return 0;
    alphabet_init(&a, alphabets[data[0] % 4], &e);
    struct corpus *c = corpus_new(&a, &e);
    struct input *in = input_from_memory(data + 1, size - 1, "s", &e);
    int status = corpus_read(c, in, &e);
    MUST(status == e.code);
    uint64_t symbols = 0;
    for (size_t i = 0; i < corpus_count(c); i++) {
        size_t n = corpus_get(c, i, codes);
        for (size_t k = 0; k < n; k++)
            MUST(codes[k] < a.size);
        MUST(n <= corpus_longest(c) && n >= corpus_shortest(c));
        symbols += n;
    }
    MUST(symbols == corpus_symbols(c) && symbols < size);
    input_close(in);
    corpus_free(c);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * Option values: numbers, and alphabets. */
#include "core/num.h"
#include <math.h>

#include "core/err.h"
#include "core/mem.h"
#include "fuzz.h"
#include "support/ignore.h"
#include "text/alphabet.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e[4] = {{0}};
    uint64_t u = 0;
    double f = 0, back;
    struct alphabet a;
    char buffer[NUM_TEXT_MAX];
    char *text = mem_string((const char *)data, size, IGNORE_ERR);
    if (num_parse_u64(text, 3, 1000, &u, &e[0]) == 0)
        MUST(u >= 3 && u <= 1000);
    if (num_parse_f64(text, -1, 1, &f, &e[1]) == 0)
        MUST(f >= -1 && f <= 1);
    if (num_parse_f64_inf(text, &f, &e[2]) == 0)
        MUST(num_parse_f64_inf(num_text(f, buffer), &back, &e[2]) == 0 && back == f);
    if (alphabet_init(&a, text, &e[3]) == 0)
        MUST(a.size >= 1 && a.size <= ALPHABET_MAX && strcmp(text, a.text) == 0);
    if (alphabet_init_tokens(&a, text, IGNORE_ERR) == 0)
        MUST(a.size >= 1 && a.size <= ALPHABET_MAX && strlen(text) >= strlen(a.text));
    if (alphabet_parse(&a, text, IGNORE_ERR) == 0)
        MUST(a.size >= 1 && a.size <= ALPHABET_MAX);
    mem_free(text);
    return 0;
}

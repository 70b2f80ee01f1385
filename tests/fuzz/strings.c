/* SPDX-License-Identifier: MIT
 * Strings one per line; the first byte chooses the alphabet. */
#include "text/strings.h"
#include "core/err.h"
#include "fuzz.h"
#include "io/input.h"
#include "text/alphabet.h"
#include "text/line_reader.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const alphabets[] = {"01", "ACGT", "a", "\"'"};
    struct err e = {0};
    struct alphabet a;
    if (size == 0)
        return 0;
    alphabet_init(&a, alphabets[data[0] % 4], &e);
    struct strings s = {0};
    struct string_order order = {0};
    struct input *in = input_from_memory(data + 1, size - 1, "s", &e);
    struct line_reader *l = line_reader_new(in, &a, &e);
    int rc = strings_read(&s, l, SIZE_MAX, UINT64_MAX, &e);
    MUST(rc == e.code);
    string_order_add_range(&order, 0, s.count, &e);
    string_order_sort(&order, &s, &e);
    uint64_t symbols = 0;
    for (size_t i = 0; i < s.count; i++) {
        size_t n, last;
        const uint8_t *x = string_order_get(&order, &s, i, &n);
        for (size_t k = 0; k < n; k++)
            MUST(x[k] < a.size);
        MUST(n <= s.longest && n >= s.shortest);
        const uint8_t *y = i > 0 ? string_order_get(&order, &s, i - 1, &last) : NULL;
        MUST(i == 0 || strings_compare(y, last, x, n) <= 0);
        symbols += n;
    }
    MUST(symbols == s.symbols && symbols < size);
    line_reader_free(l);
    input_close(in);
    string_order_clear(&order);
    strings_clear(&s);
    return 0;
}

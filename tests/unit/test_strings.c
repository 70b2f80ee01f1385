/* SPDX-License-Identifier: MIT
 *
 * strings, and line_reader: the strings of a text come back unchanged, in every
 * requested order (false alarms of the chi-square test: 1e-6).
 */
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/input.h"
#include "support/chisq.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "support/tempfile.h"
#include "text/alphabet.h"
#include "text/line_reader.h"
#include "text/string_reader.h"
#include "text/strings.h"

static const struct string_format plain = {0};

static struct alphabet
alphabet(const char *chars)
{
    struct alphabet a;
    (void)alphabet_init(&a, chars, IGNORE_ERR);
    return a;
}

/* The strings of a text, joined by '|', or the error's text. */
static const char *
strings_of(const char *text, size_t size, const char *chars)
{
    static char joined[256];
    struct err e = {0};
    struct alphabet a = alphabet(chars);
    struct input *in = input_from_memory(text, size, "data", &e);
    struct string_reader *l = string_reader_new(in, &a, &plain, &e);
    const uint8_t *symbols;
    size_t n;
    char *p = joined;
    while (string_reader_next(l, &symbols, &n, &e) > 0) {
        alphabet_decode(&a, symbols, n, p);
        p += n;
        *p++ = '|';
    }
    *p = '\0';
    string_reader_free(l);
    input_close(in);
    return e.code != 0 ? strcpy(joined, e.text) : joined;
}

static void
gives(const char *text, size_t size, const char *expected, const char *name)
{
    const char *got = strings_of(text, size, "01");
    ok(strcmp(got, expected) == 0, "%s: %s", name, got);
}

static void
test_lines(void)
{
    gives("01\n10\n", 6, "01|10|", "two lines");
    gives("01\n10", 5, "01|10|", "no newline at the end");
    gives("01\r\n10\r\n", 8, "01|10|", "CRLF");
    gives("01\r\n10\r", 7, "01|10|", "CR at the end");
    gives("\n01\n\n", 5, "|01||", "blank lines are empty strings");
    gives("", 0, "", "nothing");
    gives("\n", 1, "|", "one empty string");
    gives("01\n0x1\n", 7, "data:2: 'x' in column 2 is not in the alphabet '01'", "a foreigner");
    gives("0\0001\n", 4, "data:1: byte 0x00 in column 2 is not in the alphabet '01'", "NUL");
    gives("0\r1\n", 4, "data:1: byte 0x0d in column 2 is not in the alphabet '01'", "a lone CR");
}

static void
test_long_lines(void)
{
    char *text = mem_array(LINE_SYMBOLS_MAX + 3, 1, IGNORE_ERR);
    memset(text, '0', LINE_SYMBOLS_MAX + 3);
    struct alphabet a = alphabet("01");
    memcpy(text + LINE_SYMBOLS_MAX, "\r\n1", 3);
    struct input *in = input_from_memory(text, LINE_SYMBOLS_MAX + 3, "data", IGNORE_ERR);
    struct string_reader *l = string_reader_new(in, &a, &plain, IGNORE_ERR);
    const uint8_t *symbols;
    size_t n;
    ok(string_reader_next(l, &symbols, &n, IGNORE_ERR) == 1 && n == LINE_SYMBOLS_MAX,
       "the longest line there may be");
    ok(string_reader_next(l, &symbols, &n, IGNORE_ERR) == 1 && n == 1, "and the one behind it");
    ok(string_reader_line(l) == 2, "which is line 2");
    string_reader_free(l);
    input_close(in);
    text[LINE_SYMBOLS_MAX] = '0';
    const char *got = strings_of(text, LINE_SYMBOLS_MAX + 3, "01");
    ok(strstr(got, "data:1: line has more than 1048576 characters") != NULL, "%s", got);
    mem_free(text);
}

/* Random string number i over `letters`; its length. */
static size_t
random_string(size_t i, size_t longest, unsigned letters, uint8_t *symbols)
{
    struct rng r;
    rng_init(&r, 1, "test_strings", i);
    size_t length = rng_below(&r, longest + 1);
    for (size_t k = 0; k < length; k++)
        symbols[k] = (uint8_t)rng_below(&r, letters);
    return length;
}

/* Strings of many lengths, so that chunks end everywhere, written and read; then the same
 * with reused memory. */
static void
test_contents(size_t count, size_t longest, unsigned letters)
{
    struct strings s = {0};
    uint8_t *x = mem_array(longest + 1, 1, IGNORE_ERR);
    for (int round = 0; round < 2; round++) {
        size_t wrong = 0, most = 0, least = SIZE_MAX, length;
        uint64_t symbols = 0;
        strings_reset(&s);
        for (size_t i = 0; i < count; i++) {
            size_t n = random_string(i, longest, letters, x);
            wrong += strings_add(&s, x, n, IGNORE_ERR) != 0;
            symbols += n;
            most = n > most ? n : most;
            least = n < least ? n : least;
        }
        for (size_t i = 0; i < count; i++) {
            size_t n = random_string(i, longest, letters, x);
            const uint8_t *y = strings_get(&s, i, &length);
            wrong += length != n || memcmp(x, y, n) != 0;
        }
        ok(wrong == 0 && s.count == count, "%zu strings of up to %zu symbols come back", count,
           longest);
        ok(s.symbols == symbols && s.longest == most && s.shortest == least, "and are counted");
    }
    strings_clear(&s);
    ok(s.count == 0 && s.symbols == 0 && s.longest == 0 && s.start[0] == NULL, "cleared: nothing");
    mem_free(x);
}

/* A string longer than the chunks so far, between empty ones. */
static void
test_large(void)
{
    enum { LARGE = 5 << 20 };
    struct strings s = {0};
    uint8_t *x = mem_zero(LARGE, 1, IGNORE_ERR);
    const size_t expected[] = {0, 3, LARGE, 0, 65536, 65535, 1, 0};
    const size_t count = sizeof expected / sizeof *expected;
    size_t wrong = 0;
    memset(x, 1, LARGE);
    for (size_t i = 0; i < count; i++)
        wrong += strings_add(&s, x, expected[i], IGNORE_ERR) != 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const uint8_t *y = strings_get(&s, i, &length);
        wrong += length != expected[i] || memcmp(x, y, length) != 0;
    }
    ok(wrong == 0, "a string of %d symbols among short ones", LARGE);
    mem_free(x);
    strings_clear(&s);
}

static void
test_growth(void)
{
    struct strings s = {0};
    uint8_t x[30] = {1};
    size_t length;
    strings_add(&s, x, sizeof x, IGNORE_ERR);
    const uint8_t *first = strings_get(&s, 0, &length);
    for (int i = 0; i < 1000000; i++)
        strings_add(&s, x, sizeof x, IGNORE_ERR);
    ok(strings_get(&s, 0, &length) == first && length == 30 && first[0] == 1,
       "a string stays where it is");
    s.count = UINT32_MAX;
    struct err e = {0};
    ok(strings_add(&s, x, 0, &e) == ERR_LIMIT, "no more than 2^32 - 1: %s", e.text);
    strings_clear(&s);
}

/* Several calls, each up to a limit. */
static void
test_read(void)
{
    struct strings s = {0};
    struct err e = {0};
    struct alphabet a = alphabet("01");
    const char text[] = "01\n\n1\n0011\n1\n";
    struct input *in = input_from_memory(text, sizeof text - 1, "data", &e);
    struct string_reader *l = string_reader_new(in, &a, &plain, &e);
    ok(strings_read(&s, l, 2, 100, &e) == 1 && s.count == 2 && s.symbols == 2, "a number of them");
    ok(strings_read(&s, l, 100, 4, &e) == 1 && s.count == 4 && s.symbols == 7,
       "or as many as have that many symbols");
    ok(strings_read(&s, l, 100, 100, &e) == 0 && s.count == 5, "then the others");
    ok(strings_read(&s, l, 100, 100, &e) == 0 && s.count == 5 && e.code == 0, "and no more");
    string_reader_free(l);
    input_close(in);
    strings_clear(&s);
}

static void
test_load(void)
{
    struct strings s = {0};
    struct err e = {0};
    struct alphabet a = alphabet("01");
    uint64_t hash[2] = {0};
    char path[TEMPFILE_MAX];
    tempfile_new(path);
    FILE *f = fopen(path, "w");
    fputs("01\n10\n", f);
    fclose(f);
    ok(strings_load(&s, path, &a, &plain, &hash[0], &e) == 0 && s.count == 2, "a file");
    ok(strings_load(&s, path, &a, &plain, &hash[1], &e) == 0 && s.count == 4 &&
           hash[0] == hash[1] && hash[0] != 0,
       "and once more, with its hash");
    a = alphabet("AB");
    ok(strings_load(&s, path, &a, &plain, hash, &e) == ERR_DATA, "%s", e.text);
    unlink(path);
    struct err gone = {0};
    ok(strings_load(&s, path, &a, &plain, hash, &gone) == ERR_IO, "%s", gone.text);
    strings_clear(&s);
}

static void
test_default_length(void)
{
    ok(strings_default_max_length(7, 7) == 7 && strings_default_max_length(0, 0) == 0,
       "L of strings of one length");
    ok(strings_default_max_length(6, 7) == 15, "and of several");
}

/* Copies go in, shuffled copies come out; twice with the same memory. */
static void
test_copies(void)
{
    struct strings s = {0};
    struct string_order o = {0};
    unsigned seen[4] = {0};
    int wrong = 0;
    struct err e = {0};
    struct rng r;
    rng_init(&r, 1, "test_strings", 0);
    for (uint8_t n = 0; n < 4; n++)
        strings_add(&s, (const uint8_t[]){n, n, n}, n, IGNORE_ERR);
    for (int round = 0; round < 2; round++) {
        string_order_reset(&o);
        for (size_t n = 0; n < 4; n++)
            string_order_add(&o, n, 100 * n + 1, IGNORE_ERR);
        string_order_shuffle(&o, &r);
        ok(o.count == 604, "all copies are there");
        ok(string_order_symbols(&o, &s) == 101 + 2 * 201 + 3 * 301, "and all symbols");
    }
    for (size_t i = 0; i < o.count; i++) {
        size_t length;
        const uint8_t *symbols = string_order_get(&o, &s, i, &length);
        seen[length]++;
        for (size_t k = 0; k < length; k++)
            wrong += symbols[k] != length;
    }
    ok(!wrong && seen[0] == 1 && seen[1] == 101 && seen[2] == 201 && seen[3] == 301, "each string");
    ok(string_order_add(&o, 0, UINT32_MAX, &e) == ERR_LIMIT, "too many are refused: %s", e.text);
    ok(string_order_add_range(&o, 0, UINT32_MAX, &e) == ERR_LIMIT, "so is a long range");
    string_order_clear(&o);
    string_order_shuffle(&o, &r);
    ok(o.count == 0 && string_order_symbols(&o, &s) == 0, "an empty order");
    ok(string_order_sort(&o, &s, &e) == 0 && o.count == 0, "which can be sorted");
    string_order_clear(&o);
    strings_clear(&s);
}

/* The 24 orders of four strings. */
static void
test_shuffle(void)
{
    enum { ROUNDS = 48000 };
    static uint64_t seen[256];
    static double expected[256];
    struct string_order o = {0};
    struct rng r;
    rng_init(&r, 2, "test_strings", 0);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned order = 0;
        string_order_reset(&o);
        string_order_add_range(&o, 0, 4, IGNORE_ERR);
        string_order_shuffle(&o, &r);
        for (size_t k = 0; k < 4; k++)
            order = order * 4 + o.at[k];
        seen[order]++;
    }
    for (unsigned order = 0; order < 256; order++) {
        unsigned present = 0;
        for (unsigned k = 0; k < 4; k++)
            present |= 1u << (order >> 2 * k & 3);
        expected[order] = present == 15 ? 1.0 / 24 : 0;
    }
    ok(chisq_passes(seen, expected, 256, ROUNDS), "every order is equally likely");
    string_order_clear(&o);
}

/* Neighbors are in order, and no string was lost. */
static void
test_sort(size_t count, size_t longest, unsigned letters)
{
    struct strings s = {0};
    struct string_order o = {0};
    struct err e = {0};
    uint8_t *x = mem_array(longest + 1, 1, &e), *seen = mem_zero(count, 1, &e);
    size_t wrong = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = random_string(i, longest, letters, x);
        strings_add(&s, x, n, &e);
        string_order_add(&o, count - 1 - i, 1, &e);
    }
    ok(string_order_sort(&o, &s, &e) == 0 && o.count == count, "%zu strings over %u symbols", count,
       letters);
    for (size_t i = 1; i < count; i++) {
        size_t n, m;
        const uint8_t *a = strings_get(&s, o.at[i - 1], &n), *b = strings_get(&s, o.at[i], &m);
        wrong += strings_compare(a, n, b, m) > 0;
    }
    for (size_t i = 0; i < count; i++)
        seen[o.at[i]]++;
    for (size_t i = 0; i < count; i++)
        lost += seen[i] != 1;
    ok(wrong == 0 && lost == 0, "are sorted");
    mem_free(x);
    mem_free(seen);
    string_order_clear(&o);
    strings_clear(&s);
}

static void
test_compare(void)
{
    const uint8_t x[] = {0, 1, 2};
    ok(strings_compare(x, 2, x, 3) < 0 && strings_compare(x, 3, x, 2) > 0, "a prefix comes first");
    ok(strings_compare(x, 0, x, 1) < 0 && strings_compare(x, 0, x, 0) == 0, "also the empty one");
    ok(strings_compare(x + 1, 1, x, 3) > 0, "before the length, symbols count");
}

int
main(void)
{
    test_lines();
    test_long_lines();
    test_contents(3000, 40, 2);
    test_contents(3000, 300, 64);
    test_contents(50, 200000, 4);
    test_large();
    test_growth();
    test_read();
    test_load();
    test_default_length();
    test_compare();
    test_copies();
    test_shuffle();
    test_sort(1000, 8, 2);
    test_sort(100000, 20, 2); /* several blocks */
    test_sort(1 << 16, 3, 4); /* blocks that end where the order does, many equal */
    test_sort(40000, 30, 1);
    test_sort(40000, 40, 2); /* longer than a key, also by one symbol */
    test_sort(40000, 12, 64);
    test_sort(40000, 70, 1);
    return tap_done();
}

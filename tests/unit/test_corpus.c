/* SPDX-License-Identifier: MIT
 * alphabet, lines and corpus: text in, the same strings out. */
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/input.h"
#include "support/tap.h"
#include "text/alphabet.h"
#include "text/corpus.h"
#include "text/line_reader.h"

static struct alphabet
alphabet(const char *chars)
{
    struct alphabet a;
    (void)alphabet_init(&a, chars, NULL);
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
    struct line_reader *l = line_reader_new(in, &a, &e);
    const uint8_t *codes;
    size_t n;
    char *p = joined;
    while (line_reader_next(l, &codes, &n, &e) > 0) {
        alphabet_decode(&a, codes, n, p);
        p += n;
        *p++ = '|';
    }
    *p = '\0';
    line_reader_free(l);
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
    char *text = mem_array(LINE_SYMBOLS_MAX + 3, 1, NULL);
    memset(text, '0', LINE_SYMBOLS_MAX + 3);
    struct alphabet a = alphabet("01");
    memcpy(text + LINE_SYMBOLS_MAX, "\r\n1", 3);
    struct input *in = input_from_memory(text, LINE_SYMBOLS_MAX + 3, "data", NULL);
    struct line_reader *l = line_reader_new(in, &a, NULL);
    const uint8_t *codes;
    size_t n;
    ok(line_reader_next(l, &codes, &n, NULL) == 1 && n == LINE_SYMBOLS_MAX,
       "the longest line there may be");
    ok(line_reader_next(l, &codes, &n, NULL) == 1 && n == 1, "and the one behind it");
    ok(line_reader_number(l) == 2, "which is line 2");
    line_reader_free(l);
    input_close(in);
    text[LINE_SYMBOLS_MAX] = '0';
    const char *got = strings_of(text, LINE_SYMBOLS_MAX + 3, "01");
    ok(strstr(got, "data:1: line is longer than 1048576 characters") != NULL, "%s", got);
    mem_free(text);
}

/* Strings of many lengths over an alphabet of `size`, in and out again. */
static void
test_corpus(const char *chars, size_t most)
{
    enum { COUNT = 3000 };
    struct alphabet a = alphabet(chars);
    struct corpus *c = corpus_new(&a, NULL);
    uint8_t *s = mem_array(most + 1, 1, NULL), *t = mem_array(most + 1, 1, NULL);
    struct rng r;
    int wrong = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < COUNT; i++) {
            rng_init(&r, 1, "corpus", i);
            size_t n = rng_below(&r, most + 1);
            for (size_t k = 0; k < n; k++)
                s[k] = (uint8_t)rng_below(&r, a.size);
            if (pass == 0)
                wrong += corpus_add(c, s, n, NULL) != 0;
            else
                wrong += corpus_get(c, i, t) != n || memcmp(s, t, n) != 0;
        }
    ok(wrong == 0 && corpus_count(c) == COUNT, "%u symbols, up to %zu long: all strings come back",
       a.size, most);
    mem_free(s);
    mem_free(t);
    corpus_free(c);
}

static void
test_memory(void)
{
    struct alphabet a = alphabet("01");
    struct corpus *c = corpus_new(&a, NULL);
    uint8_t s[30] = {0};
    for (int i = 0; i < 1000000; i++)
        (void)corpus_add(c, s, sizeof s, NULL);
    /* 3.75 bytes of bits, 1 of length, 0.25 of index; half as much for growth */
    ok(corpus_memory(c) < 7500000, "a million 30-bit strings take %zu bytes", corpus_memory(c));
    ok(corpus_symbols(c) == 30000000 && corpus_longest(c) == 30 && corpus_shortest(c) == 30,
       "and are counted");
    corpus_free(c);
}

static void
test_alphabet(void)
{
    struct alphabet a;
    char all[ALPHABET_MAX + 2];
    for (int i = 0; i <= ALPHABET_MAX; i++)
        all[i] = (char)('!' + i);
    all[ALPHABET_MAX + 1] = '\0';
    ok(alphabet_init(&a, all, NULL) == ERR_USAGE, "65 characters are too many");
    all[ALPHABET_MAX] = '\0';
    ok(alphabet_init(&a, all, NULL) == 0 && a.size == 64, "64 are fine");
    ok(alphabet_init(&a, "", NULL) == ERR_USAGE, "none are not");
    ok(alphabet_init(&a, "010", NULL) == ERR_USAGE, "twice the same is refused");
    ok(alphabet_init(&a, "0 1", NULL) == ERR_USAGE, "a blank is refused");
    ok(alphabet_init(&a, "0\xc3\xa9", NULL) == ERR_USAGE, "so is what is not ASCII");
    a = alphabet("ACGT");
    struct err e = {0};
    size_t n;
    uint8_t *w = NULL;
    ok(alphabet_word(&a, "GATTACA", &w, &n, &e) == 0 && n == 7 &&
           memcmp(w, "\2\0\3\3\0\1\0", 7) == 0,
       "a word becomes codes");
    mem_free(w);
    ok(alphabet_check(&a, "GAUC", &e) == ERR_USAGE && strstr(e.text, "position 3") != NULL, "%s",
       e.text);
    ok(alphabet_check(&a, "", NULL) == ERR_USAGE && alphabet_check(&a, "T", NULL) == 0,
       "a word has a symbol at least");
    struct alphabet b = alphabet("ACTG");
    ok(alphabet_equal(&a, &a) && !alphabet_equal(&a, &b), "the order matters");
}

int
main(void)
{
    test_alphabet();
    test_lines();
    test_long_lines();
    test_corpus("01", 40);
    test_corpus("ACGT", 200);
    test_corpus("abc", 20000 / 64);
    test_corpus("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 300);
    test_memory();
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 *
 * alphabet: symbols of one byte, of several bytes and of words, what -a takes, and text in both
 * directions.
 */
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/alphabet.h"

static struct alphabet
alphabet(const char *chars)
{
    struct alphabet a;
    (void)alphabet_init(&a, chars, IGNORE_ERR);
    return a;
}

/* 255 and 256 characters, from U+0100 on. */
static void
test_size(void)
{
    struct alphabet a;
    char all[2 * ALPHABET_MAX + 3] = "";
    for (int i = 0; i <= ALPHABET_MAX; i++) {
        all[2 * i] = (char)(0xc4 + i / 64);
        all[2 * i + 1] = (char)(0x80 + i % 64);
    }
    struct err e = {0};
    ok(alphabet_init(&a, all, &e) == ERR_USAGE && strstr(e.text, "more than 255") != NULL, "%s",
       e.text);
    all[2 * ALPHABET_MAX] = '\0';
    ok(alphabet_init(&a, all, IGNORE_ERR) == 0 && a.size == 255 && !a.bytes, "255 are fine");
    unsigned wrong = 0;
    for (unsigned i = 0; i < a.size; i++) {
        size_t n;
        const char *text = alphabet_symbol(&a, i, &n);
        wrong += n != 2 || alphabet_find(&a, text, n) != i;
    }
    ok(wrong == 0, "each is found by its text");
    ok(alphabet_init(&a, "", IGNORE_ERR) == ERR_USAGE, "none are not");
    ok(alphabet_init(&a, "010", IGNORE_ERR) == ERR_USAGE, "twice the same is refused");
    ok(alphabet_init(&a, "0\t", IGNORE_ERR) == ERR_USAGE, "so is a control character");
    ok(alphabet_init(&a, "0\xc3", IGNORE_ERR) == ERR_USAGE, "and what is not UTF-8");
    ok(alphabet_init(&a, "0 1", IGNORE_ERR) == 0 && a.size == 3 && !alphabet_is_simple(&a),
       "a blank is a character");
}

static void
parses(const char *text, const char *expected)
{
    struct alphabet a;
    struct err e = {0};
    int rc = alphabet_parse(&a, text, &e);
    ok(rc == 0 && strcmp(a.text, expected) == 0, "%s is '%s'%s", text, rc == 0 ? a.text : "",
       e.text);
}

static void
refuses(const char *text, const char *reason)
{
    struct alphabet a;
    struct err e = {0};
    ok(alphabet_parse(&a, text, &e) == ERR_USAGE && strstr(e.text, reason) != NULL, "%s: %s", text,
       e.text);
}

static void
test_parse(void)
{
    parses("01", "01");
    parses("dna", "ACGT");
    parses("rna", "ACGU");
    parses("protein", "ACDEFGHIKLMNPQRSTVWY");
    parses("lower", "abcdefghijklmnopqrstuvwxyz");
    parses("upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    parses("digits", "0123456789");
    parses("a-e0-3", "abcde0123");
    parses("\\dna", "dna");
    parses("a\\-c", "a-c");
    parses("-a", "-a");
    parses("ACGT-", "ACGT-");
    parses("\\\\", "\\");
    parses("\xc3\xa9\xc3\xa0-\xc3\xa2", "\xc3\xa9\xc3\xa0\xc3\xa1\xc3\xa2");
    struct alphabet a;
    ok(alphabet_parse(&a, "print", IGNORE_ERR) == 0 && a.size == ALPHABET_BYTES_MAX && a.bytes,
       "print has all of printable ASCII");
    refuses("", "empty");
    refuses("a\\", "backslash");
    refuses("z-a", "ends before it begins");
    refuses("aa-c", "repeated");
    refuses("a\xff", "0xff");
    refuses("!-\xe4\xbf\xbf", "more than 255");
}

static void
test_tokens(void)
{
    struct alphabet a;
    struct err e = {0};
    uint8_t symbols[16];
    size_t n;
    char text[64];
    ok(alphabet_init_tokens(&a, " atg  gcc t\xc3\xa9", &e) == 0 && a.size == 3 &&
           strcmp(a.text, "atg gcc t\xc3\xa9") == 0,
       "tokens: '%s'", a.text);
    ok(alphabet_encode(&a, "gcc atg\t gcc ", 13, symbols, &n) == 13 && n == 3 &&
           memcmp(symbols, "\1\0\1", 3) == 0,
       "blanks and tabs separate them");
    ok(alphabet_encode(&a, "gcc at", 6, symbols, &n) == 4 && n == 1, "one is unknown");
    n = alphabet_decode(&a, (const uint8_t *)"\0\2", 2, text);
    text[n] = '\0';
    ok(strcmp(text, "atg t\xc3\xa9") == 0 && n <= alphabet_text_max(&a, 2), "as text: '%s'", text);
    uint8_t *w = NULL;
    ok(alphabet_word(&a, "atg gcc", &w, &n, &e) == 0 && n == 2 && w[1] == 1, "a word of tokens");
    mem_free(w);
    ok(alphabet_check(&a, "atg gcca", &e) == ERR_USAGE && strstr(e.text, "token 2") != NULL, "%s",
       e.text);
    struct alphabet b = alphabet("atg c");
    struct alphabet c;
    alphabet_init_tokens(&c, "atg c", IGNORE_ERR);
    ok(!alphabet_equal(&b, &c), "characters and tokens differ");
    char many[ALPHABET_TEXT_MAX + 8];
    memset(many, 'x', sizeof many);
    many[256] = '\0';
    struct err long_token = {0};
    ok(alphabet_init_tokens(&a, many, &long_token) == ERR_USAGE, "%s", long_token.text);
}

static void
test_order(void)
{
    struct alphabet a = alphabet("zb\xc3\xa9"
                                 "a");
    uint8_t map[ALPHABET_MAX];
    alphabet_sort(&a, map);
    ok(strcmp(a.text, "abz\xc3\xa9") == 0 && map[0] == 2 && map[1] == 1 && map[2] == 3 &&
           map[3] == 0,
       "sorted: '%s'", a.text);
    ok(alphabet_find(&a, "\xc3\xa9", 2) == 3 && a.symbol['z'] == 2, "and found");
}

static void
test_case(void)
{
    struct alphabet a = alphabet("ACb\xc3\xa9");
    uint8_t symbols[8];
    size_t n;
    alphabet_fold_case(&a);
    ok(alphabet_encode(&a, "acB\xc3\x89", 5, symbols, &n) == 5 &&
           memcmp(symbols, "\0\1\2\3", 4) == 0,
       "letters in the other case");
    struct alphabet both = alphabet("aA");
    alphabet_fold_case(&both);
    ok(both.symbol['a'] == 0 && both.symbol['A'] == 1, "both cases stay different");
    struct alphabet t;
    alphabet_init_tokens(&t, "atg GCC", IGNORE_ERR);
    alphabet_fold_case(&t);
    ok(alphabet_encode(&t, "ATG gcc", 7, symbols, &n) == 7 && n == 2, "tokens, too");
}

static void
test_words(void)
{
    struct alphabet a = alphabet("ACGT");
    struct err e = {0};
    size_t n;
    uint8_t *w = NULL;
    ok(alphabet_word(&a, "GATTACA", &w, &n, &e) == 0 && n == 7 &&
           memcmp(w, "\2\0\3\3\0\1\0", 7) == 0,
       "a word becomes symbols");
    mem_free(w);
    ok(alphabet_check(&a, "GAUC", &e) == ERR_USAGE && strstr(e.text, "character 3") != NULL, "%s",
       e.text);
    ok(alphabet_check(&a, "", IGNORE_ERR) == ERR_USAGE && alphabet_check(&a, "T", IGNORE_ERR) == 0,
       "a word has a symbol at least");
    struct alphabet b = alphabet("ACTG");
    ok(alphabet_equal(&a, &a) && !alphabet_equal(&a, &b), "the order matters");
    struct alphabet u = alphabet("\xc3\xa9t");
    struct err wide = {0};
    ok(alphabet_check(&u, "\xc3\xa9tx", &wide) == ERR_USAGE &&
           strstr(wide.text, "character 3") != NULL,
       "characters are counted, not bytes: %s", wide.text);
}

int
main(void)
{
    test_size();
    test_parse();
    test_tokens();
    test_order();
    test_case();
    test_words();
    return tap_done();
}

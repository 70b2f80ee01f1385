/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_internal.h"
#include "text/alphabet.h"

/* ---- sites ----------------------------------------------------------------------------- */

/* Bits 1, 2, 4, 8 are A, C, G, T; the index in the text is the set of bits. */
static const char iupac[] = "?ACMGRSVTWYHKDBN";

/* 0 if `c` is not an IUPAC letter. */
static unsigned
bases_of(char c)
{
    char letter = (char)toupper((unsigned char)c);
    const char *at = letter == '\0' ? NULL : strchr(iupac + 1, letter == 'U' ? 'T' : letter);
    return at == NULL ? 0 : (unsigned)(at - iupac);
}

/* A pairs with T and C with G: reverses the four bits. */
static unsigned
complement(unsigned bases)
{
    return (bases & 1) << 3 | (bases & 2) << 1 | (bases & 4) >> 1 | (bases & 8) >> 3;
}

/* The symbols for A, C, G and T or U, as characters. */
static int
find_bases(const struct alphabet *a, char *base, struct err *e)
{
    static const char *const sets[] = {"ACGT", "ACGU", "acgt", "acgu"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!a->tokens && strspn(sets[i], a->text) == 4) {
            memcpy(base, sets[i], 4);
            return 0;
        }
    char alphabet[ALPHABET_SHOW_MAX];
    return err_set(e, ERR_USAGE, "sites need an alphabet with ACGT or ACGU, not '%s'",
                   alphabet_show(a, alphabet));
}

static char *
put_bases(char *out, unsigned bases, const char *base)
{
    *out++ = '[';
    for (unsigned i = 0; i < 4; i++)
        if (bases >> i & 1)
            *out++ = base[i];
    *out++ = ']';
    return out;
}

static int
check_site(const char *word, struct err *e)
{
    if (*word == '\0')
        return err_set(e, ERR_USAGE, "the word is empty");
    for (size_t i = 0; word[i] != '\0'; i++)
        if (bases_of(word[i]) == 0) {
            int bytes = (int)utf8_printable(word + i);
            err_set(e, ERR_USAGE, "position %zu: '%.*s' is not one of ACGTU%s", i + 1, bytes,
                    word + i, "RYSWKMBDHVN");
            err_point(e, word, i);
            return e->code;
        }
    return 0;
}

int
site_expression(const struct alphabet *a, const char *word, bool both, char **expression,
                struct err *e)
{
    size_t n = strlen(word);
    char base[4];
    int rc = find_bases(a, base, e);
    if (rc == 0)
        rc = check_site(word, e);
    *expression = rc == 0 ? mem_array(2 * n + 1, sizeof "[ACGT]", e) : NULL;
    if (*expression == NULL)
        return rc != 0 ? rc : ERR_NOMEM;
    char *out = *expression;
    for (size_t i = 0; i < n; i++)
        out = put_bases(out, bases_of(word[i]), base);
    if (both) {
        *out++ = '|';
        for (size_t i = n; i-- > 0;)
            out = put_bases(out, complement(bases_of(word[i])), base);
    }
    *out = '\0';
    return 0;
}

/* ---- windows --------------------------------------------------------------------------- */

static int
check_window(int first, int last, size_t length, struct err *e)
{
    const int most = FEATURE_POSITION_MAX;
    if (first == 0 || last == 0)
        return err_set(e, ERR_USAGE, "position 0: positions count from 1, or from -1 at the end");
    if (first > most || first < -most || last > most || last < -most)
        return err_set(e, ERR_USAGE, "position %d is beyond %d",
                       first > most || first < -most ? first : last, most);
    if ((first > 0) == (last > 0) && last < first)
        return err_set(e, ERR_USAGE, "the positions %d to %d end before they begin", first, last);
    long m = (long)length;
    if (((first > 0) == (last > 0) && last - first + 1 < m) || (last > 0 && last < m) ||
        (first < 0 && -first < m))
        return err_set(e, ERR_USAGE, "a word of %zu symbols does not fit into positions %d to %d",
                       length, first, last);
    return 0;
}

/* Any number of symbols from `least` to `most`; a negative `most` means no limit. */
static char *
put_gap(char *out, size_t room, long least, long most)
{
    if (most < 0)
        return out + snprintf(out, room, ".{%ld,}", least);
    return out + snprintf(out, room, ".{%ld,%ld}", least, most);
}

static char *
put_word(char *out, const struct alphabet *a, const uint8_t *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t n;
        const char *text = alphabet_symbol(a, word[i], &n);
        if (n == 1 && !isalnum((unsigned char)*text))
            *out++ = '\\';
        memcpy(out, text, n);
        out += n;
    }
    return out;
}

/* ^.{before}WORD.{behind}$: a limit of the window that counts from the start limits the
 * symbols before the word, and one that counts from the end limits those after it. */
int
window_expression(const struct alphabet *a, int first, int last, const uint8_t *word, size_t length,
                  char **expression, struct err *e)
{
    enum { GAPS = 64 };
    const size_t gap = GAPS / 2 - 2;
    long m = (long)length;
    int rc = check_window(first, last, length, e);
    *expression = rc == 0 ? mem_array(UTF8_BYTES_MAX * length + GAPS, 1, e) : NULL;
    if (*expression == NULL)
        return rc != 0 ? rc : ERR_NOMEM;
    char *out = *expression;
    *out++ = '^';
    out = put_gap(out, gap, first > 0 ? first - 1 : 0, last > 0 ? last - m : -1);
    out = put_word(out, a, word, length);
    out = put_gap(out, gap, last < 0 ? -last - 1 : 0, first < 0 ? -first - m : -1);
    *out++ = '$';
    *out = '\0';
    return 0;
}

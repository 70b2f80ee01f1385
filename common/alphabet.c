/* SPDX-License-Identifier: MIT */
#include "alphabet.h"

#include <string.h>

#include "err.h"
#include "mem.h"

int
alphabet_init(struct alphabet *a, const char *chars, struct err *e)
{
    size_t n = strlen(chars);
    if (n == 0 || n > ALPHABET_MAX)
        return err_set(e, ERR_USAGE, "an alphabet has 1 to %d characters, not %zu", ALPHABET_MAX,
                       n);
    memset(a, 0, sizeof *a);
    memset(a->code, ALPHABET_NONE, sizeof a->code);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)chars[i];
        if (c <= ' ' || c > '~')
            return err_set(e, ERR_USAGE, "character %zu of the alphabet is not printable", i + 1);
        if (a->code[c] != ALPHABET_NONE)
            return err_set(e, ERR_USAGE, "'%c' stands twice in the alphabet '%s'", c, chars);
        a->code[c] = (uint8_t)i;
        a->chars[i] = (char)c;
    }
    a->size = (unsigned)n;
    return 0;
}

bool
alphabet_equal(const struct alphabet *a, const struct alphabet *b)
{
    return strcmp(a->chars, b->chars) == 0;
}

size_t
alphabet_encode(const struct alphabet *a, const char *text, size_t n, uint8_t *codes)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t code = a->code[(unsigned char)text[i]];
        if (code == ALPHABET_NONE)
            return i;
        codes[i] = code;
    }
    return n;
}

void
alphabet_decode(const struct alphabet *a, const uint8_t *codes, size_t n, char *text)
{
    for (size_t i = 0; i < n; i++)
        text[i] = a->chars[codes[i]];
}

uint8_t *
alphabet_word(const struct alphabet *a, const char *word, size_t *length, struct err *e)
{
    *length = strlen(word);
    if (*length == 0) {
        err_set(e, ERR_USAGE, "'' is empty; at least one character is needed");
        return NULL;
    }
    uint8_t *codes = mem_array(*length, 1, e);
    if (codes == NULL)
        return NULL;
    size_t done = alphabet_encode(a, word, *length, codes);
    if (done == *length)
        return codes;
    mem_free(codes);
    err_set(e, ERR_USAGE, "'%s' has a character at position %zu that is not in the alphabet '%s'",
            word, done + 1, a->chars);
    return NULL;
}

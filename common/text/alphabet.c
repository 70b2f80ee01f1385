/* SPDX-License-Identifier: MIT */
#include "text/alphabet.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

int
alphabet_init(struct alphabet *a, const char *chars, struct err *e)
{
    size_t n = strlen(chars);
    if (n == 0 || n > ALPHABET_MAX)
        return err_set(e, ERR_USAGE, "alphabet must have 1 to %d characters, got %zu", ALPHABET_MAX,
                       n);
    memset(a, 0, sizeof *a);
    memset(a->symbol, ALPHABET_NONE, sizeof a->symbol);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)chars[i];
        if (c <= ' ' || c > '~')
            return err_set(e, ERR_USAGE, "character %zu of the alphabet is not printable ASCII",
                           i + 1);
        if (a->symbol[c] != ALPHABET_NONE)
            return err_set(e, ERR_USAGE, "'%c' is repeated in the alphabet '%s'", c, chars);
        a->symbol[c] = (uint8_t)i;
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
alphabet_encode(const struct alphabet *a, const char *text, size_t n, uint8_t *symbols)
{
    uint8_t worst = 0;
    for (size_t i = 0; i < n; i++) {
        symbols[i] = a->symbol[(unsigned char)text[i]];
        worst = symbols[i] > worst ? symbols[i] : worst;
    }
    if (worst != ALPHABET_NONE)
        return n;
    return (size_t)((const uint8_t *)memchr(symbols, ALPHABET_NONE, n) - symbols);
}

void
alphabet_decode(const struct alphabet *a, const uint8_t *symbols, size_t n, char *text)
{
    for (size_t i = 0; i < n; i++)
        text[i] = a->chars[symbols[i]];
}

int
alphabet_check(const struct alphabet *a, const char *word, struct err *e)
{
    if (*word == '\0')
        return err_set(e, ERR_USAGE, "word is empty");
    for (size_t i = 0; word[i] != '\0'; i++)
        if (a->symbol[(unsigned char)word[i]] == ALPHABET_NONE)
            return err_advise(e, ERR_USAGE, REMEDY_SET_ALPHABET,
                              "'%s': character %zu is not in the alphabet '%s'", word, i + 1,
                              a->chars);
    return 0;
}

int
alphabet_word(const struct alphabet *a, const char *word, uint8_t **symbols, size_t *length,
              struct err *e)
{
    int rc = alphabet_check(a, word, e);
    if (rc != 0)
        return rc;
    *length = strlen(word);
    *symbols = mem_array(*length, 1, e);
    if (*symbols == NULL)
        return ERR_NOMEM;
    alphabet_encode(a, word, *length, *symbols);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * alphabet: the characters of strings, and their numbers, the symbols.
 *
 * Symbols are 0 .. size-1 in the order of the user's alphabet ("01", "ACGT").  Models that need
 * an end-of-string symbol use `size`.  A plain value.
 *
 * Tested by tests/unit/test_strings.c.
 */
#ifndef GAMUT_ALPHABET_H
#define GAMUT_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { ALPHABET_MAX = 64, ALPHABET_NONE = 255 };

struct alphabet {
    unsigned size;                /* 1 .. ALPHABET_MAX */
    char chars[ALPHABET_MAX + 1]; /* NUL-terminated */
    uint8_t symbol[256];          /* of a byte, or ALPHABET_NONE */
};

/* 1 to 64 different printable characters, no blank; 0 or ERR_USAGE. */
int alphabet_init(struct alphabet *a, const char *chars, struct err *e);

bool alphabet_equal(const struct alphabet *a, const struct alphabet *b);

/* Translates n characters to symbols.  Returns the number translated, which is less than n
 * if text[result] is not in the alphabet. */
size_t alphabet_encode(const struct alphabet *a, const char *text, size_t n, uint8_t *symbols);

void alphabet_decode(const struct alphabet *a, const uint8_t *symbols, size_t n, char *text);

/* Checks a word from a command line (a motif, a prefix): 0, or ERR_USAGE if it
 * is empty or has a character outside the alphabet. */
int alphabet_check(const struct alphabet *a, const char *word, struct err *e);

/* Checks a word and encodes it into a new array; the caller frees it with mem_free. */
int alphabet_word(const struct alphabet *a, const char *word, uint8_t **symbols, size_t *length,
                  struct err *e);

#endif

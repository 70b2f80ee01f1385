/* SPDX-License-Identifier: MIT
 *
 * alphabet: the symbols of strings and their numbers.
 *
 * A symbol is a character in UTF-8 or, in an alphabet of tokens, a word without blanks.  Symbols
 * are 0 .. size-1 in the order of the user's alphabet ("01", "ACGT").  Models that need an
 * end-of-string symbol use `size`.  A plain value.
 *
 * A string of characters is written without separators, a string of tokens with one blank
 * between two tokens.  Most alphabets have characters of one byte only (`bytes`); then
 * `symbol` and `text` translate byte by byte, and the fastest code works on bytes.
 *
 * Tested by tests/unit/test_alphabet.c.
 */
#ifndef GAMUT_ALPHABET_H
#define GAMUT_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum {
    ALPHABET_MAX = 255,       /* symbols */
    ALPHABET_SIMPLE_MAX = 64, /* see alphabet_is_simple */
    ALPHABET_BYTES_MAX = 95,  /* symbols of one byte: printable ASCII */
    ALPHABET_TEXT_MAX = 4096, /* bytes of all symbols */
    ALPHABET_NONE = 255,
    ALPHABET_SLOTS = 512,
    ALPHABET_SHOW_MAX = 160 /* bytes of alphabet_show */
};

struct alphabet {
    unsigned size;                    /* 1 .. ALPHABET_MAX; 0 while it is empty */
    bool tokens;                      /* symbols are words, separated by blanks */
    bool bytes;                       /* symbols are characters of one byte: text[symbol] */
    bool fold_case;                   /* see alphabet_fold_case */
    unsigned widest;                  /* bytes of the longest symbol */
    char text[ALPHABET_TEXT_MAX + 1]; /* the symbols in order, as a string of them is
                                         written; NUL-terminated */
    uint16_t start[ALPHABET_MAX + 1]; /* where symbols begin in `text` */
    uint8_t length[ALPHABET_MAX];     /* their bytes */
    uint8_t symbol[256];              /* of a character of one byte, or ALPHABET_NONE */
    uint8_t slot[ALPHABET_SLOTS];     /* hash table of the symbols, by their text */
};

/* An alphabet without symbols, of characters or tokens, to which alphabet_add adds. */
void alphabet_clear(struct alphabet *a, bool tokens);

/* Adds a symbol of n bytes: a printable character, or a word of printable characters without
 * blanks.  0; or ERR_USAGE if it is something else or repeated, or if there is no room. */
int alphabet_add(struct alphabet *a, const char *text, size_t n, struct err *e);

/* The symbols as a text lists them: all characters of it, or tokens separated by blanks.  0 or
 * ERR_USAGE. */
int alphabet_init(struct alphabet *a, const char *text, struct err *e);
int alphabet_init_tokens(struct alphabet *a, const char *text, struct err *e);

/* What a user writes: one of the names dna, rna, protein, lower, upper, digits and print; or a
 * list of characters and ranges of them (a-z), where a backslash makes the next character
 * literal.  0 or ERR_USAGE. */
int alphabet_parse(struct alphabet *a, const char *text, struct err *e);

/* Sorts the symbols by their bytes.  map[i] is the new number of symbol i. */
void alphabet_sort(struct alphabet *a, uint8_t map[ALPHABET_MAX]);

/* From now on, letters that are not in the alphabet are read as the same letter in the other
 * case, and so are tokens. */
void alphabet_fold_case(struct alphabet *a);

bool alphabet_equal(const struct alphabet *a, const struct alphabet *b);

/* Whether files of format version 1 and 2 can hold it: up to 64 characters of one byte, no
 * blank. */
bool alphabet_is_simple(const struct alphabet *a);

/* The symbol whose text has these n bytes, or ALPHABET_NONE. */
uint8_t alphabet_find(const struct alphabet *a, const char *text, size_t n);

/* The text of a symbol, not NUL-terminated; *n is its bytes. */
const char *alphabet_symbol(const struct alphabet *a, unsigned symbol, size_t *n);

/* The first symbol of a text of n > 0 bytes: its bytes in *used, without the blank after it,
 * and its number, or ALPHABET_NONE if it is not in the alphabet.  If a text does not begin
 * with a printable character, *used is 0. */
uint8_t alphabet_first(const struct alphabet *a, const char *text, size_t n, size_t *used);

/* Translates n bytes of text; `symbols` has room for n.  Returns the number of bytes
 * translated, which is less than n if what stands at text[result] is not in the alphabet.
 * *length is the number of symbols. */
size_t alphabet_encode(const struct alphabet *a, const char *text, size_t n, uint8_t *symbols,
                       size_t *length);

/* The most bytes that a string of n symbols takes as text, and the text: returns its bytes,
 * without a NUL. */
size_t alphabet_text_max(const struct alphabet *a, size_t n);
size_t alphabet_decode(const struct alphabet *a, const uint8_t *symbols, size_t n, char *text);

/* The symbols for a message: all of them, or the first ones and how many there are. */
const char *alphabet_show(const struct alphabet *a, char text[ALPHABET_SHOW_MAX]);

/* Encodes a word from a command line (a motif, a prefix) into a new array; the caller frees it
 * with mem_free.  0, or ERR_USAGE if it is empty or not over the alphabet.  alphabet_check only
 * checks it. */
int alphabet_check(const struct alphabet *a, const char *word, struct err *e);
int alphabet_word(const struct alphabet *a, const char *word, uint8_t **symbols, size_t *length,
                  struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * ac: the automaton of Aho and Corasick (1975), which finds all occurrences of
 * many words in one pass over a text, at a cost a symbol that does not depend
 * on how many there are.
 *
 * State s is where rows of `next` begin: s = row * symbols, so a step is one
 * addition and one load.  State 0 is the start.
 */
#ifndef GAMUT_AHO_CORASICK_H
#define GAMUT_AHO_CORASICK_H

#include <stddef.h>
#include <stdint.h>

struct err;

#define AC_HIT  (UINT32_C(1) << 31) /* set in a target where a word ends */
#define AC_NONE UINT32_MAX

struct ac {
    unsigned symbols;
    uint32_t rows;
    uint32_t *next; /* [rows][symbols] targets; may have AC_HIT set */
    uint32_t *word; /* [rows] the word that ends here, or AC_NONE */
    uint32_t *less; /* [rows] the longest proper suffix where a word ends; 0: none */
};

/* An automaton without words.  0 or ERR_NOMEM; clear in either case. */
int ac_init(struct ac *ac, unsigned symbols, size_t total_length, struct err *e);
void ac_clear(struct ac *ac);

/* Adds a word of at least one symbol, gives it a number, and returns the row at
 * its end; a word that is there already gets the new number.  All words
 * together have at most the `total_length` of ac_init. */
uint32_t ac_add(struct ac *ac, const uint8_t *codes, size_t length, uint32_t number);

/* Turns the trie of the words into the automaton; nothing is added after. */
int ac_compile(struct ac *ac, struct err *e);

#endif

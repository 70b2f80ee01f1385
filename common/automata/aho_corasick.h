/* SPDX-License-Identifier: MIT
 *
 * aho_corasick: the automaton of Aho and Corasick (1975).  It finds all occurrences of many
 * words in one pass over a text; the time per symbol does not depend on the number of words.
 *
 * A state is the offset of its row in `next`: state = row * symbols, so a step is one addition
 * and one load.  State 0 is the start.
 *
 * Tested by tests/unit/test_word_counter.c and test_motif_dfa.c.
 */
#ifndef GAMUT_AHO_CORASICK_H
#define GAMUT_AHO_CORASICK_H

#include <stddef.h>
#include <stdint.h>

struct err;

#define AHO_CORASICK_HIT  (UINT32_C(1) << 31) /* set in a target where a word ends */
#define AHO_CORASICK_NONE UINT32_MAX

struct aho_corasick {
    unsigned symbols;
    uint32_t rows;
    uint32_t *next;        /* [rows][symbols] targets; may have AHO_CORASICK_HIT set */
    uint32_t *word;        /* [rows] the word that ends here, or AHO_CORASICK_NONE */
    uint32_t *output_link; /* [rows] the longest proper suffix where a word ends; 0: none */
};

/* An automaton without words.  0 or ERR_NOMEM; clear in either case. */
int aho_corasick_init(struct aho_corasick *ac, unsigned symbols, size_t total_length,
                      struct err *e);
void aho_corasick_clear(struct aho_corasick *ac);

/* Adds a word of at least one symbol with a number, and returns the row at its end.  A word
 * that is already there gets the new number.  All words together have at most the
 * `total_length` of aho_corasick_init. */
uint32_t aho_corasick_add(struct aho_corasick *ac, const uint8_t *word, size_t length,
                          uint32_t number);

/* Turns the trie of the words into the automaton; no words can be added after this. */
int aho_corasick_compile(struct aho_corasick *ac, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * aho_corasick: the automaton of Aho and Corasick (1975), which finds all occurrences of
 * many words in one pass over a text, at a cost a symbol that does not depend
 * on how many there are.
 *
 * State s is where rows of `next` begin: s = row * symbols, so a step is one
 * addition and one load.  State 0 is the start.
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

/* Adds a word of at least one symbol, gives it a number, and returns the row at
 * its end; a word that is there already gets the new number.  All words
 * together have at most the `total_length` of aho_corasick_init. */
uint32_t aho_corasick_add(struct aho_corasick *ac, const uint8_t *word, size_t length,
                          uint32_t number);

/* Turns the trie of the words into the automaton; nothing is added after. */
int aho_corasick_compile(struct aho_corasick *ac, struct err *e);

#endif

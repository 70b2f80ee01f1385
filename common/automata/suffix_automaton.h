/* SPDX-License-Identifier: MIT
 *
 * suffix_automaton: the suffix automaton of a word (Blumer et al., 1985), or of several words.
 * While a text is read, it finds the longest suffix of the text that occurs in a word.
 *
 * A position is a state and a length: the state represents all factors of the words that end at
 * the same places, and the length selects one of them.  State 0 is the empty factor.  Words of
 * m symbols in total have at most 2m states.
 *
 * Tested by tests/unit/test_feature.c and test_discover.c.
 */
#ifndef GAMUT_SUFFIX_AUTOMATON_H
#define GAMUT_SUFFIX_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct suffix_automaton {
    unsigned symbols;
    uint32_t states;
    uint32_t size;    /* symbols of all words */
    uint32_t *next;   /* [states][symbols], SUFFIX_AUTOMATON_NONE if there is no such factor */
    uint32_t *link;   /* the longest suffix that ends at more places */
    uint32_t *length; /* length of the longest factor of the state */
    uint32_t *end;    /* the first place where the factors end: number of symbols up to it,
                       * those of earlier words included */
};

#define SUFFIX_AUTOMATON_NONE UINT32_MAX

int suffix_automaton_init(struct suffix_automaton *s, const uint8_t *word, size_t m,
                          unsigned symbols, struct err *e);

/* No word yet, and room for words of `most` symbols together, less than 2^31. */
int suffix_automaton_begin(struct suffix_automaton *s, size_t most, unsigned symbols,
                           struct err *e);
void suffix_automaton_add(struct suffix_automaton *s, const uint8_t *word, size_t m);
void suffix_automaton_clear(struct suffix_automaton *s); /* a zeroed struct is fine */

/* Reads one symbol of the text. */
void suffix_automaton_step(const struct suffix_automaton *s, uint32_t *state, uint32_t *length,
                           uint8_t symbol);

#endif

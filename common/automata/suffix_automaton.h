/* SPDX-License-Identifier: MIT
 *
 * suffix_automaton: the suffix automaton of a word (Blumer et al., 1985), which finds, while
 * a text is read, the longest suffix of the text that occurs in the word.
 *
 * A position is a state and a length: the state stands for all factors of the
 * word that end at the same places, the length says which of them.  State 0
 * is the empty factor.  At most 2m states for a word of m symbols.
 *
 * Tested by tests/unit/test_feature.c.
 */
#ifndef GAMUT_SUFFIX_AUTOMATON_H
#define GAMUT_SUFFIX_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct suffix_automaton {
    unsigned symbols;
    uint32_t states;
    uint32_t *next;   /* [states][symbols], SUFFIX_AUTOMATON_NONE if there is no such factor */
    uint32_t *link;   /* the longest suffix that ends at more places */
    uint32_t *length; /* of the longest factor of the state */
    uint32_t *end;    /* the first place where the factors end: symbols up to there */
};

#define SUFFIX_AUTOMATON_NONE UINT32_MAX

int suffix_automaton_init(struct suffix_automaton *s, const uint8_t *word, size_t m,
                          unsigned symbols, struct err *e);
void suffix_automaton_clear(struct suffix_automaton *s); /* a zeroed struct is fine */

/* Reads one symbol of the text. */
void suffix_automaton_step(const struct suffix_automaton *s, uint32_t *state, uint32_t *length,
                           uint8_t symbol);

#endif

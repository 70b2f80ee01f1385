/* SPDX-License-Identifier: MIT
 *
 * dfa: a deterministic automaton as a table, and its minimization (Hopcroft, 1971; time n log
 * n).
 *
 * Tested by tests/unit/test_motif_dfa.c.
 */
#ifndef GAMUT_DFA_H
#define GAMUT_DFA_H

#include <stdint.h>

struct err;

#define DFA_DEAD UINT32_MAX /* a target from which no string is accepted */

/* State 0 is the start. */
struct dfa {
    unsigned symbols;
    uint32_t states;
    uint32_t *next;  /* [states][symbols], may be DFA_DEAD */
    uint8_t *accept; /* [states] 0 or 1 */
};

void dfa_clear(struct dfa *d); /* a zeroed struct is fine */

/* Merges equivalent states, in place.  States must be numbered in breadth-first order from
 * the start; this also holds for the result.  0 or ERR_NOMEM. */
int dfa_minimize(struct dfa *d, struct err *e);

/* distance[q]: the smallest number of symbols from state q to a state whose `accept` is
 * `wanted`, or DFA_FAR if there is none.  0 or ERR_NOMEM. */
#define DFA_FAR UINT32_MAX
int dfa_distances(const struct dfa *d, uint8_t wanted, uint32_t *distance, struct err *e);

#endif

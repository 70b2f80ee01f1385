/* SPDX-License-Identifier: MIT
 *
 * mix_automaton: a mixture of automata is an automaton.
 *
 * Its states are tuples: one state per component, or none where the component cannot produce
 * the prefix.  So everything that is exact for an automaton is exact for the mixture.
 *
 * Tested by tests/unit/test_mix.c.
 */
#ifndef GAMUT_MIX_AUTOMATON_H
#define GAMUT_MIX_AUTOMATON_H

#include <stdint.h>

struct err;
struct mix;
struct pfsa;

enum { MIX_AUTOMATON_SIZE_MAX = 6000000 }; /* states and transitions, as a rule */

/* The automaton that a mixture is; the caller frees it.  The maximum length of the mixture is
 * not part of it.  NULL on failure: ERR_DATA if a component, or one of a component, is not an
 * automaton; ERR_LIMIT beyond `max_size` states and transitions; ERR_NOMEM. */
struct pfsa *mix_automaton(const struct mix *m, uint64_t max_size, struct err *e);

#endif

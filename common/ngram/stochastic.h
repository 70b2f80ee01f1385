/* SPDX-License-Identifier: MIT
 *
 * stochastic: automata that are learned state by state: the probabilities of each state are
 * known, so nothing has to be summed over paths.
 *
 * Tested by tests/unit/test_ngram.c.
 */
#ifndef GAMUT_STOCHASTIC_H
#define GAMUT_STOCHASTIC_H

#include <stdint.h>

struct err;
struct pfsa;

enum { STOCHASTIC_ARCS_MAX = 1 << 25 }; /* about 900 MB while the automaton is made */

/* Completes an automaton of pfsa_new in which logp and final_logp hold probabilities, not
 * logarithms, and in which every state can finish: leaves out what `start` does not reach,
 * numbers the states as pfsa.h says, scales each state's probabilities to the sum 1, which
 * undoes rounding, and takes logarithms.  Frees p in any case.  NULL on failure. */
struct pfsa *stochastic_finish(struct pfsa *p, uint32_t start, struct err *e);

#endif

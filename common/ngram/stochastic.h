/* SPDX-License-Identifier: MIT
 *
 * stochastic: automata whose state probabilities are known, so that no sums over paths are
 * needed.
 *
 * Tested by tests/unit/test_ngram.c.
 */
#ifndef GAMUT_STOCHASTIC_H
#define GAMUT_STOCHASTIC_H

#include <stdint.h>

struct err;
struct pfsa;

enum { STOCHASTIC_ARCS_MAX = 1 << 25 }; /* up to 1.5 GB while the automaton is built */

/* Completes an automaton of pfsa_new in which logp and final_logp hold probabilities, not
 * logarithms, and in which every state can finish: removes states that `start` does not
 * reach, numbers the states as pfsa.h says, scales the probabilities of each state to the
 * sum 1, which removes rounding errors, and takes logarithms.  Frees p in either case.  NULL
 * on failure. */
struct pfsa *stochastic_finish(struct pfsa *p, uint32_t start, struct err *e);

#endif

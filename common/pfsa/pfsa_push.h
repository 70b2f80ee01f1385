/* SPDX-License-Identifier: MIT
 *
 * pfsa_push: makes an automaton stochastic: pushes its weights towards the
 * start, so that each state's arcs and its end sum to 1 and every string keeps
 * its share of the total.
 *
 * Backwards over the states in one pass; where components loop, the infinite
 * sums are solved exactly (loops.h).
 */
#ifndef GAMUT_PFSA_PUSH_H
#define GAMUT_PFSA_PUSH_H

struct err;
struct pfsa;

/* The states are trimmed and numbered as pfsa.h says, `acyclic` is set, and
 * weights have any total, of which log_partition becomes the logarithm;
 * min_length and max_length are set too.  leak_logw[states] is that of struct
 * pfsa_draft, or NULL.  ERR_NUMERIC if the total diverges, ERR_LIMIT,
 * ERR_NOMEM. */
int pfsa_push(struct pfsa *p, const double *leak_logw, struct err *e);

#endif

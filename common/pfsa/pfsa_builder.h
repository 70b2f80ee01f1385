/* SPDX-License-Identifier: MIT
 *
 * pfsa_builder: a weighted deterministic acceptor before normalization: arcs in
 * any order, weights any logarithms, any state the start, dead states allowed.
 *
 * Tested by tests/unit/test_pfsa.c.
 */

#ifndef GAMUT_PFSA_BUILDER_H
#define GAMUT_PFSA_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct pfsa;

struct pfsa_builder_arc {
    uint32_t source, target;
    uint8_t symbol;
    double logw;
};

/* All zero but for the alphabet is a draft without states. */
struct pfsa_builder {
    struct alphabet alphabet;
    uint32_t states, start;
    struct pfsa_builder_arc *arc; /* [arcs] */
    size_t arcs, arcs_capacity;
    double *final_logw; /* [states] */
    size_t final_capacity;
    double *missing_logw; /* [states], or NULL if not known: log of 1 minus the weights of the
                             state's arcs.  Subtraction would not give it exactly, and sums over
                             slowly decaying loops depend on it.  Owned by the caller. */
};

int pfsa_builder_state(struct pfsa_builder *d, double final_logw, uint32_t *state, struct err *e);
int pfsa_builder_arc(struct pfsa_builder *d, uint32_t source, uint8_t symbol, uint32_t target,
                     double logw, struct err *e);
void pfsa_builder_clear(struct pfsa_builder *d);

/* The automaton: trims, orders and pushes.  NULL with ERR_EMPTY if no string has positive
 * weight, ERR_DATA if two arcs of a state have the same symbol or a weight exceeds 1e9 in
 * magnitude, ERR_NUMERIC if the total weight diverges.  The caller keeps the draft. */
struct pfsa *pfsa_builder_finish(const struct pfsa_builder *d, struct err *e);

/* The states of p on strings of positive weight, numbered as pfsa.h says, with their weights
 * unchanged; `acyclic` is set.  *old gets the number in p of each, for mem_free.  NULL on
 * failure: ERR_EMPTY if there is no such string; ERR_NOMEM. */
struct pfsa *pfsa_trim(const struct pfsa *p, uint32_t start, uint32_t **old, struct err *e);

/* ERR_NUMERIC unless the automaton can be written and read again. */
int pfsa_check_result(const struct pfsa *p, struct err *e);

/* ---- stochastic automata: pfsa_push pushes the weights toward the start, so that
 * the arcs and the end of each state sum to 1 and every string keeps its share of the total.
 *
 * It is one backward pass over the states; for components with loops, the infinite sums are
 * solved exactly (state_elimination.h).
 */

/* The states must be trimmed and numbered as pfsa.h says, `acyclic` must be set, and weights
 * have any total. log_partition becomes the logarithm of the total; min_length and
 * max_length are set too. missing_logw[states] is that of struct pfsa_builder, or NULL.
 * ERR_NUMERIC if the total diverges, ERR_LIMIT, ERR_NOMEM. */
int pfsa_push(struct pfsa *p, const double *missing_logw, struct err *e);

enum { PFSA_LEARNED_ARCS_MAX = 1 << 25 }; /* up to 1.5 GB while the automaton is built */

/* Completes an automaton of pfsa_new whose probabilities are known and in which every state can
 * finish, so that no sums over paths are needed: removes states that `start` does not reach and
 * numbers the others as pfsa.h says.  Frees p in either case.  NULL on failure. */
struct pfsa *pfsa_from_log_probabilities(struct pfsa *p, uint32_t start, struct err *e);

/* The same if logp and final_logp hold probabilities, not logarithms.  Those of each state are
 * first scaled to the sum 1, which removes rounding errors. */
struct pfsa *pfsa_from_probabilities(struct pfsa *p, uint32_t start, struct err *e);

#endif

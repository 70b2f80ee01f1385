/* SPDX-License-Identifier: MIT
 *
 * state_elimination: weights summed over the infinitely many paths of a cyclic graph.
 *
 * States are eliminated one by one, and each path through an eliminated state (any number of
 * times around its loop) becomes an arc between the remaining ones.  Only additions,
 * multiplications and 1/(1 - loop) of positive numbers are needed, so this is exact up to
 * rounding, where a fixpoint iteration would converge slowly, and it detects when the sum is
 * infinite.
 *
 * If the arcs of each state sum to at most 1 and the caller knows the difference to 1, the leak
 * of the state, then 1 - loop is itself computed as a sum, of what leaves the state.  Then
 * nothing is ever subtracted, and every result has a relative error of a few roundings per
 * state, however slowly the chain leaves (Grassmann, Taksar and Heyman, 1985).  Otherwise the
 * error grows by 1 / (1 - loop).
 *
 * Weights are natural logarithms.  The state with the fewest arcs is eliminated next: it adds
 * the fewest new ones, which keeps a sparse graph sparse as long as possible (Tinney and
 * Walker, 1967).  The dense graph that remains would take cubic time: if it is large, its sums are
 * found by iteration with a proved error below a rounding (sparse_solver.h), and by elimination
 * only where the proof fails.
 */
#ifndef GAMUT_STATE_ELIMINATION_H
#define GAMUT_STATE_ELIMINATION_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct elimination;

/* A graph of n states without arcs.  NULL on failure. */
struct elimination *elimination_new(uint32_t n, struct err *e);
void elimination_free(struct elimination *l); /* NULL is fine */

/* Adds to the weight of an arc; to the weight of leaving the graph from `from`; to the leak
 * of `from`. */
int elimination_arc(struct elimination *l, uint32_t from, uint32_t to, double logw, struct err *e);
void elimination_exit(struct elimination *l, uint32_t from, double logw);
void elimination_missing(struct elimination *l, uint32_t from, double logw);

enum { ELIMINATION_CORE = 256 };

/* Must be called once, after the last arc and before the functions below; `leaks` means that
 * all leaks have been given.  Iteration takes over when eliminating the rest would make it dense
 * and more than `core` states are left, ELIMINATION_CORE unless for a test.  ERR_NUMERIC if the
 * total weight of the paths is infinite, ERR_LIMIT if elimination needs more new arcs than 2^23
 * plus four per given arc, ERR_NOMEM. */
int elimination_run(struct elimination *l, bool leaks, uint32_t core, struct err *e);

/* These return 0, ERR_LIMIT or ERR_NOMEM. */

/* x[i] = log of the total weight of all paths from i out of the graph. */
int elimination_backward(struct elimination *l, double *x, struct err *e);

/* On entry v[i] is the log weight that enters the graph at i, on return the log of the total
 * weight that passes i: for probabilities, the expected number of visits. */
int elimination_visits(struct elimination *l, double *v, struct err *e);

/* On entry x[i] is the log of the gain of each visit of i, on return the log of the total
 * gain of all paths from i, including i. */
int elimination_gather(struct elimination *l, double *x, struct err *e);

#endif

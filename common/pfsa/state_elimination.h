/* SPDX-License-Identifier: MIT
 *
 * state_elimination: weights summed over the infinitely many paths of a cyclic graph.
 *
 * States are eliminated one by one, and each path through an eliminated state
 * (round its loop any number of times) becomes an arc between the remaining
 * ones.  Only additions, multiplications and 1/(1 - loop) of positive numbers
 * are needed, so this is exact up to rounding where a fixpoint iteration would
 * creep towards the answer, and it knows when the sum is infinite.
 *
 * Where each state's arcs sum to at most 1 and the caller knows what is
 * missing to 1, the state's leak, 1 - loop is itself taken as a sum, of what
 * leaves the state; then nothing is ever subtracted and every result has a
 * relative error of a few roundings per state, however slowly the chain leaves
 * (Grassmann, Taksar and Heyman, 1985).  Otherwise the error grows by
 * 1 / (1 - loop).
 *
 * Weights are natural logarithms.  The state with the fewest arcs is eliminated
 * next: it makes the fewest new ones, which keeps a sparse graph sparse for as
 * long as that goes (Tinney and Walker, 1967).  What is left joins all states
 * with each other, and takes the third power of their number.
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

/* Adds to the weight of an arc; to the weight of all that follows when the
 * graph is left from `from`; to the leak of `from`. */
int elimination_arc(struct elimination *l, uint32_t from, uint32_t to, double logw, struct err *e);
void elimination_exit(struct elimination *l, uint32_t from, double logw);
void elimination_missing(struct elimination *l, uint32_t from, double logw);

/* To be called once, after the last arc and before the questions below; `leaks`
 * says that all leaks have been given.  ERR_NUMERIC if the paths' total weight
 * is infinite, ERR_LIMIT if it takes more than 2^23 new arcs, and four for each
 * that was given. */
int elimination_run(struct elimination *l, bool leaks, struct err *e);

/* x[i] = log of the total weight of all paths from i out of the graph. */
void elimination_backward(const struct elimination *l, double *x);

/* v[i] goes in as the log weight that enters the graph at i, and comes out as
 * the log of the total weight that passes i: for probabilities, the expected
 * number of visits. */
void elimination_visits(const struct elimination *l, double *v);

/* x[i] goes in as the log of what each visit of i gains, and comes out as the log of the
 * total gain of all paths from i, that of i included. */
void elimination_gather(const struct elimination *l, double *x);

#endif

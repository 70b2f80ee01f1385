/* SPDX-License-Identifier: MIT
 *
 * guided: draws from guided proposals (guide.h) for a GAM.
 *
 * First some strings are drawn from r, to learn a surrogate of it.  Then each aim at some
 * lambda makes a guide, and the surrogate learns from the draws of the guide.
 *
 * A guide that misses a part of P shows perfect weights.  Two checks find the part: a tenth of
 * all draws comes from the product guide, if that differs, and the estimates of all draws
 * between r and P are compared.
 */
#ifndef GAMUT_GUIDED_H
#define GAMUT_GUIDED_H

#include <stdbool.h>
#include <stdint.h>

#include "gam/draw_pool.h"

struct err;
struct gam;
struct guided;
struct pool;
struct strings;

/* With a smaller effective sample size per draw, weights and errors are unreliable. */
#define GUIDED_ESS_MIN 0.05

/* Uses base and features of the GAM, not its weights, for strings of at most `max_length`
 * symbols.  `purpose` is the key of the random numbers.  ERR_LIMIT if the automata of the
 * features are too large, or the length is unbounded.  GAM and pool must outlive the result;
 * NULL on failure. */
struct guided *guided_new(const struct gam *g, uint64_t max_length, struct pool *pool,
                          uint64_t seed, const char *purpose, struct err *e);
void guided_free(struct guided *d); /* NULL is fine */

/* Makes guides at lambda for the draws that follow.  ERR_EMPTY if no string has positive
 * weight there. */
int guided_aim(struct guided *d, const double *lambda, struct err *e);

/* Adds draws to the pool: from r before the first aim, else from the guides.  With `learn`
 * the surrogate learns from them.  Memory may limit their number, a multiple of 10: p->draws
 * gives it. */
int guided_draw(struct guided *d, uint64_t draws, bool learn, struct draw_pool *p, struct err *e);

/* Adds given strings of at most the maximum length to a pool, as if r had drawn them.  With
 * `learn` they teach the surrogate. */
int guided_follow(struct guided *d, const struct strings *given, bool learn, struct draw_pool *p,
                  struct err *e);

/* The difference of two estimates of log Z that should agree. */
struct guided_gap {
    double log_z, se; /* of the difference; 0 and 0: none */
    bool wide;        /* more than chance explains */
};

/* Compares two estimates, and keeps the larger difference in *gap.  A larger fresh estimate
 * counts only if both come from draws at the same weights: `both_ways`. */
void guided_gap_add(struct guided_gap *gap, const struct draw_estimate *fresh,
                    const struct draw_estimate *other, bool both_ways);

/* Learns to draw from P at lambda, and aims there.  From r to P it takes steps small enough for
 * the draws so far to be informative.  A guide whose estimate of Z is below that of the draws so
 * far has missed a part of P, even if its own weights are equal.  Then come rounds at lambda
 * until the last two have good weights and agree on log Z.  `gap` is the largest difference. */
int guided_learn(struct guided *d, const double *lambda, struct guided_gap *gap, struct err *e);

/* The same for fresh draws at lambda against all draws of guided_learn. */
void guided_compare(const struct guided *d, const double *lambda, const struct draw_estimate *fresh,
                    struct guided_gap *gap);

/* All draws of guided_learn, at weights from 0 to lambda. */
const struct draw_pool *guided_learned(const struct guided *d);

/* Draws from here on have random numbers of their own in each part of a run. */
void guided_set_part(struct guided *d, uint64_t part);

/* Prefixes that r evaluated, and proposals. */
uint64_t guided_steps(const struct guided *d);
uint64_t guided_draws(const struct guided *d);

#endif

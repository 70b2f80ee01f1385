/* SPDX-License-Identifier: MIT
 *
 * guided: draws from guided proposals (guide.h) for a GAM.
 *
 * First some strings are drawn from r, to learn a surrogate of it.  Then each aim at some
 * lambda makes a guide, and draws from it teach the surrogate more.  A tenth of all draws
 * comes from the product guide, if that is another: a guide that misses a part of P shows
 * perfect weights, and the probe is what finds the part.
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

/* The GAM's base and features, for strings of at most `max_length` symbols; its weights do
 * not matter.  `purpose` names the random numbers.  ERR_LIMIT if the automata of the features
 * are too large, or the length is unbounded.  GAM and pool must outlive the result; NULL on
 * failure. */
struct guided *guided_new(const struct gam *g, uint64_t max_length, struct pool *pool,
                          uint64_t seed, const char *purpose, struct err *e);
void guided_free(struct guided *d); /* NULL is fine */

/* Makes guides at lambda for the draws that follow.  ERR_EMPTY if no string has positive
 * weight there. */
int guided_aim(struct guided *d, const double *lambda, struct err *e);

/* Adds draws to the pool: from r before the first aim, else from the guides.  With `learn`
 * they teach the surrogate.  As many as memory allows, a multiple of 10: p->draws says. */
int guided_draw(struct guided *d, uint64_t draws, bool learn, struct draw_pool *p, struct err *e);

/* Learns to draw from P at lambda, and aims there: rounds of draws until the last two have
 * good weights and agree on log Z.  `last` says how good the last round was. */
int guided_learn(struct guided *d, const double *lambda, struct draw_estimate *last, struct err *e);

/* Prefixes that r evaluated, and strings begun. */
uint64_t guided_steps(const struct guided *d);
uint64_t guided_draws(const struct guided *d);

#endif

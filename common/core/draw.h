/* SPDX-License-Identifier: MIT
 *
 * draw: exact random counts.
 *
 * How many of n strings go on with each symbol is a multinomial draw; drawing
 * the counts costs the same for n = 2 and n = 2^63, which is what makes it
 * cheap to sample many strings that share prefixes.  "Exact" means: up to the
 * rounding of doubles, no normal approximation.  Only IEEE arithmetic and
 * dmath, so the same bits everywhere.
 */
#ifndef GAMUT_DRAW_H
#define GAMUT_DRAW_H

#include <stdint.h>

struct rng;

enum { DRAW_KINDS_MAX = 66 }; /* an alphabet, end-of-string, and "none of these" */

/* Successes among n trials of probability p in [0, 1]; n < 2^63. */
uint64_t draw_binomial(struct rng *r, uint64_t n, double p);

/* Index 0 .. k-1, k <= DRAW_KINDS_MAX, with probability proportional to
 * weight[index].  Weights are non-negative with a positive sum; a weight of 0
 * is never chosen. */
unsigned draw_index(struct rng *r, const double *weight, unsigned k);

/* n independent draws as draw_index makes them, counted: count[0 .. k-1]. */
void draw_counts(struct rng *r, uint64_t n, const double *weight, unsigned k, uint64_t *count);

#endif

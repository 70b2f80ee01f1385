/* SPDX-License-Identifier: MIT
 *
 * sampler_internal: what the sampler and the textbook loop have in common.
 */
#ifndef GAMUT_SAMPLER_INTERNAL_H
#define GAMUT_SAMPLER_INTERNAL_H

#include <stdint.h>

struct err;
struct rng;
struct sampler_options;

/* Symbols after which a string is not followed any more. */
uint64_t sampler_longest(const struct sampler_options *o);

/* What becomes of strings that go on there: 0 if they are longer than was asked
 * for and can be dropped, else ERR_LIMIT. */
int sampler_cut(const struct sampler_options *o, struct err *e);

/* Random numbers for one use within the sampler. */
void sampler_name_stream(struct rng *r, const struct sampler_options *o, const char *use,
                         uint64_t index);

/* Chance of surviving the step from log bound `from` to `to`.  A hair above 1
 * is rounding; more is a bound that does not bound. */
double keep_probability(double from, double to);

#endif

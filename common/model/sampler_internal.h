/* SPDX-License-Identifier: MIT
 *
 * sampler_internal: shared by the sampler and the textbook loop.
 */
#ifndef GAMUT_SAMPLER_INTERNAL_H
#define GAMUT_SAMPLER_INTERNAL_H

#include <stdint.h>

struct err;
struct rng;
struct sampler_options;

/* The length at which a string is not extended. */
uint64_t sampler_longest(const struct sampler_options *o);

/* For strings that do not end there: 0 if they exceed the maximum length and can be dropped,
 * else ERR_LIMIT. */
int sampler_cut(const struct sampler_options *o, struct err *e);

/* Random numbers for one use within the sampler. */
void sampler_name_stream(struct rng *r, const struct sampler_options *o, const char *use,
                         uint64_t index);

/* The acceptance probability of the step from log bound `from` to `to`.  A value slightly
 * above 1 is rounding; a larger one means that `to` is not a valid bound. */
double keep_probability(double from, double to);

#endif

/* SPDX-License-Identifier: MIT
 *
 * sampler_parts: what the sampler and the textbook loop have in common.
 */
#ifndef GAMUT_SAMPLER_PARTS_H
#define GAMUT_SAMPLER_PARTS_H

#include <stdint.h>

struct rng;
struct sampler_options;

/* Random numbers for one use within the sampler. */
void sampler_name_stream(struct rng *r, const struct sampler_options *o, const char *use,
                         uint64_t index);

/* Chance of surviving the step from log bound `from` to `to`.  A hair above 1
 * is rounding; more is a bound that does not bound. */
double sampler_survival(double from, double to);

#endif

/* SPDX-License-Identifier: MIT
 *
 * guided_sampler: strings from a GAM by guided proposals (guided.h) and quasi-rejection
 * (quasi_rejection.h).
 *
 * A guide is learned, a pilot sample of its weights fixes the bound beta for the stated
 * total variation distance, and then strings are proposed and accepted, in rounds of
 * bounded memory.  Guide and beta depend on the GAM and the seed, not on how many strings
 * are wanted.
 *
 * Tested by tests/unit/test_guided.c.
 */
#ifndef GAMUT_GUIDED_SAMPLER_H
#define GAMUT_GUIDED_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct gam;
struct pool;
struct sampler_request;
struct sampler_stats;

/* With fewer effective draws per draw the weights cannot be trusted. */
#define GUIDED_ESS_MIN 0.05

struct guided_sampler_options {
    uint64_t seed;
    const char *purpose; /* names the random numbers */
    uint64_t max_length; /* L */
    double tvd;          /* total variation distance to P that is allowed */
};

struct guided_sampler_quality {
    double ess;           /* per draw of the pilot */
    double tvd, tvd_hi95; /* estimate, and its upper limit at 95 % */
    double log_z, log_z_se;
    bool refused; /* ess is below GUIDED_ESS_MIN: nothing was drawn */
};

struct guided_sampler;

/* Learns the guide and fixes beta.  GAM and pool must outlive the result; NULL on
 * failure: ERR_EMPTY if no string has positive weight, ERR_LIMIT if the features are too
 * large to be followed. */
struct guided_sampler *guided_sampler_new(const struct gam *g, struct pool *pool,
                                          const struct guided_sampler_options *o, struct err *e);
void guided_sampler_free(struct guided_sampler *s); /* NULL is fine */

void guided_sampler_get_quality(const struct guided_sampler *s, struct guided_sampler_quality *q);

/* Draws strings in random order until there are enough or the proposals are used up. */
int guided_sampler_run(struct guided_sampler *s, const struct sampler_request *request,
                       struct err *e);

/* Draws strings without accepting or rejecting: `weighted` gets each with the log of its
 * importance weight P(x) / q(x), where q is the proposal given that it ends in a string. */
typedef int guided_sampler_emit(void *arg, const uint8_t *symbols, size_t length, double log_w,
                                struct err *e);
int guided_sampler_run_weighted(struct guided_sampler *s, uint64_t count, guided_sampler_emit *emit,
                                void *arg, struct err *e);

void guided_sampler_get_stats(const struct guided_sampler *s, struct sampler_stats *stats);

#endif

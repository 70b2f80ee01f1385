/* SPDX-License-Identifier: MIT
 *
 * guided_sampler: strings from a GAM by guided proposals (guided.h) and quasi-rejection
 * (quasi_rejection.h).
 *
 * First a guide is learned.  A pilot sample of its weights determines the bound beta for the
 * stated total variation distance.  Then strings are proposed and accepted, in rounds of
 * bounded memory.  Guide and beta depend on the GAM and the seed, not on the number of strings.
 *
 * Tested by tests/unit/test_guided.c.
 */
#ifndef GAMUT_GUIDED_SAMPLER_H
#define GAMUT_GUIDED_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gam/guided.h"

struct err;
struct gam;
struct pool;
struct quasi_rejection;
struct quasi_rejection_pilot;
struct sampler_request;
struct sampler_stats;

/* The acceptance rate with the bound that all draws require, relative to that with the bound
 * of the pilot's own weights, must be at least this; otherwise other draws show what the
 * pilot misses. */
#define GUIDED_ACCEPTANCE_KEPT 0.1

/* The bound of quasi-rejection for a pilot and its proposals, with all draws of the learning as
 * the witness; *missed is the mass of P that they show the pilot's own bound to lose, if the two
 * differ by too much, else 0.  0 or ERR_NOMEM. */
int guided_sampler_bound(const struct draw_pool *learned, const struct draw_pool *proposals,
                         const double *lambda, const struct quasi_rejection_pilot *pilot,
                         double tvd, struct quasi_rejection *bound, double *missed, struct err *e);

struct guided_sampler_options {
    uint64_t seed;
    uint64_t part;       /* of the sample, see rng_part_index */
    const char *purpose; /* names the random numbers */
    uint64_t max_length; /* L */
    double tvd;          /* total variation distance to P that is allowed */
};

struct guided_sampler_quality {
    double ess;           /* per draw of the pilot */
    double tvd, tvd_hi95; /* estimate, and its upper limit at 95 %; NaN if refused */
    double acceptance;    /* per draw */
    double steps;         /* of r per draw of the pilot */
    double log_z, log_z_se;
    struct guided_gap gap; /* of estimates of log Z while learning and in the pilot */
    double missed;         /* mass of P that other draws show to be lost; 0: negligible */
    bool refused;          /* ess, gap or missed are bad: nothing was drawn */
};

struct guided_sampler;

/* Learns the guide and determines beta.  GAM and pool must outlive the result; NULL on
 * failure: ERR_EMPTY if no string has positive weight, ERR_LIMIT if the features have too
 * many states. */
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

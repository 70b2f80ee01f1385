/* SPDX-License-Identifier: MIT
 *
 * rejection: feature vectors of strings drawn from a base r or, by rejection, from
 * P(x) = r(x) exp(lambda . phi(x)); and with them Z.
 *
 * Of all proposals from r the fraction Z / b is accepted, where b is the bound
 * on exp(lambda . phi): so the rate of acceptance estimates Z, with the error
 * of a binomial, and draws that are thinned early (sampler.h) make that far
 * cheaper than averaging weights over draws from r.
 *
 * Each draw has its own random numbers, named by its place in the sequence of
 * draws: the same for any number of threads.
 *
 * Tested by tests/unit/test_gam_sample.c.
 */
#ifndef GAMUT_REJECTION_H
#define GAMUT_REJECTION_H

#include <stdint.h>

struct err;
struct gam;
struct histogram;
struct pool;
struct rejection;

struct rejection_outcome {
    uint64_t strings;   /* in the histogram */
    uint64_t accepted;  /* with those left over */
    uint64_t proposals; /* from r */
    double log_z;       /* -inf if nothing was accepted */
    double log_z_se;
};

struct rejection_total {
    uint64_t proposals, model_steps;
};

/* The GAM's base, features and L; its weights do not matter.  `purpose` names
 * the random numbers.  GAM and pool must outlive the result; NULL on failure. */
struct rejection *rejection_new(const struct gam *g, struct pool *pool, uint64_t seed,
                                const char *purpose, struct err *e);
void rejection_free(struct rejection *r); /* NULL is fine */

/* Adds to h (may be NULL) the vectors of `proposals` strings from r; those of
 * more than L symbols are left out. */
int rejection_propose(struct rejection *r, uint64_t proposals, struct histogram *h,
                      struct rejection_outcome *o, struct err *e);

/* Adds to h (may be NULL) the vectors of `count` strings from P; of fewer if
 * `max_proposals` do not yield so many.  ERR_EMPTY or ERR_NUMERIC of
 * weight_bound_set_lambda. */
int rejection_sample(struct rejection *r, const double *lambda, uint64_t count,
                     uint64_t max_proposals, struct histogram *h, struct rejection_outcome *o,
                     struct err *e);

/* Of all draws so far. */
struct rejection_total rejection_total(const struct rejection *r);

#endif

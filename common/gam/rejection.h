/* SPDX-License-Identifier: MIT
 *
 * rejection: feature vectors of strings drawn from a base r or, by rejection, from P(x) = r(x)
 * exp(lambda . phi(x)); and estimates of Z.
 *
 * The fraction Z / b of all proposals from r is accepted, where b is the bound on exp(lambda .
 * phi).  So the acceptance rate estimates Z, with a binomial error.  Since proposals are
 * rejected early (sampler.h), this is far cheaper than averaging weights over draws from r.
 *
 * The random numbers of a draw depend on its place in the sequence of draws: they are the same
 * for any number of threads.
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
    uint64_t accepted;  /* including surplus */
    uint64_t proposals; /* from r */
    double log_z;       /* -inf if nothing was accepted */
    double log_z_se;
};

struct rejection_total {
    uint64_t proposals, model_steps;
};

/* Uses base, features and L of the GAM, not its weights.  `purpose` is the key of the random
 * numbers.  GAM and pool must outlive the result; NULL on failure. */
struct rejection *rejection_new(const struct gam *g, struct pool *pool, uint64_t seed,
                                const char *purpose, struct err *e);
void rejection_free(struct rejection *r); /* NULL is fine */

/* Adds to h (may be NULL) the vectors of `proposals` strings from r, except for those of
 * more than L symbols. */
int rejection_propose(struct rejection *r, uint64_t proposals, struct histogram *h,
                      struct rejection_outcome *o, struct err *e);

/* Adds to h (may be NULL) the vectors of `count` strings from P, or fewer if `max_proposals`
 * do not yield that many.  ERR_EMPTY or ERR_NUMERIC of weight_bound_set_lambda. */
int rejection_sample(struct rejection *r, const double *lambda, uint64_t count,
                     uint64_t max_proposals, struct histogram *h, struct rejection_outcome *o,
                     struct err *e);

/* Totals of all draws so far. */
struct rejection_total rejection_total(const struct rejection *r);

#endif

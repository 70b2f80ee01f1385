/* SPDX-License-Identifier: MIT
 *
 * partition: the normalizing constant Z of a model given |x| <= N.  For a GAM it is the sum of
 * r(x) exp(lambda . phi(x)) over the strings of at most N and L symbols, for other models the
 * probability of |x| <= N.
 *
 * For an automaton Z is exact.  If the base of a GAM is an automaton, the GAM is one too, and Z is
 * its exact total weight (product.h).  Otherwise, or if that automaton is too large, Z is the mean
 * of importance weights over as many guided draws (guided.h) as the stated error needs, or the
 * value that gam-fit has stored in the GAM, if that is accurate enough.  For an LSTM it is the
 * share of short strings among samples.
 *
 * Tested by tests/unit/test_evaluate.c.
 */
#ifndef GAMUT_PARTITION_H
#define GAMUT_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct model;
struct pool;

struct partition {
    double log_z;
    double log_z_se;  /* 0 if exact */
    double ess;       /* effective sample size; inf if exact */
    uint64_t samples; /* proposals */
    uint64_t model_steps;
    double gap;  /* nats by which estimates differ beyond chance; 0: none */
    bool enough; /* the error is as small as requested, and reliable */
};

struct partition_options {
    uint64_t max_length; /* N; MODEL_UNBOUNDED: none but a GAM's L */
    uint64_t seed;
    double error; /* > 0, wanted of log Z */
    /* From time to time: draws so far, and how many it will take; 0: not known yet.  May be
     * NULL. */
    void (*progress)(void *arg, uint64_t draws, uint64_t wanted);
    void *arg;
};

/* 0; ERR_DATA if no string is short enough; ERR_EMPTY if no string satisfies the hard
 * constraints, or none was drawn; ERR_NUMERIC if Z has no bound. */
int partition_find(const struct model *m, struct pool *pool, const struct partition_options *o,
                   struct partition *p, struct err *e);

#endif

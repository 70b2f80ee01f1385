/* SPDX-License-Identifier: MIT
 *
 * partition: the normaliser of a GAM, Z = sum of r(x) exp(lambda . phi(x)).
 *
 * With an automaton as its base it is the total weight of the automaton that the GAM is,
 * exactly (product.h).  Otherwise, or where that is too large, it is the mean of
 * importance weights over as many guided draws (guided.h) as a stated error needs, or
 * what gam-fit has stored in the GAM, if that is good enough.
 *
 * Tested by tests/unit/test_evaluate.c.
 */
#ifndef GAMUT_PARTITION_H
#define GAMUT_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct gam;
struct pool;

struct partition {
    double log_z;
    double log_z_se;  /* 0 if exact */
    double ess;       /* effective sample size; inf if exact */
    uint64_t samples; /* proposals */
    uint64_t model_steps;
    bool enough; /* the error is what was asked for, and can be trusted */
};

/* `error` > 0 is of log Z.  0; ERR_DATA if no string is short enough; ERR_EMPTY if no string
 * satisfies the hard constraints; ERR_NUMERIC if Z has no bound. */
int partition_find(const struct gam *g, struct pool *pool, uint64_t seed, double error,
                   struct partition *p, struct err *e);

#endif

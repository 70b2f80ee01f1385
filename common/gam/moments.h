/* SPDX-License-Identifier: MIT
 *
 * moments: log Z, means and covariances of features under P(x) = r(x) exp(lambda . phi(x)), at
 * any lambda, from weighted draws (importance.h) or from an automaton (exact_moments.h).  An
 * optimizer needs nothing else.
 *
 * Tested by tests/unit/test_fit.c.
 */
#ifndef GAMUT_MOMENTS_H
#define GAMUT_MOMENTS_H

#include <stddef.h>

struct err;
struct feature_set;

struct moments {
    void *self;
    const struct feature_set *features;
    size_t n; /* features */
    /* At the current lambda. */
    double log_z;             /* -inf if no string is possible */
    const double *mean;       /* [n] E phi */
    const double *covariance; /* [n][n] of phi */
    const double *noise;      /* [n][n] variance of `mean` due to the draws; NULL: none */
    /* log_z and mean at lambda; covariance and noise at the same lambda.  0 or an error. */
    int (*at)(struct moments *m, const double *lambda, struct err *e);
    int (*spread)(struct moments *m, struct err *e);
};

#endif

/* SPDX-License-Identifier: MIT
 *
 * importance: moments of feature vectors under P(x) = r(x) exp(lambda . phi(x)), for any
 * lambda, from histograms of feature vectors that were drawn at a few values of lambda.
 *
 * Part k of the evidence is n_k draws from P at lambda_k, whose normalizing constant Z_k is
 * known.  The draws of all parts together have the density sum n_k P_k(x) / Z_k, so a vector v
 * seen c_v times represents the weight
 *
 *     c_v / sum_k (n_k exp(lambda_k . v) / Z_k)
 *
 * under r: the balance heuristic of multiple importance sampling (Veach and Guibas, 1995).
 * With draws from r alone (lambda = 0, Z = 1) this is self-normalized importance sampling.  The
 * exact probabilities of vectors under r are one part with n = 1.
 *
 * Tested by tests/unit/test_fit.c.
 */
#ifndef GAMUT_IMPORTANCE_H
#define GAMUT_IMPORTANCE_H

#include <stddef.h>

#include "gam/moments.h"

struct err;
struct feature_set;
struct histogram;

struct importance_source {
    const struct histogram *seen;
    const double *lambda; /* NULL: 0, draws from r */
    double draws;         /* n_k; for r, including strings too long to be kept */
    double log_z;         /* of P at lambda_k */
};

struct importance {
    const struct feature_set *features;
    size_t n;      /* features */
    size_t count;  /* distinct vectors */
    double *phi;   /* [count][n] */
    double *seen;  /* [count] c_v */
    double *log_r; /* [count] log of the vector's weight under r */
    /* At the current lambda. */
    double log_z;
    double ess;         /* (sum of weights)^2 / sum of squared weights */
    double *p;          /* [count] probabilities of the vectors */
    double *mean;       /* [n] E phi */
    double *covariance; /* [n][n] of phi */
    double *noise;      /* [n][n] variance of `mean` that is due to the draws */
};

/* All zero is empty; importance_clear accepts that, also after a failure.  Parts are not
 * needed afterward; the features are. */
int importance_init(struct importance *t, const struct feature_set *f,
                    const struct importance_source *part, size_t parts, struct err *e);
/* The same with room for `count` vectors, whose phi, seen and log_r the caller fills in. */
int importance_allocate(struct importance *t, const struct feature_set *f, size_t count,
                        struct err *e);

void importance_clear(struct importance *t);

/* log_z, ess, p and mean at lambda; log_z is -inf if no vector is possible. */
void importance_at(struct importance *t, const double *lambda);

/* covariance and noise, at the same lambda. */
void importance_covariance(struct importance *t);

/* Standard error of log Z, where Z is the mean of `draws` weights with this effective sample
 * size: the relative variance of the mean is 1/ess - 1/draws.  The weight of one more draw is
 * added, to allow for weights that no draw has shown, so the error is never 0.  For draws that
 * are accepted or not, ess is the number accepted. */
double importance_log_z_se(double ess, double draws);

/* The interface for an optimizer in `t`. */
struct moments importance_moments(struct importance *t);

#endif

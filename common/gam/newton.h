/* SPDX-License-Identifier: MIT
 *
 * newton: the weights at which moments match, by damped Newton steps.
 *
 * With the source of moments fixed (moments.h) the negative log-likelihood of the data per
 * string, less a constant, with a Gaussian prior,
 *
 *     F(lambda) = log Z(lambda) - lambda . target + l2/2 |lambda|^2,
 *
 * is convex; its gradient is E phi - target + l2 lambda and its Hessian the
 * covariance of phi plus l2.  Steps are halved until F falls enough, and no
 * weight leaves a box: evidence that holds nothing that the data have would
 * push it for ever.
 *
 * Tested by tests/unit/test_fit.c.
 */

#ifndef GAMUT_NEWTON_H
#define GAMUT_NEWTON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct moments;

struct newton_problem {
    struct moments *moments;
    const double *target; /* [n] */
    const bool *fixed;    /* [n] weights that stay */
    double l2;
    const double *lo, *hi; /* [n] the box */
    uint64_t steps_max;
    /* After each step, with the moments at the new lambda; a negative result ends
     * the run.  May be NULL. */
    int (*step)(void *arg, const double *lambda, struct err *e);
    void *arg;
};

/* Minimises F from *lambda, in the box, on; *converged unless the steps ran
 * out.  0 or an error. */
int newton_run(const struct newton_problem *p, double *lambda, bool *converged, struct err *e);

/* How far a weight can go before what was drawn says little about where it is:
 * 4, a factor of 50 or so in the odds of a feature that is 0 or 1; for a feature
 * of many small units as far as moves its mean by a standard deviation, if that
 * is more, but no unit's odds by more than that factor.  The moments must have been
 * spread. */
double newton_step_limit(const struct moments *m, size_t i);

/* Standard errors of the weights from two sources: the data, H^-1 / strings,
 * and the draws, H^-1 noise H^-1.  `step` receives -H^-1 gradient, the way to
 * the minimum.  The moments must have been spread at lambda.  Weights that are
 * fixed have 0, weights that nothing determines inf. */
int newton_errors(const struct newton_problem *p, const double *lambda, double strings,
                  double *data_se, double *draws_se, double *step, struct err *e);

/* chol: small symmetric positive-definite systems, by Cholesky's factors.
 *
 * Matrices are n x n, row by row; only the lower triangle is looked at.
 */

/* Replaces a by L with a = L L'.  False if a is not positive definite, within
 * rounding; then a is spoilt. */
bool cholesky_factor(double *a, size_t n);

/* Replaces b by the solution of L L' x = b. */
void cholesky_solve(const double *l, size_t n, double *b);

#endif

/* SPDX-License-Identifier: MIT
 *
 * newton: the weights at which moments match, by damped Newton steps.
 *
 * With a fixed source of moments (moments.h), the negative log-likelihood of the data per
 * string, minus a constant, with a Gaussian prior,
 *
 *     F(lambda) = log Z(lambda) - lambda . target + l2/2 |lambda|^2,
 *
 * is convex; its gradient is E phi - target + l2 lambda and its Hessian the covariance of phi
 * plus l2.  Steps are halved until F decreases enough.  Weights stay in a box: if no draw has a
 * value that the data have, the optimum is infinite.
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
    const double *target;  /* [n] */
    const bool *fixed;     /* [n] weights that do not change */
    const double *l2;      /* [n] */
    const double *lo, *hi; /* [n] the box */
    uint64_t steps_max;
    /* After each step, with the moments at the new lambda; a negative result ends
     * the run.  May be NULL. */
    int (*step)(void *arg, const double *lambda, struct err *e);
    void *arg;
};

/* Minimizes F, starting from *lambda, in the box; *converged unless the steps ran out.  0 or
 * an error. */
int newton_run(const struct newton_problem *p, double *lambda, bool *converged, struct err *e);

/* How far a weight can move before the draws say little about its new position: 4, a factor
 * of about 50 in the odds of a feature that is 0 or 1.  For a feature of many small units,
 * as far as moves its mean by a standard deviation, if that is more, but the odds of one
 * unit change at most by that factor.  The covariance must have been computed. */
double newton_step_limit(const struct moments *m, size_t i);

/* Standard errors of the weights from two sources: the data, H^-1 / strings, and the draws,
 * H^-1 noise H^-1.  `step` receives -H^-1 gradient, the step to the minimum.  The covariance
 * at lambda must have been computed.  Fixed weights have error 0, undetermined weights inf. */
int newton_errors(const struct newton_problem *p, const double *lambda, double strings,
                  double *data_se, double *draws_se, double *step, struct err *e);

/* ---- small symmetric positive-definite systems, by Cholesky factors.
 *
 * Matrices are n x n, row by row; only the lower triangle is used.
 */

/* Replaces a by L with a = L L'.  False if a is not positive definite, within
 * rounding; then a is invalid. */
bool cholesky_factor(double *a, size_t n);

/* Replaces b by the solution of L L' x = b. */
void cholesky_solve(const double *l, size_t n, double *b);

#endif

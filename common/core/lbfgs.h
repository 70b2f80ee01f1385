/* SPDX-License-Identifier: MIT
 *
 * lbfgs: the minimum of a smooth convex function of many variables, from its gradient.
 *
 * Limited-memory BFGS with a diagonal that the caller provides at each point: the inverse
 * Hessian is approximated by that diagonal, scaled, and the last few steps.  The line search
 * bisects until the weak Wolfe conditions hold.
 *
 * References: Nocedal and Wright, Numerical optimization, 2006, chapter 7; Lewis and Overton,
 * Nonsmooth optimization via quasi-Newton methods, 2013, for the line search.
 *
 * Tested by tests/unit/test_lbfgs.c.
 */
#ifndef GAMUT_LBFGS_H
#define GAMUT_LBFGS_H

#include <stdbool.h>
#include <stddef.h>

struct err;

struct lbfgs_problem {
    size_t n; /* variables */
    /* The function at x, with its gradient[n] and an estimate diagonal[n] > 0 of the diagonal
     * of its Hessian.  A value that is not finite shortens the step.  0 or an error, which ends
     * the run. */
    int (*at)(void *self, const double *x, double *value, double *gradient, double *diagonal,
              struct err *e);
    void *self;
    double tolerance;   /* it ends when sum of gradient^2 / diagonal / 2, which estimates how far
                         * the value is above the minimum, is at most this */
    unsigned steps_max; /* maximum number of steps */
    double change_max;  /* of a variable, at the first point of a line search; 0: no limit */
};

/* Minimizes from x[n] on; *converged unless the steps ran out or rounding hides all further
 * progress.  0, ERR_NUMERIC if the function is not finite at the start, ERR_NOMEM, or the
 * error of `at`. */
int lbfgs_run(const struct lbfgs_problem *p, double *x, double *value, bool *converged,
              struct err *e);

#endif

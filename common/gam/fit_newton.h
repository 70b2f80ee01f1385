/* SPDX-License-Identifier: MIT
 *
 * fit_newton: a GAM's weights by Newton's method (newton.h): at once where all
 * evidence is there; with rs to and fro between drawing from P and solving with
 * all that was drawn so far, until what was drawn last is near the solution.
 */
#ifndef GAMUT_FIT_NEWTON_H
#define GAMUT_FIT_NEWTON_H

struct err;
struct fit_state;
struct newton_problem;
struct tilt;

/* Sets the GAM's weights and the result's `converged`. */
int fit_newton(struct fit_state *f, struct err *e);

/* What is minimised, with the evidence as `t` has it. */
struct newton_problem fit_newton_problem(const struct fit_state *f, struct tilt *t);

#endif

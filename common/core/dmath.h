/* SPDX-License-Identifier: MIT
 *
 * dmath: exp, log and their log-domain friends in double precision, the same
 * bits on every machine.
 *
 * libm picks variants by CPU that differ in the last place, which would make
 * models and samples differ between machines.  These use only IEEE add,
 * multiply and divide in a fixed order (the build forbids contraction to fma).
 * Error below 1 ulp (exp, log) over the whole range, which tests check.
 */
#ifndef GAMUT_DMATH_H
#define GAMUT_DMATH_H

#include <stddef.h>

#define DM_LN2 0.693147180559945309417 /* log(2) */

double dm_exp(double x);   /* exp(-inf) = 0 */
double dm_log(double x);   /* log(0) = -inf, log(< 0) = NaN */
double dm_log1p(double x); /* log(1 + x), accurate near 0 */

/* log(exp(a) + exp(b)); -inf is the zero of this sum. */
double dm_logadd(double a, double b);

/* log of the sum of exp(x[0..n-1]), with the maximum taken out first. */
double dm_logsum(const double *x, size_t n);

#endif

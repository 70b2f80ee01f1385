/* SPDX-License-Identifier: MIT
 *
 * dmath: exp, log and related functions in double precision, with the same bits on every
 * machine.
 *
 * libm picks variants by CPU that differ in the last place, which would make models and samples
 * differ between machines.  These functions use only IEEE addition, multiplication and division
 * in a fixed order (the build forbids contraction to fma).  The error of exp and log is below 1
 * ulp over the whole range, which tests check.
 */

#ifndef GAMUT_DMATH_H
#define GAMUT_DMATH_H

#include <math.h>
#include <stddef.h>

#define DM_LN2 0.693147180559945309417 /* log(2) */

/* It in two parts: the high part has 21 trailing zero bits, so k * DM_LN2_HIGH is exact for every
 * exponent k of a double. */
#define DM_LN2_HIGH 0x1.62e42fee00000p-1
#define DM_LN2_LOW  0x1.a39ef35793c76p-33

double dm_exp(double x);   /* exp(-inf) = 0 */
double dm_log(double x);   /* log(0) = -inf, log(< 0) = NaN */
double dm_log1p(double x); /* log(1 + x), accurate near 0 */
double dm_expm1(double x); /* exp(x) - 1, accurate near 0 */
double dm_expm2(double x); /* exp(x) - 1 - x, never negative, accurate near 0 */

/* y[i] = dm_exp(x[i]), bit by bit, in less time; y may be x. */
void dm_exp_all(const double *x, size_t n, double *y);

/* log(exp(a) + exp(b)); -inf is the zero of this sum. */
double dm_log_add_exp(double a, double b);

/* log of the sum of exp(x[0 .. n-1]), computed relative to the maximum. */
double dm_log_sum_exp(const double *x, size_t n);

/* ---- a running sum with its accumulated rounding error (Neumaier, 1974).
 *
 * Millions of states each contribute a small term, often the same one.  Rounding errors of a
 * plain sum would then all have the same sign.
 */

/* All zero is the empty sum. */
struct compensated_sum {
    double high, low;
};

static inline void
compensated_sum_add(struct compensated_sum *s, double x)
{
    double high = s->high + x;
    s->low += fabs(s->high) >= fabs(x) ? (s->high - high) + x : (x - high) + s->high;
    s->high = high;
}

static inline double
compensated_sum_total(const struct compensated_sum *s)
{
    return s->high + s->low;
}

#endif

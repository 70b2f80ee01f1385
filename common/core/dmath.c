/* SPDX-License-Identifier: MIT */
#include "core/dmath.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* With more precision than the type has, results would differ: all sources are compiled
 * with the same flags, so this holds for all of them. */
_Static_assert(FLT_EVAL_METHOD == 0, "floats must be evaluated as floats; see the Makefile");

static double
power_of_two(int k) /* -1022 <= k <= 1023 */
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* (exp(r) - 1 - r) / r^2 for |r| <= ln(2)/2, by its series: the first omitted term,
 * r^12/14!, is below 2^-52 / 300.  Even and odd powers are summed separately, so that the
 * processor can run two chains in parallel. */
static inline double
exp_tail(double r)
{
    double z = r * r;
    double even = 1.0 / 479001600, odd = 1.0 / 6227020800;
    even = even * z + 1.0 / 3628800, odd = odd * z + 1.0 / 39916800;
    even = even * z + 1.0 / 40320, odd = odd * z + 1.0 / 362880;
    even = even * z + 1.0 / 720, odd = odd * z + 1.0 / 5040;
    even = even * z + 1.0 / 24, odd = odd * z + 1.0 / 120;
    even = even * z + 1.0 / 2, odd = odd * z + 1.0 / 6;
    return even + r * odd;
}

/* exp(x) = 2^k exp(r) with r = x - k ln 2.  r is kept in two parts, and the small terms are
 * added first: only the last addition has a large rounding error. */
double
dm_exp(double x)
{
    if (x != x)
        return x;
    if (x > 709.8)
        return INFINITY;
    if (x < -745.2)
        return 0;
    double k = (x * (1 / DM_LN2) + 0x1.8p52) - 0x1.8p52; /* rounds */
    double high = x - k * DM_LN2_HIGH, low = k * DM_LN2_LOW;
    double r = high - low;
    double rest = (high - r) - low;
    double y = 1 + (r + (r * r * exp_tail(r) + rest));
    int n = (int)k;
    return n >= -1021 && n <= 1022 ? y * power_of_two(n) : ldexp(y, n);
}

typedef double pair __attribute__((vector_size(16)));
typedef int64_t integers __attribute__((vector_size(16)));

/* As dm_exp, step by step, for two numbers of magnitude below EXP_PLAIN. */
#define EXP_PLAIN 700
static inline pair
exp_of_pair(pair x)
{
    const pair magic = {0x1.8p52, 0x1.8p52};
    pair shifted = x * (1 / DM_LN2) + magic, k = shifted - magic;
    pair high = x - k * DM_LN2_HIGH, low = k * DM_LN2_LOW;
    pair r = high - low, rest = (high - r) - low, z = r * r;
    pair even = z * (1.0 / 479001600) + 1.0 / 3628800,
         odd = z * (1.0 / 6227020800) + 1.0 / 39916800;
    even = even * z + 1.0 / 40320, odd = odd * z + 1.0 / 362880;
    even = even * z + 1.0 / 720, odd = odd * z + 1.0 / 5040;
    even = even * z + 1.0 / 24, odd = odd * z + 1.0 / 120;
    even = even * z + 1.0 / 2, odd = odd * z + 1.0 / 6;
    pair y = 1 + (r + (r * r * (even + r * odd) + rest));
    integers bits; /* the low bits of `shifted` are those of the integer k */
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    pair power;
    memcpy(&power, &bits, sizeof power);
    return y * power;
}

void
dm_exp_all(const double *x, size_t n, double *y)
{
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        bool plain = fabs(x[i]) < EXP_PLAIN && fabs(x[i + 1]) < EXP_PLAIN;
        pair v = {plain ? x[i] : 0, plain ? x[i + 1] : 0};
        double a = x[i], b = x[i + 1];
        v = exp_of_pair(v);
        y[i] = plain ? v[0] : dm_exp(a);
        y[i + 1] = plain ? v[1] : dm_exp(b);
    }
    if (i < n)
        y[i] = dm_exp(x[i]);
}

/* 2 (s^2/3 + s^4/5 + ...) so that log((1+s)/(1-s)) = 2 s + s * this; |s| is at
 * most 0.1716, and 12 terms leave less than 2^-57. */
static double
log_tail(double s)
{
    double z = s * s, p = 2.0 / 25;
    for (int n = 23; n >= 3; n -= 2)
        p = p * z + 2.0 / n;
    return p * z;
}

/* x = 2^k (1+f) with 1+f in [sqrt(1/2), sqrt(2)); s = f / (2+f) gives
 * log(1+f) = f - f^2/2 + s (f^2/2 + tail), whose largest terms are exact. */
double
dm_log(double x)
{
    if (!(x > 0))
        return x == 0 ? -INFINITY : NAN;
    if (isinf(x))
        return x;
    int k;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752440) {
        m *= 2;
        k--;
    }
    double f = m - 1, s = f / (2 + f), half = 0.5 * f * f;
    double small = s * (half + log_tail(s)) + k * DM_LN2_LOW;
    return k * DM_LN2_HIGH - ((half - small) - f);
}

/* 1+x rounds to u; the factor x / (u-1) corrects for this rounding. */
double
dm_log1p(double x)
{
    double u = 1 + x;
    if (u == 1)
        return x;
    return isinf(u) ? dm_log(u) : dm_log(u) * (x / (u - 1));
}

/* The rounding error of u = exp(x) cancels in (u - 1) / log(u) (Kahan). */
double
dm_expm1(double x)
{
    double u = dm_exp(x);
    if (u == 1)
        return x;
    return u - 1 == -1 || isinf(u) ? u - 1 : (u - 1) * (x / dm_log(u));
}

/* The series near 0; for y = x / 2 not much farther, exp(2y) - 1 - 2y = y^2 + t (2 (1 + y) + t)
 * with t = exp(y) - 1 - y, all of it positive; else the difference loses two bits at most. */
double
dm_expm2(double x)
{
    double y = x / 2;
    if (fabs(x) <= DM_LN2 / 2)
        return x * x * exp_tail(x);
    if (fabs(x) > DM_LN2)
        return dm_exp(x) - 1 - x;
    double t = y * y * exp_tail(y);
    return y * y + t * (2 * (1 + y) + t);
}

double
dm_log_add_exp(double a, double b)
{
    double high = a > b ? a : b, low = a > b ? b : a;
    if (low == -INFINITY)
        return high;
    return high + dm_log1p(dm_exp(low - high));
}

enum { BLOCK = 32 }; /* terms of a sum that are computed at once */

double
dm_log_sum_exp(const double *x, size_t n)
{
    double high = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        high = x[i] > high ? x[i] : high;
    if (high == -INFINITY)
        return high;
    for (size_t i = 0; i < n; i += BLOCK) {
        double term[BLOCK];
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        for (size_t k = 0; k < count; k++)
            term[k] = x[i + k] - high;
        dm_exp_all(term, count, term);
        for (size_t k = 0; k < count; k++)
            sum += term[k];
    }
    return high + dm_log(sum);
}

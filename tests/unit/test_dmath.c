/* SPDX-License-Identifier: MIT
 * dmath against the long double functions of libm, which carry 11 more bits. */
#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/rng.h"
#include "support/tap.h"

/* |got - exact| in units of the last place of the double nearest to exact. */
static double
ulps(double got, long double exact)
{
    double nearest = (double)exact;
    double unit = nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    return (double)(fabsl((long double)got - exact) / unit);
}

static double
worst(double (*f)(double), long double (*exact)(long double), double lo, double hi)
{
    struct rng r;
    double w = 0;
    rng_init(&r, 1, "test_dmath", 0);
    for (int i = 0; i < 200000; i++) {
        double x = lo + (hi - lo) * rng_double(&r);
        double u = ulps(f(x), exact((long double)x));
        w = u > w ? u : w;
    }
    return w;
}

/* exp(x) - 1 - x by its series near 0. */
static long double
expm2l(long double x)
{
    long double sum = 0;
    for (int n = 30; n >= 2; n--)
        sum = (sum + 1) * x / n;
    return fabsl(x) < 1 ? sum * x : expm1l(x) - x;
}

/* An error in ulps that only extended precision can resolve. */
static void
within(double error, double most, const char *what)
{
    if (tap_extended())
        ok(error < most, "%s: worst error %.3f ulp", what, error);
    else
        tap_skip(what, "long double is no better than double here");
}

/* Numbers of all sizes, among them some whose exponential is 0, subnormal or infinite. */
static void
test_all_at_once(void)
{
    enum { ROUNDS = 20000, MOST = 9 };
    double x[MOST], y[MOST];
    struct rng r;
    int wrong = 0;
    rng_init(&r, 1, "exp", 0);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = (size_t)rng_below(&r, MOST + 1);
        for (size_t i = 0; i < n; i++) {
            double size = rng_below(&r, 8) == 0 ? 1600 : 20;
            x[i] = rng_below(&r, 40) == 0 ? -INFINITY : size * (rng_double(&r) - 0.5);
        }
        dm_exp_all(x, n, y);
        for (size_t i = 0; i < n; i++) {
            double one = dm_exp(x[i]);
            wrong += memcmp(&y[i], &one, sizeof one) != 0;
        }
    }
    x[0] = NAN;
    x[1] = INFINITY;
    dm_exp_all(x, 2, x);
    ok(wrong == 0, "exp of several numbers has the bits of each");
    ok(isnan(x[0]) && isinf(x[1]), "exp of several numbers at the ends");
}

int
main(void)
{
    within(worst(dm_exp, expl, -708, 709.7), 1, "exp over its range");
    within(worst(dm_exp, expl, -1, 1), 1, "exp near 0");
    within(worst(dm_log, logl, 0, 1e300), 1, "log of large numbers");
    within(worst(dm_log, logl, 0.5, 2), 1, "log near 1");
    within(worst(dm_log1p, log1pl, -0.9, 1), 4, "log1p");
    within(worst(dm_log1p, log1pl, -1e-9, 1e-9), 4, "log1p near 0");
    within(worst(dm_expm1, expm1l, -5, 5), 4, "expm1");
    within(worst(dm_expm1, expm1l, -1e-9, 1e-9), 4, "expm1 near 0");
    ok(dm_expm1(0) == 0 && dm_expm1(-INFINITY) == -1 && isinf(dm_expm1(800)), "expm1 at the ends");
    within(worst(dm_expm2, expm2l, -0.36, 0.36), 6, "expm2 near 0");
    within(worst(dm_expm2, expm2l, -0.75, 0.75), 6, "expm2 a little farther");
    within(worst(dm_expm2, expm2l, -20, 20), 6, "expm2 elsewhere");
    within(worst(dm_expm2, expm2l, -1e-9, 1e-9), 6, "expm2 near 0");
    ok(dm_expm2(0) == 0 && isinf(dm_expm2(-INFINITY)) && isinf(dm_expm2(800)), "expm2 at the ends");
    ok(dm_exp(0) == 1 && dm_exp(-INFINITY) == 0 && isinf(dm_exp(INFINITY)), "exp at the ends");
    within(ulps(dm_exp(-740), expl(-740.0L)), 1, "exp of a subnormal result");
    ok(dm_log(1) == 0 && dm_log(0) == -INFINITY && isnan(dm_log(-1)), "log at the ends");
    within(ulps(dm_log(0x1p-1070), logl(0x1p-1070L)), 1, "log of a subnormal");
    ok(dm_log_add_exp(-INFINITY, -INFINITY) == -INFINITY, "nothing plus nothing is nothing");
    ok(dm_log_add_exp(-INFINITY, -3) == -3, "-inf is the zero of logadd");
    ok(fabs(dm_log_add_exp(-2000, -2000) - (-2000 + log(2))) < 1e-12, "logadd does not underflow");
    double x[3] = {-1000, -1001, -1002};
    double exact = -1000 + log(1 + exp(-1) + exp(-2));
    ok(fabs(dm_log_sum_exp(x, 3) - exact) < 1e-12, "logsum does not underflow");
    ok(dm_log_sum_exp(x, 0) == -INFINITY, "logsum of nothing");
    test_all_at_once();
    return tap_done();
}

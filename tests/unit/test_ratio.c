/* SPDX-License-Identifier: MIT */
#include "core/ratio.h"

#include <math.h>
#include <stdbool.h>

#include "core/rng.h"
#include "support/tap.h"

enum { N = 1000 };

/* Value and error from the definition, in two passes with long doubles. */
static void
test_definition(double base, double spread, bool equal)
{
    double x[N], m[N];
    struct ratio r = {0};
    struct rng random;
    long double sx = 0, sm = 0, squares = 0;
    rng_init(&random, 1, "test_ratio", equal);
    for (int i = 0; i < N; i++) {
        m[i] = equal ? 31 : 1 + (double)rng_below(&random, 60);
        x[i] = base * m[i] + spread * rng_double(&random);
        ratio_add(&r, x[i], m[i]);
        sx += x[i];
        sm += m[i];
    }
    for (int i = 0; i < N; i++)
        squares += (x[i] - sx / sm * m[i]) * (x[i] - sx / sm * m[i]);
    double value = (double)(sx / sm);
    double error = (double)(sqrtl(squares * N / (N - 1)) / sm);
    ok(fabs(ratio_sum(&r) - (double)sx) <= 1e-15 * fabs((double)sx), "sum, base %g", base);
    ok(fabs(ratio_value(&r) - value) <= 1e-15 * fabs(value), "value, base %g", base);
    ok(fabs(ratio_error(&r) - error) <= 1e-7 * error, "error, base %g", base);
}

static void
test_edges(void)
{
    struct ratio r = {0};
    ok(isnan(ratio_value(&r)) && isnan(ratio_error(&r)), "nothing gives NaN");
    ratio_add(&r, 3, 2);
    ok(ratio_value(&r) == 1.5 && isnan(ratio_error(&r)), "one pair has no error");
    for (int i = 0; i < 1000; i++)
        ratio_add(&r, 3, 2);
    ok(ratio_error(&r) == 0, "equal pairs have error 0");
    ratio_add(&r, INFINITY, 2);
    ok(ratio_value(&r) == INFINITY && isnan(ratio_error(&r)), "an infinity stays");
    ratio_add(&r, -INFINITY, 2);
    ok(isnan(ratio_value(&r)), "two opposite infinities make NaN");
}

int
main(void)
{
    test_definition(0.5, 3, false);
    test_definition(0.5, 3, true);
    test_definition(1e6, 1, true);
    test_definition(-2, 1e-3, false);
    test_edges();
    return tap_done();
}

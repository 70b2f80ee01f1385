/* SPDX-License-Identifier: MIT */
#include "core/lbfgs.h"

#include <math.h>

#include "core/err.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { N = 40 };

struct counted {
    int calls, fail_at;
    bool poor_diagonal;
};

/* A chain of coupled parabolas whose curvatures span 8 orders of magnitude, 3 if nothing is said
 * of them; the minimum is where x_i = i. */
static int
parabolas(void *self, const double *x, double *value, double *gradient, double *diagonal,
          struct err *e)
{
    struct counted *c = self;
    if (++c->calls == c->fail_at)
        return err_set(e, ERR_DATA, "as asked");
    *value = 0;
    for (int i = 0; i < N; i++)
        gradient[i] = diagonal[i] = 0;
    for (int i = 0; i < N; i++) {
        double d = x[i] - i, weight = pow(10, (c->poor_diagonal ? 3.0 : 8.0) * (i - N / 2) / N);
        *value += weight * d * d / 2;
        gradient[i] += weight * d;
        diagonal[i] += c->poor_diagonal ? 1 : weight;
        if (i > 0) {
            double gap = d - (x[i - 1] - (i - 1));
            *value += 0.01 * gap * gap / 2;
            gradient[i] += 0.01 * gap;
            gradient[i - 1] -= 0.01 * gap;
        }
    }
    return 0;
}

/* log(1 + exp(-50 x)) + x / 1000: nearly flat, then steep, far from where it starts. */
static int
cliff(void *self, const double *x, double *value, double *gradient, double *diagonal, struct err *e)
{
    double p = 1 / (1 + exp(50 * x[0]));
    (void)self;
    (void)e;
    *value = (x[0] < -10 ? -50 * x[0] : log1p(exp(-50 * x[0]))) + x[0] / 1000;
    gradient[0] = -50 * p + 0.001;
    diagonal[0] = 2500 * p * (1 - p) + 1e-9;
    return 0;
}

static int
nowhere(void *self, const double *x, double *value, double *gradient, double *diagonal,
        struct err *e)
{
    (void)self;
    (void)x;
    (void)e;
    *value = NAN;
    gradient[0] = diagonal[0] = 1;
    return 0;
}

static double
worst_error(const double *x)
{
    double worst = 0;
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(x[i] - i));
    return worst;
}

int
main(void)
{
    struct counted c = {0};
    struct lbfgs_problem p = {
        .n = N, .at = parabolas, .self = &c, .tolerance = 1e-20, .steps_max = 10000};
    double x[N] = {0}, value, one = -3;
    bool converged;
    struct err e = {0};
    ok(lbfgs_run(&p, x, &value, &converged, &e) == 0 && converged, "parabolas converge");
    ok(worst_error(x) < 1e-6 && c.calls < 200, "%d points, error %g", c.calls, worst_error(x));
    c = (struct counted){.poor_diagonal = true};
    for (int i = 0; i < N; i++)
        x[i] = 0;
    lbfgs_run(&p, x, &value, &converged, IGNORE_ERR);
    ok(converged && worst_error(x) < 1e-3, "without a diagonal: %d points, error %g", c.calls,
       worst_error(x));
    p.steps_max = 1;
    x[3] = 100;
    ok(lbfgs_run(&p, x, &value, &converged, IGNORE_ERR) == 0 && !converged, "steps run out");
    c = (struct counted){.fail_at = 3};
    p.steps_max = 100;
    ok(lbfgs_run(&p, x, &value, &converged, &e) == ERR_DATA, "an error ends it");
    p = (struct lbfgs_problem){.n = 1, .at = cliff, .tolerance = 1e-12, .steps_max = 100};
    lbfgs_run(&p, &one, &value, &converged, IGNORE_ERR);
    ok(converged && fabs(one - log(49999) / 50) < 1e-4, "over a cliff: %.9g", one);
    p.at = nowhere;
    e = (struct err){0};
    ok(lbfgs_run(&p, &one, &value, &converged, &e) == ERR_NUMERIC, "no finite value");
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * p-values of Student's t against numeric integration and closed forms; paired differences
 * against their definition. */
#include "core/paired.h"

#include <math.h>

#include "core/err.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

/* Twice the integral of the density (1 + x^2/n)^(-(n+1)/2) from t on over that from 0 on, with
 * x = tan(u): cos(u)^-2 (1 + tan(u)^2/n)^(-(n+1)/2), by Simpson's rule on u. */
static double
integral(double from, double n)
{
    enum { STEPS = 10000 };
    const double half_pi = acos(-1) / 2;
    double h = (half_pi - from) / STEPS, sum = 0;
    for (int i = 0; i < STEPS; i++) { /* at the end the integrand is 0, or 1/n-ish for n = 1 */
        double u = from + i * h, c = cos(u), s = sin(u);
        double density = exp(-(n + 1) / 2 * log(c * c + s * s / n)) * pow(c, n - 1);
        sum += density * (i == 0 ? 1 : i % 2 == 1 ? 4 : 2);
    }
    if (n == 1)
        sum += 1;
    return sum * h / 3;
}

static void
test_student(void)
{
    static const double degrees[] = {1, 2, 3, 5, 10, 29, 52, 100, 499};
    double worst = 0;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        for (double t = .001; t < 12; t *= 1.7) {
            double want = integral(atan(t), degrees[i]) / integral(0, degrees[i]);
            worst = fmax(worst, fabs(paired_student_p(t, degrees[i]) / want - 1));
        }
    ok(worst < 1e-9, "p-values as by numeric integration (%.1e)", worst);
    worst = 0;
    for (double t = 1e-6; t < 1e6; t *= 1.9) {
        double one = 2 / acos(-1) * atan(1 / t),
               two = 2 / ((2 + t * t) * (1 + t / sqrt(2 + t * t)));
        worst = fmax(worst, fabs(paired_student_p(t, 1) / one - 1));
        worst = fmax(worst, fabs(paired_student_p(-t, 2) / two - 1));
    }
    ok(worst < 1e-12, "1 and 2 degrees of freedom as in closed form (%.1e)", worst);
    worst = 0;
    for (double t = .01; t < 8; t *= 1.3)
        worst = fmax(worst, fabs(paired_student_p(t, 1e9) / erfc(t / sqrt(2)) - 1));
    ok(worst < 1e-6, "many degrees of freedom: the normal distribution (%.1e)", worst);
    ok(paired_student_p(0, 5) == 1 && paired_student_p(INFINITY, 5) == 0 &&
           paired_student_p(1e200, 5) == 0,
       "0 and infinity");
    ok(fabs(paired_student_p(2.2281388519862744, 10) - .05) < 1e-12 &&
           fabs(paired_student_p(12.706204736174698, 1) - .05) < 1e-12,
       "two rows of every table");
}

/* Three models on N strings; the third is the first with a little noise. */
enum { N = 40, MODELS = 3 };

static void
fill(struct paired *p, double x[N][MODELS], double *chars)
{
    struct rng r;
    rng_init(&r, 1, "test_paired", 0);
    paired_init(p, MODELS, IGNORE_ERR);
    for (int i = 0; i < N; i++) {
        chars[i] = 1 + (double)rng_below(&r, 30);
        x[i][0] = chars[i] * (1 + rng_double(&r));
        x[i][1] = chars[i] * (1 + rng_double(&r));
        x[i][2] = x[i][0] + .01 * chars[i] + .02 * rng_double(&r);
        paired_add(p, x[i], chars[i]);
    }
}

/* Difference and error of models a and b by the definition. */
static struct paired_difference
by_hand(double x[N][MODELS], const double *chars, int a, int b, double shift)
{
    double sum = 0, total = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        sum += x[i][a] - x[i][b];
        total += chars[i];
    }
    for (int i = 0; i < N; i++)
        squares += pow(x[i][a] - x[i][b] - sum / total * chars[i], 2);
    shift *= N / total;
    double error = sqrt(squares * N / (N - 1) / total / total + shift * shift);
    return (struct paired_difference){.value = sum / total, .error = error};
}

static void
test_differences(void)
{
    struct paired p;
    double x[N][MODELS], chars[N];
    fill(&p, x, chars);
    for (int a = 0; a < MODELS; a++)
        for (int b = 0; b < MODELS; b++) {
            struct paired_difference got = paired_compare(&p, (size_t)a, (size_t)b);
            struct paired_difference want = by_hand(x, chars, a, b, 0);
            double value = fabs(got.value - want.value), error = fabs(got.error - want.error);
            ok(a == b ? got.value == 0 && got.p == 1 : value < 1e-14 && error < 1e-9,
               "difference of models %d and %d: %g (%g), p = %g", a, b, got.value, got.error,
               got.p);
        }
    ok(paired_loss_error(&p, 2) > 20 * paired_compare(&p, 2, 0).error,
       "errors of pairs are much smaller than those of the means");
    p.shift_se[2] = .3;
    p.shift_se[1] = .4;
    struct paired_difference want = by_hand(x, chars, 2, 1, .5), got = paired_compare(&p, 2, 1);
    ok(fabs(got.error - want.error) < 1e-9 && got.p > .05, "errors of log Z shift all strings");
    paired_clear(&p);
}

static void
test_edges(void)
{
    struct paired p;
    paired_init(&p, 3, IGNORE_ERR);
    paired_add(&p, (double[]){1, 2, INFINITY}, 2);
    ok(paired_loss(&p, 1) == 1 && isnan(paired_loss_error(&p, 1)) &&
           paired_compare(&p, 1, 0).value == .5 && isnan(paired_compare(&p, 1, 0).p),
       "one string has no error");
    paired_add(&p, (double[]){2, 3, 5}, 2);
    ok(isinf(paired_loss(&p, 2)) && isinf(paired_compare(&p, 2, 0).value) &&
           paired_compare(&p, 0, 2).value == -INFINITY && isnan(paired_compare(&p, 2, 0).p),
       "an infinite loss is not averaged away");
    struct paired_difference d = paired_compare(&p, 1, 0);
    ok(d.value == .5 && d.error == 0 && d.p == 0, "the same difference each time");
    paired_clear(&p);
    paired_init(&p, 2, IGNORE_ERR);
    paired_add(&p, (double[]){1, 1}, 2);
    paired_add(&p, (double[]){7, 7}, 2);
    d = paired_compare(&p, 1, 0);
    ok(d.value == 0 && d.p == 1, "no difference at all");
    paired_clear(&p);
}

int
main(void)
{
    test_student();
    test_differences();
    test_edges();
    return tap_done();
}

/* SPDX-License-Identifier: MIT */
#include "core/paired.h"

#include <float.h>
#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"

int
paired_init(struct paired *p, size_t models, struct err *e)
{
    *p = (struct paired){.models = models};
    p->loss = mem_zero(models, sizeof *p->loss, e);
    p->pair = mem_zero(models, models * sizeof *p->pair, e);
    p->shift_se = mem_zero(models, sizeof *p->shift_se, e);
    return p->loss != NULL && p->pair != NULL && p->shift_se != NULL ? 0 : ERR_NOMEM;
}

void
paired_clear(struct paired *p)
{
    mem_free(p->loss);
    mem_free(p->pair);
    mem_free(p->shift_se);
    *p = (struct paired){0};
}

void
paired_add(struct paired *p, const double *loss, double chars)
{
    for (size_t i = 0; i < p->models; i++) {
        ratio_add(&p->loss[i], loss[i], chars);
        for (size_t j = i + 1; j < p->models; j++)
            ratio_add(&p->pair[i * p->models + j], loss[j] - loss[i], chars);
    }
    p->strings++;
    p->chars += chars;
}

double
paired_loss(const struct paired *p, size_t model)
{
    return ratio_value(&p->loss[model]);
}

/* A shift of s nats in each string is s strings / chars per character. */
static double
add_shift(const struct paired *p, double error, double shift)
{
    double each = shift * (double)p->strings / p->chars;
    return sqrt(error * error + each * each);
}

double
paired_loss_error(const struct paired *p, size_t model)
{
    return add_shift(p, ratio_error(&p->loss[model]), p->shift_se[model]);
}

struct paired_difference
paired_compare(const struct paired *p, size_t model, size_t reference)
{
    if (model == reference)
        return (struct paired_difference){.value = 0, .error = 0, .p = 1};
    size_t low = model < reference ? model : reference, high = model + reference - low;
    const struct ratio *pair = &p->pair[low * p->models + high];
    double a = p->shift_se[model], b = p->shift_se[reference];
    struct paired_difference d = {
        .value = model > reference ? ratio_value(pair) : -ratio_value(pair),
        .error = add_shift(p, ratio_error(pair), sqrt(a * a + b * b)),
    };
    if (isnan(d.error))
        d.p = NAN;
    else if (d.value == 0)
        d.p = 1;
    else
        d.p = paired_student_p(d.value / d.error, (double)p->strings - 1);
    return d;
}

/* ---- Student's t ----------------------------------------------------------------------- */

/* Gamma(a + 1/2) / Gamma(a) for a > 0: an asymptotic series from a = 20 on, where it is exact
 * to 1e-15, and the recurrence down to there. */
static double
gamma_ratio(double a)
{
    double factor = 1;
    for (; a < 20; a++)
        factor *= a / (a + .5);
    double r = 1 / a, s = r * r;
    double series = r * (-1. / 8 + s * (1. / 192 + s * (-1. / 640 + s * (17. / 14336))));
    return factor * sqrt(a) * dm_exp(series);
}

/* The continued fraction of the incomplete beta function I_x(a, b) after its first factor, by
 * the modified method of Lentz; it converges fast for x < (a + 1) / (a + b + 2). */
static double
beta_fraction(double a, double b, double x)
{
    enum { TERMS = 1000000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d, change = 0;
    for (int m = 1; m < TERMS && fabs(change - 1) > DBL_EPSILON; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + even / c;
        c = fabs(c) < tiny ? tiny : c;
        f *= c * d;
        d = 1 + odd * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + odd / c;
        c = fabs(c) < tiny ? tiny : c;
        change = c * d;
        f *= change;
    }
    return f;
}

/* P(|T| > |t|) = I_x(n/2, 1/2) = 1 - I_(1-x)(1/2, n/2) with x = n / (n + t^2), for n degrees
 * of freedom.  x^(n/2) = exp(-n/2 log(1 + t^2/n)), and 1 / B(n/2, 1/2) is a ratio of gamma
 * functions over sqrt(pi). */
double
paired_student_p(double t, double degrees)
{
    const double pi = 3.14159265358979323846, a = degrees / 2, square = t * t;
    if (isinf(square))
        return 0;
    double x = degrees / (degrees + square), y = square / (degrees + square);
    double front = dm_exp(-a * dm_log1p(square / degrees)) * sqrt(y) * gamma_ratio(a) / sqrt(pi);
    if (x < (a + 1) / (a + 2.5))
        return fmin(1, front * beta_fraction(a, .5, x) / a);
    return fmax(0, 1 - front * beta_fraction(.5, a, y) / .5);
}

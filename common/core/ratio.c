/* SPDX-License-Identifier: MIT */
#include "core/ratio.h"

#include <math.h>

void
ratio_add(struct ratio *r, double x, double m)
{
    r->weight += m;
    if (!isfinite(x)) {
        r->infinite++;
        r->infinity += x;
        return;
    }
    if (r->n++ == 0)
        r->guess = x / m;
    compensated_sum_add(&r->sum, x);
    double y = x - r->guess * m;
    double dy = y - r->mean_y, dm = m - r->mean_m;
    r->mean_y += dy / (double)r->n;
    r->mean_m += dm / (double)r->n;
    r->yy += dy * (y - r->mean_y);
    r->ym += dy * (m - r->mean_m);
    r->mm += dm * (m - r->mean_m);
}

double
ratio_sum(const struct ratio *r)
{
    return r->infinite > 0 ? r->infinity : compensated_sum_total(&r->sum);
}

double
ratio_value(const struct ratio *r)
{
    return ratio_sum(r) / r->weight;
}

/* The residuals x - ratio m = y - (ratio - guess) m have mean 0, so their
 * squares sum to the moments about the means. */
double
ratio_error(const struct ratio *r)
{
    if (r->infinite > 0 || r->n < 2)
        return NAN;
    double v = ratio_value(r) - r->guess, n = (double)r->n;
    double squares = r->yy - 2 * v * r->ym + v * v * r->mm;
    return sqrt(fmax(squares, 0) * n / (n - 1)) / r->weight;
}

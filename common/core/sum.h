/* SPDX-License-Identifier: MIT
 *
 * sum: a running sum and what rounding took from it (Neumaier, 1974).
 *
 * Millions of states each contribute a little, often the same little, so that
 * the rounding of a plain sum would all go one way.
 */
#ifndef GAMUT_SUM_H
#define GAMUT_SUM_H

#include <math.h>

/* All zero is the empty sum. */
struct sum {
    double high, low;
};

static inline void
sum_add(struct sum *s, double x)
{
    double high = s->high + x;
    s->low += fabs(s->high) >= fabs(x) ? (s->high - high) + x : (x - high) + s->high;
    s->high = high;
}

static inline double
sum_total(const struct sum *s)
{
    return s->high + s->low;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * ratio: sum(x) / sum(m) over a stream of pairs, with its standard error.
 *
 * A cross-entropy per character is such a ratio: x is a string's negative
 * log-likelihood, m its characters.  By the delta method the error is
 *
 *     se = sqrt(n/(n-1) sum (x_i - ratio m_i)^2) / sum(m)
 *
 * which for equal m is the familiar s/sqrt(n), per character.  Moments are
 * updated about running means and a guess of the ratio, so little cancels when
 * all x are alike or nearly proportional to m.
 */
#ifndef GAMUT_RATIO_H
#define GAMUT_RATIO_H

#include <stdint.h>

#include "core/dmath.h"

/* All zero means no pairs. */
struct ratio {
    uint64_t n;                 /* pairs with finite x */
    struct compensated_sum sum; /* of x */
    double guess;               /* the first pair's ratio */
    double mean_y, mean_m;      /* y = x - guess m */
    double yy, ym, mm;          /* sums of products of deviations */
    uint64_t infinite;          /* pairs with infinite x, or NaN */
    double infinity;            /* their sum: inf, -inf, or NaN */
    double weight;              /* sum(m) over all pairs */
};

/* m > 0; x may be infinite. */
void ratio_add(struct ratio *r, double x, double m);

double ratio_sum(const struct ratio *r);   /* sum(x) */
double ratio_value(const struct ratio *r); /* NaN if there are no pairs */

/* NaN with fewer than two pairs or an infinite x. */
double ratio_error(const struct ratio *r);

#endif

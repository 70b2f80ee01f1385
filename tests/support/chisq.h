/* SPDX-License-Identifier: MIT
 *
 * chisq: Pearson's goodness-of-fit test for unit tests.
 *
 * Cells with a small expectation are pooled, so that the chi-square approximation is valid.
 * Seeds are fixed, so results do not change; the level is the chance that a correct sampler
 * would have failed when the seed was first chosen.
 */
#ifndef GAMUT_CHISQ_H
#define GAMUT_CHISQ_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct chisq {
    double sum;     /* of (observed - expected)^2 / expected */
    double degrees; /* cells - 1 */
    double z;       /* as a standard normal deviate */
    int impossible; /* an impossible outcome was observed */
};

/* The normal deviate of a false-alarm rate of 1e-6, one-sided. */
#define CHISQ_LEVEL_1E6 4.753424

/* Observed counts against probabilities that sum to 1, for `total` draws. */
static inline struct chisq
chisq_test(const uint64_t *seen, const double *p, size_t cells, double total)
{
    struct chisq c = {0};
    double pooled_seen = 0, pooled = 0;
    c.degrees = -1;
    for (size_t i = 0; i < cells; i++) {
        double expected = p[i] * total;
        if (p[i] == 0 && seen[i] > 0)
            c.impossible = 1;
        if (expected < 10) {
            pooled_seen += (double)seen[i];
            pooled += expected;
            continue;
        }
        c.sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
        c.degrees++;
    }
    if (pooled >= 1) {
        c.sum += (pooled_seen - pooled) * (pooled_seen - pooled) / pooled;
        c.degrees++;
    }
    /* Wilson and Hilferty: the cube root of chi-square / degrees is nearly normal. */
    double d = c.degrees > 0 ? c.degrees : 1, h = 2 / (9 * d);
    c.z = (cbrt(c.sum / d) - (1 - h)) / sqrt(h);
    return c;
}

/* True if the test passes at a false-alarm rate of 1e-6. */
static inline int
chisq_passes(const uint64_t *seen, const double *p, size_t cells, double total)
{
    struct chisq c = chisq_test(seen, p, cells, total);
    int passed = !c.impossible && c.z < CHISQ_LEVEL_1E6;
    if (!passed)
        printf("#   chi-square %g with %g degrees of freedom, z = %g%s\n", c.sum, c.degrees, c.z,
               c.impossible ? ", an impossible outcome" : "");
    return passed;
}

#endif

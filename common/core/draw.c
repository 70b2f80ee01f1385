/* SPDX-License-Identifier: MIT */
#include "core/draw.h"

#include <math.h>

#include "core/dmath.h"
#include "core/rng.h"

/* Beyond this many trials a mean is no longer exact to a fraction of one in a
 * double; larger n are drawn in pieces. */
#define PIECE (UINT64_C(1) << 50)

/* Below this mean, searching from 0 upwards is quicker than rejection, and the
 * constants of the rejection are not valid. */
#define SEARCH_MEAN 10.0

/* (1 - p)^n.  Squaring repeats the rounding of 1 - p n times, so it is kept to
 * small n, where it is much quicker. */
static double
all_fail(uint64_t n, double p)
{
    if (n > 1024)
        return dm_exp((double)n * dm_log1p(-p));
    double result = 1, q = 1 - p;
    for (; n > 0; n >>= 1, q *= q)
        if (n & 1)
            result *= q;
    return result;
}

/* Inversion: walks up the distribution from 0 until it passes a uniform
 * number.  The walk ends within n steps but for rounding in the last place of
 * the sum, and then it starts again. */
static uint64_t
search_up(struct rng *r, uint64_t n, double p)
{
    double odds = p / (1 - p);
    double none = all_fail(n, p);
    for (;;) {
        double u = rng_double(r), mass = none;
        for (uint64_t k = 0; k <= n && mass > 0; k++) {
            if (u < mass)
                return k;
            u -= mass;
            mass *= odds * (double)(n - k) / (double)(k + 1);
        }
    }
}

/* log(x!) - log(sqrt(2 pi x) (x/e)^x) for x >= 1. */
static double
stirling_error(double x)
{
    static const double small[] = {
        0,
        0.081061466795327258219670263594,
        0.041340695955409294093822081407,
        0.027677925684998339148789292746,
        0.020790672103765093111522771767,
        0.016644691189821192163194865373,
        0.013876128823070747998745727023,
        0.011896709945891770095055724117,
        0.010411265261972096497478567132,
        0.009255462182712732917728636633,
    };
    if (x < 10)
        return small[(int)x];
    double y = 1 / (x * x);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 * y) * y) * y) * y) / x;
}

/* x log(x/m) + m - x without cancellation when x is near m: with
 * v = (x - m)/(x + m), log(x/m) = 2 (v + v^3/3 + v^5/5 + ..). */
static double
deviance(double x, double m)
{
    if (fabs(x - m) > 0.1 * (x + m))
        return x * dm_log(x / m) + m - x;
    double v = (x - m) / (x + m);
    double sum = (x - m) * v, term = 2 * x * v;
    for (int j = 3;; j += 2) {
        term *= v * v;
        double next = sum + term / j;
        if (next == sum)
            return sum;
        sum = next;
    }
}

/* log of the binomial probability of k in saddle-point form (Loader 2000),
 * which stays accurate for any n; without the constant -log(2 pi)/2. */
static double
log_mass(double n, double p, double k)
{
    double q = 1 - p;
    if (k <= 0 || k >= n) /* the constant that the other cases leave out: log(2 pi)/2 */
        return n * (k <= 0 ? dm_log1p(-p) : dm_log(p)) + 0.918938533204672741780329736406;
    double error = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
    return error - deviance(k, n * p) - deviance(n - k, n * q) + 0.5 * dm_log(n / (k * (n - k)));
}

/* Transformed rejection with squeeze, algorithm BTRS of Hoermann (1993), for
 * p <= 1/2 and n p >= 10.  The squeeze accepts most draws without looking at
 * the probability function. */
static uint64_t
reject(struct rng *r, uint64_t trials, double p)
{
    double n = (double)trials;
    double deviation = sqrt(n * p * (1 - p));
    double b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double centre = n * p + 0.5;
    double squeeze = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * deviation;
    double log_mode = log_mass(n, p, floor((n + 1) * p));
    for (;;) {
        double u = rng_double(r) - 0.5, v = rng_double(r);
        double tail = 0.5 - fabs(u);
        double k = floor((2 * a / tail + b) * u + centre);
        if (tail >= 0.07 && v <= squeeze)
            return (uint64_t)k;
        if (!(k >= 0 && k <= n)) /* also for tail = 0 */
            continue;
        double height = dm_log(v * alpha / (a / (tail * tail) + b));
        if (height <= log_mass(n, p, k) - log_mode)
            return (uint64_t)k;
    }
}

/* p <= 1/2, n <= PIECE. */
static uint64_t
draw_piece(struct rng *r, uint64_t n, double p)
{
    if (n == 0 || !(p > 0))
        return 0;
    return (double)n * p < SEARCH_MEAN ? search_up(r, n, p) : reject(r, n, p);
}

uint64_t
draw_binomial(struct rng *r, uint64_t n, double p)
{
    if (p > 0.5)
        return n - draw_binomial(r, n, 1 - p);
    uint64_t successes = 0;
    for (; n > PIECE; n -= PIECE)
        successes += draw_piece(r, PIECE, p);
    return successes + draw_piece(r, n, p);
}

unsigned
draw_index(struct rng *r, const double *weight, unsigned k)
{
    double total = 0;
    unsigned last = 0; /* the last that may be chosen */
    for (unsigned i = 0; i < k; i++) {
        total += weight[i];
        if (weight[i] > 0)
            last = i;
    }
    double u = rng_double(r) * total;
    for (unsigned i = 0; i < last; i++) {
        if (u < weight[i])
            return i;
        u -= weight[i];
    }
    return last;
}

/* A single draw needs but one random number. */
static void
count_one(struct rng *r, const double *weight, unsigned k, uint64_t *count)
{
    for (unsigned i = 0; i < k; i++)
        count[i] = 0;
    count[draw_index(r, weight, k)] = 1;
}

/* Conditional binomials: given what is left for symbols i.., symbol i takes a
 * binomial share.  The rarer side is drawn, so that a tiny weight keeps its
 * relative precision next to a large one. */
void
draw_counts(struct rng *r, uint64_t n, const double *weight, unsigned k, uint64_t *count)
{
    double rest[DRAW_KINDS_MAX + 1]; /* weight[i] + weight[i+1] + .. */
    if (n == 1) {
        count_one(r, weight, k, count);
        return;
    }
    rest[k] = 0;
    for (unsigned i = k; i-- > 0;)
        rest[i] = rest[i + 1] + weight[i];
    for (unsigned i = 0; i < k; i++) {
        if (n == 0)
            count[i] = 0;
        else if (weight[i] > rest[i + 1])
            count[i] = n - draw_binomial(r, n, rest[i + 1] / rest[i]);
        else
            count[i] = draw_binomial(r, n, weight[i] / rest[i]);
        n -= count[i];
    }
}

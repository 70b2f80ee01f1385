/* SPDX-License-Identifier: MIT
 * Counts against the exact distributions; false-alarm rate 1e-6 a test. */
#include "core/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/chisq.h"
#include "support/tap.h"

/* Rejection decides rarely by the distribution itself: see it often. */
enum { DRAWS = 100000, MANY = 1000000, CELLS = 4096 };

/* log of the binomial probability, independent of rng.c: long double lgamma. */
static double
mass(uint64_t n, double p, uint64_t k)
{
    long double a = lgammal((long double)n + 1) - lgammal((long double)k + 1) -
                    lgammal((long double)(n - k) + 1);
    long double b = (k > 0 ? (long double)k * logl((long double)p) : 0) +
                    (k < n ? (long double)(n - k) * log1pl(-(long double)p) : 0);
    return (double)expl(a + b);
}

/* One cell per value in a window of `CELLS` around the mean, the rest in the
 * first cell. */
static int
binomial_fits(uint64_t n, double p, int draws, uint64_t seed)
{
    static uint64_t seen[CELLS];
    static double expected[CELLS];
    double mean = (double)n * p;
    uint64_t low = mean > CELLS / 2.0 ? (uint64_t)mean - CELLS / 2 : 0;
    double rest = 1;
    struct rng r;
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 1; i < CELLS; i++) {
        uint64_t k = low + i - 1;
        expected[i] = k <= n ? mass(n, p, k) : 0;
        rest -= expected[i];
    }
    expected[0] = rest > 1e-9 ? rest : 0;
    rng_init(&r, seed, "test_draw", n);
    for (int i = 0; i < draws; i++) {
        uint64_t k = rng_binomial(&r, n, p);
        seen[k >= low && k - low < CELLS - 1 ? k - low + 1 : 0]++;
        if (k > n)
            return 0;
    }
    return chisq_passes(seen, expected, CELLS, draws);
}

static void
test_binomial(void)
{
    static const struct {
        uint64_t n;
        double p;
    } cases[] = {
        {1, 0.5},      {1, 0.001},    {2, 0.3},       {3, 0.9},           {7, 0.5},
        {19, 0.5},     {20, 0.5},     {21, 0.5},      {21, 0.48},         {100, 0.099},
        {100, 0.1},    {100, 0.101},  {100, 0.77},    {1000, 0.0099},     {1000, 0.0101},
        {1024, 0.005}, {1025, 0.005}, {5000, 0.4},    {100000, 1e-6},     {100000, 0.25},
        {100000, 0.9}, {1000000, .5}, {10000000, .3}, {1000000000, 1e-7}, {4000000000u, 5e-9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ok(binomial_fits(cases[i].n, cases[i].p, DRAWS, 7 + i), "binomial n=%llu p=%g",
           (unsigned long long)cases[i].n, cases[i].p);
}

static void
test_rejection(void)
{
    ok(binomial_fits(20, 0.5, MANY, 1), "binomial n=20 p=0.5, often");
    ok(binomial_fits(40, 0.25, MANY, 2), "binomial n=40 p=0.25, often");
    ok(binomial_fits(100, 0.5, MANY, 3), "binomial n=100 p=0.5, often");
    ok(binomial_fits(10000, 0.001, MANY, 4), "binomial n=10000 p=0.001, often");
    ok(binomial_fits(3000, 0.9, MANY, 5), "binomial n=3000 p=0.9, often");
}

static void
test_edges(void)
{
    struct rng r;
    int fine = 1;
    rng_init(&r, 1, "test_draw/edges", 0);
    ok(rng_binomial(&r, 0, 0.3) == 0, "no trials");
    ok(rng_binomial(&r, 1000, 0) == 0, "p = 0");
    ok(rng_binomial(&r, 1000, 1) == 1000, "p = 1");
    ok(rng_binomial(&r, INT64_MAX, 0) == 0, "p = 0, n = 2^63 - 1");
    ok(rng_binomial(&r, INT64_MAX, 1) == INT64_MAX, "p = 1, n = 2^63 - 1");
    ok(rng_binomial(&r, INT64_MAX, 1e-300) == 0, "a tiny p");
    ok(rng_binomial(&r, 1000, 0x1p-1074) == 0, "a subnormal p");
    ok(rng_binomial(&r, 1000, 1 - 0x1p-53) <= 1000, "p next to 1");
    for (int i = 0; i < 20000; i++)
        fine &= rng_binomial(&r, 30, 0.34) <= 30 && rng_binomial(&r, 12, 0.9999) <= 12;
    ok(fine, "never more successes than trials");
}

/* For large n the binomial is normal to far more digits than this can see;
 * cells at quantiles of the normal, error 1e-6. */
static int
large_fits(uint64_t n, double p, int draws, uint64_t seed)
{
    enum { BINS = 64 };
    uint64_t seen[BINS] = {0};
    double expected[BINS];
    struct rng r;
    long double mean = (long double)n * p, sd = sqrtl((long double)n * p * (1 - (long double)p));
    for (int i = 0; i < BINS; i++)
        expected[i] = 1.0 / BINS;
    rng_init(&r, seed, "test_draw/large", 0);
    for (int i = 0; i < draws; i++) {
        long double z = ((long double)rng_binomial(&r, n, p) - mean) / sd;
        int bin = (int)(0.5 * erfc(-(double)z / sqrt(2)) * BINS);
        seen[bin < BINS ? bin : BINS - 1]++;
    }
    return chisq_passes(seen, expected, BINS, draws);
}

static void
test_large(void)
{
    ok(large_fits(UINT64_C(1) << 40, 0.5, 20000, 1), "n = 2^40");
    ok(large_fits(UINT64_C(1) << 49, 0.013, 20000, 2), "n = 2^49");
    ok(large_fits(UINT64_C(1) << 50, 0.25, 20000, 3), "n = 2^50");
    ok(large_fits((UINT64_C(1) << 52) + 12345, 1e-9, 20000, 4), "n = 2^52, p small");
    ok(large_fits(INT64_MAX, 0.37, 300, 5), "n = 2^63 - 1");
    ok(large_fits(INT64_MAX, 0.999, 300, 6), "n = 2^63 - 1, p large");
}

/* Marginals are binomial; so is the sum of two kinds, which checks that the
 * counts are correlated as they should be. */
static void
test_counts(void)
{
    static const double weight[] = {0.2, 0, 3e-3, 0.4, 1e-320, 0.1};
    enum { KINDS = 6, N = 60, ROUNDS = 50000 };
    static uint64_t marginal[KINDS][N + 1], pair[N + 1];
    double total = 0, expected[N + 1];
    int sums = 1;
    struct rng r;
    rng_init(&r, 3, "test_draw/counts", 0);
    for (int i = 0; i < KINDS; i++)
        total += weight[i];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t count[KINDS], sum = 0;
        rng_multinomial(&r, N, weight, KINDS, count);
        for (int i = 0; i < KINDS; i++) {
            sum += count[i];
            marginal[i][count[i] <= N ? count[i] : 0]++;
        }
        sums &= sum == N;
        pair[count[0] + count[5]]++;
    }
    ok(sums, "counts add up");
    ok(marginal[1][0] == ROUNDS, "a weight of 0 gets nothing");
    for (int i = 0; i < KINDS; i++) {
        for (uint64_t k = 0; k <= N; k++)
            expected[k] = mass(N, weight[i] / total, k);
        if (weight[i] > 1e-9)
            ok(chisq_passes(marginal[i], expected, N + 1, ROUNDS), "marginal of kind %d", i);
    }
    for (uint64_t k = 0; k <= N; k++)
        expected[k] = mass(N, 0.3 / total, k);
    ok(chisq_passes(pair, expected, N + 1, ROUNDS), "two kinds together");
}

static void
test_index(void)
{
    static const double weight[] = {0, 1, 2, 0, 5, 0};
    static const double expected[] = {0, 0.125, 0.25, 0, 0.625, 0};
    uint64_t seen[2][6] = {{0}};
    struct rng r;
    rng_init(&r, 4, "test_draw/index", 0);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t count[6];
        seen[0][rng_categorical(&r, weight, 6)]++;
        rng_multinomial(&r, 1, weight, 6, count);
        for (int k = 0; k < 6; k++)
            seen[1][k] += count[k];
    }
    ok(chisq_passes(seen[0], expected, 6, DRAWS), "single draws");
    ok(chisq_passes(seen[1], expected, 6, DRAWS), "counts of one");
}

int
main(void)
{
    test_binomial();
    test_rejection();
    test_edges();
    test_large();
    test_counts();
    test_index();
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * Philox against the published known answers; the rest against its definition.
 * Chi-square bounds are the 1 - 1e-6 quantiles; seeds are fixed, so a failure
 * means a changed generator, not bad luck. */
#include <string.h>

#include "core/rng.h"
#include "support/tap.h"

static void
known_answer(const char *name, const uint32_t ctr[4], const uint32_t key[2],
             const uint32_t expected[4])
{
    uint32_t out[4];
    rng_philox(ctr, key, out);
    ok(memcmp(out, expected, sizeof out) == 0, "Philox4x32-10, %s", name);
}

static void
test_known_answers(void)
{
    known_answer("zeros", (uint32_t[4]){0}, (uint32_t[2]){0},
                 (uint32_t[4]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    known_answer("ones", (uint32_t[4]){~0u, ~0u, ~0u, ~0u}, (uint32_t[2]){~0u, ~0u},
                 (uint32_t[4]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    known_answer("pi", (uint32_t[4]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                 (uint32_t[2]){0xa4093822, 0x299f31d0},
                 (uint32_t[4]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

static void
test_streams(void)
{
    struct rng a, b;
    rng_init(&a, 7, "x", 3);
    rng_init(&b, 7, "x", 0);
    rng_reindex(&b, 3);
    ok(rng_u64(&a) == rng_u64(&b), "reindexing gives the stream of that index");
    rng_init(&b, 7, "x", 4);
    ok(rng_u64(&a) != rng_u64(&b), "another index, another stream");
    rng_init(&a, 7, "x", 0);
    rng_init(&b, 7, "y", 0);
    ok(rng_u64(&a) != rng_u64(&b), "another purpose, another stream");
    rng_init(&b, 8, "x", 0);
    rng_init(&a, 7, "x", 0);
    ok(rng_u64(&a) != rng_u64(&b), "another seed, another stream");
    uint32_t first[4], words[4];
    rng_init(&a, 7, "x", 9);
    for (int i = 0; i < 4; i++)
        words[i] = rng_u32(&a);
    rng_philox((uint32_t[4]){0, 0, 9, 0}, a.key, first);
    ok(memcmp(first, words, sizeof first) == 0, "a stream begins at counter 0 of its index");
}

/* Chi-square of n draws of rng_below(k) over its k cells. */
static double
below_chi2(uint64_t k, int n)
{
    double count[64] = {0}, chi2 = 0;
    struct rng r;
    rng_init(&r, 1, "below", k);
    for (int i = 0; i < n; i++)
        count[rng_below(&r, k)]++;
    for (uint64_t i = 0; i < k; i++) {
        double d = count[i] - (double)n / (double)k;
        chi2 += d * d / ((double)n / (double)k);
    }
    return chi2;
}

static void
test_uniform(void)
{
    double c = below_chi2(7, 700000); /* 6 degrees of freedom */
    ok(c < 38.3, "below 7 is uniform: chi-square %.2f", c);
    c = below_chi2(64, 640000); /* 63 degrees of freedom */
    ok(c < 131.4, "below 64 is uniform: chi-square %.2f", c);
    struct rng r;
    double sum = 0, low = 1, high = 0;
    rng_init(&r, 1, "double", 0);
    for (int i = 0; i < 1000000; i++) {
        double x = rng_double(&r);
        sum += x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    ok(low >= 0 && high < 1, "doubles lie in [0, 1)");
    /* standard deviation of the mean 0.000289; 5 of them, false alarm 6e-7 */
    ok(sum / 1e6 > 0.49855 && sum / 1e6 < 0.50145, "with mean one half: %.5f", sum / 1e6);
}

/* Also from the middle of a block, and where the low word of the counter is
 * about to wrap. */
static void
test_fill(void)
{
    int differ = 0;
    for (unsigned skip = 0; skip < 5; skip++)
        for (size_t n = 0; n < 80; n++) {
            struct rng one, many;
            uint64_t got[80];
            rng_init(&one, 1, "fill", skip);
            one.ctr[0] = UINT32_MAX - 2;
            for (unsigned i = 0; i < skip; i++)
                rng_u32(&one);
            many = one;
            rng_fill(&many, got, n);
            for (size_t i = 0; i < n; i++)
                differ += got[i] != rng_u64(&one);
            differ += rng_u64(&one) != rng_u64(&many);
        }
    ok(differ == 0, "many at once are the same as one by one");
}

static void
test_permutation(void)
{
    double count[6] = {0}, chi2 = 0;
    for (unsigned i = 0; i < 60000; i++) {
        uint32_t p[3];
        struct rng r;
        rng_init(&r, 1, "permutation", i);
        rng_permutation(&r, p, 3);
        count[p[0] * 2 + (p[1] > p[2])]++;
    }
    for (int i = 0; i < 6; i++)
        chi2 += (count[i] - 10000) * (count[i] - 10000) / 10000;
    ok(chi2 < 35.9, "all orders of three are equally likely: chi-square %.2f", chi2);
}

int
main(void)
{
    test_known_answers();
    test_streams();
    test_uniform();
    test_fill();
    test_permutation();
    return tap_done();
}

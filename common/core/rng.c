/* SPDX-License-Identifier: MIT */
#include "core/rng.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "core/dmath.h"
#include "core/rng_internal.h"
#include "core/wide.h"

/* One of the ten rounds on one block, whose four words need not be adjacent. */
static inline void
philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3, uint32_t k0, uint32_t k1)
{
    uint64_t p0 = (uint64_t)PHILOX_MULTIPLIER_0 * *c0;
    uint64_t p1 = (uint64_t)PHILOX_MULTIPLIER_1 * *c2;
    *c0 = (uint32_t)(p1 >> 32) ^ *c1 ^ k0;
    *c1 = (uint32_t)p1;
    *c2 = (uint32_t)(p0 >> 32) ^ *c3 ^ k1;
    *c3 = (uint32_t)p0;
}

void
rng_philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = ctr[0], c1 = ctr[1], c2 = ctr[2], c3 = ctr[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_WEYL_0, k1 += PHILOX_WEYL_1)
        philox_round(&c0, &c1, &c2, &c3, k0, k1);
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

void
rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index)
{
    uint64_t k = XXH3_64bits_withSeed(purpose, strlen(purpose), seed);
    r->key[0] = (uint32_t)k;
    r->key[1] = (uint32_t)(k >> 32);
    rng_reindex(r, index);
}

void
rng_reindex(struct rng *r, uint64_t index)
{
    r->ctr[0] = r->ctr[1] = 0;
    r->ctr[2] = (uint32_t)index;
    r->ctr[3] = (uint32_t)(index >> 32);
    r->used = 4;
}

static void
next_block(struct rng *r)
{
    rng_philox(r->ctr, r->key, r->block);
    if (++r->ctr[0] == 0)
        r->ctr[1]++;
    r->used = 0;
}

/* Stafford's variant 13 of the 64-bit finalizer, as in splitmix64. */
static uint64_t
mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t
rng_child_key(uint64_t index, uint64_t symbol)
{
    return mix(index + (symbol + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

uint32_t
rng_u32(struct rng *r)
{
    if (r->used == 4)
        next_block(r);
    return r->block[r->used++];
}

uint64_t
rng_u64(struct rng *r)
{
    uint64_t low = rng_u32(r);
    return low | (uint64_t)rng_u32(r) << 32;
}

/* Independent blocks in one loop keep the multiplier busy.  A single block waits for its own
 * last product ten times. */
enum { FILL_BLOCKS = 4 };

static void
four_blocks(uint64_t block, const uint32_t ctr[4], const uint32_t key[2], uint64_t *out)
{
    uint32_t c[4][FILL_BLOCKS], k0 = key[0], k1 = key[1];
    for (unsigned i = 0; i < FILL_BLOCKS; i++) {
        c[0][i] = (uint32_t)(block + i);
        c[1][i] = (uint32_t)((block + i) >> 32);
        c[2][i] = ctr[2];
        c[3][i] = ctr[3];
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_WEYL_0, k1 += PHILOX_WEYL_1)
        for (unsigned i = 0; i < FILL_BLOCKS; i++)
            philox_round(&c[0][i], &c[1][i], &c[2][i], &c[3][i], k0, k1);
    for (unsigned i = 0; i < FILL_BLOCKS; i++) {
        out[2 * i] = c[0][i] | (uint64_t)c[1][i] << 32;
        out[2 * i + 1] = c[2][i] | (uint64_t)c[3][i] << 32;
    }
}

static size_t
vector_blocks(uint64_t block, const uint32_t ctr[4], const uint32_t key[2], uint64_t *out, size_t n)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return rng_blocks_avx2(block, ctr, key, out, n);
#endif
    (void)block, (void)ctr, (void)key, (void)out, (void)n;
    return 0;
}

void
rng_blocks(const uint32_t ctr[4], const uint32_t key[2], uint64_t *out, size_t n)
{
    const uint64_t first = ctr[0] | (uint64_t)ctr[1] << 32;
    size_t i = vector_blocks(first, ctr, key, out, n);
    for (; n - i >= FILL_BLOCKS; i += FILL_BLOCKS)
        four_blocks(first + i, ctr, key, out + 2 * i);
    uint64_t rest[2 * FILL_BLOCKS];
    if (i == n)
        return;
    four_blocks(first + i, ctr, key, rest);
    memcpy(out + 2 * i, rest, 2 * (n - i) * sizeof *out);
}

void
rng_fill(struct rng *r, uint64_t *out, size_t n)
{
    size_t i = 0;
    if (r->used == 4) {
        size_t blocks = n / 2;
        rng_blocks(r->ctr, r->key, out, blocks);
        uint64_t block = (r->ctr[0] | (uint64_t)r->ctr[1] << 32) + blocks;
        r->ctr[0] = (uint32_t)block;
        r->ctr[1] = (uint32_t)(block >> 32);
        i = 2 * blocks;
    }
    for (; i < n; i++)
        out[i] = rng_u64(r);
}

double
rng_double(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Lemire's multiply-and-reject: the high word is uniform if the few low words that would
 * favor some results are rejected. */
uint64_t
rng_below(struct rng *r, uint64_t n)
{
    uint64_t floor = -n % n; /* 2^64 mod n */
    for (;;) {
        struct wide product = wide_product(rng_u64(r), n);
        if (product.low >= floor)
            return product.high;
    }
}

void
rng_permutation(struct rng *r, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)rng_below(r, i + 1);
        if (j != i)
            order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}

/* For larger n, a mean in a double is not accurate to a small fraction of 1; larger n are
 * drawn in pieces. */
#define PIECE (UINT64_C(1) << 50)

/* Below this mean, searching upward from 0 is faster than rejection, and the constants of
 * the rejection method are not valid. */
#define SEARCH_MEAN 10.0

/* (1 - p)^n.  Squaring repeats the rounding error of 1 - p n times, so it is used only for
 * small n, where it is much faster. */
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

/* Inversion: adds up the distribution from 0 until the sum exceeds a uniform number.
 * Rounding in the last place can prevent that within n steps; then it starts again. */
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

/* x log(x/m) + m - x without cancellation when x is near m: with v = (x - m)/(x + m),
 * log(x/m) = 2 (v + v^3/3 + v^5/5 + ...). */
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

/* log of the binomial probability of k in saddle-point form (Loader 2000), accurate for any
 * n; without the constant -log(2 pi)/2. */
static double
log_mass(double n, double p, double k)
{
    double q = 1 - p;
    if (k <= 0 || k >= n) /* the constant that the other cases leave out: log(2 pi)/2 */
        return n * (k <= 0 ? dm_log1p(-p) : dm_log(p)) + 0.918938533204672741780329736406;
    double error = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
    return error - deviance(k, n * p) - deviance(n - k, n * q) + 0.5 * dm_log(n / (k * (n - k)));
}

/* Transformed rejection with squeeze, algorithm BTRS of Hoermann (1993), for p <= 1/2 and n
 * p >= 10.  The squeeze accepts most candidates without computing the probability. */
static uint64_t
reject(struct rng *r, uint64_t trials, double p)
{
    double n = (double)trials;
    double deviation = sqrt(n * p * (1 - p));
    double b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double center = n * p + 0.5;
    double squeeze = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * deviation;
    double log_mode = log_mass(n, p, floor((n + 1) * p));
    for (;;) {
        double u = rng_double(r) - 0.5, v = rng_double(r);
        double tail = 0.5 - fabs(u);
        double k = floor((2 * a / tail + b) * u + center);
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
rng_binomial(struct rng *r, uint64_t n, double p)
{
    if (p > 0.5)
        return n - rng_binomial(r, n, 1 - p);
    uint64_t successes = 0;
    for (; n > PIECE; n -= PIECE)
        successes += draw_piece(r, PIECE, p);
    return successes + draw_piece(r, n, p);
}

unsigned
rng_categorical(struct rng *r, const double *weight, unsigned k)
{
    double total = 0;
    unsigned last = 0; /* the last index with a positive weight */
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

/* A single draw needs only one random number. */
static void
count_one(struct rng *r, const double *weight, unsigned k, uint64_t *count)
{
    for (unsigned i = 0; i < k; i++)
        count[i] = 0;
    count[rng_categorical(r, weight, k)] = 1;
}

/* Conditional binomials: the count of symbol i is a binomial share of what is left for
 * symbols i, i+1, ...  The rarer side is drawn, so that a tiny weight beside a large one
 * keeps its relative precision. */
void
rng_multinomial(struct rng *r, uint64_t n, const double *weight, unsigned k, uint64_t *count)
{
    double rest[DRAW_KINDS_MAX + 1]; /* weight[i] + weight[i+1] + ... */
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
            count[i] = n - rng_binomial(r, n, rest[i + 1] / rest[i]);
        else
            count[i] = rng_binomial(r, n, weight[i] / rest[i]);
        n -= count[i];
    }
}

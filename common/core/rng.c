/* SPDX-License-Identifier: MIT */
#include "core/rng.h"

#include <string.h>
#include <xxhash.h>

/* Philox's constants: two multipliers, and the Weyl sequences of the golden
 * ratio and of sqrt(3) - 1 for the key. */
#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0       0x9E3779B9u
#define WEYL_1       0xBB67AE85u

/* One of the ten rounds on one block, whose four words need not be neighbours. */
static inline void
philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3, uint32_t k0, uint32_t k1)
{
    uint64_t p0 = (uint64_t)MULTIPLIER_0 * *c0;
    uint64_t p1 = (uint64_t)MULTIPLIER_1 * *c2;
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
    for (int round = 0; round < 10; round++, k0 += WEYL_0, k1 += WEYL_1)
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

/* Independent blocks in one loop keep the multiplier busy, where one block
 * waits for its own last product ten times. */
enum { FILL_BLOCKS = 4 };

static void
philox_blocks(const uint32_t ctr[4], const uint32_t key[2], uint64_t *out)
{
    uint32_t c[4][FILL_BLOCKS], k0 = key[0], k1 = key[1];
    uint64_t block = ctr[0] | (uint64_t)ctr[1] << 32;
    for (unsigned i = 0; i < FILL_BLOCKS; i++) {
        c[0][i] = (uint32_t)(block + i);
        c[1][i] = (uint32_t)((block + i) >> 32);
        c[2][i] = ctr[2];
        c[3][i] = ctr[3];
    }
    for (int round = 0; round < 10; round++, k0 += WEYL_0, k1 += WEYL_1)
        for (unsigned i = 0; i < FILL_BLOCKS; i++)
            philox_round(&c[0][i], &c[1][i], &c[2][i], &c[3][i], k0, k1);
    for (unsigned i = 0; i < FILL_BLOCKS; i++) {
        out[2 * i] = c[0][i] | (uint64_t)c[1][i] << 32;
        out[2 * i + 1] = c[2][i] | (uint64_t)c[3][i] << 32;
    }
}

void
rng_fill(struct rng *r, uint64_t *out, size_t n)
{
    size_t i = 0;
    for (; r->used == 4 && n - i >= 2 * FILL_BLOCKS; i += 2 * FILL_BLOCKS) {
        philox_blocks(r->ctr, r->key, out + i);
        uint64_t block = (r->ctr[0] | (uint64_t)r->ctr[1] << 32) + FILL_BLOCKS;
        r->ctr[0] = (uint32_t)block;
        r->ctr[1] = (uint32_t)(block >> 32);
    }
    for (; i < n; i++)
        out[i] = rng_u64(r);
}

double
rng_double(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Lemire's multiply-and-reject: the high word is uniform once the few low
 * words that would favour some results are thrown away. */
uint64_t
rng_below(struct rng *r, uint64_t n)
{
    uint64_t floor = -n % n; /* 2^64 mod n */
    for (;;) {
        unsigned __int128 product = (unsigned __int128)rng_u64(r) * n;
        if ((uint64_t)product >= floor)
            return (uint64_t)(product >> 64);
    }
}

void
rng_permutation(struct rng *r, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = rng_below(r, i + 1);
        if (j != i)
            order[i] = order[j];
        order[j] = (uint32_t)i;
    }
}

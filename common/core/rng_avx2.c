/* SPDX-License-Identifier: MIT
 *
 * Philox with AVX2, four blocks in a vector of 64-bit lanes.  A word is in the low half of its
 * lane: the product of two words fills the lane, and what is in the high halves never counts.
 */
#ifdef __AVX2__
#include <immintrin.h>

#include "core/rng_internal.h"

enum {
    LANES = 4,
    VECTORS = 4,
    BATCH = LANES * VECTORS
}; /* blocks of a vector, vectors in a loop */

/* Words 0 to 3 of LANES blocks. */
struct state {
    __m256i c0, c1, c2, c3;
};

static inline void
round_of(struct state *s, __m256i k0, __m256i k1)
{
    const __m256i m0 = _mm256_set1_epi64x(PHILOX_MULTIPLIER_0);
    const __m256i m1 = _mm256_set1_epi64x(PHILOX_MULTIPLIER_1);
    __m256i p0 = _mm256_mul_epu32(s->c0, m0), p1 = _mm256_mul_epu32(s->c2, m1);
    s->c0 = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(s->c1, k0));
    s->c1 = p1;
    s->c2 = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(s->c3, k1));
    s->c3 = p0;
}

/* The low halves of a and b as one number per lane. */
static inline __m256i
join(__m256i a, __m256i b)
{
    return _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xAA);
}

static inline void
store(const struct state *s, uint64_t *out)
{
    __m256i low = join(s->c0, s->c1), high = join(s->c2, s->c3);
    __m256i even = _mm256_unpacklo_epi64(low, high), odd = _mm256_unpackhi_epi64(low, high);
    _mm256_storeu_si256((__m256i *)out, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(out + 4), _mm256_permute2x128_si256(even, odd, 0x31));
}

static void
batch(uint64_t block, const uint32_t ctr[4], const uint32_t key[2], uint64_t *out)
{
    struct state s[VECTORS];
    uint32_t k0 = key[0], k1 = key[1];
    for (int v = 0; v < VECTORS; v++) {
        __m256i number = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)block + v * LANES),
                                          _mm256_setr_epi64x(0, 1, 2, 3));
        s[v] = (struct state){number, _mm256_srli_epi64(number, 32), _mm256_set1_epi64x(ctr[2]),
                              _mm256_set1_epi64x(ctr[3])};
    }
#pragma GCC unroll 10
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_WEYL_0, k1 += PHILOX_WEYL_1) {
        const __m256i w0 = _mm256_set1_epi64x(k0), w1 = _mm256_set1_epi64x(k1);
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            round_of(&s[v], w0, w1);
    }
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; v++)
        store(&s[v], out + 2 * LANES * v);
}

size_t
rng_blocks_avx2(uint64_t block, const uint32_t ctr[4], const uint32_t key[2], uint64_t *out,
                size_t n)
{
    size_t i = 0;
    for (; n - i >= BATCH; i += BATCH)
        batch(block + i, ctr, key, out + 2 * i);
    return i;
}
#endif

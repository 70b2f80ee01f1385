/* SPDX-License-Identifier: MIT
 *
 * rng_internal: what rng.c shares with its vector form, rng_avx2.c.
 */
#ifndef GAMUT_RNG_INTERNAL_H
#define GAMUT_RNG_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* Philox's constants: two multipliers, and the Weyl sequences of the golden
 * ratio and of sqrt(3) - 1 for the key. */
#define PHILOX_MULTIPLIER_0 0xD2511F53u
#define PHILOX_MULTIPLIER_1 0xCD9E8D57u
#define PHILOX_WEYL_0       0x9E3779B9u
#define PHILOX_WEYL_1       0xBB67AE85u

enum { PHILOX_ROUNDS = 10 };

/* Blocks number `block` and after, as rng_blocks, as many of them as make whole vectors.
 * Returns how many. */
size_t rng_blocks_avx2(uint64_t block, const uint32_t ctr[4], const uint32_t key[2], uint64_t *out,
                       size_t n);

#endif

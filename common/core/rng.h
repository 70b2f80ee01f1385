/* SPDX-License-Identifier: MIT
 *
 * rng: counter-based random numbers (Philox4x32-10, Salmon et al., SC 2011).
 *
 * A stream is named by seed, purpose and index.  The user gives the seed; the purpose says what
 * is drawn ("pfsa-gen/strings", "dropout"); the index counts the objects drawn (block, step,
 * node).  Streams never depend on threads: the same seed gives the same numbers for any number
 * of threads.  A `struct rng` is a plain value; copy it to remember a position.
 */

#ifndef GAMUT_RNG_H
#define GAMUT_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng;

struct rng {
    uint32_t key[2];   /* hash of seed and purpose */
    uint32_t ctr[4];   /* words 0-1: block within the stream; 2-3: the index */
    uint32_t block[4]; /* current block of output */
    unsigned used;     /* words of `block` already used, 0 .. 4 */
};

/* The bijection itself: maps 128 bits of counter to 128 random bits. */
void rng_philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4]);

/* The same for n counters: ctr[0 .. 1], as one number, grows by one per block.  Words 0 and 1 of
 * a block are out[2 i], words 2 and 3 are out[2 i + 1].  Uses vectors where the machine has them;
 * the bits are the same everywhere. */
void rng_blocks(const uint32_t ctr[4], const uint32_t key[2], uint64_t *out, size_t n);

void rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index);

/* Switches to another index of the same seed and purpose, without hashing. */
void rng_reindex(struct rng *r, uint64_t index);

/* The index of item `index` < 2^40 of the part `part` < 2^24 of a run: parts are independent. */
static inline uint64_t
rng_part_index(uint64_t part, uint64_t index)
{
    return (part << 40) + index;
}

/* In a tree of streams, the index of child number `symbol` of the node with this index. */
uint64_t rng_child_key(uint64_t index, uint64_t symbol);

uint32_t rng_u32(struct rng *r);
uint64_t rng_u64(struct rng *r);

/* The same as n calls of rng_u64, but by rng_blocks. */
void rng_fill(struct rng *r, uint64_t *out, size_t n);

/* Uniform on [0, 1), a multiple of 2^-53. */
double rng_double(struct rng *r);

/* Uniform on 0 .. n-1 without bias; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* A uniformly random order of the n indices 0 .. n-1. */
void rng_permutation(struct rng *r, uint32_t *order, size_t n);

/* Exact random counts.
 *
 * The numbers of strings that continue with each symbol are a multinomial draw.  Drawing the
 * counts takes the same time for n = 2 and n = 2^63; this makes it cheap to sample many
 * strings that share prefixes.  "Exact" means up to the rounding of doubles, without a
 * normal approximation.  Only IEEE arithmetic and dmath are used, so the bits are the same
 * everywhere.
 */

enum { DRAW_KINDS_MAX = 257 }; /* an alphabet, end-of-string, and "none of these" */

/* The number of successes in n < 2^63 trials of probability p in [0, 1]. */
uint64_t rng_binomial(struct rng *r, uint64_t n, double p);

/* An index in 0 .. k-1, k <= DRAW_KINDS_MAX, with probability proportional to weight[index].
 * Weights are non-negative with a positive sum; a weight of 0 is never chosen. */
unsigned rng_categorical(struct rng *r, const double *weight, unsigned k);

/* The counts of n independent results of rng_categorical: count[0 .. k-1]. */
void rng_multinomial(struct rng *r, uint64_t n, const double *weight, unsigned k, uint64_t *count);

#endif

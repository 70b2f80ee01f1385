/* SPDX-License-Identifier: MIT
 *
 * wide: unsigned integers of 128 bits.
 *
 * Compilers for 32-bit machines have no __int128.  Arithmetic is modulo 2^128, and the results
 * are the same bits with and without it.
 */
#ifndef GAMUT_WIDE_H
#define GAMUT_WIDE_H

#include <math.h>
#include <stdint.h>

struct wide {
    uint64_t high, low;
};

/* a * b by products of half words, none of which overflows. */
static inline struct wide
wide_product_by_halves(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);     /* at most (2^32 - 1) 2^32 */
    uint64_t other = a0 * b1 + (uint32_t)middle; /* likewise */
    return (struct wide){a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)low};
}

static inline struct wide
wide_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (struct wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
    return wide_product_by_halves(a, b);
#endif
}

static inline struct wide
wide_add(struct wide a, struct wide b)
{
    uint64_t low = a.low + b.low;
    return (struct wide){a.high + b.high + (low < a.low), low};
}

static inline struct wide
wide_subtract(struct wide a, struct wide b)
{
    return (struct wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

/* a * b */
static inline struct wide
wide_scale(struct wide a, uint64_t b)
{
    struct wide product = wide_product(a.low, b);
    product.high += a.high * b;
    return product;
}

/* The nearest double; ties go to the even one.  Of the bits below the first 64, which is
 * more than a double has, only whether any is set matters. */
static inline double
wide_double(struct wide a)
{
    if (a.high == 0)
        return (double)a.low;
    int shift = __builtin_clzll(a.high);
    uint64_t top = shift == 0 ? a.high : a.high << shift | a.low >> (64 - shift);
    return ldexp((double)(top | (a.low << shift != 0)), 64 - shift);
}

#endif

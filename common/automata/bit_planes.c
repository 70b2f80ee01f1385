/* SPDX-License-Identifier: MIT */
#include "automata/bit_planes.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

void
bit_planes_init(struct bit_planes *p, const struct alphabet *a, const bool need[256])
{
    *p = (struct bit_planes){.alphabet = *a};
    for (unsigned k = 0; k < a->size; k++)
        if (need[(unsigned char)a->text[k]])
            p->used[p->used_count++] = (uint8_t)k;
    for (unsigned c = 0; c < 256; c++) {
        if (a->symbol[c] == ALPHABET_NONE || need[c])
            continue;
        struct bit_planes_range *r = &p->other[p->others];
        if (p->others > 0 && r[-1].from + r[-1].span + 1u == c)
            r[-1].span++;
        else
            p->other[p->others++] = (struct bit_planes_range){(unsigned char)c, 0};
    }
}

/* ---- 64 characters at a time ------------------------------------------------------ */

#ifdef __SSE2__

struct chars {
    __m128i part[4];
};

static inline struct chars
load(const char *p)
{
    struct chars c;
    for (int i = 0; i < 4; i++)
        c.part[i] = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
    return c;
}

static inline uint64_t
gather(const __m128i part[4])
{
    uint64_t lo = (unsigned)_mm_movemask_epi8(part[0]) | (unsigned)_mm_movemask_epi8(part[1]) << 16;
    uint64_t hi = (unsigned)_mm_movemask_epi8(part[2]) | (unsigned)_mm_movemask_epi8(part[3]) << 16;
    return lo | hi << 32;
}

/* The places where the character is c. */
static inline uint64_t
equal(const struct chars *x, char c)
{
    __m128i part[4], all = _mm_set1_epi8(c);
    for (int i = 0; i < 4; i++)
        part[i] = _mm_cmpeq_epi8(x->part[i], all);
    return gather(part);
}

/* The places where it is in the range: x - from <= span as unsigned bytes. */
static inline uint64_t
within(const struct chars *x, struct bit_planes_range r)
{
    __m128i part[4], from = _mm_set1_epi8((char)r.from), span = _mm_set1_epi8((char)r.span);
    for (int i = 0; i < 4; i++) {
        __m128i above = _mm_sub_epi8(x->part[i], from);
        part[i] = _mm_cmpeq_epi8(_mm_min_epu8(above, span), above);
    }
    return gather(part);
}

#else

struct chars {
    unsigned char byte[BIT_PLANES_WIDTH];
};

static inline struct chars
load(const char *p)
{
    struct chars c;
    memcpy(c.byte, p, BIT_PLANES_WIDTH);
    return c;
}

static inline uint64_t
within(const struct chars *x, struct bit_planes_range r)
{
    uint64_t bits = 0;
    for (int i = 0; i < BIT_PLANES_WIDTH; i++)
        bits |= (uint64_t)((unsigned char)(x->byte[i] - r.from) <= r.span) << i;
    return bits;
}

static inline uint64_t
equal(const struct chars *x, char c)
{
    return within(x, (struct bit_planes_range){(unsigned char)c, 0});
}

#endif

/* ---- tiles --------------------------------------------------------------------------- */

/* Checks the places `odd` of word w that are neither symbols nor newlines: only a carriage
 * return before a newline is valid.  Every block ends with a newline, so there is a next
 * character.  Returns the offset of the first invalid byte in the tile, or SIZE_MAX. */
static size_t
check_odd(const struct bit_planes_tile *t, size_t w, uint64_t odd)
{
    for (; odd != 0; odd &= odd - 1) {
        size_t at = w * BIT_PLANES_WIDTH + (size_t)__builtin_ctzll(odd);
        if (t->text[at] != '\r' || t->text[at + 1] != '\n')
            return at;
    }
    return SIZE_MAX;
}

/* Computes the planes of word w; returns the offset of its first invalid byte or SIZE_MAX. */
static size_t
make_word(const struct bit_planes *p, struct bit_planes_tile *t, size_t w)
{
    char padded[BIT_PLANES_WIDTH];
    size_t left = t->size > w * BIT_PLANES_WIDTH ? t->size - w * BIT_PLANES_WIDTH : 0;
    const char *text = t->text + (left > 0 ? w * BIT_PLANES_WIDTH : 0);
    uint64_t there = ~UINT64_C(0); /* places inside the block */
    if (left < BIT_PLANES_WIDTH) {
        there = (UINT64_C(1) << left) - 1;
        memset(padded, '\n', sizeof padded);
        memcpy(padded, text, left);
        text = padded;
    }
    struct chars c = load(text);
    uint64_t known = equal(&c, '\n');
    t->newline[w] = known & there;
    for (unsigned k = 0; k < p->used_count; k++) {
        uint64_t bits = equal(&c, p->alphabet.text[p->used[k]]);
        t->plane[p->used[k]][w] = bits;
        known |= bits;
    }
    for (unsigned k = 0; k < p->others; k++)
        known |= within(&c, p->other[k]);
    return known == ~UINT64_C(0) ? SIZE_MAX : check_odd(t, w, ~known);
}

size_t
bit_planes_build(const struct bit_planes *p, struct bit_planes_tile *t, uint64_t lines,
                 bool line_start, size_t lanes, size_t *bad)
{
    size_t words = (t->size + BIT_PLANES_WIDTH - 1) / BIT_PLANES_WIDTH;
    words = words < BIT_PLANES_TILE ? words : BIT_PLANES_TILE;
    *bad = SIZE_MAX;
    t->lines[0] = lines;
    for (size_t w = 0; w < words; w++) {
        *bad = make_word(p, t, w);
        if (*bad != SIZE_MAX)
            return w;
        t->lines[w + 1] = t->lines[w] + bit_planes_popcount(t->newline[w]);
        t->plane[BIT_PLANES_LINE_START][w] = t->newline[w] << 1 | (line_start ? 1 : 0);
        line_start = t->newline[w] >> (BIT_PLANES_WIDTH - 1);
    }
    for (size_t w = words; w <= (words + lanes - 1) / lanes * lanes; w++) {
        make_word(p, t, w); /* the look-ahead word, and empty words to fill the lanes */
        t->plane[BIT_PLANES_LINE_START][w] = 0;
    }
    return words;
}

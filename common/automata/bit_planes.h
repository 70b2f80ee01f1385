/* SPDX-License-Identifier: MIT
 *
 * bit_planes: a piece of text as bit planes.  A plane has one bit per place of the text:
 * whether a given symbol stands there.
 *
 * A word of a plane covers BIT_PLANES_WIDTH places; the lowest bit is the first one.  Planes
 * are computed for a tile of BIT_PLANES_TILE words at a time, with SSE2, which every x86-64
 * has, or in plain C.  Every byte is checked.
 *
 * Tested by tests/unit/test_word_counter.c.
 */
#ifndef GAMUT_BIT_PLANES_H
#define GAMUT_BIT_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

enum {
    BIT_PLANES_WIDTH = 64, /* places in a word of a plane */
    BIT_PLANES_TILE = 64,  /* words of a tile */
    BIT_PLANES_LINE_START =
        ALPHABET_BYTES_MAX, /* the newline plane comes after those of the symbols */
    BIT_PLANES_COUNT
};

/* The symbols that have planes. */
struct bit_planes {
    struct alphabet alphabet;
    uint8_t used[ALPHABET_BYTES_MAX]; /* symbols with planes */
    unsigned used_count;
    struct bit_planes_range {
        unsigned char from, span; /* characters from .. from+span */
    } other[ALPHABET_BYTES_MAX];  /* the characters of symbols without planes */
    unsigned others;
};

/* The planes of a tile; the word at BIT_PLANES_TILE looks ahead into the next tile. */
struct bit_planes_tile {
    const char *text;
    size_t size; /* bytes from `text` to the end of the block, which is a newline */
    uint64_t plane[BIT_PLANES_COUNT][BIT_PLANES_TILE + 1];
    uint64_t newline[BIT_PLANES_TILE + 1];
    uint64_t lines[BIT_PLANES_TILE + 1]; /* lines that end before the word */
};

/* Selects the symbols whose character has need[character]; the characters have one byte. */
void bit_planes_init(struct bit_planes *p, const struct alphabet *a, const bool need[256]);

/* Computes the tile at t->text; `lines` lines have ended before it.  Words up to the next
 * multiple of `lanes`, and one more, are computed too; they are empty past the end of the
 * block.  Returns the number of words of the tile.  *bad is SIZE_MAX, or the offset of the
 * first byte that is neither in the alphabet nor part of a line end. */
size_t bit_planes_build(const struct bit_planes *p, struct bit_planes_tile *t, uint64_t lines,
                        bool line_start, size_t lanes, size_t *bad);

static inline unsigned
bit_planes_popcount(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(x * 0x0101010101010101 >> 56);
}

#endif

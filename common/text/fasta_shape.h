/* SPDX-License-Identifier: MIT
 *
 * fasta_shape: how the records of a file are wrapped, to notice plain lines that follow them.
 *
 * Such lines would become the end of the last record.  They are told from a long sequence by the
 * records before it: if each of them has one line, and lines are not wrapped at the width of the
 * last record (all records have exactly this length, or one is longer), the file is FASTA in one
 * part only.
 *
 * Tested by tests/cli/strings.t.
 */
#ifndef GAMUT_FASTA_SHAPE_H
#define GAMUT_FASTA_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The records so far, all zero before the first one. */
struct fasta_shape {
    uint64_t records;
    size_t shortest, longest; /* of the records */
    bool wrapped;             /* one has more than one line */
};

enum { FASTA_SHAPE_RECORDS = 2 }; /* that say how a file is wrapped */

/* A record has ended: its lines, and the symbols of the first one. */
static inline void
fasta_shape_add(struct fasta_shape *s, uint64_t lines, size_t width)
{
    s->shortest = s->records == 0 || width < s->shortest ? width : s->shortest;
    s->longest = width > s->longest ? width : s->longest;
    s->wrapped |= lines > 1;
    s->records++;
}

/* Whether the last record of the file ends with plain lines; tokens are not wrapped by their
 * number. */
static inline bool
fasta_shape_is_broken(const struct fasta_shape *s, uint64_t lines, size_t width, bool tokens)
{
    bool unwrapped = s->records >= FASTA_SHAPE_RECORDS && !s->wrapped && lines > 1;
    return unwrapped &&
           (tokens || s->longest > width || (s->longest == width && s->shortest == width));
}

#endif

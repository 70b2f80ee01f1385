/* SPDX-License-Identifier: MIT
 *
 * fasta_blocks: the records of FASTA as lines, in blocks, for code that counts in lines of
 * characters of one byte (line_blocks in line_reader.h).
 *
 * The text is read in pieces of whole records.  If all lines of a piece are as usual, the
 * sequences are joined and counted as lines.  Otherwise the piece is read again by a
 * string_reader, which knows all rules and messages: nothing is decided twice.
 *
 * Tested by tests/unit/test_string_reader.c and tests/cli/strings.t.
 */
#ifndef GAMUT_FASTA_BLOCKS_H
#define GAMUT_FASTA_BLOCKS_H

#include "text/line_reader.h"

struct string_reader;

/* Processes the strings of a reader: 0, or an error. */
typedef int fasta_blocks_read(void *arg, struct string_reader *r, struct err *e);

/* Processes all of `in`, by `work` and by `read`; both get `arg`.  0 or an error.  `detected`:
 * nobody has stated that it is FASTA. */
int fasta_blocks_run(struct input *in, const struct alphabet *a, bool detected, struct pool *pool,
                     line_blocks_work *work, fasta_blocks_read *read, void *arg, struct err *e);

#endif

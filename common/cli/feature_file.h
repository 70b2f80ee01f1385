/* SPDX-License-Identifier: MIT
 *
 * feature_file: features from a file, one per line.
 *
 * The first field up to a TAB counts, "SPEC" or "NAME = SPEC".  Blank lines, lines that begin with
 * #, and a first line whose first field is "feature" add nothing.
 *
 * Tested by tests/cli/motif-freq.t.
 */
#ifndef GAMUT_FEATURE_FILE_H
#define GAMUT_FEATURE_FILE_H

struct err;
struct feature_set;
struct input;

/* Adds the features of a file.  The error of a line is "FILE:LINE:COLUMN: ...", and ERR_DATA
 * or ERR_LIMIT. */
int feature_file_read(struct feature_set *f, struct input *in, struct err *e);

#endif

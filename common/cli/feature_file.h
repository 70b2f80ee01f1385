/* SPDX-License-Identifier: MIT
 *
 * feature_file: features from files: a list of them, or one that is given by an automaton.
 *
 * Tested by tests/cli/motif-freq.t.
 */
#ifndef GAMUT_FEATURE_FILE_H
#define GAMUT_FEATURE_FILE_H

struct err;
struct feature_set;
struct input;

/* Adds the features of a file, one per line.  The first field up to a TAB counts, "SPEC" or
 * "NAME = SPEC".  Blank lines, lines that begin with #, and a first line whose first field is
 * "feature" add nothing.  The error of a line is "FILE:LINE:COLUMN: ...", and ERR_DATA or
 * ERR_LIMIT. */
int feature_file_read(struct feature_set *f, struct input *in, struct err *e);

/* Adds the feature `spec` under a name.  fsa:FILE and not:fsa:FILE read FILE, AT&T text or a model
 * of kind pfsa over the alphabet of the set.  A model must not depend on another file, so the
 * automaton itself becomes the specification, dfa:TEXT (feature_set.h), and fsa:FILE stays the
 * name of the feature.  Errors as feature_set_add_named and those of FILE. */
int fsa_spec_add(struct feature_set *f, const char *name, const char *spec, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * feature_paper: the seven features of the paper for one motif: the motif m,
 * parts of it (m+0, m/2) and distractors (d0 .. d3).
 */
#ifndef GAMUT_FEATURE_PAPER_H
#define GAMUT_FEATURE_PAPER_H

struct err;
struct features;

enum { FEATURE_PAPER_BITS = 7 };

/* Adds those of m, m+0, m/2, d0, d1, d2, d3 of `motif` whose bit is '1' in
 * `bits`; the alphabet must be "01".  0, ERR_USAGE or ERR_NOMEM. */
int feature_paper_add(struct features *f, const char *motif, const char *bits, struct err *e);

#endif

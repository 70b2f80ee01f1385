/* SPDX-License-Identifier: MIT
 *
 * feature_internal: shared by the files of module feature.
 */
#ifndef GAMUT_FEATURE_INTERNAL_H
#define GAMUT_FEATURE_INTERNAL_H

#include "feature/feature.h"

/* Kinds defined by regular expressions, and runs; ends with a NULL name. */
extern const struct feature_kind feature_pattern_kinds[];

/* Sets the word of a feature.  A backslash makes [ @ : and itself literal. */
int feature_parse_word(struct feature *f, const struct alphabet *a, const char *text,
                       struct err *e);

/* Takes over a complete DFA, minimizes it and computes the distances. */
int feature_pattern_init(struct feature_pattern *p, struct dfa *d, struct err *e);

/* For kinds that test by f->pattern. */
void feature_pattern_step(const struct feature *f, uint32_t *s, uint8_t a);
uint64_t feature_pattern_whole(const struct feature *f, const uint32_t *s);
void feature_pattern_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                           double *hi);

/* The @ at which the range of a spec begins, or NULL. */
const char *feature_range_find(const struct alphabet *a, const char *spec);

/* Words at a position and sites on either strand, as regular expressions
 * (automata/regex_nfa.h); the caller frees *expression with mem_free.  0, ERR_USAGE or
 * ERR_NOMEM.
 *
 * A site is a word of IUPAC letters over an alphabet that contains ACGT or ACGU, in upper or
 * lower case; if `both` strands count, also its reverse complement. */
int site_expression(const struct alphabet *a, const char *word, bool both, char **expression,
                    struct err *e);

/* A word that lies inside the positions `first` to `last`: 1 is the first symbol of the
 * string, -1 the last one.  ERR_USAGE if a position is 0 or beyond FEATURE_POSITION_MAX, or
 * if the window is too short for the word. */
enum { FEATURE_POSITION_MAX = 1000 };
int window_expression(const struct alphabet *a, int first, int last, const uint8_t *word,
                      size_t length, char **expression, struct err *e);

/* Makes f the range `text` of f->inner. */
int feature_range_compile(struct feature *f, const char *text, struct err *e);

/* Compiles dfa:TEXT. */
int feature_dfa_compile(struct feature *f, const struct alphabet *a, const char *text,
                        struct err *e);

/* Makes f the complement of f->inner. */
int feature_complement_compile(struct feature *f, struct err *e);

#endif

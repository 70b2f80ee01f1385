/* SPDX-License-Identifier: MIT
 *
 * feature_internal: what the files of module feature share.
 */
#ifndef GAMUT_FEATURE_INTERNAL_H
#define GAMUT_FEATURE_INTERNAL_H

#include "feature/feature.h"

/* Kinds that regular expressions define, and runs; a NULL name is the end. */
extern const struct feature_kind feature_pattern_kinds[];

/* Sets the word of a feature.  A backslash makes [ @ : and itself literal. */
int feature_parse_word(struct feature *f, const struct alphabet *a, const char *text,
                       struct err *e);

/* Takes over a complete DFA, minimizes it and finds the distances. */
int feature_pattern_init(struct feature_pattern *p, struct dfa *d, struct err *e);

/* For kinds that test by f->pattern. */
void feature_pattern_step(const struct feature *f, uint32_t *s, uint8_t a);
uint64_t feature_pattern_whole(const struct feature *f, const uint32_t *s);
void feature_pattern_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                           double *hi);

/* The @ that begins the range of a spec, or NULL. */
const char *feature_range_find(const struct alphabet *a, const char *spec);

/* Makes f the range `text` of f->inner. */
int feature_range_compile(struct feature *f, const char *text, struct err *e);

#endif

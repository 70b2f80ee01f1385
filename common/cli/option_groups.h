/* SPDX-License-Identifier: MIT
 *
 * feature_options: features as the command lines of all tools describe them.
 *
 * The options are kept as text until feature_options_build, because what a word
 * means depends on an alphabet that may come later, or from a model.
 */
#ifndef GAMUT_OPTION_GROUPS_H
#define GAMUT_OPTION_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "core/words.h"

struct alphabet;
struct err;
struct features;

/* All zero is none given. */
struct feature_options {
    const char *bits;    /* of --ft, or NULL */
    struct words specs;  /* of --feature */
    uint64_t max_length; /* L, or 0 if not given */
};

enum feature_options_key { FEATURE_OPTION_SPEC = 700, FEATURE_OPTION_FT, FEATURE_OPTION_L };

/* Entries for a tool's option table; keys go to feature_options_set.  `what`
 * says what the tool does with features, `l` where L comes from otherwise. */
#define FEATURE_OPTIONS(what, l)                                                                   \
    {FEATURE_OPTION_SPEC, "feature", "SPEC", what "; may be repeated", 0},                         \
        {FEATURE_OPTION_FT, "ft", "BITS",                                                          \
         "of m, m+0, m/2, d0, d1, d2, d3 those whose bit is 1, for the\n"                          \
         "one motif; alphabet 01 only [none]",                                                     \
         0},                                                                                       \
    {                                                                                              \
        FEATURE_OPTION_L, "max-length", "N", "the L that lengths and counts are divided by\n" l, 0 \
    }

/* Takes an option of the table: 1 if it was one, 0 if the key is not known
 * here, or a negative error.  `value` must outlive the options. */
int feature_options_set(struct feature_options *o, int key, const char *value, struct err *e);
void feature_options_clear(struct feature_options *o);

/* The features, those of --ft first; perhaps none.  `motif` has the motifs of
 * the command line, of which --ft needs just one.  L is set if it was given.
 * NULL with ERR_USAGE, naming the option, or ERR_NOMEM. */
struct features *feature_options_build(const struct feature_options *o, const struct alphabet *a,
                                       const char *const *motif, size_t motifs, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * text_statistics: motif frequencies and feature means over strings of text.
 *
 * Motifs, and features that only test whether a word occurs or is a prefix, are counted by
 * word_counter.h; the other features follow each string.  All sums are sums of integers, so
 * they are exact and the same for any number of threads.
 *
 * Tested by tests/cli/motif-freq.t.
 */
#ifndef GAMUT_TEXT_STATISTICS_H
#define GAMUT_TEXT_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct feature_set;
struct input;
struct pool;
struct string_format;
struct strings;
struct text_statistics;

/* Counts all features of `f`; `f` and the pool must outlive the result. */
struct text_statistics *text_statistics_new(const struct feature_set *f, struct pool *pool,
                                            struct err *e);
void text_statistics_free(struct text_statistics *t); /* NULL is fine */

/* Adds a motif; ERR_USAGE if it is empty or not over the alphabet. */
int text_statistics_add_motif(struct text_statistics *t, const char *motif, struct err *e);

/* Must be called once, after all motifs were added. */
int text_statistics_compile(struct text_statistics *t, struct err *e);

/* Adds all strings of `in`; can be called again for the next file.  Lines of characters of one
 * byte, the most frequent case, are counted as text, without reading strings. */
int text_statistics_read(struct text_statistics *t, struct input *in, const struct string_format *f,
                         struct err *e);

/* Adds strings that were read before; 0 or ERR_NOMEM. */
int text_statistics_add(struct text_statistics *t, const struct strings *s, struct err *e);

/* Strings that were left out. */
uint64_t text_statistics_skipped(const struct text_statistics *t);

uint64_t text_statistics_strings(const struct text_statistics *t);

/* strings_default_max_length of all strings, but at least 1.  Known only if a feature needs
 * it. */
uint64_t text_statistics_max_length(const struct text_statistics *t);

/* Without strings the frequency is NaN, and the interval is [0, 1]. */
struct text_statistics_motif {
    uint64_t with;        /* strings that contain the motif */
    uint64_t occurrences; /* overlapping ones included */
    double freq;          /* with / strings */
    double lo95, hi95;    /* Wilson's 95 % interval of freq */
    double per_string;    /* occurrences / strings */
};

struct text_statistics_motif text_statistics_motif_result(const struct text_statistics *t,
                                                          size_t i);

/* The mean and its standard error: the standard deviation (with n - 1) over sqrt(n).  NaN
 * without strings; the error is also NaN for one string.  Uses L of `f`. */
struct text_statistics_feature {
    double mean, se;
};

struct text_statistics_feature text_statistics_feature_result(const struct text_statistics *t,
                                                              size_t i);

#endif

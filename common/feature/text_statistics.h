/* SPDX-License-Identifier: MIT
 *
 * tally: motif frequencies and means of features over strings of text.
 *
 * Motifs, and the features that only ask whether a word occurs or stands at the
 * beginning, are counted by scan.h; the other features follow each string.
 * All that is summed is whole numbers, so the sums are exact and the same for
 * any number of threads.
 */
#ifndef GAMUT_TEXT_STATISTICS_H
#define GAMUT_TEXT_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct features;
struct in;
struct pool;
struct tally;

/* Takes the means of all of `f`, which like the pool must outlive the tally. */
struct tally *tally_new(const struct features *f, struct pool *pool, struct err *e);
void tally_free(struct tally *t); /* NULL is fine */

/* Adds a motif; ERR_USAGE if it is empty or not over the alphabet. */
int tally_add_motif(struct tally *t, const char *motif, struct err *e);

/* To be called once, when all motifs are there. */
int tally_compile(struct tally *t, struct err *e);

/* Adds all strings of `in`; may be called again for the next file. */
int tally_read(struct tally *t, struct in *in, struct err *e);

uint64_t tally_strings(const struct tally *t);

/* model_length_for all strings, but 1 at least.  Known only if a feature needs
 * it. */
uint64_t tally_max_length(const struct tally *t);

/* Of no strings the frequency is NaN, and the interval is [0, 1]. */
struct tally_motif {
    uint64_t with;        /* strings that contain the motif */
    uint64_t occurrences; /* overlapping ones included */
    double freq;          /* with / strings */
    double lo95, hi95;    /* Wilson's 95 % interval of freq */
    double per_string;    /* occurrences / strings */
};

struct tally_motif tally_motif_result(const struct tally *t, size_t i);

/* Mean, and its standard error: the deviation with n - 1 over sqrt(n).  NaN of
 * no strings, the error also of one.  Asks `f` for L. */
struct tally_feature {
    double mean, se;
};

struct tally_feature tally_feature_result(const struct tally *t, size_t i);

#endif

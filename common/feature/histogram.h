/* SPDX-License-Identifier: MIT
 *
 * hist: a histogram of feature vectors.
 *
 * With the base model fixed, all that fitting needs of a sample, or of a whole
 * distribution, is how much weight each feature vector has.  Vectors are kept
 * as whole numbers (features_whole), so equal ones are equal bytes.
 */
#ifndef GAMUT_HISTOGRAM_H
#define GAMUT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct features;
struct hist;

/* Of vectors of the features, which must outlive the result. */
struct hist *hist_new(const struct features *f, struct err *e);
void hist_free(struct hist *h); /* NULL is fine */

/* Adds weight to a vector, whole[features_count]. */
int hist_add(struct hist *h, const uint64_t *whole, double weight, struct err *e);

/* Adds all weights of another histogram of the same features, times `factor`. */
int hist_merge(struct hist *h, const struct hist *other, double factor, struct err *e);

/* Different vectors, in the order in which they first came. */
size_t hist_count(const struct hist *h);
const uint64_t *hist_whole(const struct hist *h, size_t i);
void hist_values(const struct hist *h, size_t i, double *phi);
double hist_weight(const struct hist *h, size_t i);

/* The sum of all weights. */
double hist_total(const struct hist *h);

/* Means of the features; of one that is constant exactly its value where the
 * weights are counts, and but for rounding where they are probabilities. */
void hist_mean(const struct hist *h, double *mean);

#endif

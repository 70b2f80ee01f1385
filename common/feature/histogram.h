/* SPDX-License-Identifier: MIT
 *
 * histogram: a histogram of feature vectors.
 *
 * With the base model fixed, fitting needs only the weight of each feature vector in a sample
 * or in a distribution.  Vectors are stored as integers (feature_set_numerators), so equal
 * vectors are equal bytes.
 *
 * Tested by tests/unit/test_fit_data.c.
 */
#ifndef GAMUT_HISTOGRAM_H
#define GAMUT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct feature_set;
struct histogram;

/* A histogram of vectors of the features, which must outlive it. */
struct histogram *histogram_new(const struct feature_set *f, struct err *e);
void histogram_free(struct histogram *h); /* NULL is fine */

/* Adds weight to a vector, whole[feature_set_count]. */
int histogram_add(struct histogram *h, const uint64_t *whole, double weight, struct err *e);

/* Adds all weights of another histogram of the same features, times `factor`. */
int histogram_merge(struct histogram *h, const struct histogram *other, double factor,
                    struct err *e);

/* Distinct vectors, in the order in which they were first added. */
size_t histogram_count(const struct histogram *h);
const uint64_t *histogram_numerators(const struct histogram *h, size_t i);
void histogram_values(const struct histogram *h, size_t i, double *phi);
double histogram_weight(const struct histogram *h, size_t i);

/* The sum of all weights. */
double histogram_total(const struct histogram *h);

/* Means of the features.  For a constant feature this is exactly its value if the weights
 * are counts, and its value up to rounding if they are probabilities. */
void histogram_mean(const struct histogram *h, double *mean);

#endif

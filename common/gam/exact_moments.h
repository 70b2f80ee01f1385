/* SPDX-License-Identifier: MIT
 *
 * exact_moments: exact means and covariances of features under a GAM over an automaton, at any
 * weights.
 *
 * The GAM is an automaton (product.h) whose arcs and ends each add a number to each feature.
 * Let v_i(s) be the expected gain of feature i from state s on, and let a string go from s to
 * s' with the gain g_i.  Then
 *
 *     d_i = g_i + v_i(s') - v_i(s)
 *
 * has mean 0 whatever came before, and feature i is v_i(start) plus the sum of all d_i along
 * the string.  So the covariance of features i and j is the sum over transitions of their
 * expected number times d_i d_j: no table of feature vectors is needed, and nothing cancels.
 *
 * An acyclic automaton takes one pass.  Results for a cyclic one are equally exact, without a
 * tolerance.
 */
#ifndef GAMUT_EXACT_MOMENTS_H
#define GAMUT_EXACT_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct exact_moments;
struct feature_set;
struct moments;
struct pfsa;

enum { EXACT_MOMENTS_BYTES = 64 << 20 };

/* Moments of all features under the base given |x| <= max_length.  Weights of -inf in lambda
 * are hard constraints; the other weights are variable.  Covariances take up to two tables
 * of `table_bytes`, normally EXACT_MOMENTS_BYTES, or more time.  Features must outlive the
 * result.  NULL on failure: the errors of product_new, and ERR_DATA if the alphabets differ. */
struct exact_moments *exact_moments_new(const struct pfsa *base, const struct feature_set *f,
                                        uint64_t max_length, const double *lambda,
                                        size_t table_bytes, struct err *e);
void exact_moments_free(struct exact_moments *x); /* NULL is fine */

/* The interface for an optimizer; valid as long as x. */
struct moments *exact_moments_get(struct exact_moments *x);

/* The minimum and maximum of each feature, [n] each, over all strings of positive
 * probability; the maximum is inf if there is no bound.  0 or ERR_NOMEM. */
int exact_ranges(const struct exact_moments *x, double *lo, double *hi, struct err *e);

enum { EXACT_MEANS_SIZE_MAX = 1 << 26 }; /* up to 3 GB */

/* mean[i] = E feature_i under an automaton given |x| <= max_length, one feature at a time,
 * so that only its own states are needed.  A feature's L only scales it.  ERR_DATA if the
 * alphabets differ; ERR_LIMIT if the product with one feature has more than `max_size`
 * states and transitions; ERR_NOMEM. */
int exact_means(const struct pfsa *p, const struct feature_set *f, uint64_t max_length,
                uint64_t max_size, double *mean, struct err *e);

#endif

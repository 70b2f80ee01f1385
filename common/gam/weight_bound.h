/* SPDX-License-Identifier: MIT
 *
 * weight_bound: the maximum of lambda . phi over all strings with a given prefix, for rejection
 * sampling (sampler.h).
 *
 * The features followed together are one automaton with additive parts on its arcs
 * (feature_automaton.h).  What a prefix can still gain within the remaining length depends only
 * on the automaton's state and on the length, so it is computed backward for all pairs of them,
 * by one max-plus pass: the joint maximum over all features, which is tight.
 *
 * If there are too many pairs for a long maximum length, the bound is the maximum over
 * completions of any length, or the sum of the features' own maxima (feature_set_bound) if that
 * is smaller.  If the joint automaton is too large, which can happen with a long edit:S, the
 * features with the longest records are left out of it, and each of them is bounded separately
 * by what the remaining length allows.  Both bounds are valid but wider.
 */
#ifndef GAMUT_WEIGHT_BOUND_H
#define GAMUT_WEIGHT_BOUND_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct feature_set;
struct sampler_bound;
struct weight_bound;

enum { WEIGHT_BOUND_PAIRS_MAX = 1 << 22 }; /* 32 MB */

/* Strings of at most `max_length` symbols (UINT64_MAX: any), and at most `most` pairs,
 * normally WEIGHT_BOUND_PAIRS_MAX.  The features must outlive the result and keep their L.
 * NULL on failure. */
struct weight_bound *weight_bound_new(const struct feature_set *f, uint64_t max_length,
                                      uint32_t most, struct err *e);
void weight_bound_free(struct weight_bound *r); /* NULL is fine */

/* Whether the bound is tight: attained by some string. */
bool weight_bound_tight(const struct weight_bound *r);

/* Sets the weights.  0; ERR_EMPTY if no string satisfies the hard constraints;
 * ERR_NUMERIC if lambda . phi has no bound. */
int weight_bound_set_lambda(struct weight_bound *r, const double *lambda, struct err *e);

/* The bound for the sampler, valid until the weights change. */
struct sampler_bound weight_bound_bound(const struct weight_bound *r);

/* log b of the empty prefix: rejection accepts Z / exp of this. */
double weight_bound_root(const struct weight_bound *r);

#endif

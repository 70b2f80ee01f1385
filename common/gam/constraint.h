/* SPDX-License-Identifier: MIT
 *
 * constraint: a model given hard constraints.
 *
 * The constraints are features that are 0 or 1 and must be 0.  An automaton given constraints
 * is an automaton.  Any other model becomes a GAM, or a GAM with more features, with a weight
 * of -inf for each constraint.
 *
 * Tested by tests/unit/test_constraint.c.
 */
#ifndef GAMUT_CONSTRAINT_H
#define GAMUT_CONSTRAINT_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct exact_moments;
struct feature_set;
struct gam;
struct model;
struct pfsa;
struct pool;

/* The automaton p given the constraints; its log_partition is that of p plus the log of their
 * probability.  Takes over both, also on failure; both have one alphabet.  NULL if one is NULL, and
 * on failure: ERR_EMPTY naming the constraints that cannot be met, ERR_LIMIT, ERR_NOMEM. */
struct pfsa *constraint_automaton(struct pfsa *p, struct feature_set *c, struct err *e);

/* A model of any kind given the constraints. */
struct constrained {
    struct gam *gam;
    size_t own;                  /* features of the model, the first ones */
    double *own_lambda;          /* [features of gam] weights without the constraints */
    double log_z, log_z_se, ess; /* as in struct gam, without the constraints */
};

/* Takes over the model, also on failure.  L is max_length, but at most that of a GAM.  Clear in
 * either case.  ERR_EMPTY as in constraint_check. */
int constrained_init(struct constrained *x, struct model *m, const struct feature_set *c,
                     uint64_t max_length, struct err *e);
void constrained_clear(struct constrained *x);

struct constraint_probability {
    double value, se; /* the error is 0 if it is exact */
};

/* The probability of the constraints under the model given |x| <= L: exact for automata,
 * else estimated.  `error` > 0 is the requested error of its logarithm. */
int constraint_probability(const struct constrained *x, struct pool *pool, uint64_t seed,
                           double error, struct constraint_probability *p, struct err *e);

/* Moments of the features of the GAM over all strings of at most L symbols that satisfy its hard
 * constraints, for a base that gives every string, or every one of its only length, a positive
 * probability.  NULL on failure: the errors of exact_moments_new. */
struct exact_moments *constraint_moments(const struct gam *g, struct err *e);

/* The minimum and maximum of each feature, [features] each, over the same strings.  If the
 * features have too many states, these are bounds that need not be attained. 0 or ERR_NOMEM. */
int constraint_ranges(const struct gam *g, double *lo, double *hi, struct err *e);

/* ERR_EMPTY, naming a minimal set of them, if no string that the base can generate satisfies the
 * hard constraints.  Sampling would not end.  0 if that is not known: for an automaton,
 * whose product with the features tells, without a base, and for features of too many states.
 * ERR_NOMEM. */
int constraint_check(const struct gam *g, struct err *e);

/* If `e` is ERR_EMPTY: names a minimal set of hard constraints of the GAM that no string
 * satisfies, found by removing one after the other.  Without such a set the text is
 * unchanged.  Returns the code of `e`. */
int constraint_explain(const struct gam *g, struct err *e);

#endif

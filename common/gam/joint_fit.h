/* SPDX-License-Identifier: MIT
 *
 * joint_fit: n-gram weights u and feature weights lambda fitted together (joint_model.h), by
 * the maximum of
 *
 *     mean log P(x) - |u|^2 / (2 N s^2) - l2/2 |lambda|^2
 *
 * over the N strings.  An n-gram counted on the strings is biased if features constrain them:
 * many of its counts are due to the features.  Here the n-gram represents only what the
 * features do not explain.
 *
 * The order and the standard deviation s of the prior are chosen by cross-validation of log P:
 * string i is in fold i mod 5, and each fold is scored by a model fitted to the others.  For
 * each order, s goes up or down from the best of the last order until the loss rises.
 * Everything is exact; nothing is sampled.
 *
 * Tested by tests/unit/test_joint_fit.c.
 */
#ifndef GAMUT_JOINT_FIT_H
#define GAMUT_JOINT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct feature_set;
struct gam;
struct meta;
struct pfsa;
struct pool;
struct strings;

enum {
    JOINT_CHOOSE = -2, /* an order: the best of those from JOINT_NO_WORDS to JOINT_ORDER_AUTO */
    JOINT_ORDER_AUTO = 4,
    JOINT_FOLDS = 5,
    JOINT_COST_MAX = 1 << 20,
    JOINT_PRIORS = 5
};

extern const double joint_priors[JOINT_PRIORS]; /* standard deviations that are tried */

struct joint_options {
    int order;            /* JOINT_NO_WORDS or more, or JOINT_CHOOSE */
    double l2;            /* of the features' weights, per string */
    const bool *fixed;    /* [features] fixed weights; NULL: none */
    const double *stated; /* [features] means that replace those in the data, without a prior; NaN:
                             none.  NULL: none at all */
    uint64_t max_length;
    uint64_t max_size; /* states and transitions, see joint_model_new */
    uint64_t cost_max; /* transitions in a pass of an order that is chosen; 0: JOINT_COST_MAX */
};

struct joint_candidate {
    int order;
    double prior; /* standard deviation of a word's weight; 0 if there are no words */
    double cv_ce; /* held-out -log P, nats per character; NaN if there is one string */
};

struct joint_choice {
    struct joint_candidate candidate[(JOINT_ORDER_AUTO + 2) * JOINT_PRIORS];
    size_t count, best;
};

/* Compares all candidates that the options allow.  Orders that are too large are not tried;
 * of equals, the first is best: the lowest order and the strongest prior.  lambda[features] has the
 * weights that stay.  ERR_LIMIT if no order fits; else the errors of joint_model_new. */
int joint_choose(const struct strings *s, const struct alphabet *a, const struct feature_set *f,
                 const double *lambda, const struct joint_options *o, struct pool *pool,
                 struct joint_choice *choice, struct err *e);

/* Fits one candidate to all strings: the n-gram as an automaton, and lambda[features].  NULL
 * on failure; ERR_NUMERIC if the solver does not converge. */
struct pfsa *joint_fit(const struct strings *s, const struct alphabet *a,
                       const struct feature_set *f, double *lambda, const struct joint_options *o,
                       const struct joint_candidate *candidate, struct err *e);

/* Both, for a GAM that has features and the weights that stay (gam_without_base): sets its
 * base and its weights.  `meta` gets order, prior and cv_ce, and goes with the base.  o->max_length
 * is the GAM's. */
int joint_fit_gam(struct gam *g, const struct strings *s, const struct joint_options *o,
                  struct pool *pool, struct meta *meta, struct joint_choice *choice, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * fit_internal: what the parts of a fit (fit.h) share: the targets, the bounds of
 * the weights, and the evidence, which is all that has been drawn so far from r
 * and from P.
 */

#ifndef GAMUT_FIT_INTERNAL_H
#define GAMUT_FIT_INTERNAL_H

#include "gam/fit.h"
#include "gam/rejection.h"

struct feature_set;
struct newton_problem;
struct importance;
struct moments;

/* A draw from P. */
struct fit_round {
    struct histogram *seen;
    double *lambda; /* [features] it was drawn with */
    struct rejection_outcome outcome;
};

struct fit_state {
    struct gam *gam; /* whose weights are the present ones */
    const struct feature_set *features;
    size_t n; /* features */
    const struct histogram *data;
    const struct fit_options *o;
    struct fit_result *result;
    struct rejection *reject;
    double *target;          /* [n] means in the data */
    double *lo, *hi;         /* [n] bounds of the weights */
    double *mean;            /* [n] moments that were found last */
    struct histogram *base;  /* vectors drawn from r, or their probabilities */
    double base_draws;       /* 1 for probabilities */
    struct fit_round *round; /* draws of rs with newton, then those for the report */
    size_t rounds, rounds_room;
};

/* Completes a state whose gam, data, o and result are set.  Clear in either case. */
int fit_state_init(struct fit_state *f, struct pool *pool, struct err *e);
void fit_state_clear(struct fit_state *f);

/* The greatest weight of feature i. */
double fit_state_bound(const struct fit_state *f, size_t i);

/* The l1 distance of moments, over the weights that can do something about it. */
double fit_state_distance(const struct fit_state *f, const double *mean);

/* Counts an epoch and tells the caller. */
int fit_state_tell(struct fit_state *f, double rate, double l1_mom, const double *lambda,
                   struct err *e);

/* Finds what is known of r before any weight is. */
int fit_state_find_base(struct fit_state *f, struct err *e);

/* A draw of `count` strings from P at the present weights into `r`, all zero;
 * or as one more round.  No strings at all is no error here: see
 * fit_round_check. */
int fit_state_draw(struct fit_state *f, struct fit_round *r, uint64_t count, struct err *e);
int fit_state_draw_round(struct fit_state *f, uint64_t count, struct err *e);
const struct fit_round *fit_state_last(const struct fit_state *f); /* of at least one round */
int fit_round_check(const struct fit_round *r, struct err *e);     /* ERR_EMPTY if it is empty */
void fit_round_clear(struct fit_round *r);

/* All evidence there is, the base's first. */
int fit_state_gather(const struct fit_state *f, struct importance *t, struct err *e);

/* ERR_EMPTY if the hard constraints leave nothing of the evidence. */
int fit_state_check_possible(const struct fit_state *f, const struct importance *t, struct err *e);

/* The weights by Newton's method (newton.h): at once where all evidence is there; with rs
 * alternating between drawing from P and solving with all that was drawn so far, until
 * what was drawn last is near the solution.  Sets the GAM's weights and the result's
 * `converged`. */
int fit_newton(struct fit_state *f, struct err *e);

/* What is minimized, with moments from `m`. */
struct newton_problem fit_newton_problem(const struct fit_state *f, struct moments *m);

/* The paper's optimizer: stochastic steps along the difference of moments, each with a
 * fresh estimate.  An epoch has an update for each 500 strings of the data, at the rate
 * alpha0 / k in epoch k.  The weights of the epoch with the least l1 distance are kept.
 * Sets the GAM's weights and the result's `converged`. */
int fit_sgd(struct fit_state *f, struct err *e);

#endif

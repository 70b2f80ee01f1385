/* SPDX-License-Identifier: MIT
 *
 * fit_internal: the stages of a fit (fit.h) and their data.
 *
 *     problem     targets and bounds of the weights
 *     evidence    what is known about r and P: all draws so far, or an automaton
 *     solution    the weights
 *
 * Each stage reads the ones before it and writes its own.
 */
#ifndef GAMUT_FIT_INTERNAL_H
#define GAMUT_FIT_INTERNAL_H

#include "gam/draw_pool.h"
#include "gam/fit.h"
#include "gam/rejection.h"

struct exact_moments;
struct feature_set;
struct guided;
struct importance;
struct moments;
struct newton_problem;

struct fit_problem {
    const struct gam *gam;
    const struct feature_set *features;
    size_t n; /* features */
    const struct histogram *data;
    const struct fit_options *options;
    double *target;      /* [n] means, in the data or stated */
    double *bound;       /* [n] maximum magnitude of the weight */
    double *l2;          /* [n] of the prior: 0 for stated means */
    double data_strings; /* inf if there are no data: stated means have no error */
};

/* Strings drawn from P by rejection. */
struct evidence_round {
    struct histogram *seen;
    double *lambda; /* [n] weights with which it was drawn */
    struct rejection_outcome outcome;
};

struct evidence {
    /* guided */
    struct guided *guided;
    struct draw_pool draws;
    struct draw_pool witness; /* the strings of options->witness, once they were needed */
    /* exact */
    struct exact_moments *exact;
    double *base_mean; /* [n] of the features under r */
    /* rs and snis */
    struct rejection *source;
    struct histogram *base; /* vectors drawn from r */
    double base_draws;
    struct evidence_round *round;
    size_t rounds, round_capacity;
};

struct fit_solution {
    double *lambda; /* [n] */
    uint64_t epochs;
    bool converged;
};

/* Stage 1.  Completes a problem whose gam, data and options are set; clear it in either
 * case. */
int fit_data_moments(struct fit_problem *p, struct err *e);
void fit_problem_clear(struct fit_problem *p);

/* Strings of the data, or a number that stands for the precision of stated means. */
double fit_strings(const struct fit_problem *p);

/* Whether there is nothing to fit. */
bool fit_all_fixed(const struct fit_problem *p);

/* Whether the feature has a stated mean, and its weight is not fixed. */
bool fit_is_stated(const struct fit_problem *p, size_t i);

/* ERR_DATA if a stated mean cannot be reached, naming the range that can be. */
int fit_check_stated(const struct fit_problem *p, const struct evidence *v, struct err *e);

/* ERR_DATA if stated means cannot be reached together, naming a minimal set of them and the range
 * of one given the others; 0 if they can be, or that is not known, as for features of too many
 * states; ERR_NOMEM. */
int fit_check_together(const struct fit_problem *p, const struct evidence *v, struct err *e);

/* The l1 distance of moments, over the weights that are not fixed. */
double fit_distance(const struct fit_problem *p, const double *mean);

/* Stage 2.  Collects what is known about r before any weight is fitted; clear it in either
 * case. */
int fit_base_moments(const struct fit_problem *p, struct pool *pool, struct evidence *v,
                     struct err *e);
void evidence_clear(struct evidence *v);

/* All evidence as weighted feature vectors; not if exact. */
int evidence_weigh(const struct fit_problem *p, const struct evidence *v, struct importance *t,
                   struct err *e);

/* ERR_EMPTY if no evidence satisfies the hard constraints. */
int evidence_check_possible(const struct evidence *v, const struct importance *t, struct err *e);

/* Draws `count` strings from P into `r`, which is all zero; or as one more round.  No
 * strings at all is not an error here: see evidence_round_check. */
int evidence_draw(const struct fit_problem *p, struct evidence *v, const double *lambda,
                  uint64_t count, struct evidence_round *r, struct err *e);
int evidence_draw_round(const struct fit_problem *p, struct evidence *v, const double *lambda,
                        uint64_t count, struct err *e);
const struct evidence_round *evidence_last(const struct evidence *v);    /* of one round or more */
int evidence_round_check(const struct evidence_round *r, struct err *e); /* ERR_EMPTY if none */
void evidence_round_clear(struct evidence_round *r);

/* guided: the share of the witnesses whose weight under the proposals of `draws`, which are at
 * lambda, is more than 100 Z; 0 where chance explains it, or the witnesses are not from P because
 * some finite weight is fixed. */
int evidence_missed(const struct fit_problem *p, struct evidence *v, const double *lambda,
                    const struct draw_pool *draws, double *missed, struct err *e);

/* Proposals and model steps so far. */
struct rejection_total evidence_total(const struct evidence *v);

/* Stage 3: the solution.  Each function begins with the weights in s->lambda, of which the
 * fixed ones do not change, and sets the others. */

/* Newton's method (newton.h): in one run if all evidence is there; with rs alternating
 * between drawing from P and solving with all draws so far, until the last draws are near
 * the solution. */
int fit_newton(const struct fit_problem *p, struct evidence *v, struct fit_solution *s,
               struct err *e);

/* The same with guided draws. */
int fit_guided(const struct fit_problem *p, struct evidence *v, struct fit_solution *s,
               struct err *e);

/* The paper's optimizer: stochastic steps along the difference of moments, each with a fresh
 * estimate.  An epoch has one update per 500 strings of the data, at the rate alpha0 / k in
 * epoch k.  The result is the weights of the epoch with the smallest l1 distance. */
int fit_sgd(const struct fit_problem *p, struct evidence *v, struct fit_solution *s, struct err *e);

/* What Newton's method minimizes, with moments from `m`, in the box lo[n], hi[n]. */
struct newton_problem fit_newton_problem(const struct fit_problem *p, struct moments *m,
                                         const double *lo, const double *hi);

/* The box around lambda in which one round may move; step_limit[n] is its size without the
 * problem's bounds.  The moments are at lambda, with their covariance. */
void fit_newton_box(const struct fit_problem *p, const struct moments *m, const double *lambda,
                    double *step_limit, double *lo, double *hi);

/* Counts an epoch and reports it to the caller. */
int fit_tell(const struct fit_problem *p, const struct evidence *v, struct fit_solution *s,
             double rate, double l1_mom, struct err *e);

/* Stage 4.  Moments, Z, the errors of the weights and a note about each, into a result whose
 * features are allocated.  With rs and guided, from fresh draws. */
int fit_outcome(const struct fit_problem *p, struct evidence *v, const struct fit_solution *s,
                struct fit_result *result, struct err *e);

#endif

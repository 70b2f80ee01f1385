/* SPDX-License-Identifier: MIT
 *
 * draw_pool: strings drawn from several proposals, weighted as one sample.
 *
 * The draws of all proposals together have the density sum_j n_j q_j(x), so a string that was
 * drawn c times represents the weight
 *
 *     c P(x) / sum_j n_j q_j(x)
 *
 * of P: the balance heuristic of multiple importance sampling (Veach and Guibas, 1995).  The
 * sum of all weights is an unbiased estimate of Z, at any lambda, for any guides.
 *
 * Tested by tests/unit/test_guided.c.
 */
#ifndef GAMUT_DRAW_POOL_H
#define GAMUT_DRAW_POOL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "gam/draw_tree.h"

struct err;
struct gam;
struct guide;
struct importance;

struct pool_member;

/* All zero but for the GAM is empty. */
struct draw_pool {
    const struct gam *gam;
    struct pool_member *member;
    size_t members, member_capacity;
    double draws; /* of all members */
    /* Distinct strings of each member, one member after the other. */
    size_t strings;
    uint64_t *count;     /* [strings] how often it was drawn */
    double *log_r;       /* [strings] */
    double *log_density; /* [strings] log sum_j n_j q_j */
    double *phi;         /* [strings][features] */
    size_t count_capacity, r_capacity, density_capacity, phi_capacity;
};

void draw_pool_clear(struct draw_pool *p); /* keeps the GAM */

/* Adds the strings of a tree that was drawn from a guide, NULL for r.  Takes over the
 * tree and the guide, also on failure. */
int draw_pool_add(struct draw_pool *p, struct guide *g, struct draw_tree *t, struct err *e);

/* Moves the draws of one pool into another; `from` is cleared, also on failure. */
int draw_pool_join(struct draw_pool *p, struct draw_pool *from, struct err *e);

/* The symbols of string i into *symbols, which grows, and their number. */
int draw_pool_string(const struct draw_pool *p, size_t i, uint8_t **symbols, size_t *capacity,
                     size_t *length, struct err *e);

/* log of P(x) / (sum_j n_j q_j(x) / n) for string i: the weight of one draw. */
double draw_pool_log_weight(const struct draw_pool *p, const double *lambda, size_t i);

/* The same, into log_w[strings], as if the strings of `p` were draws of the proposals of `of`. */
int draw_pool_cross_weights(const struct draw_pool *p, const struct draw_pool *of,
                            const double *lambda, double *log_w, struct err *e);

/* Sums over weighted draws, as logarithms; WEIGHT_SUMS_NONE is none. */
struct weight_sums {
    double draws; /* including those of weight 0 */
    double log_sum, log_square;
};
#define WEIGHT_SUMS_NONE                                                                           \
    {                                                                                              \
        .log_sum = -INFINITY, .log_square = -INFINITY                                              \
    }
void weight_sums_add(struct weight_sums *s, double log_w, uint64_t count); /* not `draws` */

/* What the weights of draws say about Z. */
struct draw_estimate {
    double draws;
    double log_z, log_z_se; /* -inf and inf if all weights are 0 */
    double ess;             /* (sum of weights)^2 / sum of squared weights */
};
struct draw_estimate weight_sums_estimate(const struct weight_sums *s);
void draw_pool_sum(const struct draw_pool *p, const double *lambda, struct weight_sums *s);
struct draw_estimate draw_pool_estimate(const struct draw_pool *p, const double *lambda);

/* The pool as evidence for importance_at; clear it in either case. */
int draw_pool_importance(const struct draw_pool *p, struct importance *t, struct err *e);

#endif

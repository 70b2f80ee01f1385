/* SPDX-License-Identifier: MIT
 *
 * smooth: the base r of a GAM interpolated with n-grams, symbol by symbol (mix.h), so that P
 * predicts held-out strings best.
 *
 *     b_c(a|u) = (1-c) r(a|u) + c s(a|u)
 *
 * s is the n-gram q that is fitted together with the weights (joint_fit.h), an n-gram that is
 * counted on the strings (ngram.h), or both in equal parts.
 *
 * All candidates share one pool of guided draws: the probabilities of its characters under each
 * component give log b_c of each string, hence the weights of the draws, the lambda that matches
 * the moments of the training set, and log Z.  The network reads the pool once.  A candidate's
 * score is log P of the validation set.  Of the candidates within one standard error of the best,
 * by pairs of strings, or two if there are few strings, the one with the most of q is taken: few
 * strings are little evidence, and the loss of r on them is too low, since its training was stopped
 * by them.
 *
 * Tested by tests/unit/test_smooth.c.
 */
#ifndef GAMUT_SMOOTH_H
#define GAMUT_SMOOTH_H

#include <stdint.h>

struct err;
struct fit_options;
struct gam;
struct meta;
struct pool;
struct strings;

enum { SMOOTH_PARTS = 3, SMOOTH_CANDIDATES = 31 };
#define SMOOTH_AUTO (-1.0)

struct smooth_candidate {
    double weight[SMOOTH_PARTS]; /* of r, of q, of the counted n-gram */
    double valid_ce;             /* nats per character */
    double log_z, log_z_se;      /* of its P, by the pool */
};

struct smooth_result {
    struct smooth_candidate candidate[SMOOTH_CANDIDATES]; /* the first is r alone */
    unsigned count, best;                                 /* the one taken; count 0: c was stated */
    double weight[SMOOTH_PARTS];                          /* of the base that was made */
    double gain, gain_se; /* of P over P on r alone, nats per character, and its error */
};

/* Replaces the base r of a GAM, which has features and the weights that stay, by the mixture
 * with weight c from 0 to 1 of q, or SMOOTH_AUTO: chosen.  `train` are the strings of the
 * training set; `valid` those for the choice, which afterward count as training strings of the
 * n-grams.  `o` is complete.  `meta` goes with the base.  ERR_DATA if there are no validation
 * strings. */
int smooth_gam(struct gam *g, const struct strings *train, const struct strings *valid, double c,
               const struct fit_options *o, struct pool *pool, struct meta *meta,
               struct smooth_result *result, struct err *e);

/* Appends all strings of `from`. */
int smooth_join(struct strings *to, const struct strings *from, struct err *e);

#endif

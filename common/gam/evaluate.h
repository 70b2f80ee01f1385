/* SPDX-License-Identifier: MIT
 *
 * evaluate: the cross-entropy of a model on strings, and the KL
 * divergence from the model that they come from, if that is known.
 *
 * Sums are taken string by string in the order in which they come, so they do
 * not depend on the number of threads.  A character count includes the end of
 * each string.
 */
#ifndef GAMUT_EVALUATE_H
#define GAMUT_EVALUATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/ratio.h"

struct err;
struct model;
struct partition;
struct pool;
struct scorer;
struct strings;

/* A model and the scores of the last block under it. */
struct evaluate_judge {
    struct scorer *score; /* NULL: nobody */
    double *logp;         /* [capacity] */
    size_t capacity;
};

struct evaluate {
    struct evaluate_judge model, truth;
    const struct partition *z; /* of a GAM, or NULL */
    uint64_t max_length;       /* of a GAM: longer strings have probability 0 */
    /* What has come out so far. */
    uint64_t strings, chars;
    uint64_t too_long;            /* strings beyond a GAM's L */
    struct ratio ce, true_ce, kl; /* per character */
};

/* `z` is the normalizing constant of a GAM, else NULL; `truth` may be NULL.  All must outlive the
 * evaluation, which evaluate_clear frees also after a failure.  0 or ERR_NOMEM. */
int evaluate_init(struct evaluate *v, const struct model *model, const struct partition *z,
                  const struct model *truth, struct pool *pool, struct err *e);
void evaluate_clear(struct evaluate *v); /* all zero is fine */

/* Adds the strings of a block; v->model.logp has their log-probabilities, of a
 * GAM the normalised ones.  0 or ERR_NOMEM. */
int evaluate_block(struct evaluate *v, const struct strings *block, struct err *e);

/* Prefixes that the model, without the truth, has been asked about. */
uint64_t evaluate_steps(const struct evaluate *v);

/* The error of one of the means per character, with that of log Z, which is
 * the same for all strings. */
double evaluate_error(const struct evaluate *v, const struct ratio *r);

#endif

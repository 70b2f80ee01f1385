/* SPDX-License-Identifier: MIT
 *
 * evaluate: the cross-entropy of a model on strings, and the KL divergence from their source,
 * if that is known.
 *
 * Sums are taken string by string in the order of the input, so they do not depend on the
 * number of threads.  The number of characters includes the end of each string.
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
    struct scorer *score; /* NULL: none */
    double *logp;         /* [capacity] */
    size_t capacity;
};

struct evaluate {
    struct evaluate_judge model, truth;
    const struct partition *z; /* or NULL */
    uint64_t max_length;       /* longer strings have probability 0 */
    /* Results so far. */
    uint64_t strings, chars;
    uint64_t too_long;            /* longer than max_length */
    struct ratio ce, true_ce, kl; /* per character */
};

/* The model given |x| <= max_length.  `z` is its normalizing constant, NULL: 1; `truth`, the
 * source, may be NULL.  All must outlive the evaluation, which evaluate_clear frees also after a
 * failure.  0 or ERR_NOMEM. */
int evaluate_init(struct evaluate *v, const struct model *model, uint64_t max_length,
                  const struct partition *z, const struct model *truth, struct pool *pool,
                  struct err *e);
void evaluate_clear(struct evaluate *v); /* all zero is fine */

/* Adds the strings of a block; v->model.logp gets their normalized
 * log-probabilities.  0 or ERR_NOMEM. */
int evaluate_block(struct evaluate *v, const struct strings *block, struct err *e);

/* Prefixes that the model, without the source, has evaluated. */
uint64_t evaluate_steps(const struct evaluate *v);

/* Strings that the model has scored so far; any thread may call it. */
uint64_t evaluate_scored(const struct evaluate *v);

/* The standard error of one of the means per character, including that of log Z, which is
 * the same for all strings. */
double evaluate_error(const struct evaluate *v, const struct ratio *r);

#endif

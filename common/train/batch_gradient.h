/* SPDX-License-Identifier: MIT
 *
 * batch_gradient: loss and gradient of many strings, by all threads.
 *
 * The strings, in lexicographic order, are cut into slices of neighbors, each a
 * prefix tree for one thread: a prefix that strings of a slice share is computed
 * once, with one set of dropout factors.  The cuts depend on the sizes of batch
 * and model only, and slices are summed in order, so the result does not depend
 * on the number of threads.
 *
 * Tested by tests/unit/test_training.c.
 */
#ifndef GAMUT_BATCH_GRADIENT_H
#define GAMUT_BATCH_GRADIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lstm/backprop.h"
#include "lstm/packed_weights.h"

struct batch_gradient;
struct err;
struct pool;
struct strings;

/* Strings that a loss is taken over.  Owns nothing. */
struct string_batch {
    const struct strings *strings;
    const uint32_t *at; /* [count] their numbers, in lexicographic order */
    size_t count;
    bool mean_of_strings; /* each weighs 1 / (length + 1), instead of 1 */
};

/* Sum of weight * (length + 1): what a sum of losses is divided by. */
double string_batch_weight(const struct string_batch *b);

/* For batches of at most `batch` strings; net and pool must outlive it. */
struct batch_gradient *batch_gradient_new(const struct packed_weights *n, struct end_rule end,
                                          struct pool *pool, size_t batch, struct err *e);
void batch_gradient_free(struct batch_gradient *s); /* NULL is fine */

/* The loss (see backprop_loss) of any number of strings. */
int batch_gradient_loss(struct batch_gradient *s, const struct string_batch *b, double *loss,
                        struct err *e);

/* Loss with dropout (`d->tree` is set here), and `grad`, in the layout's order,
 * `scale` times its gradient. */
int batch_gradient_grad(struct batch_gradient *s, const struct string_batch *b,
                        const struct dropout *d, double scale, double *loss, float *grad,
                        struct err *e);

#endif

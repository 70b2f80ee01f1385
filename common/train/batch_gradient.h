/* SPDX-License-Identifier: MIT
 *
 * slices: loss and gradient of many strings, by all threads.
 *
 * The strings, in lexicographic order, are cut into slices of neighbours, each
 * a prefix tree for one thread.  Prefixes are thus shared but for the few that
 * a cut divides.  Where the cuts fall, and the order in which slices are added
 * up, does not depend on the number of threads.
 */
#ifndef GAMUT_BATCH_GRADIENT_H
#define GAMUT_BATCH_GRADIENT_H

#include <stddef.h>

#include "lstm/backprop.h"
#include "lstm/packed_weights.h"
#include "text/prefix_tree.h"

struct err;
struct pool;
struct slices;

/* For batches of at most `batch` strings; net and pool must outlive it. */
struct slices *slices_new(const struct lstm_net *n, struct pool *pool, size_t batch, struct err *e);
void slices_free(struct slices *s); /* NULL is fine */

/* The loss (see lstm_work_loss) of any number of strings. */
int slices_loss(struct slices *s, const struct ptree_string *strings, size_t count, double *loss,
                struct err *e);

/* Loss with dropout (`d->tree` is set here), and `grad`, in the layout's order,
 * `scale` times its gradient. */
int slices_grad(struct slices *s, const struct ptree_string *strings, size_t count,
                const struct lstm_dropout *d, double scale, double *loss, float *grad,
                struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * lstm_work: the fast path of the LSTM, forward and backward, for the
 * activations of one prefix tree at a time; each thread has its own.
 *
 * A tree is worked off layer by layer, and a layer level by level, since a
 * level needs its parents' state: one fused pass for all nodes of a level.
 * The gradients of weights are summed in one product over all nodes.
 */
#ifndef GAMUT_BACKPROP_H
#define GAMUT_BACKPROP_H

#include "lstm/lstm_drop.h"
#include "lstm/packed_weights.h"
#include "text/prefix_tree.h"

struct err;

struct lstm_work;
struct lstm_work *lstm_work_new(const struct lstm_net *n, struct err *e);
void lstm_work_free(struct lstm_work *w); /* NULL is fine */

/* Sum over nodes and symbols of follow * -log p, without dropout.  0 or
 * ERR_NOMEM. */
int lstm_work_loss(struct lstm_work *w, const struct ptree *tree, double *loss, struct err *e);

/* The same with dropout, and `grad` (lstm_grads) = `scale` times its gradient. */
int lstm_work_grad(struct lstm_work *w, const struct ptree *tree, const struct lstm_dropout *d,
                   float scale, double *loss, float *grad, struct err *e);

/* The dropout factors that the last lstm_work_grad used. */
struct lstm_masks lstm_work_masks(const struct lstm_work *w);

#endif

/* SPDX-License-Identifier: MIT
 *
 * lstm_ref: a readable LSTM, in double precision, one prefix at a time, with forward and
 * backward pass side by side.  The fast path (backprop.h) is tested against it, and it is
 * tested against finite differences.
 */
#ifndef GAMUT_LSTM_REFERENCE_H
#define GAMUT_LSTM_REFERENCE_H

#include <stddef.h>

#include "lstm/lstm.h"
#include "text/prefix_tree.h"

struct err;

/* The loss, sum over nodes and symbols of follow * -log p(symbol | prefix),
 * with `params` in the layout's order.  With a `grad` (same order) the loss's
 * gradient is added to it.  0 or ERR_NOMEM. */
int lstm_reference_loss(const struct lstm_layout *l, const double *params,
                        const struct prefix_tree *tree, const struct lstm_masks *masks,
                        double *loss, double *grad, struct err *e);

#endif

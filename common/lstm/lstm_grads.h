/* SPDX-License-Identifier: MIT
 *
 * lstm_grads: the gradients of the weights, of one prefix tree after another,
 * and their sum.
 *
 * A tree's are in the kernels' order: weights as [inputs][4][stride], so that
 * columns of a kern_outer product are vectors.
 */
#ifndef GAMUT_LSTM_GRADS_H
#define GAMUT_LSTM_GRADS_H

#include <stddef.h>

#include "lstm/packed_weights.h"

struct pool;

struct lstm_grads {
    struct {
        float *bias, *table, *wx, *wh;
    } layer[LSTM_LAYERS_MAX];
    float *decoder, *decoder_bias; /* [H][out_stride], [out_stride] */
};

/* Floats of a tree's gradients, and where each of them is in a block of so many. */
size_t lstm_grads_size(const struct lstm_net *n);
struct lstm_grads lstm_grads_at(const struct lstm_net *n, float *block);

/* grad (in the layout's order) = sum of `count` trees' gradients, which lie
 * one after another, lstm_grads_size apart. */
void lstm_grads_gather(const struct lstm_net *n, const float *trees, size_t count, float *grad,
                       struct pool *pool);

#endif

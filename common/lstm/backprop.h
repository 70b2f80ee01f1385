/* SPDX-License-Identifier: MIT
 *
 * backprop: the fast path of the LSTM, forward and backward.  It holds the activations of one
 * prefix tree at a time; each thread has its own.
 *
 * A tree is processed layer by layer, and a layer level by level, since a level needs the
 * states of its parents: one fused pass for all nodes of a level.  The gradients of parameters
 * are summed in one product over all nodes.
 *
 * Tested by tests/unit/test_lstm.c.
 */

#ifndef GAMUT_BACKPROP_H
#define GAMUT_BACKPROP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lstm/packed_weights.h"
#include "text/prefix_tree.h"

struct err;
struct backprop;
struct kernel;
struct pool;

/* ---- dropout masks, a pure function of key, step, tree, layer and place, so threads can
 * compute them in any order. */

struct dropout {
    double input, output; /* p of the input symbol; p of each layer's h */
    uint32_t key[2];      /* names the run: seed and purpose */
    uint32_t step, tree;  /* the update, and the tree within its batch */
};

/* p in units of 2^-16, to which it is rounded: 16 random bits decide. */
uint32_t dropout_threshold(double p);

/* Factors for the n units of all nodes of a layer, node by node, n a multiple of KERNEL_PAD: 0
 * with probability threshold / 2^16, else the factor that keeps the mean 1. */
void dropout_mask(const struct dropout *d, const struct kernel *k, uint32_t layer,
                  uint32_t threshold, float *mask, size_t n);

/* ---- the gradients of the parameters, of one prefix tree after another, and their
 * sum.
 *
 * The gradients of a tree are in the order of the parameters, with rows padded to `stride`;
 * only the weights of the symbols are transposed, [V+1][4][stride].  Of a batch that is a single
 * tree, matrices whose rows need no padding are at once where the sum belongs.
 */

struct gradient_block {
    struct {
        float *bias, *table, *wx, *wh; /* the last two [4][H][stride] */
    } layer[LSTM_LAYERS_MAX];
    float *decoder, *decoder_bias; /* [V][stride], [out_stride] */
};

/* The floats of a tree's gradients. */
size_t gradient_block_size(const struct packed_weights *n);

/* grad (in the order of the layout) = sum of the gradients of `count` trees, which are
 * gradient_block_size apart.  A single tree's were made with this `grad`. */
void gradient_block_sum(const struct packed_weights *n, const float *trees, size_t count,
                        float *grad, struct pool *pool);

/* How the end of string counts.  If all strings of a tree have one length, the end can be
 * `fixed`: it is certain and not part of the loss, and the softmax is over the alphabet.  The
 * gradient is then that of the loss plus `share` times the loss of predicting where strings end:
 * a network that learns this knows the position, which can help to predict symbols. */
struct end_rule {
    bool fixed;
    double share; /* 0 to 1, if fixed */
};

struct backprop *backprop_new(const struct packed_weights *n, struct end_rule end, struct err *e);
void backprop_free(struct backprop *w); /* NULL is fine */

/* Sum over nodes and symbols of follow * -log p, without dropout.  0 or
 * ERR_NOMEM. */
int backprop_loss(struct backprop *w, const struct prefix_tree *tree, double *loss, struct err *e);

/* The same with dropout, and `block` (a gradient_block) = `scale` times its gradient; `grad` is
 * where the sum will be if there is only this tree, else NULL. */
int backprop_grad(struct backprop *w, const struct prefix_tree *tree, const struct dropout *d,
                  float scale, double *loss, float *block, float *grad, struct err *e);

/* The dropout factors that the last backprop_grad used. */
struct lstm_masks backprop_masks(const struct backprop *w);

#endif

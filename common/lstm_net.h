/* SPDX-License-Identifier: MIT
 *
 * lstm_net: the fast path of the LSTM, forward and backward.
 *
 * A `struct lstm_net` holds a model's weights in the order in which the
 * kernels read them; they are packed again after every update.  It is shared
 * by all threads.  Each thread has a `struct lstm_work` with room for the
 * activations of one prefix tree.
 *
 * A tree is worked off layer by layer, and a layer level by level, since a
 * level needs its parents' state: one fused pass for all nodes of a level.
 * The gradients of weights are summed in one product over all nodes.
 */
#ifndef GAMUT_LSTM_NET_H
#define GAMUT_LSTM_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lstm.h"
#include "ptree.h"

struct err;
struct kern;
struct pool;

/* One layer's weights, packed. */
struct lstm_net_layer {
    float *bias;            /* [4][stride]: b_ih + b_hh */
    float *table;           /* layer 0: columns of W_ih, [V+1][4][stride]; the last is 0 */
    float *wx, *wh;         /* forward: kern_pack_gates; no wx in layer 0 */
    float *back_x, *back_h; /* backward: kern_pack of each gate's rows, one after another */
};

struct lstm_net {
    const struct kern *kern;
    const struct lstm_layout *layout; /* the model's, which must outlive this */
    const float *params;              /* those last packed */
    size_t stride;                    /* H padded */
    size_t out_stride;                /* V padded */
    bool backward;                    /* has what the backward pass needs */
    struct lstm_net_layer layer[LSTM_LAYERS_MAX];
    float *decoder, *decoder_bias; /* kern_pack of [H x V]; [out_stride] */
    float *back_decoder;           /* kern_pack of [V x H] */
    float *block;                  /* all of the above */
};

/* NULL on failure (out of memory, or GAMUT_CPU names what cannot be had). */
struct lstm_net *lstm_net_new(const struct lstm_layout *l, bool backward, struct err *e);
void lstm_net_free(struct lstm_net *n); /* NULL is fine */
void lstm_net_pack(struct lstm_net *n, const float *params, struct pool *pool);

/* Next-symbol logits for `rows` rows of the top layer's (masked) h. */
void lstm_net_decode(const struct lstm_net *n, size_t rows, const float *h, size_t h_stride,
                     float *logits /* [rows][out_stride] */);

/* Dropout: units fall out with probability p; which, is a function of key,
 * step, tree and node alone. */
struct lstm_dropout {
    double input, output; /* p of the input symbol; p of each layer's h */
    uint32_t key[2];      /* names the run: seed and purpose */
    uint32_t step, tree;  /* the update, and the tree within its batch */
};

/* The gradients of one tree, in the kernels' order (see lstm_net_gather). */
size_t lstm_net_grad_size(const struct lstm_net *n);

struct lstm_work;
struct lstm_work *lstm_work_new(const struct lstm_net *n, struct err *e);
void lstm_work_free(struct lstm_work *w); /* NULL is fine */

/* Sum over nodes and symbols of follow * -log p, without dropout.  0 or
 * ERR_NOMEM. */
int lstm_net_loss(struct lstm_work *w, const struct ptree *tree, double *loss, struct err *e);

/* The same with dropout, and `grad` = `scale` times its gradient. */
int lstm_net_grad(struct lstm_work *w, const struct ptree *tree, const struct lstm_dropout *d,
                  float scale, double *loss, float *grad, struct err *e);

/* The dropout factors that the last lstm_net_grad used. */
struct lstm_masks lstm_work_masks(const struct lstm_work *w);

/* grad (in the layout's order) = sum of `count` trees' gradients, which lie
 * one after another, lstm_net_grad_size apart. */
void lstm_net_gather(const struct lstm_net *n, const float *trees, size_t count, float *grad,
                     struct pool *pool);

#endif

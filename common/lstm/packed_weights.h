/* SPDX-License-Identifier: MIT
 *
 * packed_weights: the weights of an LSTM in the order in which the kernels read them.
 *
 * They are packed again after every update, and shared by all threads.
 *
 * Tested by tests/unit/test_lstm.c.
 */
#ifndef GAMUT_PACKED_WEIGHTS_H
#define GAMUT_PACKED_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lstm/lstm.h"

struct err;
struct kernel;
struct pool;

/* One layer's weights, packed. */
struct packed_weights_layer {
    float *bias;            /* [4][stride]: b_ih + b_hh */
    float *table;           /* layer 0: columns of W_ih, [V+1][4][stride]; the last is 0 */
    float *wx, *wh;         /* forward: kernel_pack_gates; no wx in layer 0 */
    float *back_x, *back_h; /* backward: kernel_pack of [4 stride x H], rows of padding are 0 */
};

struct packed_weights {
    const struct kernel *kern;
    const struct lstm_layout *layout; /* the model, which must outlive this */
    const float *params;              /* the parameters packed last */
    size_t stride;                    /* H padded */
    size_t out_stride;                /* V padded */
    bool backward;                    /* has the weights for the backward pass */
    struct packed_weights_layer layer[LSTM_LAYERS_MAX];
    float *decoder, *decoder_bias; /* kernel_pack of [H x V]; [out_stride] */
    float *back_decoder;           /* kernel_pack of [V x H] */
    float *block;                  /* all of the above */
};

/* NULL on failure (out of memory, or GAMUT_CPU names a variant that is not available). */
struct packed_weights *packed_weights_new(const struct lstm_layout *l, bool backward,
                                          struct err *e);
void packed_weights_free(struct packed_weights *n); /* NULL is fine */
void packed_weights_pack(struct packed_weights *n, const float *params, struct pool *pool);

/* Next-symbol logits for `rows` rows of the top layer's (masked) h. */
void packed_weights_decode(const struct packed_weights *n, size_t rows, const float *h,
                           size_t h_stride, float *logits /* [rows][out_stride] */);

#endif

/* SPDX-License-Identifier: MIT
 *
 * lstm: a recurrent language model over characters.
 *
 * Inputs are one-hot over alphabet + end-of-string (so that shapes equal
 * PyTorch's; nothing ever follows the end, and the input before the first
 * symbol is the zero vector).  Outputs are alphabet + end-of-string, which
 * comes last.  With sigma the logistic function, one step of a layer is
 *
 *     i, f, o = sigma(W_ih x + b_ih + W_hh h' + b_hh), g = tanh(...)
 *     c = f c' + i g,   h = o tanh(c)
 *
 * Where all strings have one length n, the end is no output: it is impossible after
 * fewer than n symbols and certain after n, and the softmax is over the alphabet alone.
 *
 * All parameters are one block of floats; struct lstm_layout says where in it
 * each tensor begins.  Gradients and the optimizer's moments are blocks of the
 * same layout.
 */
#ifndef GAMUT_LSTM_H
#define GAMUT_LSTM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct err;
struct container;

enum { LSTM_LAYERS_MAX = 64, LSTM_HIDDEN_MAX = 1 << 14 };

/* Offsets of one layer's tensors; rows in PyTorch's gate order i, f, g, o. */
struct lstm_layer {
    unsigned inputs;  /* I: symbols for layer 0, else hidden */
    size_t weight_ih; /* [4H x I] */
    size_t weight_hh; /* [4H x H] */
    size_t bias_ih;   /* [4H] */
    size_t bias_hh;   /* [4H] */
};

struct lstm_layout {
    unsigned symbols; /* V: alphabet + end-of-string */
    unsigned hidden;  /* H */
    unsigned layers;
    struct lstm_layer layer[LSTM_LAYERS_MAX];
    size_t decoder_weight; /* [V x H] */
    size_t decoder_bias;   /* [V] */
    size_t count;          /* floats in the block */
};

/* 0, or ERR_LIMIT when a size is 0 or past the maximum. */
int lstm_layout(struct lstm_layout *l, unsigned symbols, unsigned hidden, unsigned layers,
                struct err *e);

/* The tensors by number, under the names PyTorch gives them. */
struct lstm_tensor {
    char name[32]; /* "rnn.weight_ih_l0", ..., "decoder.bias" */
    size_t offset;
    unsigned rows, columns; /* columns 0: a vector */
};
unsigned lstm_tensors(const struct lstm_layout *l);
void lstm_tensor(const struct lstm_layout *l, unsigned i, struct lstm_tensor *t);

/* Dropout as factors 0 or 1/(1-p), one set for each node of a prefix tree. */
struct lstm_masks {
    const float *input; /* [nodes]: factor of the one-hot input's only 1; NULL = all 1 */
    const float *output[LSTM_LAYERS_MAX]; /* [nodes][stride] of a layer's h; NULL = all 1 */
    size_t stride;                        /* at least H */
};

/* The state of Adam, with which training continues exactly where it stopped. */
struct lstm_adam {
    float *m, *v;  /* [count] first and second moments */
    uint64_t step; /* updates so far */
};

struct lstm {
    struct model model; /* of lstm_kind; alphabet and lengths live here: lstm_set_length */
    bool fixed_length;  /* all strings have model.max_length symbols */
    struct lstm_layout layout;
    float *params;         /* [layout.count] */
    struct lstm_adam adam; /* m and v are NULL in a model without optimizer state */
};

/* All parameters 0, no optimizer state; NULL on failure. */
struct lstm *lstm_new(const struct alphabet *a, unsigned hidden, unsigned layers,
                      uint64_t max_length, struct err *e);
void lstm_free(struct lstm *m); /* NULL is fine; also through model_free */

/* Strings of at most `length` symbols, as in lstm_new, or of exactly that many. */
void lstm_set_length(struct lstm *m, uint64_t length, bool fixed);

/* LSTM weights and biases uniform on +-1/sqrt(H), decoder weights on +-0.1,
 * decoder bias 0. */
void lstm_init(struct lstm *m, uint64_t seed);

/* 0 if the weights are finite and so small that no sum of them overflows: then every
 * log-probability is finite.  Else ERR_FORMAT. */
int lstm_check_weights(const struct lstm *m, struct err *e);

/* Gives the model an optimizer state of zeros if it has none. */
int lstm_need_adam(struct lstm *m, struct err *e);

/* Another model of the same shape and lengths: parameters and optimizer state, no meta. */
struct lstm *lstm_clone(const struct lstm *m, struct err *e);
void lstm_copy(struct lstm *to, const struct lstm *from);    /* same shape and state */
void lstm_set_weights(struct lstm *m, const float *weights); /* [layout.count] */

extern const struct model_kind lstm_kind;

/* The LSTM of a model; NULL if it is of another kind, or NULL. */
struct lstm *lstm_of(const struct model *m);

/* Members of lstm_kind, in lstm_step.c.  The state of a prefix is h and c of every layer. */
size_t lstm_state_bytes(const struct model *m);
void *lstm_scratch_new(const struct model *m, struct pool *pool, struct err *e);
void lstm_scratch_free(void *scratch);
void lstm_root(const struct model *m, void *scratch, void *state, double *logp);
void lstm_step(const struct model *m, void *scratch, size_t n, const void *parents,
               const uint32_t *parent, const uint8_t *symbol, void *children, double *logp);

/* Copies a section of `count` floats; ERR_FORMAT unless all are finite and at
 * least `least`. */
int lstm_get_floats(struct container *m, const char *name, float least, float *to, size_t count,
                    struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * lstm_drop: which units fall out.  It is a function of key, step, tree and
 * node alone, so threads may ask for it in any order.
 */
#ifndef GAMUT_LSTM_DROP_H
#define GAMUT_LSTM_DROP_H

#include <stddef.h>
#include <stdint.h>

struct lstm_dropout {
    double input, output; /* p of the input symbol; p of each layer's h */
    uint32_t key[2];      /* names the run: seed and purpose */
    uint32_t step, tree;  /* the update, and the tree within its batch */
};

/* p in units of 2^-16, to which it is rounded: 16 random bits decide. */
uint32_t lstm_drop_threshold(double p);

/* Factors for n units (a multiple of 8) of a node: 0 with probability
 * threshold / 2^16, else what keeps the mean 1. */
void lstm_drop_fill(const struct lstm_dropout *d, uint32_t layer, uint32_t node, uint32_t threshold,
                    float *mask, size_t n);

#endif

/* SPDX-License-Identifier: MIT
 *
 * adam: the optimizer (Kingma & Ba, ICLR 2015, algorithm 1) with clipping of
 * the gradient at a global norm, beta1 .9, beta2 .999, epsilon 1e-8, and an
 * exponential average of the parameters.
 *
 * Tested by tests/unit/test_training.c.
 */
#ifndef GAMUT_ADAM_H
#define GAMUT_ADAM_H

#include <stdbool.h>
#include <stddef.h>

struct kernel;
struct lstm_adam;
struct pool;

/* Square root of the sum of squares, in double and in a fixed order. */
double adam_norm(const struct kernel *k, const float *g, size_t count, struct pool *pool);

/* Whether the squares of a gradient of that norm, clipped, are finite floats;
 * adam_update requires it. */
bool adam_can_take(double norm, double clip);

struct adam_rule {
    double rate;
    double clip;    /* largest norm of a gradient; 0: any */
    float *average; /* [count], or NULL */
    double share;   /* of the new parameters in the average */
};

/* One update of `w` with the gradient min(1, clip / norm) * g, then
 * average += share (w - average). */
void adam_update(const struct kernel *k, struct lstm_adam *a, float *w, const float *g,
                 size_t count, double norm, const struct adam_rule *rule, struct pool *pool);

#endif

/* SPDX-License-Identifier: MIT
 *
 * adam: the optimiser (Kingma & Ba, ICLR 2015, algorithm 1) with clipping of
 * the gradient at a global norm, beta1 .9, beta2 .999, epsilon 1e-8, and an
 * average of the weights on their way.
 */
#ifndef GAMUT_ADAM_H
#define GAMUT_ADAM_H

#include <stdbool.h>
#include <stddef.h>

struct kernel;
struct lstm_adam;
struct pool;

/* Square root of the sum of squares, in double and in a fixed order. */
double adam_norm(const float *g, size_t count, struct pool *pool);

/* Whether a gradient of that norm, clipped, can be squared as a float: what
 * adam_update makes of a larger one, or of NaN, is lost. */
bool adam_can_take(double norm, double clip);

struct adam_rule {
    double rate;
    double clip;    /* largest norm of a gradient; 0: any */
    float *average; /* [count], or NULL */
    double share;   /* of the new weights in the average */
};

/* One update of `w` with the gradient min(1, clip / norm) * g, then
 * average += share (w - average). */
void adam_update(const struct kernel *k, struct lstm_adam *a, float *w, const float *g,
                 size_t count, double norm, const struct adam_rule *rule, struct pool *pool);

#endif

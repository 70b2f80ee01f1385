/* SPDX-License-Identifier: MIT */
#include "lstm/lstm_grads.h"

#include <stdint.h>
#include <string.h>

#include "core/pool.h"
#include "lstm/carve.h"
#include "lstm/kernel.h"

static size_t
carve_grads(const struct lstm_net *n, float *base, struct lstm_grads *g)
{
    const size_t H = n->layout->hidden, row = 4 * n->stride;
    struct carver c = {base, 0};
    memset(g, 0, sizeof *g);
    for (unsigned k = 0; k < n->layout->layers; k++) {
        g->layer[k].bias = carve(&c, row);
        if (k == 0)
            g->layer[k].table = carve(&c, (n->layout->symbols + 1) * row);
        else
            g->layer[k].wx = carve(&c, H * row);
        g->layer[k].wh = carve(&c, H * row);
    }
    g->decoder = carve(&c, H * n->out_stride);
    g->decoder_bias = carve(&c, n->out_stride);
    return c.used;
}

size_t
lstm_grads_size(const struct lstm_net *n)
{
    struct lstm_grads g;
    return carve_grads(n, NULL, &g);
}

struct lstm_grads
lstm_grads_at(const struct lstm_net *n, float *block)
{
    struct lstm_grads g;
    carve_grads(n, block, &g);
    return g;
}

struct gather {
    const struct lstm_net *net;
    const float *trees;
    size_t count, size; /* of trees; floats from one to the next */
    float *grad;
};

/* The trees' sums of a strip of numbers, in the order of the trees.  Rows are
 * padded, so that a strip can always be read whole. */
enum { STRIP = KERN_PAD };

static void
sum_trees(const struct gather *t, const float *x, float *sum)
{
    memcpy(sum, x, STRIP * sizeof *sum);
    for (size_t tree = 1; tree < t->count; tree++)
        for (size_t i = 0; i < STRIP; i++)
            sum[i] += x[tree * t->size + i];
}

/* to[column * to_column + row] = sums of from[row * from_row + column]: a
 * transposition, by strips so narrow that the cache holds them. */
static void
gather_matrix(const struct gather *t, const float *from, size_t rows, size_t columns,
              size_t from_row, float *to, size_t to_column)
{
    float sum[STRIP];
    for (size_t strip = 0; strip < columns; strip += STRIP) {
        size_t width = columns - strip < STRIP ? columns - strip : STRIP;
        for (size_t row = 0; row < rows; row++) {
            sum_trees(t, from + row * from_row + strip, sum);
            for (size_t i = 0; i < width; i++)
                to[(strip + i) * to_column + row] = sum[i];
        }
    }
}

static void
gather_vector(const struct gather *t, const float *from, size_t count, float *to)
{
    gather_matrix(t, from, 1, count, 0, to, 1);
}

/* One gate's rows of one layer. */
static void
gather_gate(const struct gather *t, const struct lstm_grads *g, unsigned k, size_t gate)
{
    const struct lstm_net *n = t->net;
    const struct lstm_layer *y = &n->layout->layer[k];
    const size_t H = n->layout->hidden, at = gate * n->stride, row = 4 * n->stride;
    const float *x = k == 0 ? g->layer[k].table : g->layer[k].wx;
    float *bias = t->grad + y->bias_ih + gate * H;
    gather_vector(t, g->layer[k].bias + at, H, bias);
    memcpy(t->grad + y->bias_hh + gate * H, bias, H * sizeof *bias);
    gather_matrix(t, x + at, y->inputs, H, row, t->grad + y->weight_ih + gate * H * y->inputs,
                  y->inputs);
    gather_matrix(t, g->layer[k].wh + at, H, H, row, t->grad + y->weight_hh + gate * H * H, H);
}

static void
gather_task(void *arg, size_t task, int worker)
{
    const struct gather *t = arg;
    const struct lstm_net *n = t->net;
    const size_t H = n->layout->hidden, V = n->layout->symbols;
    struct lstm_grads g = lstm_grads_at(n, (float *)(uintptr_t)t->trees); /* of the first tree */
    (void)worker;
    if (task < 4 * (size_t)n->layout->layers) {
        gather_gate(t, &g, (unsigned)(task / 4), task % 4);
        return;
    }
    gather_matrix(t, g.decoder, H, V, n->out_stride, t->grad + n->layout->decoder_weight, H);
    gather_vector(t, g.decoder_bias, V, t->grad + n->layout->decoder_bias);
}

void
lstm_grads_gather(const struct lstm_net *n, const float *trees, size_t count, float *grad,
                  struct pool *pool)
{
    struct gather t = {n, trees, count, lstm_grads_size(n), grad};
    pool_run(pool, 4 * (size_t)n->layout->layers + 1, gather_task, &t);
}

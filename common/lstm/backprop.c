/* SPDX-License-Identifier: MIT */
#include "lstm/backprop.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "lstm/kernel.h"

struct work_layer {
    float *gates; /* [nodes][KERNEL_PLANES][stride] */
    float *h, *c; /* [nodes][stride] */
    float *y;     /* [nodes][stride]: h with dropout, where there is any */
    float *mask;  /* [nodes][stride]: factors 0 or 1/(1-p) */
};

struct backprop {
    const struct packed_weights *net;
    struct end_rule end;
    size_t capacity; /* nodes that fit into the arrays */
    bool trains;     /* the arrays also serve the backward pass */
    struct work_layer layer[LSTM_LAYERS_MAX];
    float *input;  /* [nodes]: factors of the input symbol */
    float *logits; /* [nodes][out_stride]; in the backward pass their gradient */
    /* [nodes][stride]: gradient of the loss by what the current layer gives to that above, and by
     * the c of the parent; by the h of the parents of a level */
    float *dh, *dc, *dparent;
    float *scratch; /* kernel_outer */
    float *block;
    bool masked_input, masked_output; /* the last tree had dropout there */
};

struct backprop *
backprop_new(const struct packed_weights *n, struct end_rule end, struct err *e)
{
    struct backprop *w = mem_zero(1, sizeof *w, e);
    if (w == NULL)
        return NULL;
    w->net = n;
    w->end = end;
    return w;
}

void
backprop_free(struct backprop *w)
{
    if (w == NULL)
        return;
    mem_free(w->block);
    mem_free(w);
}

static void
lay_out_work(struct backprop *w, size_t nodes, bool trains, struct float_arena *c)
{
    const size_t row = nodes * w->net->stride;
    for (unsigned k = 0; k < w->net->layout->layers; k++) {
        struct work_layer *y = &w->layer[k];
        y->h = arena_take(c, row);
        y->c = arena_take(c, row);
        if (!trains)
            continue;
        y->gates = arena_take(c, row * KERNEL_PLANES);
        y->y = arena_take(c, row);
        y->mask = arena_take(c, row);
    }
    w->logits = arena_take(c, nodes * w->net->out_stride);
    if (!trains)
        return;
    w->input = arena_take(c, nodes);
    w->dh = arena_take(c, row);
    w->dc = arena_take(c, row);
    w->dparent = arena_take(c, row);
    w->scratch = arena_take(c, kernel_outer_scratch(w->net->layout->hidden));
}

/* Makes room for `nodes`; the contents are lost. */
static int
reserve(struct backprop *w, size_t nodes, bool trains, struct err *e)
{
    if (nodes <= w->capacity && (w->trains || !trains))
        return 0;
    size_t grown = nodes > w->capacity ? nodes + nodes / 8 : w->capacity;
    trains = trains || w->trains;
    struct float_arena c = {NULL, 0};
    lay_out_work(w, grown, trains, &c);
    mem_free(w->block);
    w->capacity = 0;
    w->block = mem_zero(c.used, sizeof *w->block, e);
    if (w->block == NULL)
        return ERR_NOMEM;
    c = (struct float_arena){w->block, 0};
    lay_out_work(w, grown, trains, &c);
    w->capacity = grown;
    w->trains = trains;
    return 0;
}

/* ---- dropout */

static void
drop_input(struct backprop *w, uint32_t nodes, const struct dropout *d)
{
    dropout_mask(d, w->net->kern, LSTM_LAYERS_MAX, dropout_threshold(d->input), w->input,
                 kernel_padded(nodes));
}

/* A layer's output as the layer above sees it. */
static const float *
output_of(const struct backprop *w, unsigned k)
{
    return w->masked_output ? w->layer[k].y : w->layer[k].h;
}

struct lstm_masks
backprop_masks(const struct backprop *w)
{
    struct lstm_masks m = {.input = w->masked_input ? w->input : NULL, .stride = w->net->stride};
    for (unsigned k = 0; w->masked_output && k < w->net->layout->layers; k++)
        m.output[k] = w->layer[k].mask;
    return m;
}

/* ---- forward */

static void
forward_level(struct backprop *w, const struct prefix_tree *tree, unsigned k, uint32_t level)
{
    const struct packed_weights *n = w->net;
    const struct packed_weights_layer *weights = &n->layer[k];
    const struct work_layer *y = &w->layer[k];
    const size_t first = tree->first[level], stride = n->stride, at = first * stride;
    struct kernel_gates g = {.rows = tree->first[level + 1] - first,
                             .hidden = n->layout->hidden,
                             .stride = stride,
                             .bias = weights->bias,
                             .table = weights->table,
                             .symbol = tree->symbol + first,
                             .scale = w->masked_input ? w->input + first : NULL,
                             .inputs = n->layout->hidden,
                             .wx = weights->wx,
                             .wh = weights->wh,
                             .gates = w->trains ? y->gates + at * KERNEL_PLANES : NULL,
                             .h_out = y->h + at,
                             .c_out = y->c + at,
                             .mask = w->masked_output ? y->mask + at : NULL,
                             .y_out = y->y + at,
                             .out_stride = stride};
    if (k > 0)
        g.x = (struct kernel_rows){output_of(w, k - 1) + at, stride, NULL};
    if (level > 0) {
        g.h = (struct kernel_rows){y->h, stride, tree->parent + first};
        g.c = (struct kernel_rows){y->c, stride, tree->parent + first};
    }
    n->kern->gates(&g);
}

static void
forward(struct backprop *w, const struct prefix_tree *tree, const struct dropout *d)
{
    const struct packed_weights *n = w->net;
    w->masked_input = d != NULL && dropout_threshold(d->input) > 0;
    w->masked_output = d != NULL && dropout_threshold(d->output) > 0;
    if (w->masked_input)
        drop_input(w, tree->nodes, d);
    for (unsigned k = 0; k < n->layout->layers; k++) {
        if (w->masked_output)
            dropout_mask(d, n->kern, k, dropout_threshold(d->output), w->layer[k].mask,
                         tree->nodes * n->stride);
        for (uint32_t level = 0; level < tree->levels; level++)
            forward_level(w, tree, k, level);
    }
    packed_weights_decode(n, tree->nodes, output_of(w, n->layout->layers - 1), n->stride,
                          w->logits);
}

/* The softmax of some nodes, side by side. */
enum { SOFTMAX_NUMBERS = 512, SOFTMAX_SPACE = SOFTMAX_NUMBERS + KERNEL_PAD };

struct softmax {
    size_t nodes, symbols;         /* `symbols` numbers of each node */
    double p[SOFTMAX_SPACE];       /* [nodes][symbols] */
    double log_sum[SOFTMAX_SPACE]; /* [nodes]: logarithms of the denominators */
};

/* The logits of a node less the greatest, which is returned. */
static double
shift_logits(const float *logits, size_t count, double *x)
{
    float peak = logits[0];
    for (size_t s = 1; s < count; s++)
        peak = logits[s] > peak ? logits[s] : peak;
    for (size_t s = 0; s < count; s++) /* exp(0) is 1, also of an infinite peak */
        x[s] = logits[s] == peak ? 0 : (double)logits[s] - (double)peak;
    return (double)peak;
}

static void
softmax(const struct kernel *k, const float *logits, size_t stride, struct softmax *t)
{
    double x[SOFTMAX_SPACE], sum[SOFTMAX_SPACE], peak[SOFTMAX_SPACE];
    const size_t V = t->symbols, count = t->nodes * V;
    for (size_t node = 0; node < t->nodes; node++)
        peak[node] = shift_logits(logits + node * stride, V, x + node * V);
    for (size_t i = count; i < kernel_padded(count); i++)
        x[i] = 0;
    k->exp64(x, t->p, kernel_padded(count));
    for (size_t node = 0; node < t->nodes; node++) {
        double *p = t->p + node * V, total = 0;
        for (size_t s = 0; s < V; s++)
            total += p[s];
        for (size_t s = 0; s < V; s++)
            p[s] /= total;
        sum[node] = total;
    }
    for (size_t node = t->nodes; node < kernel_padded(t->nodes); node++)
        sum[node] = 1;
    k->log64(sum, t->log_sum, kernel_padded(t->nodes));
    for (size_t node = 0; node < t->nodes; node++)
        t->log_sum[node] += peak[node];
}

/* The loss of a node, sum of next_weight * -log softmax(logits).  The logits are replaced by
 * their gradient, scale * (weight here * p - next_weight), whether it is needed or not. */
static double
node_loss(float *logits, const float *next_weight, size_t V, const double *p, double log_sum,
          float scale)
{
    float weight = 0;
    double loss = 0;
    for (size_t s = 0; s < V; s++)
        weight += next_weight[s];
    for (size_t s = 0; s < V; s++) {
        loss += (double)next_weight[s] * (log_sum - (double)logits[s]);
        logits[s] = scale * (weight * (float)p[s] - next_weight[s]);
    }
    return loss;
}

/* The same where all strings have one length: the softmax is over the alphabet, and q is the
 * probability of the end by the full softmax. */
static double
node_loss_fixed(float *logits, const float *next_weight, size_t letters, const double *p,
                double log_sum, float scale, double share)
{
    float weight = 0, end = next_weight[letters];
    double loss = 0, q = 1 / (1 + dm_exp(log_sum - (double)logits[letters]));
    for (size_t s = 0; s < letters; s++)
        weight += next_weight[s];
    float by_end = (float)(share * ((double)(weight + end) * q - (double)end));
    for (size_t s = 0; s < letters; s++) {
        loss += (double)next_weight[s] * (log_sum - (double)logits[s]);
        logits[s] = scale * ((weight - by_end) * (float)p[s] - next_weight[s]);
    }
    logits[letters] = scale * by_end;
    return loss;
}

/* Adds the losses of t->nodes nodes, from `first` on. */
static void
add_losses(struct backprop *w, const struct prefix_tree *tree, size_t first, float scale,
           struct softmax *t, double *loss)
{
    const size_t V = tree->symbol_count, stride = w->net->out_stride;
    float *logits = w->logits + first * stride;
    const float *next_weight = tree->next_weight + first * V;
    softmax(w->net->kern, logits, stride, t);
    for (size_t i = 0; i < t->nodes; i++, logits += stride, next_weight += V) {
        const double *p = t->p + i * t->symbols;
        *loss += w->end.fixed ? node_loss_fixed(logits, next_weight, V - 1, p, t->log_sum[i], scale,
                                                w->end.share)
                              : node_loss(logits, next_weight, V, p, t->log_sum[i], scale);
    }
}

static double
tree_loss(struct backprop *w, const struct prefix_tree *tree, float scale)
{
    struct softmax t = {.symbols = tree->symbol_count - (w->end.fixed ? 1 : 0)};
    const size_t most = SOFTMAX_NUMBERS / t.symbols;
    double loss = 0;
    for (size_t node = 0; node < tree->nodes; node += t.nodes) {
        t.nodes = tree->nodes - node < most ? tree->nodes - node : most;
        add_losses(w, tree, node, scale, &t, &loss);
    }
    return loss;
}

int
backprop_loss(struct backprop *w, const struct prefix_tree *tree, double *loss, struct err *e)
{
    int rc = reserve(w, tree->nodes, false, e);
    if (rc != 0)
        return rc;
    forward(w, tree, NULL);
    *loss = tree_loss(w, tree, 1);
    return 0;
}

/* ---- backward */

/* out = the gradients of the gates times their packed weights. */
static void
gates_product(const struct backprop *w, unsigned k, size_t first, size_t rows, const float *back,
              float *out)
{
    const struct packed_weights *n = w->net;
    const size_t stride = n->stride;
    struct kernel_product p = {
        .rows = rows,
        .inner = 4 * stride,
        .columns = n->layout->hidden,
        .a = {w->layer[k].gates + first * KERNEL_PLANES * stride, KERNEL_PLANES * stride, NULL},
        .b = back,
        .out = out,
        .out_stride = stride};
    n->kern->product(&p);
}

/* Gates become their gradients, and dparent those by h of the parents. */
static void
backward_level(struct backprop *w, const struct prefix_tree *tree, unsigned k, uint32_t level)
{
    const struct packed_weights *n = w->net;
    const size_t first = tree->first[level], end = tree->first[level + 1];
    const size_t stride = n->stride, at = first * stride;
    struct kernel_gates_back g = {.rows = end - first,
                                  .hidden = n->layout->hidden,
                                  .stride = stride,
                                  .gates = w->layer[k].gates + at * KERNEL_PLANES,
                                  .dh = w->dh + at,
                                  .mask = w->masked_output ? w->layer[k].mask + at : NULL,
                                  .dc = w->dc + at};
    if (level > 0)
        g.c = (struct kernel_rows){w->layer[k].c, stride, tree->parent + first};
    if (level + 1 < tree->levels) {
        g.children = tree->first[level + 2] - end;
        g.parent = tree->parent + end;
        g.number = first;
        g.child_dh = w->dparent;
        g.child_dc = w->dc + end * stride;
    }
    n->kern->gates_back(&g);
    if (level > 0)
        gates_product(w, k, first, end - first, n->layer[k].back_h, w->dparent);
}

/* out [4][H][stride] = sums over nodes of d gate times what it was multiplied with, the rows of
 * `by`. */
static void
weight_grads(struct backprop *w, unsigned k, size_t first, size_t rows, struct kernel_rows by,
             float *out)
{
    const struct packed_weights *n = w->net;
    const size_t H = n->layout->hidden, stride = n->stride, row = KERNEL_PLANES * stride;
    struct kernel_outer o = {.rows = rows,
                             .m = H,
                             .n = H,
                             .count = 4,
                             .a = w->layer[k].gates + first * row,
                             .a_stride = row,
                             .a_next = stride,
                             .b = by,
                             .out = out,
                             .out_stride = stride,
                             .out_next = H * stride,
                             .scratch = w->scratch};
    n->kern->outer(&o);
}

static void
layer_grads(struct backprop *w, const struct prefix_tree *tree, unsigned k,
            const struct gradient_block *g)
{
    const struct packed_weights *n = w->net;
    const size_t stride = n->stride;
    struct kernel_sum sum = {.rows = tree->nodes,
                             .n = 4 * stride,
                             .a = w->layer[k].gates,
                             .a_stride = KERNEL_PLANES * stride,
                             .sum = g->layer[k].bias,
                             .table = g->layer[k].table,
                             .symbol = tree->symbol,
                             .scale = w->masked_input ? w->input : NULL};
    n->kern->sum_rows(&sum);
    weight_grads(w, k, 1, tree->nodes - 1,
                 (struct kernel_rows){w->layer[k].h, stride, tree->parent + 1}, g->layer[k].wh);
    if (k > 0)
        weight_grads(w, k, 0, tree->nodes, (struct kernel_rows){output_of(w, k - 1), stride, NULL},
                     g->layer[k].wx);
}

static void
decoder_grads(struct backprop *w, const struct prefix_tree *tree, const struct gradient_block *g)
{
    const struct packed_weights *n = w->net;
    struct kernel_sum sum = {.rows = tree->nodes,
                             .n = n->out_stride,
                             .a = w->logits,
                             .a_stride = n->out_stride,
                             .sum = g->decoder_bias};
    n->kern->sum_rows(&sum);
    struct kernel_outer o = {.rows = tree->nodes,
                             .m = n->layout->symbols,
                             .n = n->layout->hidden,
                             .count = 1,
                             .a = w->logits,
                             .a_stride = n->out_stride,
                             .b = {output_of(w, n->layout->layers - 1), n->stride, NULL},
                             .out = g->decoder,
                             .out_stride = n->stride,
                             .scratch = w->scratch};
    n->kern->outer(&o);
}

/* dh of the top layer, from the gradient of the logits. */
static void
decoder_back(struct backprop *w, const struct prefix_tree *tree)
{
    const struct packed_weights *n = w->net;
    struct kernel_product p = {.rows = tree->nodes,
                               .inner = n->layout->symbols,
                               .columns = n->layout->hidden,
                               .a = {w->logits, n->out_stride, NULL},
                               .b = n->back_decoder,
                               .out = w->dh,
                               .out_stride = n->stride};
    n->kern->product(&p);
}

static void
backward(struct backprop *w, const struct prefix_tree *tree, const struct gradient_block *g)
{
    const struct packed_weights *n = w->net;
    decoder_grads(w, tree, g);
    decoder_back(w, tree);
    for (unsigned k = n->layout->layers; k-- > 0;) {
        for (uint32_t level = tree->levels; level-- > 0;)
            backward_level(w, tree, k, level);
        layer_grads(w, tree, k, g);
        if (k > 0)
            gates_product(w, k, 0, tree->nodes, n->layer[k].back_x, w->dh);
    }
}

/* The parts of a tree's gradients in `base`, or the floats they need; where the rows of matrices
 * need no padding, the matrices are in `grad` (if not NULL). */
static size_t
lay_out_grads(const struct packed_weights *n, float *base, float *grad, struct gradient_block *g)
{
    const struct lstm_layout *l = n->layout;
    const size_t H = l->hidden, row = 4 * n->stride;
    struct float_arena c = {base, 0};
    if (H != n->stride)
        grad = NULL;
    memset(g, 0, sizeof *g);
    for (unsigned k = 0; k < l->layers; k++) {
        g->layer[k].bias = arena_take(&c, row);
        if (k == 0)
            g->layer[k].table = arena_take(&c, (l->symbols + 1) * row);
        else
            g->layer[k].wx = grad ? grad + l->layer[k].weight_ih : arena_take(&c, H * row);
        g->layer[k].wh = grad ? grad + l->layer[k].weight_hh : arena_take(&c, H * row);
    }
    g->decoder = grad ? grad + l->decoder_weight : arena_take(&c, l->symbols * n->stride);
    g->decoder_bias = arena_take(&c, n->out_stride);
    return c.used;
}

size_t
gradient_block_size(const struct packed_weights *n)
{
    struct gradient_block g;
    return lay_out_grads(n, NULL, NULL, &g);
}

int
backprop_grad(struct backprop *w, const struct prefix_tree *tree, const struct dropout *d,
              float scale, double *loss, float *block, float *grad, struct err *e)
{
    int rc = reserve(w, tree->nodes, true, e);
    if (rc != 0)
        return rc;
    struct gradient_block g;
    lay_out_grads(w->net, block, grad, &g);
    memset(g.layer[0].table, 0,
           4 * w->net->stride * (tree->symbol_count + 1) * sizeof *g.layer[0].table);
    forward(w, tree, d);
    *loss = tree_loss(w, tree, scale);
    backward(w, tree, &g);
    return 0;
}

uint32_t
dropout_threshold(double p)
{
    return (uint32_t)lrint(p * 65536);
}

void
dropout_mask(const struct dropout *d, const struct kernel *k, uint32_t layer, uint32_t threshold,
             float *mask, size_t n)
{
    enum { BLOCKS = 64, UNITS = 8 * BLOCKS }; /* per pass; a block of 128 bits is for 8 units */
    const float keep = (float)(65536.0 / (65536.0 - threshold));
    const uint32_t key[2] = {d->key[0], d->key[1]};
    for (size_t i = 0; i < n; i += UNITS) {
        const uint64_t first = i / 8;
        const uint32_t ctr[4] = {(uint32_t)first, (uint32_t)(first >> 32), d->tree << 8 | layer,
                                 d->step};
        size_t units = n - i < UNITS ? n - i : UNITS;
        uint64_t random[2 * BLOCKS];
        uint32_t bits[4 * BLOCKS];
        rng_blocks(ctr, key, random, (units + 31) / 32 * 4);
        for (size_t j = 0; j < (units + 31) / 32 * 8; j++) {
            bits[2 * j] = (uint32_t)random[j];
            bits[2 * j + 1] = (uint32_t)(random[j] >> 32);
        }
        k->mask(mask + i, bits, threshold, keep, units);
    }
}

struct gather {
    const struct packed_weights *net;
    const float *trees;
    size_t count, size; /* of trees; floats from one to the next */
    float *grad;
};

/* Sums a strip of numbers over the trees, in the order of the trees.  Rows are padded, so
 * that a strip can always be read completely. */
enum { STRIP = KERNEL_PAD };

static void
sum_trees(const struct gather *t, const float *x, float *sum)
{
    memcpy(sum, x, STRIP * sizeof *sum);
    for (size_t tree = 1; tree < t->count; tree++)
        for (size_t i = 0; i < STRIP; i++)
            sum[i] += x[tree * t->size + i];
}

/* to[column * to_column] = sums of from[column]. */
static void
gather_row(const struct gather *t, const float *from, size_t columns, float *to, size_t to_column)
{
    float sum[STRIP];
    if (t->count == 1 && to_column == 1) {
        memcpy(to, from, columns * sizeof *to);
        return;
    }
    for (size_t strip = 0; strip < columns; strip += STRIP) {
        size_t width = columns - strip < STRIP ? columns - strip : STRIP;
        sum_trees(t, from + strip, sum);
        for (size_t i = 0; i < width; i++)
            to[(strip + i) * to_column] = sum[i];
    }
}

static void
gather_rows(const struct gather *t, const float *from, size_t rows, float *to)
{
    const size_t H = t->net->layout->hidden;
    for (size_t row = 0; row < rows && from != to; row++)
        gather_row(t, from + row * t->net->stride, H, to + row * H, 1);
}

/* The rows of one gate of one layer. */
static void
gather_gate(const struct gather *t, const struct gradient_block *g, unsigned k, size_t gate)
{
    const struct packed_weights *n = t->net;
    const struct lstm_layer *y = &n->layout->layer[k];
    const size_t H = n->layout->hidden, stride = n->stride, at = gate * H * stride;
    float *bias = t->grad + y->bias_ih + gate * H, *x = t->grad + y->weight_ih;
    gather_row(t, g->layer[k].bias + gate * stride, H, bias, 1);
    memcpy(t->grad + y->bias_hh + gate * H, bias, H * sizeof *bias);
    gather_rows(t, g->layer[k].wh + at, H, t->grad + y->weight_hh + gate * H * H);
    if (k == 0)
        for (size_t s = 0; s < y->inputs; s++)
            gather_row(t, g->layer[0].table + (s * 4 + gate) * stride, H,
                       x + gate * H * y->inputs + s, y->inputs);
    else
        gather_rows(t, g->layer[k].wx + at, H, x + gate * H * H);
}

static void
gather_task(void *arg, size_t task, int worker)
{
    const struct gather *t = arg;
    const struct packed_weights *n = t->net;
    const size_t V = n->layout->symbols;
    struct gradient_block g; /* of the first tree */
    (void)worker;
    lay_out_grads(n, (float *)(uintptr_t)t->trees, t->count == 1 ? t->grad : NULL, &g);
    if (task < 4 * (size_t)n->layout->layers) {
        gather_gate(t, &g, (unsigned)(task / 4), task % 4);
        return;
    }
    gather_rows(t, g.decoder, V, t->grad + n->layout->decoder_weight);
    gather_row(t, g.decoder_bias, V, t->grad + n->layout->decoder_bias, 1);
}

void
gradient_block_sum(const struct packed_weights *n, const float *trees, size_t count, float *grad,
                   struct pool *pool)
{
    struct gather t = {n, trees, count, gradient_block_size(n), grad};
    pool_run_numbers(pool, n->layout->count, 4 * (size_t)n->layout->layers + 1, gather_task, &t);
}

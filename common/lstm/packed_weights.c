/* SPDX-License-Identifier: MIT */
#include "lstm/packed_weights.h"

#include <string.h>

#include "core/mem.h"
#include "core/pool.h"
#include "lstm/kernel.h"

static void
lay_out_layer(struct packed_weights *n, unsigned k, struct float_arena *c)
{
    const size_t H = n->layout->hidden, rows = 4 * n->stride;
    struct packed_weights_layer *y = &n->layer[k];
    y->bias = arena_take(c, rows);
    if (k == 0)
        y->table = arena_take(c, (n->layout->symbols + 1) * rows);
    else
        y->wx = arena_take(c, kernel_gates_size(n->kern, H, H));
    y->wh = arena_take(c, kernel_gates_size(n->kern, H, H));
    if (!n->backward)
        return;
    if (k > 0)
        y->back_x = arena_take(c, kernel_size(n->kern, rows, H));
    y->back_h = arena_take(c, kernel_size(n->kern, rows, H));
}

static void
lay_out_all(struct packed_weights *n, struct float_arena *c)
{
    const size_t H = n->layout->hidden, V = n->layout->symbols;
    for (unsigned k = 0; k < n->layout->layers; k++)
        lay_out_layer(n, k, c);
    n->decoder = arena_take(c, kernel_size(n->kern, H, V));
    n->decoder_bias = arena_take(c, n->out_stride);
    if (n->backward)
        n->back_decoder = arena_take(c, kernel_size(n->kern, V, H));
}

struct packed_weights *
packed_weights_new(const struct lstm_layout *l, bool backward, struct err *e)
{
    const struct kernel *kern = kernel_select(NULL, e);
    struct packed_weights *n = kern == NULL ? NULL : mem_zero(1, sizeof *n, e);
    if (n == NULL)
        return NULL;
    n->kern = kern;
    n->layout = l;
    n->stride = kernel_padded(l->hidden);
    n->out_stride = kernel_padded(l->symbols);
    n->backward = backward;
    struct float_arena c = {NULL, 0};
    lay_out_all(n, &c);
    n->block = mem_zero(c.used, sizeof *n->block, e);
    if (n->block == NULL) {
        packed_weights_free(n);
        return NULL;
    }
    c = (struct float_arena){n->block, 0};
    lay_out_all(n, &c);
    return n;
}

void
packed_weights_free(struct packed_weights *n)
{
    if (n == NULL)
        return;
    mem_free(n->block);
    mem_free(n);
}

/* What pack_task does for each layer, and once for the decoder. */
enum { PACK_BIAS, PACK_WX, PACK_WH, PACK_BACK_X, PACK_BACK_H, PACK_PARTS };

static void
pack_gates(const struct packed_weights *n, size_t weight, float *to)
{
    const size_t H = n->layout->hidden;
    for (size_t panel = 0; panel < kernel_gates_panels(n->kern, H); panel++)
        kernel_pack_gates(n->kern, n->params + weight, H, H, panel, to);
}

/* W as a factor of the gradients of the gates, which are rows of `stride` numbers. */
static void
pack_back(const struct packed_weights *n, size_t weight, float *to)
{
    const size_t H = n->layout->hidden, size = kernel_panel_size(n->kern, n->stride);
    for (size_t panel = 0; panel < kernel_panels(n->kern, H); panel++)
        for (size_t gate = 0; gate < 4; gate++, to += size)
            kernel_pack(n->kern, n->params + weight + gate * H * H, H, 1, H, H, panel, to);
}

static void
pack_bias(const struct packed_weights *n, unsigned k)
{
    const size_t H = n->layout->hidden, V = n->layout->symbols;
    const struct lstm_layer *from = &n->layout->layer[k];
    const struct packed_weights_layer *to = &n->layer[k];
    for (size_t gate = 0; gate < 4; gate++)
        for (size_t j = 0; j < H; j++) {
            size_t row = gate * H + j, at = gate * n->stride + j;
            to->bias[at] = n->params[from->bias_ih + row] + n->params[from->bias_hh + row];
            for (size_t s = 0; to->table != NULL && s < V; s++)
                to->table[s * 4 * n->stride + at] = n->params[from->weight_ih + row * V + s];
        }
}

static void
pack_decoder(const struct packed_weights *n)
{
    const size_t H = n->layout->hidden, V = n->layout->symbols;
    const float *w = n->params + n->layout->decoder_weight;
    for (size_t panel = 0; panel < kernel_panels(n->kern, V); panel++)
        kernel_pack(n->kern, w, 1, H, H, V, panel,
                    n->decoder + panel * kernel_panel_size(n->kern, H));
    for (size_t panel = 0; n->backward && panel < kernel_panels(n->kern, H); panel++)
        kernel_pack(n->kern, w, H, 1, V, H, panel,
                    n->back_decoder + panel * kernel_panel_size(n->kern, V));
    memcpy(n->decoder_bias, n->params + n->layout->decoder_bias, V * sizeof *n->decoder_bias);
}

static void
pack_task(void *arg, size_t task, int worker)
{
    const struct packed_weights *n = arg;
    unsigned k = (unsigned)(task / PACK_PARTS);
    (void)worker;
    if (k == n->layout->layers) {
        pack_decoder(n);
        return;
    }
    const struct lstm_layer *from = &n->layout->layer[k];
    const struct packed_weights_layer *to = &n->layer[k];
    switch (task % PACK_PARTS) {
    case PACK_BIAS:
        pack_bias(n, k);
        break;
    case PACK_WX:
        if (to->wx != NULL)
            pack_gates(n, from->weight_ih, to->wx);
        break;
    case PACK_WH:
        pack_gates(n, from->weight_hh, to->wh);
        break;
    case PACK_BACK_X:
        if (to->back_x != NULL)
            pack_back(n, from->weight_ih, to->back_x);
        break;
    case PACK_BACK_H:
        if (to->back_h != NULL)
            pack_back(n, from->weight_hh, to->back_h);
        break;
    }
}

void
packed_weights_pack(struct packed_weights *n, const float *params, struct pool *pool)
{
    n->params = params;
    pool_run_numbers(pool, n->layout->count, (size_t)n->layout->layers * PACK_PARTS + 1, pack_task,
                     n);
}

void
packed_weights_decode(const struct packed_weights *n, size_t rows, const float *h, size_t h_stride,
                      float *logits)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t s = 0; s < n->out_stride; s += KERNEL_PAD) /* a size that the compiler knows */
            memcpy(logits + i * n->out_stride + s, n->decoder_bias + s,
                   KERNEL_PAD * sizeof *logits);
    struct kernel_product p = {.rows = rows,
                               .inner = n->layout->hidden,
                               .columns = n->layout->symbols,
                               .a = {h, h_stride, NULL},
                               .b = n->decoder,
                               .out = logits,
                               .out_stride = n->out_stride,
                               .add = true};
    n->kern->product(&p);
}

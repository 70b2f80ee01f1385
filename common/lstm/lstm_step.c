/* SPDX-License-Identifier: MIT */
#include "lstm/lstm.h"

#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "lstm/kernel.h"
#include "lstm/packed_weights.h"

/* Prefixes a thread takes at a time, and how few are worth waking it. */
enum { TASK_ROWS = 48, TASK_LEAST = 12 };

struct scratch {
    struct packed_weights *net;
    struct pool *pool;
    float *logits; /* [threads][TASK_ROWS][out_stride] */
};

/* Floats of a state: [layers][h, c][stride]. */
static size_t
state_floats(const struct lstm_layout *l)
{
    return (size_t)l->layers * 2 * kernel_padded(l->hidden);
}

size_t
lstm_state_bytes(const struct model *m)
{
    return state_floats(&lstm_of(m)->layout) * sizeof(float);
}

void
lstm_scratch_free(void *scratch)
{
    struct scratch *s = scratch;
    if (s == NULL)
        return;
    packed_weights_free(s->net);
    mem_free(s->logits);
    mem_free(s);
}

void *
lstm_scratch_new(const struct model *model, struct pool *pool, struct err *e)
{
    const struct lstm *m = lstm_of(model);
    struct scratch *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->pool = pool;
    s->net = packed_weights_new(&m->layout, false, e);
    if (s->net == NULL)
        goto fail;
    size_t rows = (size_t)pool_threads(pool) * TASK_ROWS;
    s->logits = mem_zero(rows * s->net->out_stride, sizeof *s->logits, e);
    if (s->logits == NULL)
        goto fail;
    packed_weights_pack(s->net, m->params, pool);
    return s;
fail:
    lstm_scratch_free(s);
    return NULL;
}

struct step {
    const struct scratch *scratch;
    size_t n, tasks;
    const float *parents; /* NULL: the root is made, from nothing */
    const uint32_t *parent;
    const uint8_t *symbol;
    float *children;
    double *logp;
};

/* logp = logits - log(sum exp(logits)), in double.  The largest is taken off
 * first: beside a huge one the logarithm would be rounded away. */
static void
normalise(const float *logits, size_t symbols, double *logp)
{
    float peak = logits[0];
    for (size_t s = 1; s < symbols; s++)
        peak = logits[s] > peak ? logits[s] : peak;
    for (size_t s = 0; s < symbols; s++)
        logp[s] = (double)logits[s] - (double)peak;
    double sum = dm_log_sum_exp(logp, symbols);
    for (size_t s = 0; s < symbols; s++)
        logp[s] -= sum;
}

static void
step_layer(const struct step *t, unsigned k, size_t start, size_t rows)
{
    const struct packed_weights *net = t->scratch->net;
    const struct packed_weights_layer *y = &net->layer[k];
    const size_t size = state_floats(net->layout), at = (size_t)k * 2 * net->stride;
    float *child = t->children + start * size;
    struct kernel_gates g = {.rows = rows,
                             .hidden = net->layout->hidden,
                             .stride = net->stride,
                             .bias = y->bias,
                             .table = y->table,
                             .symbol = t->symbol + start,
                             .inputs = net->layout->hidden,
                             .wx = y->wx,
                             .wh = y->wh,
                             .h_out = child + at,
                             .c_out = child + at + net->stride,
                             .out_stride = size};
    if (k > 0)
        g.x = (struct kernel_rows){child + at - 2 * net->stride, size, NULL};
    if (t->parents != NULL) {
        g.h = (struct kernel_rows){t->parents + at, size, t->parent + start};
        g.c = (struct kernel_rows){t->parents + at + net->stride, size, t->parent + start};
    }
    net->kern->gates(&g);
}

static void
step_task(void *arg, size_t task, int worker)
{
    const struct step *t = arg;
    const struct packed_weights *net = t->scratch->net;
    const size_t start = t->n * task / t->tasks, rows = t->n * (task + 1) / t->tasks - start;
    const size_t size = state_floats(net->layout), V = net->layout->symbols;
    float *logits = t->scratch->logits + (size_t)worker * TASK_ROWS * net->out_stride;
    for (unsigned k = 0; k < net->layout->layers; k++)
        step_layer(t, k, start, rows);
    packed_weights_decode(net, rows, t->children + start * size + size - 2 * net->stride, size,
                          logits);
    for (size_t i = 0; i < rows; i++)
        normalise(logits + i * net->out_stride, V, t->logp + (start + i) * V);
}

void
lstm_root(const struct model *m, void *scratch, void *state, double *logp)
{
    uint8_t before = (uint8_t)(m->alphabet.size + 1); /* no symbol: the zero vector */
    struct step t = {
        .scratch = scratch, .n = 1, .tasks = 1, .symbol = &before, .children = state, .logp = logp};
    memset(state, 0, lstm_state_bytes(m));
    step_task(&t, 0, 0);
}

/* As many tasks for each thread, so that all end together. */
static size_t
task_count(size_t n, size_t threads)
{
    size_t most = threads * TASK_ROWS, even = (n + most - 1) / most * threads;
    size_t worth = (n + TASK_LEAST - 1) / TASK_LEAST;
    return even < worth ? even : worth;
}

void
lstm_step(const struct model *m, void *scratch, size_t n, const void *parents,
          const uint32_t *parent, const uint8_t *symbol, void *children, double *logp)
{
    struct scratch *s = scratch;
    struct step t = {.scratch = s,
                     .n = n,
                     .tasks = task_count(n, (size_t)pool_threads(s->pool)),
                     .parents = parents,
                     .parent = parent,
                     .symbol = symbol,
                     .children = children,
                     .logp = logp};
    (void)m;
    pool_run(s->pool, t.tasks, step_task, &t);
}

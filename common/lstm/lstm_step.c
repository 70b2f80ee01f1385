/* SPDX-License-Identifier: MIT */
#include "lstm/lstm.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "lstm/kernel.h"
#include "lstm/packed_weights.h"

/* Prefixes per task, and the minimum for which waking another thread pays off. */
enum { TASK_ROWS = 48, TASK_LEAST = 12 };

struct step_run {
    const struct lstm *model;
    struct packed_weights *net;
    struct pool *pool;
    float *logits; /* [threads][TASK_ROWS][out_stride] */
};

/* Floats of h and c of all layers: [layers][h, c][stride]. */
static size_t
layer_floats(const struct lstm_layout *l)
{
    return (size_t)l->layers * 2 * kernel_padded(l->hidden);
}

/* Floats of a state.  Where strings have one length, that of the prefix (a u64) follows
 * the layers. */
static size_t
state_floats(const struct lstm *m)
{
    return layer_floats(&m->layout) + (m->fixed_length ? KERNEL_PAD : 0);
}

size_t
lstm_state_bytes(const struct model *m)
{
    return state_floats(lstm_of(m)) * sizeof(float);
}

void
lstm_scratch_free(void *scratch)
{
    struct step_run *s = scratch;
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
    struct step_run *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->model = m;
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
    const struct step_run *scratch;
    size_t n, tasks;
    const float *parents; /* NULL: computes the root */
    const uint32_t *parent;
    const uint8_t *symbol;
    float *children;
    double *logp;
};

/* logp = logits - log(sum exp(logits)), in double.  The largest logit is subtracted first:
 * beside a huge one the logarithm would be lost by rounding. */
static void
normalize(const float *logits, size_t symbols, double *logp)
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

/* The next symbol where strings have one length: the end is impossible before it and
 * certain there.  Nothing follows a longer prefix, which the model cannot make. */
static void
normalize_fixed(const float *logits, size_t symbols, uint64_t length, uint64_t fixed, double *logp)
{
    if (length < fixed)
        normalize(logits, symbols - 1, logp);
    for (size_t s = 0; length >= fixed && s < symbols; s++)
        logp[s] = -INFINITY;
    logp[symbols - 1] = length == fixed ? 0 : -INFINITY;
}

/* Sets the length of a prefix in its state, and returns it. */
static uint64_t
count_symbols(const struct step *t, size_t i)
{
    const struct step_run *s = t->scratch;
    const size_t size = state_floats(s->model), at = layer_floats(&s->model->layout);
    uint64_t length = 0;
    if (t->parents != NULL) {
        memcpy(&length, t->parents + t->parent[i] * size + at, sizeof length);
        length++;
    }
    memcpy(t->children + i * size + at, &length, sizeof length);
    return length;
}

static void
step_layer(const struct step *t, unsigned k, size_t start, size_t rows)
{
    const struct packed_weights *net = t->scratch->net;
    const struct packed_weights_layer *y = &net->layer[k];
    const size_t size = state_floats(t->scratch->model), at = (size_t)k * 2 * net->stride;
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
    const struct lstm *m = t->scratch->model;
    const size_t size = state_floats(m), V = net->layout->symbols;
    float *logits = t->scratch->logits + (size_t)worker * TASK_ROWS * net->out_stride;
    for (unsigned k = 0; k < net->layout->layers; k++)
        step_layer(t, k, start, rows);
    size_t top = layer_floats(net->layout) - 2 * net->stride;
    packed_weights_decode(net, rows, t->children + start * size + top, size, logits);
    for (size_t i = 0; i < rows; i++) {
        double *logp = t->logp + (start + i) * V;
        if (m->fixed_length)
            normalize_fixed(logits + i * net->out_stride, V, count_symbols(t, start + i),
                            m->model.max_length, logp);
        else
            normalize(logits + i * net->out_stride, V, logp);
    }
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

/* Equal numbers of tasks per thread, so that all end together. */
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
    struct step_run *s = scratch;
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

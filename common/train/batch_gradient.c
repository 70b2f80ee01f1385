/* SPDX-License-Identifier: MIT */
#include "train/batch_gradient.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "lstm/backprop.h"
#include "text/prefix_tree.h"
#include "text/strings.h"

/* A batch has at most BATCH_SLICES slices, since each has its own gradient.  A slice needs many
 * rows per pass over the parameters, so a batch of at most SLICE_STRINGS strings is one slice:
 * by two threads it would take longer whenever the other core is busy. */
enum { BATCH_SLICES = 8, SLICE_STRINGS = 16 };

enum { LOSS_STRINGS = 128 }; /* strings per slice if only the loss is needed */

struct slice_worker {
    struct weighted_string *string; /* of a slice */
    size_t string_capacity;
    struct prefix_tree tree;
    struct backprop *work;
    struct err e;
};

struct slice {
    size_t number;
    size_t nodes; /* of its tree */
    double loss;
};

struct batch_gradient {
    const struct packed_weights *net;
    struct pool *pool;
    size_t strings; /* maximum strings in a slice of a batch */
    size_t grad_size;
    float *grads;                /* [slices of a batch][grad_size] */
    struct slice_worker *worker; /* [threads] */
    /* The current job. */
    struct slice *slice; /* [tasks] in the order in which they are started */
    size_t slice_capacity;
    atomic_size_t begun;
    const struct string_batch *batch;
    size_t tasks;
    const struct dropout *dropout; /* NULL: only the loss */
    float scale;
    float *grad; /* of the batch */
};

double
string_batch_weight(const struct string_batch *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        struct weighted_string x;
        weighted_string_gather(&x, b->strings, &b->at[i], 1, b->mean_of_strings);
        sum += (double)x.weight * (x.length + 1.0);
    }
    return sum;
}

void
batch_gradient_free(struct batch_gradient *s)
{
    if (s == NULL)
        return;
    for (int i = 0; s->worker != NULL && i < pool_threads(s->pool); i++) {
        mem_free(s->worker[i].string);
        prefix_tree_clear(&s->worker[i].tree);
        backprop_free(s->worker[i].work);
    }
    mem_free(s->worker);
    mem_free(s->slice);
    mem_free(s->grads);
    mem_free(s);
}

static size_t
pieces(size_t count, size_t each)
{
    return (count + each - 1) / each;
}

struct batch_gradient *
batch_gradient_new(const struct packed_weights *n, struct end_rule end, struct pool *pool,
                   size_t batch, struct err *e)
{
    struct batch_gradient *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->net = n;
    s->pool = pool;
    s->strings = SLICE_STRINGS;
    if (s->strings < pieces(batch, BATCH_SLICES))
        s->strings = pieces(batch, BATCH_SLICES);
    s->grad_size = gradient_block_size(n);
    s->grads = mem_array(pieces(batch, s->strings), s->grad_size * sizeof *s->grads, e);
    s->worker = mem_zero((size_t)pool_threads(pool), sizeof *s->worker, e);
    if (s->grads == NULL || s->worker == NULL)
        goto fail;
    for (int i = 0; i < pool_threads(pool); i++) {
        s->worker[i].work = backprop_new(n, end, e);
        if (s->worker[i].work == NULL)
            goto fail;
    }
    return s;
fail:
    batch_gradient_free(s);
    return NULL;
}

/* Slice i is strings first .. first of i + 1. */
static size_t
first_string(const struct batch_gradient *s, size_t i)
{
    return s->batch->count * i / s->tasks;
}

/* The strings of slice i into w->string. */
static int
gather_slice(const struct batch_gradient *s, size_t i, struct slice_worker *w, size_t *count,
             struct err *e)
{
    const struct string_batch *b = s->batch;
    size_t first = first_string(s, i);
    *count = first_string(s, i + 1) - first;
    if (mem_reserve(&w->string, &w->string_capacity, *count, sizeof *w->string, e) != 0)
        return ERR_NOMEM;
    weighted_string_gather(w->string, b->strings, b->at + first, *count, b->mean_of_strings);
    return 0;
}

/* The largest slice that no thread has started. */
static struct slice *
next_slice(struct batch_gradient *s)
{
    return &s->slice[atomic_fetch_add_explicit(&s->begun, 1, memory_order_relaxed)];
}

static void
slice_task(void *arg, size_t task, int worker)
{
    struct batch_gradient *s = arg;
    struct slice *slice = next_slice(s);
    struct slice_worker *w = &s->worker[worker];
    size_t count;
    (void)task;
    if (w->e.code != 0 || gather_slice(s, slice->number, w, &count, &w->e) != 0 ||
        prefix_tree_build(&w->tree, w->string, count, s->net->layout->symbols, &w->e) != 0)
        return;
    if (s->dropout == NULL) {
        backprop_loss(w->work, &w->tree, &slice->loss, &w->e);
        return;
    }
    struct dropout d = *s->dropout;
    d.tree = (uint32_t)slice->number;
    backprop_grad(w->work, &w->tree, &d, s->scale, &slice->loss,
                  s->grads + slice->number * s->grad_size, s->tasks == 1 ? s->grad : NULL, &w->e);
}

static int
larger_first(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    return (x->nodes < y->nodes) - (x->nodes > y->nodes);
}

static int
by_number(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* The cost of a slice is its number of nodes.  Free threads take the largest one
 * first, which keeps all threads busy to the end. */
static int
plan(struct batch_gradient *s, struct err *e)
{
    if (mem_reserve(&s->slice, &s->slice_capacity, s->tasks, sizeof *s->slice, e) != 0)
        return ERR_NOMEM;
    for (size_t i = 0; i < s->tasks; i++) {
        struct slice_worker *w = &s->worker[0];
        size_t count = 0;
        if (s->tasks > 1 && gather_slice(s, i, w, &count, e) != 0) /* one needs no order */
            return ERR_NOMEM;
        s->slice[i] = (struct slice){.number = i, .nodes = prefix_tree_count(w->string, count)};
    }
    qsort(s->slice, s->tasks, sizeof *s->slice, larger_first);
    atomic_store_explicit(&s->begun, 0, memory_order_relaxed);
    return 0;
}

/* Runs all slices and adds their losses; 0 or a thread's error. */
static int
run(struct batch_gradient *s, double *loss, struct err *e)
{
    int rc = plan(s, e);
    if (rc != 0)
        return rc;
    pool_run(s->pool, s->tasks, slice_task, s);
    for (int i = 0; i < pool_threads(s->pool); i++)
        if (s->worker[i].e.code != 0)
            return err_set(e, s->worker[i].e.code, "%s", s->worker[i].e.text);
    qsort(s->slice, s->tasks, sizeof *s->slice, by_number);
    *loss = 0;
    for (size_t i = 0; i < s->tasks; i++)
        *loss += s->slice[i].loss;
    return 0;
}

int
batch_gradient_loss(struct batch_gradient *s, const struct string_batch *b, double *loss,
                    struct err *e)
{
    s->batch = b;
    s->tasks = pieces(b->count, LOSS_STRINGS);
    s->dropout = NULL;
    return run(s, loss, e);
}

int
batch_gradient_grad(struct batch_gradient *s, const struct string_batch *b, const struct dropout *d,
                    double scale, double *loss, float *grad, struct err *e)
{
    s->batch = b;
    s->tasks = pieces(b->count, s->strings);
    s->dropout = d;
    s->scale = (float)scale;
    s->grad = grad;
    int rc = run(s, loss, e);
    if (rc == 0)
        gradient_block_sum(s->net, s->grads, s->tasks, grad, s->pool);
    return rc;
}

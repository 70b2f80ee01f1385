/* SPDX-License-Identifier: MIT */
#include "model/prefix_walk.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "model/model.h"

/* The size of a batch in bytes, about the cache of a core, within bounds that keep the
 * kernels of a model busy. */
enum { BATCH_BYTES = 1 << 19, BATCH_MIN = 1536, BATCH_MAX = 8192 };

enum { CHUNK = 128 }; /* prefixes per task of the pool */

enum { CHILDREN_BYTES = 1 << 27 }; /* of a batch: it is smaller if the alphabet is large */

/* If more than this many batches wait, the walk continues with narrow batches until there
 * are fewer: each level then adds little to the stack. */
enum { WAITING_MAX = 32, NARROW = 16 };

struct prefix_walk {
    const struct prefix_walk_visitor *visitor;
    void *self;
    struct pool *pool;
    struct model_run *run;
    unsigned alphabet_size; /* A */
    size_t state_bytes;
    size_t batch;        /* maximum prefixes per step */
    size_t count;        /* prefixes in the current batch */
    uint8_t *state;      /* [2 batch] of the current batch, then of refilled parents */
    uint8_t *next_state; /* [2 batch], swapped with `state` */
    double *logp;        /* [batch][A+1] */
    uint8_t *node;       /* [batch] */
    uint8_t *child;      /* [batch][A] nodes of the children */
    unsigned words;      /* of a set of symbols */
    uint64_t *mask;      /* [batch][words] which children there are */
    size_t
        *children; /* [chunks of a batch] number of children; then their number before the chunk */
    uint32_t *parent; /* [batch] index into `state` */
    uint8_t *symbol;  /* [batch] */
    size_t width;     /* maximum prefixes in the next batch */
    size_t own;       /* how many of them are children of the current batch */
    /* Waiting children, with a copy of their parent's state. */
    size_t waiting;
    uint8_t *wait_state, *wait_node, *wait_symbol;
    size_t wait_state_capacity, wait_node_capacity, wait_symbol_capacity;
};

static size_t
chunks(size_t n)
{
    return (n + CHUNK - 1) / CHUNK;
}

static size_t
batch_size(const struct prefix_walk *w)
{
    size_t each = 2 * w->state_bytes + w->visitor->node_bytes * (w->alphabet_size + 1u) +
                  sizeof(double) * (w->alphabet_size + 1u);
    size_t n = BATCH_BYTES / each, most = CHILDREN_BYTES / each;
    n = n < BATCH_MIN ? BATCH_MIN : n > BATCH_MAX ? BATCH_MAX : n;
    return n < most ? n : most > CHUNK ? most : CHUNK;
}

static int
allocate(struct prefix_walk *w, struct err *e)
{
    size_t n = w->batch;
    w->state = mem_array(2 * n, w->state_bytes, e);
    w->next_state = mem_array(2 * n, w->state_bytes, e);
    w->logp = mem_array(n * (w->alphabet_size + 1), sizeof *w->logp, e);
    w->node = mem_array(n, w->visitor->node_bytes, e);
    w->child = mem_array(n * w->alphabet_size, w->visitor->node_bytes, e);
    w->mask = mem_array(n * w->words, sizeof *w->mask, e);
    w->children = mem_array(chunks(n), sizeof *w->children, e);
    w->parent = mem_array(n, sizeof *w->parent, e);
    w->symbol = mem_array(n, sizeof *w->symbol, e);
    if (w->state == NULL || w->next_state == NULL || w->logp == NULL || w->node == NULL ||
        w->child == NULL || w->mask == NULL || w->children == NULL || w->parent == NULL ||
        w->symbol == NULL)
        return ERR_NOMEM;
    return 0;
}

struct prefix_walk *
prefix_walk_new(const struct model *m, struct pool *pool, const struct prefix_walk_visitor *visitor,
                void *self, struct err *e)
{
    struct prefix_walk *w = mem_zero(1, sizeof *w, e);
    if (w == NULL)
        return NULL;
    w->visitor = visitor;
    w->self = self;
    w->pool = pool;
    w->alphabet_size = m->alphabet.size;
    w->words = symbol_set_words(w->alphabet_size);
    w->state_bytes = model_state_bytes(m);
    w->batch = batch_size(w);
    w->run = model_begin(m, pool, w->batch, e);
    if (w->run == NULL || allocate(w, e) != 0) {
        prefix_walk_free(w);
        return NULL;
    }
    return w;
}

void
prefix_walk_free(struct prefix_walk *w)
{
    if (w == NULL)
        return;
    mem_free(w->state);
    mem_free(w->next_state);
    mem_free(w->logp);
    mem_free(w->node);
    mem_free(w->child);
    mem_free(w->mask);
    mem_free(w->children);
    mem_free(w->parent);
    mem_free(w->symbol);
    mem_free(w->wait_state);
    mem_free(w->wait_node);
    mem_free(w->wait_symbol);
    model_end(w->run);
    mem_free(w);
}

static uint8_t *
child_of(const struct prefix_walk *w, size_t i, unsigned symbol)
{
    return w->child + (i * w->alphabet_size + symbol) * w->visitor->node_bytes;
}

static size_t
chunk_end(const struct prefix_walk *w, size_t chunk)
{
    return (chunk + 1) * CHUNK < w->count ? (chunk + 1) * CHUNK : w->count;
}

static void
expand_chunk(void *arg, size_t task, int worker)
{
    struct prefix_walk *w = arg;
    size_t children = 0, end = chunk_end(w, task);
    (void)worker;
    memset(w->mask + task * CHUNK * w->words, 0, (end - task * CHUNK) * w->words * sizeof *w->mask);
    for (size_t i = task * CHUNK; i < end; i++) {
        uint64_t *mask = w->mask + i * w->words;
        w->visitor->expand(w->self, w->node + i * w->visitor->node_bytes,
                           w->logp + i * (w->alphabet_size + 1), mask, child_of(w, i, 0));
        for (unsigned k = 0; k < w->words; k++)
            for (uint64_t rest = mask[k]; rest != 0; rest &= rest - 1)
                children++;
    }
    w->children[task] = children;
}

static int
expand_batch(struct prefix_walk *w, struct err *e)
{
    pool_run(w->pool, chunks(w->count), expand_chunk, w);
    if (w->visitor->commit == NULL)
        return 0;
    for (size_t i = 0; i < w->count; i++) {
        int rc = w->visitor->commit(w->self, w->node + i * w->visitor->node_bytes,
                                    w->logp + i * (w->alphabet_size + 1), w->mask + i * w->words,
                                    child_of(w, i, 0), e);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Turns the numbers of children per chunk into the numbers before each chunk; returns the
 * sum. */
static size_t
sum_children(struct prefix_walk *w)
{
    size_t sum = 0;
    for (size_t i = 0; i < chunks(w->count); i++) {
        size_t n = w->children[i];
        w->children[i] = sum;
        sum += n;
    }
    return sum;
}

/* Makes room on the stack for `need` children. */
static int
reserve(struct prefix_walk *w, size_t need, struct err *e)
{
    if (mem_reserve(&w->wait_state, &w->wait_state_capacity, need, w->state_bytes, e) != 0 ||
        mem_reserve(&w->wait_node, &w->wait_node_capacity, need, w->visitor->node_bytes, e) != 0)
        return ERR_NOMEM;
    return mem_reserve(&w->wait_symbol, &w->wait_symbol_capacity, need, 1, e);
}

/* Makes child `symbol` of prefix i number k of the next batch. */
static void
go_on(struct prefix_walk *w, size_t k, size_t i, unsigned symbol)
{
    size_t bytes = w->visitor->node_bytes;
    memcpy(w->node + k * bytes, child_of(w, i, symbol), bytes);
    w->parent[k] = (uint32_t)i;
    w->symbol[k] = (uint8_t)symbol;
}

/* Puts a child on the stack, as number `to`. */
static void
push(struct prefix_walk *w, size_t to, size_t i, unsigned symbol)
{
    size_t bytes = w->visitor->node_bytes, state = w->state_bytes;
    memcpy(w->wait_state + to * state, w->state + i * state, state);
    memcpy(w->wait_node + to * bytes, child_of(w, i, symbol), bytes);
    w->wait_symbol[to] = (uint8_t)symbol;
}

static void
place_chunk(void *arg, size_t task, int worker)
{
    struct prefix_walk *w = arg;
    size_t k = w->children[task], end = chunk_end(w, task);
    (void)worker;
    for (size_t i = task * CHUNK; i < end; i++)
        for (unsigned word = 0; word < w->words; word++)
            for (uint64_t rest = w->mask[i * w->words + word]; rest != 0; rest &= rest - 1, k++) {
                unsigned symbol = 64 * word + (unsigned)__builtin_ctzll(rest);
                if (k < w->width)
                    go_on(w, k, i, symbol);
                else
                    push(w, w->waiting + k - w->width, i, symbol);
            }
}

/* Fills the next batch with the latest waiting children, up to w->width; the states of their
 * parents go after those of the current batch. */
static void
pull_chunk(void *arg, size_t task, int worker)
{
    struct prefix_walk *w = arg;
    size_t bytes = w->visitor->node_bytes, state = w->state_bytes;
    size_t first = w->own + task * CHUNK, last = first + CHUNK;
    (void)worker;
    for (size_t k = first; k < last && k < w->width; k++) {
        size_t from = w->waiting - 1 - (k - w->own), to = w->count + k;
        memcpy(w->state + to * state, w->wait_state + from * state, state);
        memcpy(w->node + k * bytes, w->wait_node + from * bytes, bytes);
        w->parent[k] = (uint32_t)to;
        w->symbol[k] = w->wait_symbol[from];
    }
}

/* Chooses the children of the next batch: children of the current batch first.  The rest
 * waits; if there is room, waiting children are added.  *chosen is their number. */
static int
choose(struct prefix_walk *w, size_t *chosen, struct err *e)
{
    size_t most = w->waiting < WAITING_MAX * w->batch ? w->batch : w->batch / NARROW;
    size_t all = sum_children(w), wait = all > most ? all - most : 0;
    int rc = reserve(w, w->waiting + wait, e);
    if (rc != 0)
        return rc;
    w->width = most;
    pool_run(w->pool, chunks(w->count), place_chunk, w);
    w->waiting += wait;
    w->own = all - wait;
    size_t pulled = most - w->own < w->waiting ? most - w->own : w->waiting;
    w->width = w->own + pulled;
    pool_run(w->pool, chunks(pulled), pull_chunk, w);
    w->waiting -= pulled;
    *chosen = w->width;
    return 0;
}

static void
step(struct prefix_walk *w, size_t n)
{
    if (n > 0)
        model_step(w->run, n, w->state, w->parent, w->symbol, w->next_state, w->logp);
    uint8_t *present = w->state;
    w->state = w->next_state;
    w->next_state = present;
    w->count = n;
}

int
prefix_walk_run(struct prefix_walk *w, const void *root, struct err *e)
{
    w->waiting = 0;
    w->count = 1;
    model_root(w->run, w->state, w->logp);
    memcpy(w->node, root, w->visitor->node_bytes);
    while (w->count > 0) {
        size_t n = 0;
        int rc = expand_batch(w, e);
        if (rc == 0)
            rc = choose(w, &n, e);
        if (rc != 0)
            return rc;
        step(w, n);
    }
    return 0;
}

uint64_t
prefix_walk_steps(const struct prefix_walk *w)
{
    return model_steps(w->run);
}

/* SPDX-License-Identifier: MIT */
#include "model/scorer.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "model/model.h"
#include "model/prefix_walk.h"
#include "text/alphabet.h"
#include "text/strings.h"

/* A block ends when one of these limits is reached. */
enum { BLOCK_STRINGS = 1 << 16, BLOCK_SYMBOLS = 1 << 23 };

/* Strings of a task, where each is scored by itself. */
enum { TASK_STRINGS = 1 << 10 };

/* The strings that begin with one prefix: order[begin .. end-1]. */
struct scorer_node {
    uint32_t begin, end;
    uint64_t length; /* of the prefix */
    double logp;     /* of the prefix */
};

struct scorer {
    const struct model *model;
    void *scratch; /* of model_log_weight */
    struct pool *pool;
    struct prefix_walk *walk; /* NULL where strings are scored one by one */
    uint64_t direct_steps;    /* taken then */
    unsigned alphabet_size;
    struct model_string *string; /* [count] of the block */
    uint32_t *order, *sorted;    /* [count] string numbers, and space to sort them */
    size_t string_capacity, order_capacity, sorted_capacity;
    double *result;            /* owned by the caller */
    double *trace;             /* owned by the caller, of single characters; NULL: only sums */
    _Atomic uint64_t finished; /* strings */
};

int
scorer_read_block(struct strings *block, struct string_reader *r, struct err *e)
{
    strings_reset(block);
    int rc = strings_read(block, r, BLOCK_STRINGS, BLOCK_SYMBOLS, e);
    return rc < 0 ? rc : block->count > 0;
}

/* The symbol of string i that follows a prefix of that length; A at its end. */
static unsigned
symbol_at(const struct scorer *s, uint32_t i, uint64_t length)
{
    const struct model_string *x = &s->string[i];
    return length < x->length ? x->symbols[length] : s->alphabet_size;
}

/* Sorts a range by next symbol, stably, by counting.  Afterward the strings of symbol a are
 * order[end[a-1] .. end[a]-1], from n->begin on. */
static void
sort_range(struct scorer *s, const struct scorer_node *n, uint32_t *end)
{
    memset(end, 0, (s->alphabet_size + 1) * sizeof *end);
    for (uint32_t i = n->begin; i < n->end; i++)
        end[symbol_at(s, s->order[i], n->length)]++;
    for (unsigned a = 0, at = n->begin; a <= s->alphabet_size; a++) {
        unsigned count = end[a];
        end[a] = at; /* where the next one of this symbol goes */
        at += count;
    }
    for (uint32_t i = n->begin; i < n->end; i++)
        s->sorted[end[symbol_at(s, s->order[i], n->length)]++] = s->order[i];
    memcpy(s->order + n->begin, s->sorted + n->begin, (n->end - n->begin) * sizeof *s->order);
}

static void
assign(struct scorer *s, uint32_t begin, uint32_t end, double logp)
{
    for (uint32_t i = begin; i < end; i++)
        s->result[s->order[i]] = logp;
    atomic_fetch_add_explicit(&s->finished, end - begin, memory_order_relaxed);
}

/* All strings of a range continue with symbol a, of log-probability `logp`.  Strings that
 * end, or whose prefix is impossible, are finished; the others become a child. */
static void
follow(struct scorer *s, const struct scorer_node *n, uint32_t begin, uint32_t end, unsigned a,
       double logp, uint64_t *mask, struct scorer_node *child)
{
    double sum = n->logp + logp;
    for (uint32_t i = begin; s->trace != NULL && i < end; i++)
        s->trace[s->string[s->order[i]].at + n->length] = logp;
    if (a == s->alphabet_size || sum == -INFINITY) {
        assign(s, begin, end, sum);
        return;
    }
    child[a] = (struct scorer_node){begin, end, n->length + 1, sum};
    symbol_set_add(mask, a);
}

static void
expand(void *self, void *node, const double *logp, uint64_t *mask, void *children)
{
    struct scorer *s = self;
    const struct scorer_node *n = node;
    struct scorer_node *child = children;
    uint32_t end[ALPHABET_MAX + 1], begin = n->begin;
    if (n->end - n->begin == 1) { /* most ranges, deep in the tree */
        unsigned a = symbol_at(s, s->order[begin], n->length);
        follow(s, n, begin, n->end, a, logp[a], mask, child);
        return;
    }
    sort_range(s, n, end);
    for (unsigned a = 0; a <= s->alphabet_size; begin = end[a++])
        if (begin < end[a])
            follow(s, n, begin, end[a], a, logp[a], mask, child);
}

static const struct prefix_walk_visitor visitor = {sizeof(struct scorer_node), expand, NULL};

struct scorer *
scorer_new(const struct model *m, struct pool *pool, struct err *e)
{
    struct scorer *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    bool direct = model_proposal(m)->kind->score != NULL;
    s->model = m;
    s->pool = pool;
    s->alphabet_size = m->alphabet.size;
    s->walk = direct ? NULL : prefix_walk_new(model_proposal(m), pool, &visitor, s, e);
    s->scratch = mem_array(model_weight_bytes(m), 1, e);
    if ((direct || s->walk != NULL) && s->scratch != NULL)
        return s;
    scorer_free(s);
    return NULL;
}

void
scorer_free(struct scorer *s)
{
    if (s == NULL)
        return;
    prefix_walk_free(s->walk);
    mem_free(s->string);
    mem_free(s->order);
    mem_free(s->sorted);
    mem_free(s->scratch);
    mem_free(s);
}

/* From log r(x) to log(P(x) / Z).  Weight and Z are one term, because both may be large. */
static void
weigh(struct scorer *s, size_t count, double log_z)
{
    for (size_t i = 0; i < count; i++) {
        const struct model_string *x = &s->string[i];
        double weight = model_log_weight(s->model, x->symbols, x->length, s->scratch);
        s->result[i] += weight - log_z;
    }
}

static int
set_block(struct scorer *s, const struct strings *block, struct err *e)
{
    size_t n = block->count, at = 0;
    if (mem_reserve(&s->string, &s->string_capacity, n, sizeof *s->string, e) != 0 ||
        mem_reserve(&s->order, &s->order_capacity, n, sizeof *s->order, e) != 0 ||
        mem_reserve(&s->sorted, &s->sorted_capacity, n, sizeof *s->sorted, e) != 0)
        return ERR_NOMEM;
    for (size_t i = 0; i < n; i++) {
        s->string[i].symbols = strings_get(block, i, &s->string[i].length);
        s->string[i].at = at;
        s->order[i] = (uint32_t)i;
        at += s->string[i].length + 1;
    }
    return 0;
}

/* The strings from task * TASK_STRINGS on, each by itself. */
struct direct_job {
    const struct model *r;
    const struct model_string *string;
    size_t count;
    double *logp;
    _Atomic uint64_t *finished; /* strings */
};

static void
score_task(void *arg, size_t task, int worker)
{
    struct direct_job *j = arg;
    size_t begin = task * TASK_STRINGS;
    size_t end = j->count - begin < TASK_STRINGS ? j->count : begin + TASK_STRINGS;
    (void)worker;
    j->r->kind->score(j->r, j->string + begin, end - begin, j->logp + begin);
    atomic_fetch_add_explicit(j->finished, end - begin, memory_order_relaxed);
}

static void
score_directly(struct scorer *s, size_t count)
{
    struct direct_job j = {model_proposal(s->model), s->string, count, s->result, &s->finished};
    pool_run(s->pool, (count + TASK_STRINGS - 1) / TASK_STRINGS, score_task, &j);
    for (size_t i = 0; i < count; i++)
        s->direct_steps += s->string[i].length + 1;
}

static int
score(struct scorer *s, const struct strings *block, double *logp, double *trace, struct err *e)
{
    int rc = set_block(s, block, e);
    if (rc != 0)
        return rc;
    s->result = logp;
    s->trace = trace;
    struct scorer_node root = {.end = (uint32_t)block->count};
    if (s->walk == NULL && trace != NULL) /* single characters take steps */
        s->walk = prefix_walk_new(model_proposal(s->model), s->pool, &visitor, s, e);
    if (s->walk != NULL)
        return prefix_walk_run(s->walk, &root, e);
    if (trace == NULL)
        score_directly(s, block->count);
    return e->code;
}

int
scorer_score(struct scorer *s, const struct strings *block, double log_z, double *logp,
             struct err *e)
{
    int rc = block->count > 0 ? score(s, block, logp, NULL, e) : 0;
    if (rc == 0)
        weigh(s, block->count, log_z);
    return rc;
}

int
scorer_trace(struct scorer *s, const struct strings *block, double *logp, struct err *e)
{
    double *sums = mem_array(block->count, sizeof *sums, e);
    int rc = sums != NULL ? 0 : ERR_NOMEM;
    for (size_t i = 0; rc == 0 && i < block->symbols + block->count; i++)
        logp[i] = NAN;
    if (rc == 0 && block->count > 0)
        rc = score(s, block, sums, logp, e);
    mem_free(sums);
    return rc;
}

uint64_t
scorer_steps(const struct scorer *s)
{
    return s->direct_steps + (s->walk != NULL ? prefix_walk_steps(s->walk) : 0);
}

uint64_t
scorer_finished(const struct scorer *s)
{
    return atomic_load_explicit(&s->finished, memory_order_relaxed);
}

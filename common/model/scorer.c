/* SPDX-License-Identifier: MIT */
#include "model/scorer.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "model/model.h"
#include "model/prefix_walk.h"
#include "text/alphabet.h"
#include "text/strings.h"

/* A block ends at the first of these. */
enum { BLOCK_STRINGS = 1 << 16, BLOCK_SYMBOLS = 1 << 23 };

/* The strings that begin with one prefix: order[begin .. end-1]. */
struct node {
    uint32_t begin, end;
    uint64_t length; /* of the prefix */
    double logp;     /* of the prefix */
};

struct view {
    const uint8_t *symbols;
    size_t length;
};

struct scorer {
    const struct model *model;
    void *scratch; /* of model_log_weight */
    struct prefix_walk *walk;
    unsigned alphabet_size;
    struct view *string;      /* [count] of the block */
    uint32_t *order, *sorted; /* [count] string numbers, and space to sort them */
    size_t string_capacity, order_capacity, sorted_capacity;
    double *result; /* the caller's */
};

int
scorer_read_block(struct strings *block, struct line_reader *l, struct err *e)
{
    strings_reset(block);
    int rc = strings_read(block, l, BLOCK_STRINGS, BLOCK_SYMBOLS, e);
    return rc < 0 ? rc : block->count > 0;
}

/* The symbol of string i that follows a prefix of that length; A at its end. */
static unsigned
symbol_at(const struct scorer *s, uint32_t i, uint64_t length)
{
    const struct view *x = &s->string[i];
    return length < x->length ? x->symbols[length] : s->alphabet_size;
}

/* Sorts a range by next symbol, stable: counts, then places.  Afterwards
 * symbol a's strings are order[end[a-1] .. end[a]-1], from n->begin on. */
static void
sort_range(struct scorer *s, const struct node *n, uint32_t *end)
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
}

/* The strings of a range all continue with symbol a, to log-probability `sum`.
 * Ended strings, and those with an impossible prefix, are done; the others
 * become a child. */
static uint64_t
follow(struct scorer *s, const struct node *n, uint32_t begin, uint32_t end, unsigned a, double sum,
       struct node *child)
{
    if (a == s->alphabet_size || sum == -INFINITY) {
        assign(s, begin, end, sum);
        return 0;
    }
    child[a] = (struct node){begin, end, n->length + 1, sum};
    return UINT64_C(1) << a;
}

static uint64_t
expand(void *self, void *node, const double *logp, void *children)
{
    struct scorer *s = self;
    const struct node *n = node;
    struct node *child = children;
    uint32_t end[ALPHABET_MAX + 1], begin = n->begin;
    uint64_t mask = 0;
    if (n->end - n->begin == 1) { /* most ranges, deep in the tree */
        unsigned a = symbol_at(s, s->order[begin], n->length);
        return follow(s, n, begin, n->end, a, n->logp + logp[a], child);
    }
    sort_range(s, n, end);
    for (unsigned a = 0; a <= s->alphabet_size; begin = end[a++])
        if (begin < end[a])
            mask |= follow(s, n, begin, end[a], a, n->logp + logp[a], child);
    return mask;
}

static const struct prefix_walk_visitor visitor = {sizeof(struct node), expand, NULL};

struct scorer *
scorer_new(const struct model *m, struct pool *pool, struct err *e)
{
    struct scorer *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->model = m;
    s->alphabet_size = m->alphabet.size;
    s->walk = prefix_walk_new(model_proposal(m), pool, &visitor, s, e);
    s->scratch = mem_array(model_weight_bytes(m), 1, e);
    if (s->walk != NULL && s->scratch != NULL)
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

/* From log r(x) to log P(x) / Z.  Weight and Z are one term: both may be large. */
static void
weigh(struct scorer *s, size_t count, double log_z)
{
    for (size_t i = 0; i < count; i++) {
        const struct view *x = &s->string[i];
        double weight = model_log_weight(s->model, x->symbols, x->length, s->scratch);
        s->result[i] += weight - log_z;
    }
}

static int
set_block(struct scorer *s, const struct strings *block, struct err *e)
{
    size_t n = block->count;
    if (mem_reserve(&s->string, &s->string_capacity, n, sizeof *s->string, e) != 0 ||
        mem_reserve(&s->order, &s->order_capacity, n, sizeof *s->order, e) != 0 ||
        mem_reserve(&s->sorted, &s->sorted_capacity, n, sizeof *s->sorted, e) != 0)
        return ERR_NOMEM;
    for (size_t i = 0; i < n; i++) {
        s->string[i].symbols = strings_get(block, i, &s->string[i].length);
        s->order[i] = (uint32_t)i;
    }
    return 0;
}

int
scorer_score(struct scorer *s, const struct strings *block, double log_z, double *logp,
             struct err *e)
{
    if (block->count == 0)
        return 0;
    int rc = set_block(s, block, e);
    if (rc != 0)
        return rc;
    s->result = logp;
    struct node root = {.end = (uint32_t)block->count};
    rc = prefix_walk_run(s->walk, &root, e);
    if (rc == 0)
        weigh(s, block->count, log_z);
    return rc;
}

uint64_t
scorer_steps(const struct scorer *s)
{
    return prefix_walk_steps(s->walk);
}

/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa.h"

#include <math.h>

#include "core/mem.h"

struct pfsa *
pfsa_new(const struct alphabet *a, uint32_t states, uint64_t arcs, struct err *e)
{
    struct pfsa *p = mem_zero(1, sizeof *p, e);
    if (p == NULL)
        return NULL;
    p->model.kind = &pfsa_kind;
    p->model.alphabet = *a;
    p->model.max_length = MODEL_UNBOUNDED;
    p->states = states;
    p->arcs = arcs;
    p->first = mem_array((size_t)states + 1, sizeof *p->first, e);
    p->symbol = mem_array(arcs, sizeof *p->symbol, e);
    p->next = mem_array(arcs, sizeof *p->next, e);
    p->logp = mem_array(arcs, sizeof *p->logp, e);
    p->final_logp = mem_array(states, sizeof *p->final_logp, e);
    if (p->first == NULL || p->symbol == NULL || p->next == NULL || p->logp == NULL ||
        p->final_logp == NULL) {
        pfsa_free(p);
        return NULL;
    }
    p->first[0] = 0;
    return p;
}

void
pfsa_free(struct pfsa *p)
{
    if (p != NULL)
        model_free(&p->model);
}

struct pfsa *
pfsa_of(const struct model *m)
{
    return m != NULL && m->kind == &pfsa_kind ? (struct pfsa *)m : NULL;
}

/* --- questions --- */

static uint64_t
search_arc(const struct pfsa *p, uint32_t q, uint8_t symbol)
{
    uint64_t low = p->first[q], high = p->first[q + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (p->symbol[middle] < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->first[q + 1] && p->symbol[low] == symbol ? low : PFSA_NO_ARC;
}

/* A state with an arc for every symbol needs no search, whose branches are unpredictable. */
static inline uint64_t
find_arc(const struct pfsa *p, uint32_t q, uint8_t symbol)
{
    bool all = p->first[q + 1] - p->first[q] == p->model.alphabet.size;
    return all ? p->first[q] + symbol : search_arc(p, q, symbol);
}

uint64_t
pfsa_find_arc(const struct pfsa *p, uint32_t q, uint8_t symbol)
{
    return find_arc(p, q, symbol);
}

double
pfsa_log_prob(const struct pfsa *p, const uint8_t *symbols, size_t length)
{
    uint32_t q = 0;
    double sum = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t a = find_arc(p, q, symbols[i]);
        if (a == PFSA_NO_ARC)
            return -INFINITY;
        sum += p->logp[a];
        q = p->next[a];
    }
    return sum + p->final_logp[q];
}

/* --- many strings --- */

enum {
    LANES = 4,           /* strings read alternately, so that their memory accesses overlap */
    TABLE_MAX = 1 << 12, /* entries, on the stack */
    TABLE_USES = 8       /* a string is worth filling so many entries */
};

/* What a symbol does in a state, if the state has an arc for it or not: no branch depends on it. */
struct table_entry {
    double logp;
    uint32_t row; /* of the next state */
};

/* [states][alphabet] */
static void
fill_table(const struct pfsa *p, struct table_entry *table)
{
    uint32_t width = p->model.alphabet.size;
    for (uint32_t i = 0; i < p->states * width; i++)
        table[i] = (struct table_entry){-INFINITY, 0};
    for (uint32_t q = 0; q < p->states; q++)
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            table[q * width + p->symbol[a]] = (struct table_entry){p->logp[a], p->next[a] * width};
}

static void
score_lanes(const struct pfsa *p, const struct table_entry *table, const struct model_string *x,
            double *logp)
{
    const uint8_t *symbols[LANES];
    uint32_t row[LANES] = {0};
    double sum[LANES] = {0};
    size_t common = x[0].length;
    for (int k = 0; k < LANES; k++) {
        symbols[k] = x[k].symbols;
        common = x[k].length < common ? x[k].length : common;
    }
    for (size_t i = 0; i < common; i++) {
#pragma GCC unroll 8
        for (int k = 0; k < LANES; k++) {
            const struct table_entry *entry = &table[row[k] + symbols[k][i]];
            sum[k] += entry->logp;
            row[k] = entry->row;
        }
    }
    for (int k = 0; k < LANES; k++) {
        for (size_t i = common; i < x[k].length; i++) {
            sum[k] += table[row[k] + symbols[k][i]].logp;
            row[k] = table[row[k] + symbols[k][i]].row;
        }
        logp[k] = sum[k] + p->final_logp[row[k] / p->model.alphabet.size];
    }
}

/* --- as a model: the state of a prefix is the number of its state --- */

#define DEAD UINT32_MAX /* the state of a prefix outside the support */

size_t
pfsa_state_bytes(const struct model *m)
{
    (void)m;
    return sizeof(uint32_t);
}

static void
next_log_probs(const struct pfsa *p, uint32_t q, double *logp)
{
    unsigned end = p->model.alphabet.size;
    for (unsigned i = 0; i <= end; i++)
        logp[i] = -INFINITY;
    if (q == DEAD)
        return;
    logp[end] = p->final_logp[q];
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        logp[p->symbol[a]] = p->logp[a];
}

void
pfsa_root(const struct model *m, void *scratch, void *state, double *logp)
{
    (void)scratch;
    *(uint32_t *)state = 0;
    next_log_probs(pfsa_of(m), 0, logp);
}

void
pfsa_step(const struct model *m, void *scratch, size_t n, const void *parents,
          const uint32_t *parent, const uint8_t *symbol, void *children, double *logp)
{
    const struct pfsa *p = pfsa_of(m);
    const uint32_t *from = parents;
    uint32_t *to = children;
    (void)scratch;
    for (size_t i = 0; i < n; i++) {
        uint32_t q = from[parent[i]];
        uint64_t a = q == DEAD ? PFSA_NO_ARC : pfsa_find_arc(p, q, symbol[i]);
        to[i] = a == PFSA_NO_ARC ? DEAD : p->next[a];
        next_log_probs(p, to[i], logp + i * (m->alphabet.size + 1));
    }
}

void
pfsa_score(const struct model *m, const struct model_string *x, size_t n, double *logp)
{
    const struct pfsa *p = pfsa_of(m);
    struct table_entry table[TABLE_MAX];
    uint64_t entries = (uint64_t)p->states * m->alphabet.size;
    size_t i = 0;
    if (entries <= TABLE_MAX && entries <= n * TABLE_USES) {
        fill_table(p, table);
        for (; n - i >= LANES; i += LANES)
            score_lanes(p, table, x + i, logp + i);
    }
    for (; i < n; i++)
        logp[i] = pfsa_log_prob(p, x[i].symbols, x[i].length);
}

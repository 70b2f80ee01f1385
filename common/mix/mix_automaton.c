/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "core/pool.h"
#include "mix/mix.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"

/* The search for all states, the empty prefix first. */
struct mix_explorer {
    const struct mix *mix;
    size_t symbols; /* A + 1 */
    uint64_t max_size;
    struct pool *pool;
    struct model_run *run;
    struct intern *state; /* the mixture's states */
    double *row;          /* [states][A + 1] log-probabilities of the next symbol */
    size_t row_capacity;
    uint8_t *parent, *child; /* [1], [A] states of the mixture */
    double *logp;            /* [A][A + 1] */
    uint64_t *first;         /* [states] number of arcs before those of a state */
    uint32_t *next;          /* [arcs] */
    size_t first_capacity, next_capacity;
    uint64_t arcs;
};

static int
check_parts(const struct mix *m, struct err *e)
{
    int rc = 0;
    for (size_t k = 0; k < m->count && rc == 0; k++) {
        const struct model *part = m->part[k].model;
        if (mix_of(part) != NULL)
            rc = check_parts(mix_of(part), e);
        else if (pfsa_of(part) == NULL)
            rc = err_set(e, ERR_DATA,
                         "only a mixture of automata is an automaton, and component %zu is of "
                         "kind '%s'",
                         k + 1, part->kind->name);
    }
    return rc;
}

static int
open_search(struct mix_explorer *s, struct err *e)
{
    const size_t bytes = s->mix->state_bytes, size = s->symbols - 1;
    s->pool = pool_new(1, e);
    s->run = s->pool != NULL ? model_begin(&s->mix->model, s->pool, size, e) : NULL;
    s->state = intern_new(bytes, (uint32_t)s->max_size, e);
    s->parent = mem_array(1, bytes, e);
    s->child = mem_array(size, bytes, e);
    s->logp = mem_array(size * s->symbols, sizeof *s->logp, e);
    return s->run != NULL && s->state != NULL && s->parent != NULL && s->child != NULL &&
                   s->logp != NULL
               ? 0
               : ERR_NOMEM;
}

static void
close_search(struct mix_explorer *s)
{
    model_end(s->run);
    intern_free(s->state);
    mem_free(s->parent);
    mem_free(s->child);
    mem_free(s->logp);
    mem_free(s->row);
    mem_free(s->first);
    mem_free(s->next);
    pool_free(s->pool);
}

/* The number of a state; a new one keeps its row. */
static int
add_state(struct mix_explorer *s, const void *state, const double *logp, uint32_t *number,
          struct err *e)
{
    uint32_t before = intern_count(s->state);
    if (before + s->arcs >= s->max_size && intern_find(s->state, state) == INTERN_NONE)
        return err_set(e, ERR_LIMIT, "automaton has more than %llu states and transitions",
                       (unsigned long long)s->max_size);
    int rc = intern_add(s->state, state, number, e);
    if (rc != 0 || intern_count(s->state) == before)
        return rc;
    if (mem_reserve(&s->row, &s->row_capacity, (size_t)before + 1, s->symbols * sizeof *s->row,
                    e) != 0 ||
        mem_reserve(&s->first, &s->first_capacity, (size_t)before + 2, sizeof *s->first, e) != 0)
        return ERR_NOMEM;
    memcpy(s->row + before * s->symbols, logp, s->symbols * sizeof *logp);
    return 0;
}

/* Follows all symbols that are possible in state q. */
static int
expand(struct mix_explorer *s, uint32_t q, struct err *e)
{
    const uint32_t from[ALPHABET_MAX] = {0};
    uint8_t symbol[ALPHABET_MAX];
    size_t n = 0, bytes = s->mix->state_bytes;
    const double *row = s->row + q * s->symbols;
    for (size_t a = 0; a + 1 < s->symbols; a++)
        if (row[a] > -INFINITY)
            symbol[n++] = (uint8_t)a;
    s->first[q] = s->arcs;
    if (mem_reserve(&s->next, &s->next_capacity, s->arcs + n, sizeof *s->next, e) != 0)
        return ERR_NOMEM;
    memcpy(s->parent, intern_get(s->state, q), bytes);
    model_step(s->run, n, s->parent, from, symbol, s->child, s->logp);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_state(s, s->child + i * bytes, s->logp + i * s->symbols, &s->next[s->arcs++], e);
    return rc;
}

/* The states as an automaton; the probabilities of each are scaled to the sum 1, which removes
 * rounding errors. */
static struct pfsa *
collect(const struct mix_explorer *s, struct err *e)
{
    uint32_t states = intern_count(s->state);
    struct pfsa *p = pfsa_new(&s->mix->model.alphabet, states, s->arcs, e);
    if (p == NULL)
        return NULL;
    uint64_t arc = 0;
    for (uint32_t q = 0; q < states; q++) {
        const double *row = s->row + q * s->symbols;
        double total = dm_log_sum_exp(row, s->symbols);
        p->first[q] = arc;
        p->final_logp[q] = fmin(row[s->symbols - 1] - total, 0);
        for (size_t a = 0; a + 1 < s->symbols; a++)
            if (row[a] > -INFINITY) {
                p->symbol[arc] = (uint8_t)a;
                p->logp[arc] = fmin(row[a] - total, 0);
                p->next[arc] = s->next[arc];
                arc++;
            }
    }
    p->first[states] = arc;
    return p;
}

struct pfsa *
mix_automaton(const struct mix *m, uint64_t max_size, struct err *e)
{
    struct mix_explorer s = {
        .mix = m, .symbols = m->model.alphabet.size + 1u, .max_size = max_size};
    struct pfsa *p = NULL;
    uint32_t number;
    int rc = check_parts(m, e);
    if (rc == 0)
        rc = open_search(&s, e);
    if (rc == 0) {
        model_root(s.run, s.parent, s.logp);
        rc = add_state(&s, s.parent, s.logp, &number, e);
    }
    for (uint32_t q = 0; rc == 0 && q < intern_count(s.state); q++)
        rc = expand(&s, q, e);
    if (rc == 0)
        p = collect(&s, e);
    if (p != NULL)
        p = pfsa_from_log_probabilities(p, 0, e);
    close_search(&s);
    return p;
}

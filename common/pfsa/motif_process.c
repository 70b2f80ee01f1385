/* SPDX-License-Identifier: MIT */
#include "pfsa/motif_process.h"

#include <math.h>
#include <string.h>

#include "automata/dfa.h"
#include "automata/motif_dfa.h"
#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"

/* ---- a constraint unrolled over strings of one length ------------------------------- */

/* The states after t symbols are the states of the constraint, without those that cannot be
 * reached or cannot finish in time.  States that accept the same continuations are merged: the
 * result is the minimal acyclic automaton for the constraint and the length. */

#define NONE UINT32_MAX

enum { CELLS_MAX = 1 << 29 }; /* layers times states: 4 GB of scratch */

/* A cell is a state of the constraint after t symbols: cell t * states + q. */
struct layers {
    const struct dfa *m;
    const double *symbol_logw;
    double final_logw[2]; /* by `accept` */
    uint64_t length;
    uint32_t *same; /* [cells] the first equivalent state of that layer, or NONE for one that cannot
                       finish */
    uint32_t *number; /* [cells] the new state's number, NONE if it is not reached */
    uint32_t *table;  /* hash table of states + 1, 0 = free */
    size_t table_size;
};

/* The target of `symbol` from state q, in the layer `next`, or NONE. */
static uint32_t
follow(const struct layers *l, const uint32_t *next, uint32_t q, unsigned symbol)
{
    uint32_t to = l->m->next[(size_t)q * l->m->symbols + symbol];
    return to == DFA_DEAD || l->symbol_logw[symbol] == -INFINITY ? NONE : next[to];
}

static int
equivalent(const struct layers *l, const uint32_t *next, uint32_t p, uint32_t q)
{
    for (unsigned c = 0; c < l->m->symbols; c++)
        if (follow(l, next, p, c) != follow(l, next, q, c))
            return 0;
    return 1;
}

/* The first equivalent state found before, or q itself. */
static uint32_t
representative(struct layers *l, const uint32_t *next, uint32_t q)
{
    uint64_t hash = 0;
    uint32_t any = NONE;
    for (unsigned c = 0; c < l->m->symbols; c++) {
        uint32_t to = follow(l, next, q, c);
        any &= to;
        hash = (hash ^ to) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    if (any == NONE) /* no arc has a target */
        return NONE;
    for (size_t i = (size_t)hash;; i++) {
        uint32_t *slot = &l->table[i & (l->table_size - 1)];
        if (*slot == 0)
            *slot = q + 1;
        if (*slot == q + 1 || equivalent(l, next, *slot - 1, q))
            return *slot - 1;
    }
}

/* Backward from the last layer, where only the final weight counts. */
static void
merge_states(struct layers *l)
{
    uint32_t n = l->m->states, last[2] = {NONE, NONE};
    uint32_t *same = l->same + l->length * n;
    for (uint32_t q = 0; q < n; q++) {
        int accept = l->m->accept[q];
        if (last[accept] == NONE && l->final_logw[accept] > -INFINITY)
            last[accept] = q;
        same[q] = last[accept];
    }
    for (uint64_t t = l->length; t-- > 0; same -= n) {
        memset(l->table, 0, l->table_size * sizeof *l->table);
        for (uint32_t q = 0; q < n; q++)
            (same - n)[q] = representative(l, same, q);
    }
}

/* Forward from the start: marks and counts the reachable states. */
static int
count_states(struct layers *l, uint64_t *states, uint64_t *arcs, struct err *e)
{
    uint32_t n = l->m->states;
    *states = *arcs = 0;
    memset(l->number, 0xFF, (size_t)(l->length + 1) * n * sizeof *l->number);
    if (l->same[0] == NONE)
        return err_set(e, ERR_EMPTY, "no string satisfies the conditions");
    l->number[0] = 0;
    for (uint64_t t = 0; t <= l->length; t++) {
        uint32_t *number = l->number + t * n, *same = l->same + (t + 1) * n;
        for (uint32_t q = 0; q < n; q++) {
            if (number[q] == NONE)
                continue;
            number[q] = (uint32_t)(*states)++;
            for (unsigned c = 0; t < l->length && c < l->m->symbols; c++) {
                uint32_t to = follow(l, same, q, c);
                if (to == NONE)
                    continue;
                number[n + to] = 0;
                ++*arcs;
            }
        }
    }
    return *states <= PFSA_STATES_MAX ? 0
                                      : err_set(e, ERR_LIMIT, "automaton has more than %u states",
                                                (unsigned)PFSA_STATES_MAX);
}

static void
fill_state(const struct layers *l, uint64_t t, uint32_t q, struct pfsa *p, uint64_t *at)
{
    uint32_t n = l->m->states;
    const uint32_t *number = l->number + t * n, *same = l->same + (t + 1) * n;
    uint32_t state = number[q];
    p->final_logp[state] = t == l->length ? l->final_logw[l->m->accept[q]] : -INFINITY;
    for (unsigned c = 0; t < l->length && c < l->m->symbols; c++) {
        uint32_t to = follow(l, same, q, c);
        if (to == NONE)
            continue;
        p->symbol[*at] = (uint8_t)c;
        p->next[*at] = number[n + to];
        p->logp[(*at)++] = l->symbol_logw[c];
    }
    p->first[state + 1] = *at;
}

static struct pfsa *
make_automaton(const struct layers *l, const struct alphabet *a, uint64_t states, uint64_t arcs,
               struct err *e)
{
    struct pfsa *p = pfsa_new(a, (uint32_t)states, arcs, e);
    if (p == NULL)
        return NULL;
    uint64_t at = 0;
    p->acyclic = true;
    for (uint64_t t = 0; t <= l->length; t++)
        for (uint32_t q = 0; q < l->m->states; q++)
            if (l->number[t * l->m->states + q] != NONE)
                fill_state(l, t, q, p, &at);
    return p;
}

static int
allocate(struct layers *l, struct err *e)
{
    uint32_t n = l->m->states;
    if (l->length >= CELLS_MAX / n)
        return err_set(e, ERR_LIMIT, "length %llu is too large for conditions with %u states",
                       (unsigned long long)l->length, n);
    l->table_size = 16;
    while (l->table_size < 2 * (size_t)n)
        l->table_size *= 2;
    l->table = mem_array(l->table_size, sizeof *l->table, e);
    l->same = mem_array((l->length + 1) * n, sizeof *l->same, e);
    l->number = mem_array((l->length + 1) * n, sizeof *l->number, e);
    return l->table == NULL || l->same == NULL || l->number == NULL ? ERR_NOMEM : 0;
}

/* Strings of one length, with the sum of symbol_logw[] plus the final weight for accepting, or
 * not, in the constraint as weight; -inf is no weight.  Normalized.  ERR_EMPTY if no string is
 * left, ERR_LIMIT if length times states is too large. */
static struct pfsa *
unroll(const struct dfa *m, const struct motif_process *o, const double *symbol_logw,
       double accept_logw, double rejection_logw, struct err *e)
{
    struct layers l = {.m = m,
                       .symbol_logw = symbol_logw,
                       .final_logw = {rejection_logw, accept_logw},
                       .length = o->length};
    struct pfsa *p = NULL;
    uint64_t states, arcs;
    if (allocate(&l, e) == 0) {
        merge_states(&l);
        if (count_states(&l, &states, &arcs, e) == 0)
            p = make_automaton(&l, &o->alphabet, states, arcs, e);
    }
    mem_free(l.table);
    mem_free(l.same);
    mem_free(l.number);
    if (p != NULL && pfsa_push(p, NULL, e) != 0) {
        pfsa_free(p);
        p = NULL;
    }
    return p;
}

/* ---- the process -------------------------------------------------------------------- */

struct parts {
    const struct motif_process *process;
    struct dfa motif;
    double symbol_logw[ALPHABET_MAX];
};

/* Geometric length: the states of the constraint, each of which can end or continue.  The
 * weights missing to 1 are known: forbidden arcs, and the end. */
static int
draft_geometric(const struct parts *b, double accept_logw, double rejection_logw,
                struct pfsa_builder *d, struct err *e)
{
    const struct dfa *m = &b->motif;
    double stop = dm_log(b->process->stop), go_on = dm_log1p(-b->process->stop);
    uint32_t state;
    int rc = 0;
    for (uint32_t q = 0; rc == 0 && q < m->states; q++) {
        rc = pfsa_builder_state(d, stop + (m->accept[q] ? accept_logw : rejection_logw), &state, e);
        d->missing_logw[q] = stop;
        for (unsigned c = 0; rc == 0 && c < m->symbols; c++) {
            uint32_t to = m->next[(size_t)q * m->symbols + c];
            if (to != DFA_DEAD)
                rc = pfsa_builder_arc(d, q, (uint8_t)c, to, go_on + b->symbol_logw[c], e);
            else
                d->missing_logw[q] = dm_log_add_exp(d->missing_logw[q], go_on + b->symbol_logw[c]);
        }
    }
    return rc;
}

static struct pfsa *
build_geometric(const struct parts *b, double accept_logw, double rejection_logw, struct err *e)
{
    struct pfsa_builder d = {.alphabet = b->process->alphabet};
    struct pfsa *p = NULL;
    d.missing_logw = mem_array(b->motif.states, sizeof *d.missing_logw, e);
    if (d.missing_logw != NULL && draft_geometric(b, accept_logw, rejection_logw, &d, e) == 0)
        p = pfsa_builder_finish(&d, e);
    mem_free(d.missing_logw);
    pfsa_builder_clear(&d);
    return p;
}

/* Independent symbols, with strings weighted by whether they contain all motifs. */
static struct pfsa *
build_weighted(const struct parts *b, double accept_logw, double rejection_logw, struct err *e)
{
    if (!b->process->has_length)
        return build_geometric(b, accept_logw, rejection_logw, e);
    return unroll(&b->motif, b->process, b->symbol_logw, accept_logw, rejection_logw, e);
}

/* log of the factor of one part of a mixture: its share divided by its probability under
 * independent symbols. */
static int
part_weight(const struct parts *b, double share, bool accept, double *logw, struct err *e)
{
    *logw = -INFINITY;
    if (share == 0)
        return 0;
    struct pfsa *p = build_weighted(b, accept ? 0 : -INFINITY, accept ? -INFINITY : 0, e);
    if (p == NULL)
        return e->code;
    *logw = dm_log(share) - p->log_partition;
    pfsa_free(p);
    return 0;
}

static struct pfsa *
build_mixture(const struct parts *b, struct err *e)
{
    double with, without, mix = b->process->mix;
    if (part_weight(b, mix, true, &with, e) != 0 ||
        part_weight(b, 1 - mix, false, &without, e) != 0)
        return NULL;
    struct pfsa *p = build_weighted(b, with, without, e);
    if (p != NULL)
        p->log_partition = 0; /* by construction; the computed value differs by rounding */
    return p;
}

struct pfsa *
motif_process_build(const struct motif_process *p, struct err *e)
{
    struct parts b = {.process = p};
    struct pfsa *built = NULL;
    if (motif_dfa_build(&b.motif, &p->alphabet, p->required, p->required_count, p->forbidden,
                        p->forbidden_count, e) == 0) {
        for (unsigned c = 0; c < p->alphabet.size; c++)
            b.symbol_logw[c] = dm_log(p->prob[c]);
        built = p->has_mix ? build_mixture(&b, e) : build_weighted(&b, 0, -INFINITY, e);
    }
    dfa_clear(&b.motif);
    return built;
}

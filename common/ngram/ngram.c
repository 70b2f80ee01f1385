/* SPDX-License-Identifier: MIT */
#include "ngram/ngram.h"

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/alphabet.h"
#include "text/strings.h"

static bool
one_length(const struct strings *s)
{
    return s->shortest == s->longest;
}

/* Contexts have at most all symbols of a string and the start mark before it. */
static unsigned
useful_order(const struct strings *s, unsigned order)
{
    return order <= s->longest ? order : (unsigned)s->longest + 1;
}

/* An upper bound of the transitions of the automaton of an order. */
static double
transitions(const struct ngram_counts *c, const struct strings *s, const struct alphabet *a,
            unsigned order)
{
    double contexts = 0, positions = one_length(s) ? (double)s->longest : 1;
    for (size_t i = 0; i < c->contexts; i++)
        contexts += c->context[i].depth <= order;
    return contexts * positions * a->size;
}

static int
refuse_order(unsigned order, struct err *e)
{
    return err_set(e, ERR_LIMIT,
                   "order %u: the automaton would have more than %d transitions; use a lower order",
                   order, PFSA_LEARNED_ARCS_MAX);
}

/* Counts all strings; clear the result in either case. */
static int
count_all(struct ngram_counts *c, const struct strings *s, const struct alphabet *a, unsigned order,
          struct err *e)
{
    *c = (struct ngram_counts){0};
    if (s->count == 0)
        return err_set(e, ERR_DATA, "no strings to train on");
    struct err why = {0};
    int rc = ngram_counts_init(c, a->size, !one_length(s), useful_order(s, order), &why);
    if (rc == 0)
        rc = ngram_counts_add_all(c, s, &why);
    if (rc == ERR_LIMIT ||
        (rc == 0 && transitions(c, s, a, useful_order(s, order)) > PFSA_LEARNED_ARCS_MAX))
        return refuse_order(order, e);
    return err_pass(e, &why);
}

/* ---- choosing */

/* Sums of log-probabilities by order and smoothing, over the strings left out. */
struct left_out {
    double (*p)[NGRAM_SMOOTHINGS]; /* [order+1], of one position */
    struct compensated_sum (*logp)[NGRAM_SMOOTHINGS];
    uint64_t characters;
};

static void
score_string(const struct ngram_counts *c, const uint8_t *symbols, size_t length, unsigned lowest,
             struct left_out *l)
{
    for (size_t at = 0; at < length + c->has_end; at++) {
        ngram_counts_predict(c, symbols, length, at, l->p);
        for (unsigned order = lowest; order <= c->order; order++)
            for (unsigned i = 0; i < NGRAM_SMOOTHINGS; i++)
                compensated_sum_add(&l->logp[order][i], dm_log(l->p[order][i]));
    }
    l->characters += length + 1;
}

static void
leave_each_out(struct ngram_counts *c, const struct strings *s, unsigned lowest, struct left_out *l)
{
    size_t every = (s->count + NGRAM_LEFT_OUT_MAX - 1) / NGRAM_LEFT_OUT_MAX;
    for (size_t i = 0; i < s->count; i += every) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        ngram_counts_remove(c, symbols, length);
        ngram_counts_estimate(c);
        score_string(c, symbols, length, lowest, l);
        ngram_counts_restore(c, symbols, length);
    }
}

static void
add_candidates(struct ngram_choice *choice, const struct left_out *l, unsigned at, unsigned order,
               int smoothing)
{
    for (unsigned i = 0; i < NGRAM_SMOOTHINGS; i++) {
        if (smoothing != NGRAM_CHOOSE && smoothing != (int)i)
            continue;
        double ce = -compensated_sum_total(&l->logp[at][i]) / (double)l->characters;
        choice->candidate[choice->count] = (struct ngram_candidate){order, i, ce};
        if (ce < choice->candidate[choice->best].loo_ce)
            choice->best = choice->count;
        choice->count++;
    }
}

/* The counts have the largest order that is compared; `order` is the requested one. */
static int
compare(struct ngram_counts *c, const struct strings *s, int order, int smoothing,
        struct ngram_choice *choice, struct err *e)
{
    unsigned lowest = order == NGRAM_CHOOSE ? 0 : c->order;
    size_t orders = (size_t)c->order + 1;
    struct left_out l = {.p = mem_array(orders, sizeof *l.p, e),
                         .logp = mem_zero(orders, sizeof *l.logp, e)};
    if (l.p != NULL && l.logp != NULL) {
        leave_each_out(c, s, lowest, &l);
        for (unsigned k = lowest; k <= c->order; k++)
            add_candidates(choice, &l, k, order == NGRAM_CHOOSE ? k : (unsigned)order, smoothing);
    }
    mem_free(l.p);
    mem_free(l.logp);
    return e->code;
}

int
ngram_choose(const struct strings *s, const struct alphabet *a, int order, int smoothing,
             struct ngram_choice *choice, struct err *e)
{
    struct ngram_counts c;
    struct err why = {0};
    *choice = (struct ngram_choice){0};
    int highest = order == NGRAM_CHOOSE ? NGRAM_ORDER_AUTO : order;
    int rc = count_all(&c, s, a, (unsigned)highest, &why);
    while (rc == ERR_LIMIT && order == NGRAM_CHOOSE && highest > 0) {
        ngram_counts_clear(&c);
        why = (struct err){0};
        rc = count_all(&c, s, a, (unsigned)--highest, &why);
    }
    if (rc == 0)
        rc = compare(&c, s, order, smoothing, choice, &why);
    ngram_counts_clear(&c);
    return err_pass(e, &why);
}

/* ---- the automaton */

/* The transitions of each context. */
struct transitions {
    const struct ngram_counts *counts;
    unsigned symbols; /* of the alphabet */
    double *p;        /* [contexts][counts->symbols] */
    uint32_t *next;   /* [contexts][symbols] the longest context after the symbol */
};

static void
fill_probabilities(struct transitions *t, uint32_t context, enum ngram_smoothing smoothing)
{
    const struct ngram_counts *c = t->counts;
    const struct ngram_context *at = &c->context[context];
    bool lower = smoothing == NGRAM_KN && at->depth < c->order;
    double *p = t->p + (size_t)context * c->symbols;
    const double *parent = t->p + (size_t)at->parent * c->symbols;
    for (unsigned i = 0; i < c->symbols; i++)
        p[i] = ngram_counts_step(c, context, i, smoothing, lower ? NGRAM_LOWER : NGRAM_RAW,
                                 context > 0 ? parent[i] : 1.0 / c->symbols);
}

static int
fill_table(struct transitions *t, enum ngram_smoothing smoothing, struct err *e)
{
    const struct ngram_counts *c = t->counts;
    t->p = mem_array(c->contexts, c->symbols * sizeof *t->p, e);
    t->next = mem_array(c->contexts, t->symbols * sizeof *t->next, e);
    if (t->p == NULL || t->next == NULL)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < c->contexts; i++)
        fill_probabilities(t, i, smoothing);
    ngram_counts_next(c, t->symbols, t->next);
    return 0;
}

/* The state of a context.  For strings of one length, also of a position; after the last
 * position there is a single final state. */
static uint32_t
state_at(const struct ngram_counts *c, size_t positions, size_t position, uint32_t context)
{
    if (c->has_end)
        return context;
    return (uint32_t)(position * c->contexts + (position < positions ? context : 0));
}

static void
fill_state(struct pfsa *p, const struct transitions *t, size_t positions, size_t position,
           uint32_t context)
{
    const struct ngram_counts *c = t->counts;
    uint32_t q = state_at(c, positions, position, context);
    uint64_t at = p->first[q];
    const double *probability = t->p + (size_t)context * c->symbols;
    const uint32_t *next = t->next + (size_t)context * t->symbols;
    for (unsigned i = 0; i < t->symbols; i++, at++) {
        p->symbol[at] = (uint8_t)i;
        p->next[at] = state_at(c, positions, position + 1, next[i]);
        p->logp[at] = probability[i];
    }
    p->final_logp[q] = c->has_end ? probability[t->symbols] : 0;
    p->first[q + 1] = at;
}

/* All contexts at all positions; unreachable ones are removed at the end. */
static struct pfsa *
build_states(const struct transitions *t, const struct alphabet *a, size_t length, struct err *e)
{
    const struct ngram_counts *c = t->counts;
    size_t positions = c->has_end ? 1 : length, states = positions * c->contexts;
    uint32_t start = positions > 0 ? ngram_counts_start(c) : 0;
    struct pfsa *p = pfsa_new(a, (uint32_t)(states + !c->has_end), states * a->size, e);
    if (p == NULL)
        return NULL;
    for (size_t i = 0; i < positions; i++)
        for (uint32_t q = 0; q < c->contexts; q++)
            fill_state(p, t, positions, i, q);
    if (!c->has_end) {
        p->final_logp[states] = 1;
        p->first[states + 1] = p->first[states];
    }
    return pfsa_from_probabilities(p, start, e);
}

struct pfsa *
ngram_build(const struct strings *s, const struct alphabet *a, unsigned order,
            enum ngram_smoothing smoothing, struct err *e)
{
    struct ngram_counts c;
    struct pfsa *p = NULL;
    struct transitions t = {.counts = &c, .symbols = a->size};
    if (count_all(&c, s, a, order, e) == 0) {
        ngram_counts_estimate(&c);
        if (fill_table(&t, smoothing, e) == 0)
            p = build_states(&t, a, s->longest, e);
    }
    mem_free(t.p);
    mem_free(t.next);
    ngram_counts_clear(&c);
    return p;
}

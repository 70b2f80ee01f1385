/* SPDX-License-Identifier: MIT */
#include "ngram/positional.h"

#include <math.h>
#include <stdbool.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "ngram/ngram.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/alphabet.h"
#include "text/strings.h"

struct counts {
    const struct strings *strings;
    size_t length, symbols; /* positions; size of the alphabet */
    uint64_t strings_in, total;
    uint64_t in_all[ALPHABET_MAX]; /* N(a) */
    uint32_t *at;                  /* [length][symbols] n_t(a) */
    uint32_t *pair;                /* [length][symbols][symbols] n_t(b,a); NULL for order 0 */
};

static void
counts_clear(struct counts *c)
{
    mem_free(c->at);
    mem_free(c->pair);
}

/* Adds a string, or removes it if `step` is -1. */
static void
count_string(struct counts *c, const uint8_t *x, int step)
{
    for (size_t t = 0; t < c->length; t++) {
        c->at[t * c->symbols + x[t]] += (uint32_t)step;
        c->in_all[x[t]] += (uint64_t)(int64_t)step;
        if (c->pair != NULL && t > 0)
            c->pair[(t * c->symbols + x[t - 1]) * c->symbols + x[t]] += (uint32_t)step;
    }
    c->strings_in += (uint64_t)(int64_t)step;
    c->total += (uint64_t)((int64_t)c->length * step);
}

static bool
too_large(const struct strings *s, const struct alphabet *a, int order)
{
    return (double)s->longest * a->size * (order > 0 ? a->size : 1) > PFSA_LEARNED_ARCS_MAX;
}

/* Checks that the strings have one length and that the automaton is not too large. */
static int
check(const struct strings *s, const struct alphabet *a, int order, struct err *e)
{
    if (s->count == 0)
        return err_set(e, ERR_DATA, "no strings to train on");
    if (s->shortest != s->longest)
        return err_set(e, ERR_DATA,
                       "strings have %zu to %zu symbols, but positions require equal lengths",
                       s->shortest, s->longest);
    if (too_large(s, a, order))
        return err_set(e, ERR_LIMIT, "the automaton would have more than %d transitions",
                       PFSA_LEARNED_ARCS_MAX);
    return 0;
}

/* Clear in any case. */
static int
count_all(struct counts *c, const struct strings *s, const struct alphabet *a, int order,
          struct err *e)
{
    *c = (struct counts){.strings = s, .length = s->longest, .symbols = a->size};
    int rc = check(s, a, order, e);
    if (rc != 0)
        return rc;
    size_t each = c->symbols * sizeof *c->at;
    c->at = mem_zero(c->length, each, e);
    c->pair = order > 0 ? mem_zero(c->length, each * c->symbols, e) : NULL;
    for (size_t i = 0; e->code == 0 && i < s->count; i++) {
        size_t length;
        count_string(c, strings_get(s, i, &length), 1);
    }
    return e->code;
}

static double
composition(const struct counts *c, unsigned symbol)
{
    return ((double)c->in_all[symbol] + 1) / (double)(c->total + c->symbols);
}

/* p_t(a) */
static double
at_position(const struct counts *c, size_t t, unsigned symbol, double k)
{
    double n = c->at[t * c->symbols + symbol];
    return (n + k * composition(c, symbol)) / ((double)c->strings_in + k);
}

/* p_t(a|b), from p_t(a) */
static double
after_symbol(const struct counts *c, size_t t, unsigned before, unsigned symbol, double k,
             double lower)
{
    double n = c->pair[(t * c->symbols + before) * c->symbols + symbol];
    return (n + k * lower) / (c->at[(t - 1) * c->symbols + before] + k);
}

/* ---- choosing */

/* The log-probability of a string, by the order and pseudo-counts of `m`. */
static double
log_prob(const struct counts *c, const uint8_t *x, const struct positional *m)
{
    struct compensated_sum sum = {0};
    for (size_t t = 0; t < c->length; t++) {
        double p = at_position(c, t, x[t], m->pseudo_count[0]);
        if (m->order > 0 && t > 0)
            p = after_symbol(c, t, x[t - 1], x[t], m->pseudo_count[1], p);
        compensated_sum_add(&sum, dm_log(p));
    }
    return compensated_sum_total(&sum);
}

/* Compares all pseudo-counts of m's order; those of the lower order are known. */
static void
choose_pseudo_count(struct counts *c, struct positional *m)
{
    struct compensated_sum logp[POSITIONAL_GRID] = {{0}};
    size_t n = c->strings->count, every = (n + NGRAM_LEFT_OUT_MAX - 1) / NGRAM_LEFT_OUT_MAX;
    double characters = 0, *k = &m->pseudo_count[m->order];
    for (size_t i = 0; i < n; i += every) {
        size_t length;
        const uint8_t *x = strings_get(c->strings, i, &length);
        count_string(c, x, -1);
        for (int g = 0; g < POSITIONAL_GRID; g++) {
            *k = ldexp(1, POSITIONAL_LEAST + g);
            compensated_sum_add(&logp[g], log_prob(c, x, m));
        }
        count_string(c, x, 1);
        characters += (double)length + 1;
    }
    int best = 0;
    for (int g = 1; g < POSITIONAL_GRID; g++)
        if (compensated_sum_total(&logp[g]) > compensated_sum_total(&logp[best]))
            best = g;
    *k = ldexp(1, POSITIONAL_LEAST + best);
    m->loo_ce[m->order] = -compensated_sum_total(&logp[best]) / characters;
}

int
positional_choose(const struct strings *s, const struct alphabet *a, int order,
                  struct positional *choice, struct err *e)
{
    struct counts c;
    struct positional m = {0};
    if (order == POSITIONAL_CHOOSE && too_large(s, a, 1))
        order = 0;
    int rc = count_all(&c, s, a, order == POSITIONAL_CHOOSE ? 1 : order, e);
    if (rc == 0)
        choose_pseudo_count(&c, &m);
    if (rc == 0 && order != 0) {
        m.order = 1;
        choose_pseudo_count(&c, &m);
        if (order == POSITIONAL_CHOOSE && m.loo_ce[0] <= m.loo_ce[1])
            m.order = 0;
    }
    counts_clear(&c);
    *choice = m;
    return rc;
}

/* ---- the automaton */

/* States by position and, for order 1, by the last symbol; one state before the first symbol
 * and one after the last. */
static uint32_t
state_at(const struct counts *c, unsigned order, size_t t, unsigned last)
{
    size_t each = order > 0 ? c->symbols : 1;
    if (t == 0)
        return 0;
    return (uint32_t)(1 + (t - 1) * each + (order > 0 && t < c->length ? last : 0));
}

static void
fill_state(struct pfsa *p, const struct counts *c, const struct positional *m, size_t t,
           unsigned last)
{
    uint32_t q = state_at(c, m->order, t, last);
    uint64_t at = p->first[q];
    for (unsigned i = 0; i < c->symbols; i++, at++) {
        double lower = at_position(c, t, i, m->pseudo_count[0]);
        p->symbol[at] = (uint8_t)i;
        p->next[at] = state_at(c, m->order, t + 1, i);
        p->logp[at] =
            m->order > 0 && t > 0 ? after_symbol(c, t, last, i, m->pseudo_count[1], lower) : lower;
    }
    p->final_logp[q] = 0;
    p->first[q + 1] = at;
}

static struct pfsa *
build_states(const struct counts *c, const struct alphabet *a, const struct positional *m,
             struct err *e)
{
    uint32_t last = state_at(c, m->order, c->length, 0);
    struct pfsa *p = pfsa_new(a, last + 1, (uint64_t)last * c->symbols, e);
    if (p == NULL)
        return NULL;
    for (size_t t = 0; t < c->length; t++)
        for (unsigned b = 0; b < (m->order > 0 && t > 0 ? c->symbols : 1); b++)
            fill_state(p, c, m, t, b);
    p->final_logp[last] = 1;
    p->first[last + 1] = p->first[last];
    return pfsa_from_probabilities(p, 0, e);
}

struct pfsa *
positional_build(const struct strings *s, const struct alphabet *a, const struct positional *choice,
                 struct err *e)
{
    struct counts c;
    struct pfsa *p = NULL;
    if (count_all(&c, s, a, (int)choice->order, e) == 0)
        p = build_states(&c, a, choice, e);
    counts_clear(&c);
    return p;
}

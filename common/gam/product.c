/* SPDX-License-Identifier: MIT */
#include "gam/product.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "gam/gam.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"

/* ---- weights of the parts ----------------------------------------------------------- */

static size_t
chosen_feature(const struct product *x, size_t k)
{
    return x->chosen == NULL ? k : x->chosen[k];
}

/* Up to which length symbols are counted. */
static uint64_t
find_time_max(const struct product *x, const struct pfsa *base, uint64_t max_length)
{
    uint64_t most = 0;
    if (max_length < base->model.max_length)
        return max_length;
    for (size_t k = 0; k < x->chosen_count; k++) {
        size_t i = chosen_feature(x, k);
        if (feature_set_is_timed(x->features, i) && feature_set_time_steady(x->features, i) > most)
            most = feature_set_time_steady(x->features, i);
    }
    return most < base->model.max_length ? most : base->model.max_length;
}

static int
check_time_max(const struct product *x, struct err *e)
{
    if (x->time_max == MODEL_UNBOUNDED)
        return err_set(e, ERR_DATA,
                       "strings have no maximum length, but a feature depends on the whole string");
    if (x->time_max < x->max_size)
        return 0;
    return err_set(e, ERR_LIMIT, "features distinguish lengths up to %llu, maximum is %llu",
                   (unsigned long long)x->time_max, (unsigned long long)x->max_size);
}

static void
weigh_parts(struct product *x, const double *lambda)
{
    feature_automaton_weights(x->automaton, x->features, lambda, x->arc_weight, x->end_weight);
    for (uint64_t t = 0; t <= x->time_max; t++)
        x->time_weight[t] = feature_set_time_weight(x->features, lambda, t);
    x->time_slope = feature_set_time_slope(x->features, lambda, x->time_max);
}

/* ---- the states --------------------------------------------------------------------- */

struct triple {
    uint32_t state;   /* of the base */
    uint32_t feature; /* state of the features' automaton */
    uint32_t time;    /* symbols so far, time_max at most */
};

struct product_explorer {
    struct product *x;
    const struct pfsa *base;
    bool limited;     /* strings of time_max symbols cannot be extended */
    bool grows;       /* the constraints on the length allow more than time_max symbols */
    const bool *hard; /* [features] constraints: the feature must be 0 */
    struct feature_explorer *explorer;
    struct intern *triples;
    struct pfsa *found; /* states in the order in which they are found, their arrays growing */
    size_t states_capacity, final_capacity, symbol_capacity, next_capacity, logp_capacity;
};

static struct triple
get_triple(const struct product_explorer *s, uint32_t i)
{
    struct triple x;
    memcpy(&x, intern_get(s->triples, i), sizeof x);
    return x;
}

static int
reserve(struct product_explorer *s, uint64_t states, uint64_t arcs, struct err *e)
{
    struct pfsa *p = s->found;
    if (states + arcs > s->x->max_size)
        return err_set(
            e, ERR_LIMIT,
            "product of automaton and features has more than %llu states and transitions",
            (unsigned long long)s->x->max_size);
    if (mem_reserve(&p->first, &s->states_capacity, states + 1, sizeof *p->first, e) != 0 ||
        mem_reserve(&p->final_logp, &s->final_capacity, states, sizeof *p->final_logp, e) != 0 ||
        mem_reserve(&p->symbol, &s->symbol_capacity, arcs, sizeof *p->symbol, e) != 0 ||
        mem_reserve(&p->next, &s->next_capacity, arcs, sizeof *p->next, e) != 0 ||
        mem_reserve(&p->logp, &s->logp_capacity, arcs, sizeof *p->logp, e) != 0)
        return ERR_NOMEM;
    return 0;
}

static bool
terms_allowed(const struct product_explorer *s, struct feature_terms t)
{
    for (; t.from < t.to; t.from++)
        if (s->hard[t.from->feature])
            return false;
    return true;
}

/* Whether the constraints on the length allow strings of this length. */
static bool
length_allowed(const struct product_explorer *s, uint64_t length)
{
    const struct feature_set *f = s->x->features;
    for (size_t k = 0; k < s->x->chosen_count; k++) {
        size_t i = chosen_feature(s->x, k);
        if (s->hard[i] && feature_set_is_timed(f, i) &&
            feature_set_time_numerator(f, i, length) > 0)
            return false;
    }
    return true;
}

/* Follows the base's arc, unless the hard constraints exclude it. */
static int
add_arc(struct product_explorer *s, struct triple from, uint64_t arc, struct err *e)
{
    bool steady = from.time == s->x->time_max;
    uint8_t symbol = s->base->symbol[arc];
    struct triple to = {.state = s->base->next[arc], .time = from.time + !steady};
    struct feature_terms terms;
    int rc = feature_explorer_arc(s->explorer, from.feature, symbol, &to.feature, &terms, e);
    if (rc != 0 || !terms_allowed(s, terms) || (steady && !s->grows))
        return rc;
    uint64_t at = s->found->arcs++;
    s->found->symbol[at] = symbol;
    s->found->logp[at] = s->base->logp[arc];
    return intern_add(s->triples, &to, &s->found->next[at], e);
}

static int
open_state(struct product_explorer *s, uint32_t i, struct err *e)
{
    const struct pfsa *base = s->base;
    struct triple from = get_triple(s, i);
    uint64_t begin = base->first[from.state], end = base->first[from.state + 1];
    int rc = reserve(s, (uint64_t)i + 1, s->found->arcs + (end - begin), e);
    if (rc != 0)
        return rc;
    bool allowed = terms_allowed(s, feature_explorer_end(s->explorer, from.feature)) &&
                   length_allowed(s, from.time);
    s->found->final_logp[i] = allowed ? base->final_logp[from.state] : -INFINITY;
    if (!(s->limited && from.time == s->x->time_max))
        for (uint64_t a = begin; rc == 0 && a < end; a++)
            rc = add_arc(s, from, a, e);
    s->found->states = i + 1;
    s->found->first[i + 1] = s->found->arcs;
    return rc;
}

static int
search(struct product_explorer *s, struct err *e)
{
    struct triple start = {0, 0, 0};
    uint32_t i;
    int rc = intern_add(s->triples, &start, &i, e);
    for (i = 0; rc == 0 && i < intern_count(s->triples); i++)
        rc = open_state(s, i, e);
    return rc;
}

/* ---- the product of the states that strings pass ---------------------------------- */

/* Properties of each state and arc that do not change with the weights. */
static int
keep_parts(struct product *x, const struct product_explorer *s, const uint32_t *old, struct err *e)
{
    const struct pfsa *p = x->pfsa;
    x->base_logp = mem_array(p->arcs, sizeof *x->base_logp, e);
    x->base_final = mem_array(p->states, sizeof *x->base_final, e);
    x->feature_state = mem_array(p->states, sizeof *x->feature_state, e);
    x->time = mem_array(p->states, sizeof *x->time, e);
    if (x->base_logp == NULL || x->base_final == NULL || x->feature_state == NULL ||
        x->time == NULL)
        return ERR_NOMEM;
    memcpy(x->base_logp, p->logp, (size_t)p->arcs * sizeof *x->base_logp);
    memcpy(x->base_final, p->final_logp, p->states * sizeof *x->base_final);
    for (uint32_t q = 0; q < p->states; q++) {
        struct triple from = get_triple(s, old[q]);
        x->feature_state[q] = from.feature;
        x->time[q] = from.time;
    }
    return 0;
}

/* See base_left; the arcs here are some of the base's, in the same order. */
static int
find_left(struct product *x, const struct product_explorer *s, const uint32_t *old, struct err *e)
{
    const struct pfsa *p = x->pfsa, *base = s->base;
    if (p->acyclic)
        return 0;
    x->base_left = mem_array(p->states, sizeof *x->base_left, e);
    if (x->base_left == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < p->states; q++) {
        uint32_t from = get_triple(s, old[q]).state;
        uint64_t here = p->first[q];
        x->base_left[q] = dm_exp(base->final_logp[from]);
        for (uint64_t a = base->first[from]; a < base->first[from + 1]; a++)
            if (here < p->first[q + 1] && p->symbol[here] == base->symbol[a])
                here++;
            else
                x->base_left[q] += dm_exp(base->logp[a]);
    }
    return 0;
}

/* The reachable states, and the part of the features' automaton that they need. */
static int
find_states(struct product_explorer *s, uint32_t **old, struct err *e)
{
    struct product *x = s->x;
    s->explorer = feature_explorer_new(x->features, x->chosen, x->chosen_count, x->max_size, e);
    s->triples = intern_new(sizeof(struct triple), (uint32_t)x->max_size, e);
    s->found = pfsa_new(&s->base->model.alphabet, 0, 0, e);
    if (s->explorer == NULL || s->triples == NULL || s->found == NULL)
        return ERR_NOMEM; /* or another error */
    s->states_capacity = 1;
    int rc = search(s, e);
    if (rc != 0)
        return rc;
    x->automaton = feature_explorer_finish(s->explorer, e);
    s->explorer = NULL;
    if (x->automaton == NULL)
        return ERR_NOMEM;
    x->pfsa = pfsa_trim(s->found, 0, old, e);
    return x->pfsa != NULL ? 0 : e->code;
}

static int
build_states(struct product *x, const struct pfsa *base, bool limited, const bool *hard,
             struct err *e)
{
    struct product_explorer s = {.x = x, .base = base, .limited = limited, .hard = hard};
    struct err why = {0};
    uint32_t *old = NULL;
    s.grows = length_allowed(&s, x->time_max + 1); /* each further symbol adds the same */
    int rc = find_states(&s, &old, &why);
    pfsa_free(s.found);
    if (rc == 0)
        rc = keep_parts(x, &s, old, &why);
    if (rc == 0)
        rc = find_left(x, &s, old, &why);
    mem_free(old);
    intern_free(s.triples);
    feature_explorer_free(s.explorer);
    if (why.code == ERR_EMPTY)
        return err_set(e, ERR_EMPTY, "no string of the base model satisfies the hard constraints");
    return err_pass(e, &why);
}

static int
make_weights(struct product *x, struct err *e)
{
    const struct feature_automaton *m = x->automaton;
    x->arc_weight = mem_array((size_t)m->states * m->symbols, sizeof *x->arc_weight, e);
    x->end_weight = mem_array(m->states, sizeof *x->end_weight, e);
    x->time_weight = mem_array(x->time_max + 1, sizeof *x->time_weight, e);
    return x->arc_weight != NULL && x->end_weight != NULL && x->time_weight != NULL ? 0 : ERR_NOMEM;
}

/* The product with the weights 0 and -inf. */
static int
build(struct product *x, const struct pfsa *base, bool limited, const double *lambda, struct err *e)
{
    size_t n = feature_set_count(x->features);
    bool *hard = mem_zero(n, sizeof *hard, e);
    double *first = mem_zero(n, sizeof *first, e);
    int rc = hard != NULL && first != NULL ? 0 : ERR_NOMEM;
    for (size_t i = 0; rc == 0 && lambda != NULL && i < n; i++) {
        hard[i] = lambda[i] == -INFINITY;
        first[i] = hard[i] ? -INFINITY : 0;
    }
    if (rc == 0)
        rc = build_states(x, base, limited, hard, e);
    if (rc == 0)
        rc = make_weights(x, e);
    if (rc == 0)
        rc = product_set_lambda(x, first, e);
    mem_free(hard);
    mem_free(first);
    return rc;
}

struct product *
product_new(const struct pfsa *base, const struct feature_set *f, const size_t *chosen,
            size_t chosen_count, uint64_t max_length, const double *lambda, uint64_t max_size,
            struct err *e)
{
    struct product *x = mem_zero(1, sizeof *x, e);
    if (x == NULL)
        return NULL;
    x->features = f;
    x->chosen = chosen;
    x->chosen_count = chosen == NULL ? feature_set_count(f) : chosen_count;
    x->max_size = max_size;
    x->time_max = find_time_max(x, base, max_length);
    if (check_time_max(x, e) == 0 &&
        build(x, base, max_length < base->model.max_length, lambda, e) == 0)
        return x;
    product_free(x);
    return NULL;
}

void
product_free(struct product *x)
{
    if (x == NULL)
        return;
    feature_automaton_free(x->automaton);
    pfsa_free(x->pfsa);
    mem_free(x->base_logp);
    mem_free(x->base_final);
    mem_free(x->base_left);
    mem_free(x->feature_state);
    mem_free(x->time);
    mem_free(x->arc_weight);
    mem_free(x->end_weight);
    mem_free(x->time_weight);
    mem_free(x);
}

/* ---- weights in place ------------------------------------------------------------- */

static double
arc_tilt(const struct product *x, uint32_t q, uint8_t symbol)
{
    double tilt = x->arc_weight[(size_t)x->feature_state[q] * x->automaton->symbols + symbol];
    return x->time[q] == x->time_max ? tilt + x->time_slope : tilt;
}

/* 1 minus the weights of the arcs of q, if all tilts are <= 0: what the base has left, plus
 * what the tilts take.  NaN if a tilt is positive. */
static double
missing_weight(const struct product *x, uint32_t q)
{
    const struct pfsa *p = x->pfsa;
    double sum = x->base_left[q];
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        double tilt = arc_tilt(x, q, p->symbol[a]);
        if (tilt > 0)
            return NAN;
        if (tilt < 0)
            sum -= dm_exp(x->base_logp[a]) * dm_expm1(tilt);
    }
    return sum;
}

/* The logarithms of missing_weight of all states, for loops with little leak; *missing stays
 * NULL if there are no loops, or a tilt is positive. */
static int
find_missing(const struct product *x, double **missing, struct err *e)
{
    *missing = NULL;
    if (x->pfsa->acyclic)
        return 0;
    *missing = mem_array(x->pfsa->states, sizeof **missing, e);
    if (*missing == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; *missing != NULL && q < x->pfsa->states; q++) {
        double weight = missing_weight(x, q);
        (*missing)[q] = dm_log(weight);
        if (isnan(weight)) {
            mem_free(*missing);
            *missing = NULL;
        }
    }
    return 0;
}

int
product_set_lambda(struct product *x, const double *lambda, struct err *e)
{
    struct pfsa *p = x->pfsa;
    double *missing;
    weigh_parts(x, lambda);
    for (uint32_t q = 0; q < p->states; q++) {
        p->final_logp[q] = x->base_final[q];
        if (x->base_final[q] > -INFINITY)
            p->final_logp[q] += x->end_weight[x->feature_state[q]] + x->time_weight[x->time[q]];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            p->logp[a] = x->base_logp[a] + arc_tilt(x, q, p->symbol[a]);
    }
    int rc = find_missing(x, &missing, e);
    if (rc == 0)
        rc = pfsa_push(p, missing, e);
    mem_free(missing);
    return rc;
}

struct pfsa *
product_of_gam(const struct gam *g, uint64_t max_length, struct err *e)
{
    struct pfsa *p = NULL;
    if (g->model.max_length < max_length)
        max_length = g->model.max_length;
    if (model_check_length(g->model.base, max_length, e) != 0)
        return NULL;
    struct product *x = product_new(pfsa_of(g->model.base), g->features, NULL, 0, max_length,
                                    g->lambda, PRODUCT_SIZE_MAX, e);
    if (x != NULL && product_set_lambda(x, g->lambda, e) == 0 &&
        pfsa_check_result(x->pfsa, e) == 0) {
        p = x->pfsa;
        x->pfsa = NULL;
    }
    product_free(x);
    return p;
}

/* SPDX-License-Identifier: MIT */
#include "discover/tilted_chain.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "text/alphabet.h"
#include "text/strings.h"

enum { PASSES_MAX = 60 };

/* Moments match if they differ by at most this share of their standard error in the data. */
static const double tolerance = 0.02;

/* A code is a context: K digits in base A + 1, the last symbol lowest; the digit A is the
 * position before the string. */
struct tilted_chain {
    const struct strings *data;
    unsigned symbols, order;
    size_t codes;         /* (A + 1)^K */
    double *count;        /* [codes][A] in the data */
    double *theta;        /* [codes][A] */
    double *expected;     /* [codes][A] under P, per string */
    size_t longest;       /* symbols in a string */
    double *length_share; /* [longest + 1] */
    struct feature_set *features;
    struct feature_automaton *automaton; /* of the features; NULL: none */
    double *lambda, *target, *mean;      /* [features] */
    size_t capacity;                     /* of each of the three */
    /* The product of contexts and features; state 0 is the start. */
    uint32_t states;
    uint32_t *code, *feature_state; /* [states] */
    uint32_t *next;                 /* [states][A] */
    double *arc, *end;              /* [states][A], [states] weights */
    double *arc_mass, *end_mass;    /* the same: probabilities, per string */
    double *length_weight;          /* w, [longest + 1] */
    double *rest;                   /* [longest + 1][states] weight of all that can follow */
};

/* ---- counts */

static size_t
first_code(const struct tilted_chain *c)
{
    return c->codes - 1;
}

static size_t
next_code(const struct tilted_chain *c, size_t code, uint8_t symbol)
{
    return (code * (c->symbols + 1) + symbol) % c->codes;
}

static void
count_symbols(struct tilted_chain *c)
{
    for (size_t i = 0; i < c->data->count; i++) {
        size_t length, code = first_code(c);
        const uint8_t *x = strings_get(c->data, i, &length);
        c->length_share[length] += 1.0 / (double)c->data->count;
        for (size_t t = 0; t < length; t++) {
            c->count[code * c->symbols + x[t]]++;
            code = next_code(c, code, x[t]);
        }
    }
}

static double
row_sum(const double *row, unsigned n)
{
    double sum = 0;
    for (unsigned a = 0; a < n; a++)
        sum += row[a];
    return sum;
}

/* The share of each symbol after each context; for contexts without a continuation in the data, the
 * overall share. */
static int
set_shares(struct tilted_chain *c, struct err *e)
{
    double *all = mem_zero(c->symbols, sizeof *all, e);
    if (all == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < c->codes * c->symbols; i++)
        all[i % c->symbols] += c->count[i];
    for (size_t code = 0; code < c->codes; code++) {
        const double *from = c->count + code * c->symbols;
        if (row_sum(from, c->symbols) == 0)
            from = all;
        double sum = row_sum(from, c->symbols);
        for (unsigned a = 0; a < c->symbols; a++)
            c->theta[code * c->symbols + a] = sum > 0 ? from[a] / sum : 0;
    }
    mem_free(all);
    return 0;
}

/* ---- the product of contexts and features */

static void
clear_product(struct tilted_chain *c)
{
    mem_free(c->code);
    mem_free(c->feature_state);
    mem_free(c->next);
    mem_free(c->arc);
    mem_free(c->end);
    mem_free(c->arc_mass);
    mem_free(c->end_mass);
    mem_free(c->rest);
    c->code = c->feature_state = c->next = NULL;
    c->arc = c->end = c->arc_mass = c->end_mass = c->rest = NULL;
    c->states = 0;
}

/* The index of pairs of context and feature state. */
struct pairs {
    uint32_t *number; /* [codes][feature states], 0: not found yet */
    size_t feature_states;
    size_t capacity[3];
};

static int
find_pair(struct tilted_chain *c, struct pairs *p, size_t code, uint32_t s, uint32_t *state,
          struct err *e)
{
    uint32_t *number = &p->number[code * p->feature_states + s];
    if (*number == 0) {
        uint32_t q = c->states;
        if (mem_reserve(&c->code, &p->capacity[0], q + 1, sizeof *c->code, e) != 0 ||
            mem_reserve(&c->feature_state, &p->capacity[1], q + 1, sizeof *c->feature_state, e) !=
                0 ||
            mem_reserve(&c->next, &p->capacity[2], q + 1, c->symbols * sizeof *c->next, e) != 0)
            return ERR_NOMEM;
        c->code[q] = (uint32_t)code;
        c->feature_state[q] = s;
        *number = ++c->states;
    }
    *state = *number - 1;
    return 0;
}

/* Breadth first; symbols of share 0 lead to the start, with weight 0. */
static int
find_states(struct tilted_chain *c, struct pairs *p, struct err *e)
{
    uint32_t state;
    int rc = find_pair(c, p, first_code(c), 0, &state, e);
    for (uint32_t q = 0; rc == 0 && q < c->states; q++)
        for (unsigned a = 0; rc == 0 && a < c->symbols; a++) {
            size_t code = c->code[q];
            uint32_t s = c->feature_state[q];
            uint32_t to = c->automaton == NULL ? 0 : c->automaton->next[s * c->symbols + a];
            state = 0;
            if (c->theta[code * c->symbols + a] > 0)
                rc = find_pair(c, p, next_code(c, code, (uint8_t)a), to, &state, e);
            if (rc == 0)
                c->next[(size_t)q * c->symbols + a] = state;
        }
    return rc;
}

static int
too_large(const struct tilted_chain *c, struct err *e)
{
    return err_set(e, ERR_LIMIT,
                   "a chain of order %u with these features and strings of up to %zu symbols would "
                   "take more than %d cells",
                   c->order, c->longest, TILTED_CHAIN_CELLS_MAX);
}

static int
allocate_product(struct tilted_chain *c, struct err *e)
{
    if ((uint64_t)c->states * (c->longest + 1 > c->symbols ? c->longest + 1 : c->symbols) >
        TILTED_CHAIN_CELLS_MAX)
        return too_large(c, e);
    size_t arcs = (size_t)c->states * c->symbols;
    c->arc = mem_array(arcs, sizeof *c->arc, e);
    c->arc_mass = mem_array(arcs, sizeof *c->arc_mass, e);
    c->end = mem_array(c->states, sizeof *c->end, e);
    c->end_mass = mem_array(c->states, sizeof *c->end_mass, e);
    c->rest = mem_array((size_t)c->states * (c->longest + 1), sizeof *c->rest, e);
    return e->code;
}

static int
build_product(struct tilted_chain *c, struct err *e)
{
    struct pairs p = {.feature_states = c->automaton == NULL ? 1 : c->automaton->states};
    clear_product(c);
    if ((uint64_t)c->codes * p.feature_states > TILTED_CHAIN_CELLS_MAX)
        return too_large(c, e);
    p.number = mem_zero(c->codes * p.feature_states, sizeof *p.number, e);
    int rc = p.number == NULL ? ERR_NOMEM : find_states(c, &p, e);
    mem_free(p.number);
    return rc == 0 ? allocate_product(c, e) : rc;
}

/* ---- weights */

/* Weights of arcs and ends of the product at the current theta and lambda. */
static int
set_weights(struct tilted_chain *c, struct err *e)
{
    size_t n = c->automaton == NULL ? 1 : c->automaton->states;
    double *arc = mem_zero(n * c->symbols, sizeof *arc, e), *end = mem_zero(n, sizeof *end, e);
    if (arc != NULL && end != NULL) {
        if (c->automaton != NULL)
            feature_automaton_weights(c->automaton, c->features, c->lambda, arc, end);
        for (size_t i = 0; i < (size_t)c->states * c->symbols; i++) {
            size_t q = i / c->symbols, a = i % c->symbols;
            c->arc[i] = c->theta[c->code[q] * c->symbols + a] *
                        dm_exp(arc[c->feature_state[q] * c->symbols + a]);
        }
        for (uint32_t q = 0; q < c->states; q++)
            c->end[q] = dm_exp(end[c->feature_state[q]]);
    }
    mem_free(arc);
    mem_free(end);
    return e->code;
}

/* One step of all prefixes: mass[to] from mass[from], and optionally the mass of each arc,
 * in units of what can follow. */
static void
step_forward(const struct tilted_chain *c, const double *from, double *to, const double *rest,
             double *arc_mass)
{
    memset(to, 0, c->states * sizeof *to);
    for (uint32_t q = 0; q < c->states; q++) {
        if (from[q] == 0)
            continue;
        for (size_t i = (size_t)q * c->symbols; i < (size_t)(q + 1) * c->symbols; i++) {
            double mass = from[q] * c->arc[i];
            to[c->next[i]] += mass;
            if (arc_mass != NULL)
                arc_mass[i] += mass * rest[c->next[i]];
        }
    }
}

/* w: the share of each length over the weight of all strings that have it.  `mass` has room for
 * two rows. */
static void
set_length_weights(struct tilted_chain *c, double *mass)
{
    double *now = mass, *next = mass + c->states;
    memset(now, 0, c->states * sizeof *now);
    now[0] = 1;
    for (size_t t = 0; t <= c->longest; t++) {
        double total = 0;
        for (uint32_t q = 0; q < c->states; q++)
            total += now[q] * c->end[q];
        c->length_weight[t] = c->length_share[t] > 0 && total > 0 ? c->length_share[t] / total : 0;
        step_forward(c, now, next, NULL, NULL);
        double *swap = now;
        now = next;
        next = swap;
    }
}

static void
set_rest(struct tilted_chain *c)
{
    for (size_t t = c->longest + 1; t-- > 0;) {
        double *row = c->rest + t * c->states;
        for (uint32_t q = 0; q < c->states; q++) {
            double sum = c->length_weight[t] * c->end[q];
            for (size_t i = (size_t)q * c->symbols;
                 t < c->longest && i < (size_t)(q + 1) * c->symbols; i++)
                sum += c->arc[i] * row[c->states + c->next[i]];
            row[q] = sum;
        }
    }
}

/* How often each arc is taken and each state is the last. */
static void
set_masses(struct tilted_chain *c, double *mass)
{
    double *now = mass, *next = mass + c->states;
    memset(c->arc_mass, 0, (size_t)c->states * c->symbols * sizeof *c->arc_mass);
    memset(c->end_mass, 0, c->states * sizeof *c->end_mass);
    memset(now, 0, c->states * sizeof *now);
    now[0] = 1;
    for (size_t t = 0; t <= c->longest; t++) {
        for (uint32_t q = 0; q < c->states; q++)
            c->end_mass[q] += now[q] * c->end[q] * c->length_weight[t];
        if (t == c->longest)
            break;
        step_forward(c, now, next, c->rest + (t + 1) * c->states, c->arc_mass);
        double *swap = now;
        now = next;
        next = swap;
    }
}

/* Sums the masses by context and symbol, and by feature. */
static void
set_moments(struct tilted_chain *c)
{
    const struct feature_automaton *m = c->automaton;
    memset(c->expected, 0, c->codes * c->symbols * sizeof *c->expected);
    for (size_t i = 0; i < feature_set_count(c->features); i++)
        c->mean[i] = 0;
    for (uint32_t q = 0; q < c->states; q++) {
        uint32_t s = c->feature_state[q];
        for (unsigned a = 0; a < c->symbols; a++) {
            double mass = c->arc_mass[(size_t)q * c->symbols + a];
            c->expected[c->code[q] * c->symbols + a] += mass;
            for (uint64_t k = m == NULL ? 0 : m->arc_first[s * c->symbols + a];
                 m != NULL && k < m->arc_first[s * c->symbols + a + 1]; k++)
                c->mean[m->arc_term[k].feature] += mass * m->arc_term[k].numerator;
        }
        for (uint64_t k = m == NULL ? 0 : m->end_first[s]; m != NULL && k < m->end_first[s + 1];
             k++)
            c->mean[m->end_term[k].feature] += c->end_mass[q] * m->end_term[k].numerator;
    }
    for (size_t i = 0; i < feature_set_count(c->features); i++)
        c->mean[i] /= feature_set_denominator(c->features, i);
}

/* Computes everything that depends on theta and lambda. */
static int
update(struct tilted_chain *c, struct err *e)
{
    double *mass = mem_array(2 * (size_t)c->states, sizeof *mass, e);
    int rc = mass == NULL ? ERR_NOMEM : set_weights(c, e);
    if (rc == 0) {
        set_length_weights(c, mass);
        set_rest(c);
        set_masses(c, mass);
        set_moments(c);
    }
    mem_free(mass);
    return rc;
}

/* ---- fitting */

/* Multiplies the shares of each context by the ratio of data to model.  Returns the largest
 * error in units of a standard error. */
static double
fit_shares(struct tilted_chain *c)
{
    double worst = 0;
    for (size_t code = 0; code < c->codes; code++) {
        const double *count = c->count + code * c->symbols;
        const double *expected = c->expected + code * c->symbols;
        double *theta = c->theta + code * c->symbols, sum = 0;
        double total = row_sum(count, c->symbols), under = row_sum(expected, c->symbols);
        if (total == 0 || under == 0)
            continue;
        for (unsigned a = 0; a < c->symbols; a++) {
            double want = count[a] / total, is = expected[a] / under;
            double off = fabs(want - is) / sqrt((want * (1 - want) + 1 / total) / total);
            worst = off > worst ? off : worst;
            theta[a] *= is > 0 ? want / is : 1;
            sum += theta[a];
        }
        for (unsigned a = 0; a < c->symbols; a++)
            theta[a] /= sum;
    }
    return worst;
}

static double
log_odds(double p)
{
    return dm_log(p) - dm_log1p(-p);
}

/* Gives feature i the mean it has in the data, with everything else fixed: for values 0 and
 * 1 the odds change by the factor exp(lambda). */
static double
fit_feature(struct tilted_chain *c, size_t i)
{
    double want = c->target[i], is = c->mean[i];
    double off = fabs(want - is) / sqrt(want * (1 - want) / (double)c->data->count);
    if (is > 0 && is < 1)
        c->lambda[i] += log_odds(want) - log_odds(is);
    return off;
}

static int
fit(struct tilted_chain *c, struct err *e)
{
    double worst = INFINITY;
    int rc = update(c, e);
    for (int pass = 0; rc == 0 && pass < PASSES_MAX && worst > tolerance; pass++) {
        worst = 0;
        for (size_t i = 0; rc == 0 && i < feature_set_count(c->features); i++) {
            worst = fmax(worst, fit_feature(c, i));
            rc = update(c, e);
        }
        worst = fmax(worst, fit_shares(c));
        if (rc == 0)
            rc = update(c, e);
    }
    return rc;
}

/* ---- the model */

static int
allocate(struct tilted_chain *c, struct err *e)
{
    c->codes = 1;
    for (unsigned k = 0; k < c->order; k++) {
        c->codes *= c->symbols + 1;
        if (c->codes * c->symbols > TILTED_CHAIN_CELLS_MAX / 4)
            return too_large(c, e);
    }
    c->count = mem_zero(c->codes * c->symbols, sizeof *c->count, e);
    c->theta = mem_array(c->codes * c->symbols, sizeof *c->theta, e);
    c->expected = mem_array(c->codes * c->symbols, sizeof *c->expected, e);
    c->length_share = mem_zero(c->longest + 1, sizeof *c->length_share, e);
    c->length_weight = mem_array(c->longest + 1, sizeof *c->length_weight, e);
    return e->code;
}

struct tilted_chain *
tilted_chain_new(const struct strings *data, const struct alphabet *a, unsigned order,
                 struct err *e)
{
    struct tilted_chain *c = mem_zero(1, sizeof *c, e);
    if (c == NULL)
        return NULL;
    c->data = data;
    c->symbols = a->size;
    c->order = order;
    c->longest = data->longest;
    c->features = feature_set_new(a, e);
    if (c->features != NULL && allocate(c, e) == 0) {
        count_symbols(c);
        if (set_shares(c, e) == 0 && build_product(c, e) == 0)
            update(c, e);
    }
    if (e->code == 0)
        return c;
    tilted_chain_free(c);
    return NULL;
}

void
tilted_chain_free(struct tilted_chain *c)
{
    if (c == NULL)
        return;
    clear_product(c);
    feature_set_free(c->features);
    feature_automaton_free(c->automaton);
    mem_free(c->count);
    mem_free(c->theta);
    mem_free(c->expected);
    mem_free(c->length_share);
    mem_free(c->length_weight);
    mem_free(c->lambda);
    mem_free(c->target);
    mem_free(c->mean);
    mem_free(c);
}

/* The mean of the last feature in the data. */
static int
find_target(struct tilted_chain *c, struct err *e)
{
    size_t n = feature_set_count(c->features), count = c->data->count;
    void *state = mem_array(feature_set_state_bytes(c->features), 1, e);
    double *phi = mem_array(n, sizeof *phi, e), sum = 0;
    if (state != NULL && phi != NULL) {
        for (size_t i = 0; i < count; i++) {
            size_t length;
            const uint8_t *x = strings_get(c->data, i, &length);
            feature_set_run(c->features, state, x, length);
            feature_set_values(c->features, state, phi);
            sum += phi[n - 1];
        }
        double half = 0.5 / (double)(count + 1);
        c->target[n - 1] = fmin(fmax(sum / (double)count, half), 1 - half);
    }
    mem_free(state);
    mem_free(phi);
    return e->code;
}

static int
reserve_feature(struct tilted_chain *c, size_t n, struct err *e)
{
    size_t capacity = c->capacity;
    double **array[3] = {&c->lambda, &c->target, &c->mean};
    for (int i = 0; i < 3; i++) {
        capacity = c->capacity;
        if (mem_reserve(array[i], &capacity, n, sizeof **array[i], e) != 0)
            return ERR_NOMEM;
    }
    c->capacity = capacity;
    c->lambda[n - 1] = 0;
    return 0;
}

int
tilted_chain_add(struct tilted_chain *c, const char *spec, struct err *e)
{
    int rc = feature_set_add(c->features, spec, e);
    if (rc != 0)
        return rc;
    rc = reserve_feature(c, feature_set_count(c->features), e);
    if (rc == 0)
        rc = find_target(c, e);
    if (rc != 0)
        return rc;
    feature_automaton_free(c->automaton);
    c->automaton =
        feature_automaton_new(c->features, NULL, 0, c->longest, TILTED_CHAIN_CELLS_MAX, e);
    if (c->automaton == NULL)
        return e->code;
    rc = build_product(c, e);
    return rc == 0 ? fit(c, e) : rc;
}

/* ---- strings */

/* One string; x has room for the longest. */
static size_t
draw_string(const struct tilted_chain *c, struct rng *r, uint8_t *x)
{
    uint32_t q = 0;
    for (size_t t = 0;; t++) {
        const double *rest = c->rest + t * c->states;
        double left = rng_double(r) * rest[q] - c->length_weight[t] * c->end[q];
        if (left < 0 || t == c->longest)
            return t;
        size_t i = (size_t)q * c->symbols, last = i;
        for (size_t to = i + c->symbols; i < to && left >= 0; i++) {
            double weight = c->arc[i] * rest[c->states + c->next[i]];
            left -= weight;
            last = weight > 0 ? i : last;
        }
        x[t] = (uint8_t)(last - (size_t)q * c->symbols);
        q = c->next[last];
    }
}

int
tilted_chain_draw(const struct tilted_chain *c, uint64_t seed, uint64_t draw, size_t count,
                  struct strings *out, struct err *e)
{
    struct rng r;
    uint8_t *x = mem_array(c->longest + 1, 1, e);
    int rc = x == NULL ? ERR_NOMEM : 0;
    rng_init(&r, seed, "gam-features/chain", 0);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        rng_reindex(&r, (draw << 32) + i);
        rc = strings_add(out, x, draw_string(c, &r, x), e);
    }
    mem_free(x);
    return rc;
}

double
tilted_chain_mean(const struct tilted_chain *c, size_t i)
{
    return c->mean[i];
}

double
tilted_chain_share(const struct tilted_chain *c, const uint8_t *context, size_t length,
                   uint8_t symbol)
{
    size_t code = first_code(c);
    for (size_t i = 0; i < length; i++)
        code = next_code(c, code, context[i]);
    const double *row = c->expected + code * c->symbols;
    return row[symbol] / row_sum(row, c->symbols);
}

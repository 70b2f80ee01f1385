/* SPDX-License-Identifier: MIT */
#include "gam/guide_internal.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "gam/draw_tree.h"

#define PRIOR 5.0 /* visits; of the symbols at a single feature's states, toward all symbols */

/* An automaton with weights at one lambda, and its look-ahead. */
struct guide_part {
    const struct feature_automaton *automaton;
    double *arc, *end; /* [states][A], [states] nats */
    double *log_h;     /* [L+1][states] */
};

struct guide {
    unsigned owners; /* besides the first */
    unsigned symbols;
    uint32_t max_length;
    double *time;            /* [L+1] nats of the length */
    struct guide_part plain; /* one state */
    size_t parts;
    struct guide_part *part;
};

static void
part_clear(struct guide_part *p)
{
    mem_free(p->arc);
    mem_free(p->end);
    mem_free(p->log_h);
}

static int
part_init(struct guide_part *p, const struct guide_source *s, const struct surrogate *r,
          const double *lambda, const double *time, const double *backoff, struct err *e)
{
    const struct feature_automaton *a = r->automaton;
    size_t states = a->states;
    p->automaton = a;
    p->arc = mem_array(states, s->symbols * sizeof *p->arc, e);
    p->end = mem_array(states, sizeof *p->end, e);
    p->log_h = mem_array((size_t)s->max_length + 1, states * sizeof *p->log_h, e);
    if (p->arc == NULL || p->end == NULL || p->log_h == NULL)
        return ERR_NOMEM;
    feature_automaton_weights(a, s->features, lambda, p->arc, p->end);
    return surrogate_look_ahead(r, p->arc, p->end, time, backoff, p->log_h, e);
}

/* Turns counts into probabilities of `width` symbols, with a prior toward `prior`. */
static void
normalize(double *count, const double *prior, size_t width)
{
    double sum = PRIOR;
    for (size_t c = 0; c < width; c++)
        sum += count[c];
    for (size_t c = 0; c < width; c++)
        count[c] = (count[c] + PRIOR * prior[c]) / sum;
}

/* Back-off of a single automaton: g(a) for all states. */
static void
repeat(const double *g, size_t states, size_t width, double *backoff)
{
    for (size_t q = 0; q < states; q++)
        memcpy(backoff + q * width, g, width * sizeof *g);
}

/* Back-off of a group's automaton, through single features:
 *
 *     pc(a|s) proportional to g(a) prod_i k_i(a|s_i) / g(a).
 *
 * Without it, a joint state that was never visited would be treated as an average one, and a
 * guide that misses all of P behind it would show perfect weights.
 */
static int
joint_backoff(const struct guide_source *s, const struct guide_group *q, const double *g,
              double *backoff, struct err *e)
{
    size_t width = s->symbols, states = q->joint.automaton->states;
    repeat(g, states, width, backoff);
    for (size_t i = 0; i < q->members; i++) {
        const struct surrogate *single = &s->single[q->member[i]];
        size_t n = single->automaton->states;
        double *k = mem_array(n, width * sizeof *k, e);
        if (k == NULL)
            return ERR_NOMEM;
        surrogate_totals(single, k);
        for (size_t x = 0; x < n; x++)
            normalize(k + x * width, g, width);
        for (size_t x = 0; x < states; x++)
            for (size_t c = 0; c < width; c++)
                backoff[x * width + c] *= k[q->single_state[x * q->members + i] * width + c] / g[c];
        mem_free(k);
    }
    for (size_t x = 0; x < states; x++) {
        double sum = 0;
        for (size_t c = 0; c < width; c++)
            sum += backoff[x * width + c];
        for (size_t c = 0; c < width; c++)
            backoff[x * width + c] /= sum;
    }
    return 0;
}

/* g(a): the symbols of all draws. */
static void
all_symbols(const struct guide_source *s, double *g)
{
    double uniform[DRAW_KINDS_MAX];
    for (unsigned c = 0; c < s->symbols; c++)
        uniform[c] = 1.0 / s->symbols;
    surrogate_totals(&s->plain, g);
    normalize(g, uniform, s->symbols);
}

static size_t
states_max(const struct guide_source *s)
{
    size_t most = 1;
    for (size_t i = 0; i < s->groups; i++)
        if (s->group[i].members > 1 && most < s->group[i].joint.automaton->states)
            most = s->group[i].joint.automaton->states;
    for (size_t i = 0; i < s->singles; i++)
        if (most < s->single[i].automaton->states)
            most = s->single[i].automaton->states;
    return most;
}

static int
add_single(struct guide *g, const struct guide_source *s, size_t i, const double *lambda,
           const double *symbols, double *backoff, struct err *e)
{
    repeat(symbols, s->single[i].automaton->states, s->symbols, backoff);
    return part_init(&g->part[g->parts++], s, &s->single[i], lambda, g->time, backoff, e);
}

static int
add_group(struct guide *g, const struct guide_source *s, const struct guide_group *q,
          const double *lambda, const double *symbols, double *backoff, struct err *e)
{
    if (q->members == 1)
        return add_single(g, s, q->member[0], lambda, symbols, backoff, e);
    int rc = joint_backoff(s, q, symbols, backoff, e);
    return rc == 0 ? part_init(&g->part[g->parts++], s, &q->joint, lambda, g->time, backoff, e)
                   : rc;
}

static int
build_parts(struct guide *g, const struct guide_source *s, const double *lambda, bool product,
            double *backoff, struct err *e)
{
    double symbols[DRAW_KINDS_MAX];
    all_symbols(s, symbols);
    repeat(symbols, 1, s->symbols, backoff);
    int rc = part_init(&g->plain, s, &s->plain, lambda, g->time, backoff, e);
    for (size_t i = 0; i < (product ? s->singles : s->groups) && rc == 0; i++)
        rc = product ? add_single(g, s, i, lambda, symbols, backoff, e)
                     : add_group(g, s, &s->group[i], lambda, symbols, backoff, e);
    return rc;
}

/* Only a joint look-ahead, or one of a single part, proves that no string has positive
 * weight. */
static int
check_possible(const struct guide *g, struct err *e)
{
    bool possible = g->plain.log_h[0] > -INFINITY;
    for (size_t i = 0; i < g->parts; i++)
        possible &= g->part[i].log_h[0] > -INFINITY;
    return possible ? 0 : err_set(e, ERR_EMPTY, "no string satisfies the hard constraints");
}

static int
guide_init(struct guide *g, const struct guide_source *s, const double *lambda, bool product,
           struct err *e)
{
    g->symbols = s->symbols;
    g->max_length = s->max_length;
    g->part = mem_zero(product ? s->singles : s->groups, sizeof *g->part, e);
    g->time = mem_array((size_t)s->max_length + 1, sizeof *g->time, e);
    double *backoff = mem_array(states_max(s), s->symbols * sizeof *backoff, e);
    int rc = g->part == NULL || g->time == NULL || backoff == NULL ? ERR_NOMEM : 0;
    if (rc == 0) {
        for (uint32_t t = 0; t <= s->max_length; t++)
            g->time[t] = feature_set_time_weight(s->features, lambda, t);
        rc = build_parts(g, s, lambda, product, backoff, e);
    }
    mem_free(backoff);
    return rc == 0 ? check_possible(g, e) : rc;
}

struct guide *
guide_new(const struct guide_source *s, const double *lambda, bool product, struct err *e)
{
    struct guide *g = mem_zero(1, sizeof *g, e);
    if (g != NULL && guide_init(g, s, lambda, product, e) == 0)
        return g;
    guide_free(g);
    return NULL;
}

struct guide *
guide_share(struct guide *g)
{
    if (g != NULL)
        g->owners++;
    return g;
}

void
guide_free(struct guide *g)
{
    if (g == NULL || g->owners-- > 0)
        return;
    part_clear(&g->plain);
    for (size_t i = 0; g->part != NULL && i < g->parts; i++)
        part_clear(&g->part[i]);
    mem_free(g->part);
    mem_free(g->time);
    mem_free(g);
}

/* ---- using it -------------------------------------------------------------------------- */

void
guide_step(const struct guide *g, const uint32_t *state, unsigned symbol, uint32_t *child)
{
    for (size_t i = 0; i < g->parts; i++)
        child[i] = g->part[i].automaton->next[(size_t)state[i] * g->symbols + symbol];
}

/* tilt[a] = log of exp(arc) h_{t+1}.  Each part includes the features without states: all but one
 * of those contributions are removed. */
static void
symbol_tilts(const struct guide *g, const uint32_t *state, uint64_t length, double *tilt)
{
    double common[DRAW_KINDS_MAX], after = g->plain.log_h[length + 1];
    for (unsigned a = 0; a < g->symbols; a++)
        tilt[a] = common[a] = g->plain.arc[a] + after;
    for (size_t i = 0; i < g->parts; i++) {
        const struct guide_part *p = &g->part[i];
        const size_t first = (size_t)state[i] * g->symbols;
        const double *log_h = p->log_h + (length + 1) * p->automaton->states;
        for (unsigned a = 0; a < g->symbols; a++)
            tilt[a] += p->arc[first + a] + log_h[p->automaton->next[first + a]] - common[a];
    }
    for (unsigned a = 0; a < g->symbols; a++)
        if (common[a] == -INFINITY)
            tilt[a] = -INFINITY;
}

void
guide_tilt(const struct guide *g, const uint32_t *state, uint64_t length, double *tilt)
{
    double ending = g->time[length] + g->plain.end[0];
    bool possible;
    for (size_t i = 0; i < g->parts; i++)
        ending += g->part[i].end[state[i]] - g->plain.end[0];
    tilt[g->symbols] = ending;
    possible = ending > -INFINITY;
    if (length < g->max_length)
        symbol_tilts(g, state, length, tilt);
    for (unsigned a = 0; a < g->symbols; a++) {
        if (length >= g->max_length)
            tilt[a] = -INFINITY;
        possible |= tilt[a] > -INFINITY;
    }
    for (unsigned a = 0; a <= g->symbols && !possible; a++)
        tilt[a] = a < g->symbols && length == g->max_length ? -INFINITY : 0;
}

/* log q(a|u) of all symbols from log r(a|u); -inf for all if no symbol is possible. */
static void
next_log_q(const struct guide *g, const uint32_t *state, uint64_t length, const float *row,
           double *log_q)
{
    guide_tilt(g, state, length, log_q);
    for (unsigned a = 0; a <= g->symbols; a++)
        log_q[a] += (double)row[a];
    double sum = dm_log_sum_exp(log_q, g->symbols + 1);
    for (unsigned a = 0; a <= g->symbols; a++)
        log_q[a] = sum > -INFINITY ? log_q[a] - sum : -INFINITY;
}

/* Nodes come after their parents, so one forward pass is enough; leaves come in the order of
 * their nodes. */
int
guide_log_q(const struct guide *g, const struct draw_tree *t, double *log_q, struct err *e)
{
    size_t m = g->parts > 0 ? g->parts : 1, width = g->symbols + 1u, leaf = 0;
    double *prefix = mem_array(t->nodes, sizeof *prefix, e);
    double *next = mem_array(t->nodes, width * sizeof *next, e);
    uint32_t *state = mem_zero(t->nodes, m * sizeof *state, e);
    int rc = prefix == NULL || next == NULL || state == NULL ? ERR_NOMEM : 0;
    for (size_t i = 0; i < t->nodes && rc == 0; i++) {
        const struct draw_node *n = &t->node[i];
        prefix[i] = i > 0 ? prefix[n->parent] + next[n->parent * width + n->symbol] : 0;
        if (i > 0)
            guide_step(g, state + n->parent * m, n->symbol, state + i * m);
        next_log_q(g, state + i * m, n->length, t->row + i * width, next + i * width);
        if (leaf < t->leaves && t->leaf[leaf].node == i)
            log_q[leaf++] = prefix[i] + next[i * width + g->symbols];
    }
    mem_free(prefix);
    mem_free(next);
    mem_free(state);
    return rc;
}

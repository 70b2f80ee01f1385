/* SPDX-License-Identifier: MIT */
#include "gam/guide.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "gam/draw_tree.h"
#include "gam/surrogate.h"

/* Entries of a surrogate's table: 40 MB of counts, and as much again while a guide is built. */
#define ENTRIES_MAX UINT64_C(10000000)

#define PRIOR 5.0 /* visits; of the symbols at a single feature's states, toward all symbols */

struct guide_source {
    const struct feature_set *features;
    unsigned symbols;
    uint32_t max_length;
    struct surrogate plain;   /* one state: features without states */
    size_t singles;           /* features with states */
    struct surrogate *single; /* [singles], each with the features without states */
    struct surrogate joint;   /* all features; automaton NULL if there is none */
    uint32_t *single_state;   /* [joint states][singles] */
};

/* ---- automata ------------------------------------------------------------------------ */

/* Takes over the automaton, also on failure; NULL is the error that is in `e`. */
static int
add_surrogate(struct guide_source *g, struct surrogate *s, struct feature_automaton *a,
              struct err *e)
{
    if (a == NULL)
        return e->code;
    if (surrogate_entries(a, g->max_length) > ENTRIES_MAX) {
        feature_automaton_free(a);
        return err_set(e, ERR_LIMIT, "feature automaton is too large for a guided proposal");
    }
    int rc = surrogate_init(s, a, g->max_length, e);
    s->automaton = a;
    return rc;
}

static uint64_t
automaton_entries_max(const struct guide_source *g)
{
    return ENTRIES_MAX / ((uint64_t)g->max_length + 1);
}

/* Finds the features that need states: index[0 .. singles-1]; those that need none come
 * after them.  Each of these alone has one state. */
static int
sort_features(struct guide_source *g, size_t *index, struct err *e)
{
    size_t n = feature_set_count(g->features), back = n;
    for (size_t i = 0; i < n; i++) {
        struct feature_automaton *a =
            feature_automaton_new(g->features, &i, 1, g->max_length, automaton_entries_max(g), e);
        if (a == NULL)
            return e->code;
        if (a->states > 1)
            index[g->singles++] = i;
        else
            index[--back] = i;
        feature_automaton_free(a);
    }
    return 0;
}

/* The automaton of feature index[i], alone or with those that need no states. */
static int
build_singles(struct guide_source *g, size_t *index, struct err *e)
{
    size_t n = feature_set_count(g->features), others = n - g->singles;
    size_t *chosen = index + n;
    memcpy(chosen + 1, index + g->singles, others * sizeof *chosen);
    int rc = add_surrogate(g, &g->plain,
                           feature_automaton_new(g->features, chosen + 1, others, g->max_length,
                                                 automaton_entries_max(g), e),
                           e);
    for (size_t i = 0; i < g->singles && rc == 0; i++) {
        chosen[0] = index[i];
        rc = add_surrogate(g, &g->single[i],
                           feature_automaton_new(g->features, chosen, others + 1, g->max_length,
                                                 automaton_entries_max(g), e),
                           e);
    }
    return rc;
}

/* The states of the single automata that belong to each joint state: those of some string
 * that leads there. */
static int
map_states(struct guide_source *g, struct err *e)
{
    const struct feature_automaton *j = g->joint.automaton;
    size_t m = g->singles;
    uint32_t *queue = mem_array(j->states, sizeof *queue, e);
    bool *seen = mem_zero(j->states, sizeof *seen, e);
    g->single_state = mem_zero(j->states, m * sizeof *g->single_state, e);
    int rc = queue == NULL || seen == NULL || g->single_state == NULL ? ERR_NOMEM : 0;
    size_t head = 0, tail = 0;
    if (rc == 0) {
        seen[0] = true;
        queue[tail++] = 0;
    }
    while (rc == 0 && head < tail) {
        uint32_t q = queue[head++];
        for (unsigned c = 0; c < g->symbols; c++) {
            uint32_t to = j->next[(size_t)q * g->symbols + c];
            if (seen[to])
                continue;
            seen[to] = true;
            queue[tail++] = to;
            for (size_t i = 0; i < m; i++) {
                uint32_t from = g->single_state[q * m + i];
                g->single_state[to * m + i] =
                    g->single[i].automaton->next[(size_t)from * g->symbols + c];
            }
        }
    }
    mem_free(queue);
    mem_free(seen);
    return rc;
}

/* The joint automaton, if it differs from the product and is small enough. */
static int
build_joint(struct guide_source *g, struct err *e)
{
    struct err why = {0};
    if (g->singles < 2)
        return 0;
    struct feature_automaton *a =
        feature_automaton_new(g->features, NULL, 0, g->max_length, automaton_entries_max(g), &why);
    if (a == NULL && why.code == ERR_LIMIT)
        return 0;
    if (a == NULL)
        return err_set(e, why.code, "%s", why.text);
    if (surrogate_entries(a, g->max_length) > ENTRIES_MAX) {
        feature_automaton_free(a);
        return 0;
    }
    int rc = add_surrogate(g, &g->joint, a, e);
    return rc == 0 ? map_states(g, e) : rc;
}

static int
build_automata(struct guide_source *g, struct err *e)
{
    size_t n = feature_set_count(g->features);
    size_t *index = mem_array(2 * n + 1, sizeof *index, e);
    int rc = index != NULL ? sort_features(g, index, e) : ERR_NOMEM;
    if (rc == 0 && (g->single = mem_zero(g->singles, sizeof *g->single, e)) == NULL)
        rc = ERR_NOMEM;
    if (rc == 0)
        rc = build_singles(g, index, e);
    if (rc == 0)
        rc = build_joint(g, e);
    mem_free(index);
    return rc;
}

struct guide_source *
guide_source_new(const struct feature_set *f, uint64_t max_length, struct err *e)
{
    if (max_length >= ENTRIES_MAX) {
        err_set(e, ERR_LIMIT, "strings are too long for a guided proposal");
        return NULL;
    }
    struct guide_source *g = mem_zero(1, sizeof *g, e);
    if (g == NULL)
        return NULL;
    g->features = f;
    g->symbols = feature_set_alphabet(f)->size;
    g->max_length = (uint32_t)max_length;
    if (build_automata(g, e) == 0)
        return g;
    guide_source_free(g);
    return NULL;
}

static void
free_surrogate(struct surrogate *s)
{
    feature_automaton_free((struct feature_automaton *)s->automaton);
    surrogate_clear(s);
}

void
guide_source_free(struct guide_source *s)
{
    if (s == NULL)
        return;
    free_surrogate(&s->plain);
    free_surrogate(&s->joint);
    for (size_t i = 0; s->single != NULL && i < s->singles; i++)
        free_surrogate(&s->single[i]);
    mem_free(s->single);
    mem_free(s->single_state);
    mem_free(s);
}

int
guide_source_learn(struct guide_source *s, const struct draw_tree *t, double keep, struct err *e)
{
    int rc = surrogate_learn(&s->plain, t, keep, e);
    for (size_t i = 0; i < s->singles && rc == 0; i++)
        rc = surrogate_learn(&s->single[i], t, keep, e);
    if (rc == 0 && s->joint.automaton != NULL)
        rc = surrogate_learn(&s->joint, t, keep, e);
    return rc;
}

size_t
guide_source_parts(const struct guide_source *s)
{
    return s->singles;
}

bool
guide_source_has_probe(const struct guide_source *s)
{
    return s->joint.automaton != NULL;
}

/* ---- one guide ----------------------------------------------------------------------- */

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

/* Back-off of the joint automaton, through single features:
 *
 *     pc(a|s) proportional to g(a) prod_i k_i(a|s_i) / g(a).
 *
 * Without it, a joint state that was never visited would be treated as an average one, and a
 * guide that misses all of P behind it would show perfect weights.
 */
static int
joint_backoff(const struct guide_source *s, const double *g, double *backoff, struct err *e)
{
    size_t width = s->symbols, states = s->joint.automaton->states;
    repeat(g, states, width, backoff);
    for (size_t i = 0; i < s->singles; i++) {
        size_t n = s->single[i].automaton->states;
        double *k = mem_array(n, width * sizeof *k, e);
        if (k == NULL)
            return ERR_NOMEM;
        surrogate_totals(&s->single[i], k);
        for (size_t q = 0; q < n; q++)
            normalize(k + q * width, g, width);
        for (size_t q = 0; q < states; q++)
            for (size_t c = 0; c < width; c++)
                backoff[q * width + c] *= k[s->single_state[q * s->singles + i] * width + c] / g[c];
        mem_free(k);
    }
    for (size_t q = 0; q < states; q++) {
        double sum = 0;
        for (size_t c = 0; c < width; c++)
            sum += backoff[q * width + c];
        for (size_t c = 0; c < width; c++)
            backoff[q * width + c] /= sum;
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
    size_t most = s->joint.automaton != NULL ? s->joint.automaton->states : 1;
    for (size_t i = 0; i < s->singles; i++)
        if (most < s->single[i].automaton->states)
            most = s->single[i].automaton->states;
    return most;
}

static int
build_parts(struct guide *g, const struct guide_source *s, const double *lambda, bool product,
            double *backoff, struct err *e)
{
    double symbols[DRAW_KINDS_MAX];
    all_symbols(s, symbols);
    repeat(symbols, 1, s->symbols, backoff);
    int rc = part_init(&g->plain, s, &s->plain, lambda, g->time, backoff, e);
    if (rc == 0 && !product && s->joint.automaton != NULL) {
        rc = joint_backoff(s, symbols, backoff, e);
        return rc == 0 ? part_init(g->part, s, &s->joint, lambda, g->time, backoff, e) : rc;
    }
    for (size_t i = 0; i < s->singles && rc == 0; i++) {
        repeat(symbols, s->single[i].automaton->states, s->symbols, backoff);
        rc = part_init(&g->part[i], s, &s->single[i], lambda, g->time, backoff, e);
    }
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
    bool joint = !product && s->joint.automaton != NULL;
    g->symbols = s->symbols;
    g->max_length = s->max_length;
    g->parts = joint ? 1 : s->singles;
    g->part = mem_zero(g->parts, sizeof *g->part, e);
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

/* log of exp(arc) h_{t+1}.  Each part includes the features without states: all but one of
 * those contributions are removed. */
static double
tilt_of(const struct guide *g, const uint32_t *state, uint64_t length, unsigned a)
{
    double common = g->plain.arc[a] + g->plain.log_h[length + 1];
    double sum = common;
    if (common == -INFINITY)
        return -INFINITY;
    for (size_t i = 0; i < g->parts; i++) {
        const struct guide_part *p = &g->part[i];
        size_t arc = (size_t)state[i] * g->symbols + a;
        double own =
            p->arc[arc] + p->log_h[(length + 1) * p->automaton->states + p->automaton->next[arc]];
        sum += own - common;
    }
    return sum;
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
    for (unsigned a = 0; a < g->symbols; a++) {
        tilt[a] = length < g->max_length ? tilt_of(g, state, length, a) : -INFINITY;
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

/* SPDX-License-Identifier: MIT */
#include "gam/surrogate.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_automaton.h"
#include "gam/draw_tree.h"

/* Strength of the prior at each stage of smoothing, in visits; weights of a neighboring
 * length for the end and for the symbols; the minimum probability. */
#define PRIOR        5.0
#define END_REACH    0.3
#define SYMBOL_REACH 0.5
#define LEAST        1e-6

uint64_t
surrogate_entries(const struct feature_automaton *a, uint64_t max_length)
{
    double n = ((double)max_length + 1) * a->states * (a->symbols + 1.0);
    return n < 0x1p62 ? (uint64_t)n : UINT64_MAX;
}

int
surrogate_init(struct surrogate *s, const struct feature_automaton *a, uint32_t max_length,
               struct err *e)
{
    size_t entries = (size_t)surrogate_entries(a, max_length);
    *s = (struct surrogate){.automaton = a, .max_length = max_length};
    s->count = mem_zero(entries, sizeof *s->count, e);
    return s->count != NULL ? 0 : ERR_NOMEM;
}

void
surrogate_clear(struct surrogate *s)
{
    mem_free(s->count);
    *s = (struct surrogate){0};
}

static float *
count_at(const struct surrogate *s, size_t t, size_t state)
{
    return s->count + (t * s->automaton->states + state) * (s->automaton->symbols + 1u);
}

/* What a visit of a prefix counts: the same for all surrogates. */
static void
visit_counts(const struct draw_tree *t, size_t node, size_t width, float *count)
{
    double prob[DRAW_KINDS_MAX];
    for (size_t c = 0; c < width; c++)
        prob[c] = (double)t->row[node * width + c];
    dm_exp_all(prob, width, prob);
    for (size_t c = 0; c < width; c++)
        count[c] = (float)((double)t->node[node].count * prob[c]);
}

static void
decay(const struct surrogate *s, double keep)
{
    size_t entries = (size_t)surrogate_entries(s->automaton, s->max_length);
    for (size_t i = 0; i < entries; i++)
        s->count[i] *= (float)keep;
}

int
surrogate_learn(const struct surrogate *const *s, size_t n, const struct draw_tree *t, double keep,
                struct err *e)
{
    size_t width = t->symbols + 1u;
    float visit[DRAW_KINDS_MAX];
    uint32_t *state = mem_array(t->nodes, n * sizeof *state, e);
    if (state == NULL)
        return ERR_NOMEM;
    for (size_t k = 0; k < n; k++)
        decay(s[k], keep);
    for (size_t i = 0; i < t->nodes; i++) {
        const struct draw_node *node = &t->node[i];
        visit_counts(t, i, width, visit);
        for (size_t k = 0; k < n; k++) {
            const uint32_t *next = s[k]->automaton->next, parent = state[node->parent * n + k];
            uint32_t to = i > 0 ? next[parent * (size_t)t->symbols + node->symbol] : 0;
            float *count = count_at(s[k], node->length, to);
            state[i * n + k] = to;
            for (size_t c = 0; c < width; c++)
                count[c] += visit[c];
        }
    }
    mem_free(state);
    return 0;
}

void
surrogate_totals(const struct surrogate *s, double *total)
{
    size_t symbols = s->automaton->symbols, states = s->automaton->states;
    memset(total, 0, states * symbols * sizeof *total);
    for (size_t t = 0; t <= s->max_length; t++)
        for (size_t q = 0; q < states; q++)
            for (size_t c = 0; c < symbols; c++)
                total[q * symbols + c] += (double)count_at(s, t, q)[c];
}

/* Scratch of one look-ahead. */
struct backward_pass {
    const struct surrogate *s;
    size_t lengths, states, symbols; /* L+1, S, A */
    double *end_by_time;             /* [L+1] e_t: the end at a length, whatever the state */
    double *by_state;                /* [S][A] pi(a|s): symbols at a state, whatever the length */
    float *earlier;                  /* [L+1][S][A] counts at lengths up to t, decayed */
    float *later;                    /* [S][A] counts at lengths beyond t, decayed */
};

static int
pass_init(struct backward_pass *p, const struct surrogate *s, struct err *e)
{
    *p = (struct backward_pass){.s = s,
                                .lengths = (size_t)s->max_length + 1,
                                .states = s->automaton->states,
                                .symbols = s->automaton->symbols};
    size_t each = p->states * p->symbols;
    p->end_by_time = mem_array(p->lengths, sizeof *p->end_by_time, e);
    p->by_state = mem_array(each, sizeof *p->by_state, e);
    p->earlier = mem_array(p->lengths, each * sizeof *p->earlier, e);
    p->later = mem_zero(each, sizeof *p->later, e);
    return p->end_by_time != NULL && p->by_state != NULL && p->earlier != NULL && p->later != NULL
               ? 0
               : ERR_NOMEM;
}

static void
pass_clear(struct backward_pass *p)
{
    mem_free(p->end_by_time);
    mem_free(p->by_state);
    mem_free(p->earlier);
    mem_free(p->later);
}

/* near[t] = sum over t' of reach^|t - t'| x[t']. */
static void
smooth(const double *x, size_t n, double reach, double *near)
{
    double sum = 0;
    for (size_t t = 0; t < n; t++)
        near[t] = sum = x[t] + reach * sum;
    sum = 0;
    for (size_t t = n; t-- > 0;) {
        near[t] += sum;
        sum = reach * (x[t] + sum);
    }
}

/* e_t = (C_t(end) + k ebar_t) / (n_t + k), where ebar_t is the share of the end at
 * neighboring lengths. */
static int
find_ends(struct backward_pass *p, struct err *e)
{
    size_t n = p->lengths;
    double *ends = mem_zero(n, 4 * sizeof *ends, e), all_ends = 1, all = 2;
    if (ends == NULL)
        return ERR_NOMEM;
    double *visits = ends + n, *near_ends = visits + n, *near = near_ends + n;
    for (size_t t = 0; t < n; t++) {
        for (size_t q = 0; q < p->states; q++) {
            const float *count = count_at(p->s, t, q);
            ends[t] += (double)count[p->symbols];
            for (size_t c = 0; c <= p->symbols; c++)
                visits[t] += (double)count[c];
        }
        all_ends += ends[t];
        all += visits[t];
    }
    smooth(ends, n, END_REACH, near_ends);
    smooth(visits, n, END_REACH, near);
    for (size_t t = 0; t < n; t++) {
        double share = near[t] > 1e-30 ? near_ends[t] / near[t] : all_ends / all;
        p->end_by_time[t] = (ends[t] + PRIOR * share) / (visits[t] + PRIOR);
    }
    mem_free(ends);
    return 0;
}

/* pi(a|s) = (C(s,a) + k backoff(a|s)) / (n(s) + k), and the decayed counts of earlier
 * lengths. */
static void
find_symbols(struct backward_pass *p, const double *backoff)
{
    size_t width = p->symbols, each = p->states * width;
    surrogate_totals(p->s, p->by_state);
    for (size_t q = 0; q < p->states; q++) {
        double *pi = p->by_state + q * width, sum = PRIOR;
        for (size_t c = 0; c < width; c++)
            sum += pi[c];
        for (size_t c = 0; c < width; c++)
            pi[c] = (pi[c] + PRIOR * backoff[q * width + c]) / sum;
    }
    for (size_t t = 0; t < p->lengths; t++)
        for (size_t q = 0; q < p->states; q++)
            for (size_t c = 0; c < width; c++) {
                size_t at = t * each + q * width + c;
                p->earlier[at] = count_at(p->s, t, q)[c] +
                                 (t > 0 ? (float)SYMBOL_REACH * p->earlier[at - each] : 0);
            }
}

/* k_t(.|s), the end last: probabilities that sum to 1. */
static void
next_symbol(const struct backward_pass *p, size_t t, size_t q, double *prob)
{
    size_t width = p->symbols, at = q * width;
    const float *count = count_at(p->s, t, q), *before = p->earlier + t * p->states * width + at;
    double visits = PRIOR, near = PRIOR, sum = 0;
    for (size_t c = 0; c <= width; c++)
        visits += (double)count[c];
    double end = ((double)count[width] + PRIOR * p->end_by_time[t]) / visits;
    end = fmin(fmax(end, LEAST), 1 - LEAST);
    for (size_t c = 0; c < width; c++) {
        prob[c] = (double)before[c] + (double)p->later[at + c];
        near += prob[c];
        prob[c] += PRIOR * p->by_state[at + c];
    }
    for (size_t c = 0; c < width; c++) {
        prob[c] = fmax(prob[c] / near, LEAST);
        sum += prob[c];
    }
    for (size_t c = 0; c < width; c++)
        prob[c] *= (1 - end) / sum;
    prob[width] = end;
}

/* log of k_t(end|s) exp(ending) + sum over a of k_t(a|s) exp(arc) h_{t+1}(next). */
static double
look_ahead(const struct backward_pass *p, size_t t, size_t q, const double *arc, double ending,
           const double *next_h)
{
    const struct feature_automaton *a = p->s->automaton;
    double term[DRAW_KINDS_MAX], prob[DRAW_KINDS_MAX];
    size_t width = p->symbols;
    next_symbol(p, t, q, prob);
    term[0] = ending > -INFINITY ? dm_log(prob[width]) + ending : -INFINITY;
    if (next_h == NULL)
        return term[0];
    for (size_t c = 0; c < width; c++) {
        double to = arc[q * width + c] + next_h[a->next[q * width + c]];
        term[c + 1] = to > -INFINITY ? dm_log(prob[c]) + to : -INFINITY;
    }
    return dm_log_sum_exp(term, width + 1);
}

/* Moves the counts of length t to the counts of lengths after t - 1. */
static void
pass_length(struct backward_pass *p, size_t t)
{
    for (size_t q = 0; q < p->states; q++)
        for (size_t c = 0; c < p->symbols; c++) {
            float *later = &p->later[q * p->symbols + c];
            *later = (float)SYMBOL_REACH * (*later + count_at(p->s, t, q)[c]);
        }
}

int
surrogate_look_ahead(const struct surrogate *s, const double *arc, const double *end,
                     const double *time, const double *backoff, double *log_h, struct err *e)
{
    struct backward_pass p;
    int rc = pass_init(&p, s, e);
    if (rc == 0)
        rc = find_ends(&p, e);
    if (rc == 0)
        find_symbols(&p, backoff);
    for (size_t t = p.lengths; rc == 0 && t-- > 0;) {
        const double *next_h = t + 1 < p.lengths ? log_h + (t + 1) * p.states : NULL;
        for (size_t q = 0; q < p.states; q++)
            log_h[t * p.states + q] = look_ahead(&p, t, q, arc, end[q] + time[t], next_h);
        pass_length(&p, t);
    }
    pass_clear(&p);
    return rc;
}

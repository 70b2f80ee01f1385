/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_stats.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_graph.h"
#include "pfsa/state_elimination.h"

/* --- visits --- */

/* Passes the visits of q on to the targets of its arcs, except for those within the
 * component `own`. */
static void
pass_on(const struct pfsa *p, const struct scc *s, uint32_t own, uint32_t q, double *visits)
{
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (s == NULL || s->of[p->next[a]] != own)
            visits[p->next[a]] += visits[q] * dm_exp(p->logp[a]);
}

static int
fill_loops(const struct pfsa *p, const struct scc *s, uint32_t c, struct elimination *l,
           struct err *e)
{
    int rc = 0;
    for (uint32_t i = s->begin[c]; rc == 0 && i < s->begin[c + 1]; i++) {
        uint32_t q = s->member[i], from = s->place[q];
        elimination_missing(l, from, p->final_logp[q]);
        for (uint64_t a = p->first[q]; rc == 0 && a < p->first[q + 1]; a++)
            if (s->of[p->next[a]] == c)
                rc = elimination_arc(l, from, s->place[p->next[a]], p->logp[a], e);
            else
                elimination_missing(l, from, p->logp[a]);
    }
    return rc;
}

/* The sums over loops of component c; NULL on failure. */
static struct elimination *
solve_loops(const struct pfsa *p, const struct scc *s, uint32_t c, struct err *e)
{
    struct elimination *l = elimination_new(s->begin[c + 1] - s->begin[c], e);
    if (l == NULL ||
        (fill_loops(p, s, c, l, e) == 0 && elimination_run(l, true, ELIMINATION_CORE, e) == 0))
        return l;
    elimination_free(l);
    return NULL;
}

/* On entry visits[] of the members of component c is what enters from outside. */
static int
visit_component(const struct pfsa *p, const struct scc *s, uint32_t c, double *visits,
                double *scratch, struct err *e)
{
    const uint32_t *member = s->member + s->begin[c];
    uint32_t n = s->begin[c + 1] - s->begin[c];
    struct elimination *l = solve_loops(p, s, c, e);
    if (l == NULL)
        return e->code;
    for (uint32_t i = 0; i < n; i++)
        scratch[i] = dm_log(visits[member[i]]);
    int rc = elimination_visits(l, scratch, e);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        visits[member[i]] = dm_exp(scratch[i]);
    elimination_free(l);
    return rc;
}

/* Components from the start on; a single state without a loop needs no solving. */
static int
visit_cyclic(const struct pfsa *p, double *visits, struct err *e)
{
    struct pfsa_graph shape;
    const struct scc *s = &shape.scc;
    int rc = pfsa_graph_find(&shape, p, 0, e);
    double *scratch = mem_array(p->states, sizeof *scratch, e);
    if (scratch == NULL)
        rc = ERR_NOMEM;
    for (uint32_t c = s->components; rc == 0 && c-- > 0;) {
        if (shape.cyclic[c])
            rc = visit_component(p, s, c, visits, scratch, e);
        for (uint32_t i = s->begin[c]; rc == 0 && i < s->begin[c + 1]; i++)
            pass_on(p, s, c, s->member[i], visits);
    }
    mem_free(scratch);
    pfsa_graph_clear(&shape);
    return rc;
}

int
pfsa_stats_flow(const struct pfsa *p, double *flow, struct err *e)
{
    if (!p->acyclic)
        return visit_cyclic(p, flow, e);
    for (uint32_t q = 0; q < p->states; q++)
        pass_on(p, NULL, 0, q, flow);
    return 0;
}

int
pfsa_stats_visits(const struct pfsa *p, double *visits, struct err *e)
{
    memset(visits, 0, p->states * sizeof *visits);
    visits[0] = 1;
    return pfsa_stats_flow(p, visits, e);
}

/* --- totals, backward --- */

/* Adds to the gain of q the gains of its targets, except for those within the component
 * `own`. */
static void
collect(const struct pfsa *p, const struct scc *s, uint32_t own, uint32_t q, size_t columns,
        double *gain)
{
    double *to = gain + q * columns;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        if (s != NULL && s->of[p->next[a]] == own)
            continue;
        const double *from = gain + p->next[a] * columns;
        double step = dm_exp(p->logp[a]);
        for (size_t c = 0; c < columns; c++)
            to[c] += step * from[c];
    }
}

/* On entry the gains of the members of component c include everything after the component. */
static int
total_component(const struct pfsa *p, const struct scc *s, uint32_t c, size_t columns, double *gain,
                double *scratch, struct err *e)
{
    const uint32_t *member = s->member + s->begin[c];
    uint32_t n = s->begin[c + 1] - s->begin[c];
    struct elimination *l = solve_loops(p, s, c, e);
    if (l == NULL)
        return e->code;
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < columns; k++) {
        for (uint32_t i = 0; i < n; i++)
            scratch[i] = dm_log(gain[member[i] * columns + k]);
        rc = elimination_gather(l, scratch, e);
        for (uint32_t i = 0; i < n; i++)
            gain[member[i] * columns + k] = dm_exp(scratch[i]);
    }
    elimination_free(l);
    return rc;
}

static int
total_cyclic(const struct pfsa *p, size_t columns, double *gain, struct err *e)
{
    struct pfsa_graph shape;
    const struct scc *s = &shape.scc;
    int rc = pfsa_graph_find(&shape, p, 0, e);
    double *scratch = mem_array(p->states, sizeof *scratch, e);
    if (scratch == NULL)
        rc = ERR_NOMEM;
    for (uint32_t c = 0; rc == 0 && c < s->components; c++) {
        for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++)
            collect(p, s, c, s->member[i], columns, gain);
        if (shape.cyclic[c])
            rc = total_component(p, s, c, columns, gain, scratch, e);
    }
    mem_free(scratch);
    pfsa_graph_clear(&shape);
    return rc;
}

int
pfsa_stats_totals(const struct pfsa *p, size_t columns, double *gain, struct err *e)
{
    if (!p->acyclic)
        return total_cyclic(p, columns, gain, e);
    for (uint32_t q = p->states; q-- > 0;)
        collect(p, NULL, 0, q, columns, gain);
    return 0;
}

/* --- one automaton --- */

static void
add_moments(const struct pfsa *p, const double *visits, struct pfsa_stats *s)
{
    struct compensated_sum entropy = {0}, length = {0};
    for (uint32_t q = 0; q < p->states; q++) {
        double stop = dm_exp(p->final_logp[q]), go_on = 0, own = 0;
        if (stop > 0)
            own = -stop * p->final_logp[q];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
            double step = dm_exp(p->logp[a]);
            own -= step * p->logp[a];
            go_on += step;
        }
        compensated_sum_add(&entropy, visits[q] * own);
        compensated_sum_add(&length, visits[q] * go_on);
    }
    s->entropy = compensated_sum_total(&entropy);
    s->mean_length = compensated_sum_total(&length);
}

/* The number of strings accepted from each state, backward, in three ways.  Every state is
 * reachable from the start, so if one number overflows, that of the start does too.  A cycle makes
 * it infinite, since every state can finish. */
struct support {
    uint64_t *exact; /* modulo 2^64 */
    double *rough, *log;
    bool fits; /* exact[] is exact */
};

static void
count_from(const struct pfsa *p, uint32_t q, struct support *s)
{
    s->exact[q] = p->final_logp[q] > -INFINITY;
    s->rough[q] = (double)s->exact[q];
    s->log[q] = s->exact[q] ? 0 : -INFINITY;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        s->fits &= !__builtin_add_overflow(s->exact[q], s->exact[p->next[a]], &s->exact[q]);
        s->rough[q] += s->rough[p->next[a]];
    }
    for (uint64_t a = p->first[q]; isinf(s->rough[q]) && a < p->first[q + 1]; a++)
        s->log[q] = dm_log_add_exp(s->log[q], s->log[p->next[a]]);
    if (isfinite(s->rough[q]))
        s->log[q] = dm_log(s->rough[q]);
}

static int
count_support(const struct pfsa *p, struct pfsa_stats *s, struct err *e)
{
    s->support = s->log_support = INFINITY;
    s->support_exact = 0;
    if (!p->acyclic)
        return 0;
    struct support n = {.exact = mem_array(p->states, sizeof *n.exact, e),
                        .rough = mem_array(p->states, sizeof *n.rough, e),
                        .log = mem_array(p->states, sizeof *n.log, e),
                        .fits = true};
    bool made = n.exact != NULL && n.rough != NULL && n.log != NULL;
    for (uint32_t q = p->states; made && q-- > 0;)
        count_from(p, q, &n);
    if (made) {
        s->support = n.rough[0];
        s->support_exact = n.fits ? n.exact[0] : 0;
        s->log_support = n.log[0];
    }
    mem_free(n.exact);
    mem_free(n.rough);
    mem_free(n.log);
    return made ? 0 : ERR_NOMEM;
}

int
pfsa_stats(const struct pfsa *p, struct pfsa_stats *s, struct err *e)
{
    double *visits = mem_array(p->states, sizeof *visits, e);
    if (visits == NULL)
        return ERR_NOMEM;
    int rc = pfsa_stats_visits(p, visits, e);
    if (rc == 0)
        add_moments(p, visits, s);
    mem_free(visits);
    /* If all strings have one length, that is exactly their mean. */
    if (rc == 0 && p->model.min_length == p->model.max_length)
        s->mean_length = (double)p->model.min_length;
    return rc == 0 ? count_support(p, s, e) : rc;
}

/* --- lengths --- */

/* Strings that have not ended yet. */
struct unfinished {
    double *step;         /* [arcs] probabilities */
    double *mass, *moved; /* [states], which sum to 1: where they are, and are next */
    double log_total;     /* of their probability */
};

/* One symbol more for all.  Returns the log-probability of those that end instead. */
static double
advance(const struct pfsa *p, struct unfinished *u)
{
    double end = 0, rest = 0, *before = u->mass;
    memset(u->moved, 0, p->states * sizeof *u->moved);
    for (uint32_t q = 0; q < p->states; q++) {
        if (before[q] == 0)
            continue;
        end += before[q] * dm_exp(p->final_logp[q]);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
            u->moved[p->next[a]] += before[q] * u->step[a];
            rest += before[q] * u->step[a];
        }
    }
    for (uint32_t q = 0; q < p->states && rest > 0; q++)
        u->moved[q] /= rest;
    double ended = u->log_total + dm_log(end);
    u->log_total += dm_log(rest);
    u->mass = u->moved;
    u->moved = before;
    return ended;
}

#define NEGLIGIBLE (-745.0) /* exp of it is 0 */

/* Either sum is accurate where it is not near 1. */
static double
advance_all(const struct pfsa *p, struct unfinished *u, uint64_t max_length)
{
    double log_ended = -INFINITY;
    for (uint64_t k = 0; u->log_total > NEGLIGIBLE; k++) {
        log_ended = dm_log_add_exp(log_ended, advance(p, u));
        if (k == max_length)
            break;
    }
    return u->log_total < -DM_LN2 ? dm_log1p(-dm_exp(u->log_total)) : log_ended;
}

int
pfsa_stats_log_within(const struct pfsa *p, uint64_t max_length, double *log_within, struct err *e)
{
    struct unfinished u = {
        .step = mem_array(p->arcs, sizeof *u.step, e),
        .mass = mem_zero(p->states, sizeof *u.mass, e),
        .moved = mem_array(p->states, sizeof *u.moved, e),
    };
    if (u.step != NULL && u.mass != NULL && u.moved != NULL) {
        for (uint64_t a = 0; a < p->arcs; a++)
            u.step[a] = dm_exp(p->logp[a]);
        u.mass[0] = 1;
        *log_within = max_length < p->model.max_length ? advance_all(p, &u, max_length) : 0;
    }
    mem_free(u.step);
    mem_free(u.mass);
    mem_free(u.moved);
    return e->code;
}

/* --- two automata --- */

struct state_pair {
    uint32_t p, q; /* states of the one and of the other automaton */
};

/* The pairs (p's state, model's state) that strings of p reach.  If the model lacks an arc
 * of p, some string has probability 0 under the model. */
struct pair_product {
    const struct pfsa *p, *model;
    struct intern *pairs; /* struct state_pair */
    uint64_t arcs;        /* of all pairs */
    bool covered;
};

static int
add_pair(struct pair_product *x, uint32_t p, uint32_t q, struct err *e)
{
    uint32_t before = intern_count(x->pairs), number;
    int rc = intern_add(x->pairs, &(struct state_pair){p, q}, &number, e);
    if (rc == ERR_LIMIT)
        err_prefix(e, "pairs of states of the two automata");
    if (rc == 0 && number == before)
        x->arcs += x->p->first[p + 1] - x->p->first[p];
    return rc;
}

static struct state_pair
get_pair(const struct pair_product *x, uint32_t number)
{
    return *(const struct state_pair *)intern_get(x->pairs, number);
}

static int
explore_pair(struct pair_product *x, uint32_t p, uint32_t q, struct err *e)
{
    int rc = 0;
    if (x->p->final_logp[p] > -INFINITY && x->model->final_logp[q] == -INFINITY)
        x->covered = false;
    for (uint64_t a = x->p->first[p]; rc == 0 && a < x->p->first[p + 1]; a++) {
        uint64_t b = pfsa_find_arc(x->model, q, x->p->symbol[a]);
        if (b == PFSA_NO_ARC)
            x->covered = false;
        else
            rc = add_pair(x, x->p->next[a], x->model->next[b], e);
    }
    return rc;
}

static int
explore(struct pair_product *x, struct err *e)
{
    x->covered = true;
    x->pairs = intern_new(sizeof(struct state_pair), PFSA_STATES_MAX, e);
    int rc = x->pairs != NULL ? add_pair(x, 0, 0, e) : ERR_NOMEM;
    for (uint32_t i = 0; rc == 0 && x->covered && i < intern_count(x->pairs); i++) {
        struct state_pair at = get_pair(x, i);
        rc = explore_pair(x, at.p, at.q, e);
    }
    return rc;
}

/* The automaton p with its states split into pairs. */
static struct pfsa *
split_states(const struct pair_product *x, struct err *e)
{
    const struct pfsa *p = x->p;
    struct pfsa *split = pfsa_new(&p->model.alphabet, intern_count(x->pairs), x->arcs, e);
    uint64_t at = 0;
    for (uint32_t i = 0; split != NULL && i < split->states; i++) {
        uint32_t q = get_pair(x, i).p, m = get_pair(x, i).q;
        split->final_logp[i] = p->final_logp[q];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++, at++) {
            uint64_t b = pfsa_find_arc(x->model, m, p->symbol[a]);
            split->symbol[at] = p->symbol[a];
            split->logp[at] = p->logp[a];
            struct state_pair to = {p->next[a], x->model->next[b]};
            split->next[at] = intern_find(x->pairs, &to);
        }
        split->first[i + 1] = at;
    }
    return split;
}

/* p log(p/q) - p + q.  Over the transitions of a state, p and q both sum to 1, so these
 * terms sum to the divergence.  None is negative, so small divergences do not suffer from
 * cancellation. */
static double
divergence(double logp, double logq)
{
    double p = dm_exp(logp);
    if (p == 0)
        return dm_exp(logq);
    return p * dm_expm2(logq - logp);
}

/* Adds -visits * p log q, and the divergence, of one transition. */
static void
add_transition(double visits, double logp, double logq, struct compensated_sum *cross,
               struct compensated_sum *kl)
{
    double weight = visits * dm_exp(logp);
    if (weight > 0)
        compensated_sum_add(cross, -weight * logq);
    compensated_sum_add(kl, visits * divergence(logp, logq));
}

/* Every arc of p is one of the model's too. */
static void
add_pairs(const struct pair_product *x, const double *visits, struct pfsa_relative *r)
{
    const struct pfsa *p = x->p, *model = x->model;
    struct compensated_sum cross = {0}, kl = {0};
    for (uint32_t i = 0; i < intern_count(x->pairs); i++) {
        uint32_t q = get_pair(x, i).p, m = get_pair(x, i).q;
        add_transition(visits[i], p->final_logp[q], model->final_logp[m], &cross, &kl);
        for (uint64_t b = model->first[m]; b < model->first[m + 1]; b++) {
            uint64_t a = pfsa_find_arc(p, q, model->symbol[b]);
            add_transition(visits[i], a == PFSA_NO_ARC ? -INFINITY : p->logp[a], model->logp[b],
                           &cross, &kl);
        }
    }
    r->cross_entropy = compensated_sum_total(&cross);
    r->kl = compensated_sum_total(&kl);
}

int
pfsa_stats_relative(const struct pfsa *p, const struct pfsa *model, struct pfsa_relative *r,
                    struct err *e)
{
    if (!alphabet_equal(&p->model.alphabet, &model->model.alphabet))
        return err_set(e, ERR_DATA, "alphabets differ: '%s' and '%s'", p->model.alphabet.text,
                       model->model.alphabet.text);
    struct pair_product x = {.p = p, .model = model};
    struct pfsa *split = NULL;
    double *visits = NULL;
    int rc = explore(&x, e);
    r->cross_entropy = r->kl = INFINITY;
    if (rc != 0 || !x.covered)
        goto done;
    rc = ERR_NOMEM;
    if ((split = split_states(&x, e)) == NULL ||
        (visits = mem_array(split->states, sizeof *visits, e)) == NULL)
        goto done;
    rc = pfsa_stats_visits(split, visits, e);
    if (rc == 0)
        add_pairs(&x, visits, r);
done:
    mem_free(visits);
    pfsa_free(split);
    intern_free(x.pairs);
    return rc;
}

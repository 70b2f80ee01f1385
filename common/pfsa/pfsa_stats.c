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

/* Hands the visits of q on to where its arcs lead; those within the component
 * `own` are left out. */
static void
pass_on(const struct pfsa *p, const struct scc *s, uint32_t own, uint32_t q, double *visits)
{
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (s == NULL || s->of[p->target[a]] != own)
            visits[p->target[a]] += visits[q] * dm_exp(p->logp[a]);
}

static int
fill_loops(const struct pfsa *p, const struct scc *s, uint32_t c, struct loops *l, struct err *e)
{
    int status = 0;
    for (uint32_t i = s->begin[c]; status == 0 && i < s->begin[c + 1]; i++) {
        uint32_t q = s->member[i], from = s->place[q];
        loops_leak(l, from, p->final_logp[q]);
        for (uint64_t a = p->first[q]; status == 0 && a < p->first[q + 1]; a++)
            if (s->of[p->target[a]] == c)
                status = loops_arc(l, from, s->place[p->target[a]], p->logp[a], e);
            else
                loops_leak(l, from, p->logp[a]);
    }
    return status;
}

/* visits[] of component c's members goes in as what enters from outside. */
static int
visit_component(const struct pfsa *p, const struct scc *s, uint32_t c, double *visits,
                double *scratch, struct err *e)
{
    const uint32_t *member = s->member + s->begin[c];
    uint32_t n = s->begin[c + 1] - s->begin[c];
    struct loops *l = loops_new(n, e);
    int status = l == NULL ? ERR_NOMEM : fill_loops(p, s, c, l, e);
    if (status == 0)
        status = loops_eliminate(l, true, e);
    if (status == 0) {
        for (uint32_t i = 0; i < n; i++)
            scratch[i] = dm_log(visits[member[i]]);
        loops_visits(l, scratch);
        for (uint32_t i = 0; i < n; i++)
            visits[member[i]] = dm_exp(scratch[i]);
    }
    loops_free(l);
    return status;
}

/* Components from the start on; one state without a loop needs no solving. */
static int
visit_cyclic(const struct pfsa *p, double *visits, struct err *e)
{
    struct pfsa_shape shape;
    const struct scc *s = &shape.scc;
    int status = pfsa_shape_find(&shape, p, 0, e);
    double *scratch = mem_array(p->states, sizeof *scratch, e);
    if (scratch == NULL)
        status = ERR_NOMEM;
    for (uint32_t c = s->components; status == 0 && c-- > 0;) {
        if (shape.cyclic[c])
            status = visit_component(p, s, c, visits, scratch, e);
        for (uint32_t i = s->begin[c]; status == 0 && i < s->begin[c + 1]; i++)
            pass_on(p, s, c, s->member[i], visits);
    }
    mem_free(scratch);
    pfsa_shape_clear(&shape);
    return status;
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

/* --- one automaton --- */

static void
add_moments(const struct pfsa *p, const double *visits, struct pfsa_stats *s)
{
    struct sum entropy = {0}, length = {0};
    for (uint32_t q = 0; q < p->states; q++) {
        double stop = dm_exp(p->final_logp[q]), go_on = 0, own = 0;
        if (stop > 0)
            own = -stop * p->final_logp[q];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
            double step = dm_exp(p->logp[a]);
            own -= step * p->logp[a];
            go_on += step;
        }
        sum_add(&entropy, visits[q] * own);
        sum_add(&length, visits[q] * go_on);
    }
    s->entropy = sum_total(&entropy);
    s->mean_length = sum_total(&length);
}

/* Strings accepted from each state, backwards.  Every state is reached from the
 * start, so what does not fit for one does not fit for the start either.  A
 * cycle makes them infinitely many, for every state can finish. */
static int
count_support(const struct pfsa *p, struct pfsa_stats *s, struct err *e)
{
    s->support = INFINITY;
    s->support_exact = 0;
    if (!p->acyclic)
        return 0;
    uint64_t *exact = mem_array(p->states, sizeof *exact, e);
    double *rough = mem_array(p->states, sizeof *rough, e);
    int status = exact == NULL || rough == NULL ? ERR_NOMEM : 0;
    bool fits = true;
    for (uint32_t q = p->states; status == 0 && q-- > 0;) {
        exact[q] = p->final_logp[q] > -INFINITY;
        rough[q] = (double)exact[q];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
            fits &= !__builtin_add_overflow(exact[q], exact[p->target[a]], &exact[q]);
            rough[q] += rough[p->target[a]];
        }
    }
    if (status == 0) {
        s->support = rough[0];
        s->support_exact = fits ? exact[0] : 0;
    }
    mem_free(exact);
    mem_free(rough);
    return status;
}

int
pfsa_stats(const struct pfsa *p, struct pfsa_stats *s, struct err *e)
{
    double *visits = mem_array(p->states, sizeof *visits, e);
    if (visits == NULL)
        return ERR_NOMEM;
    int status = pfsa_stats_visits(p, visits, e);
    if (status == 0)
        add_moments(p, visits, s);
    mem_free(visits);
    /* If all strings have one length, that is their mean without any rounding. */
    if (status == 0 && p->model.min_length == p->model.max_length)
        s->mean_length = (double)p->model.min_length;
    return status == 0 ? count_support(p, s, e) : status;
}

/* --- two automata --- */

struct pair {
    uint32_t p, q; /* states of the one and of the other automaton */
};

/* The pairs (p's state, model's state) that strings of p reach.  An arc of p
 * that the model lacks means that some string is not covered. */
struct product {
    const struct pfsa *p, *model;
    struct intern *pairs; /* struct pair */
    uint64_t arcs;        /* of all pairs */
    bool covered;
};

static int
add_pair(struct product *x, uint32_t p, uint32_t q, struct err *e)
{
    uint32_t before = intern_count(x->pairs), number;
    int status = intern_add(x->pairs, &(struct pair){p, q}, &number, e);
    if (status == ERR_LIMIT)
        err_prefix(e, "pairs of states of the two automata");
    if (status == 0 && number == before)
        x->arcs += x->p->first[p + 1] - x->p->first[p];
    return status;
}

static struct pair
get_pair(const struct product *x, uint32_t number)
{
    return *(const struct pair *)intern_get(x->pairs, number);
}

static int
explore_pair(struct product *x, uint32_t p, uint32_t q, struct err *e)
{
    int status = 0;
    if (x->p->final_logp[p] > -INFINITY && x->model->final_logp[q] == -INFINITY)
        x->covered = false;
    for (uint64_t a = x->p->first[p]; status == 0 && a < x->p->first[p + 1]; a++) {
        uint64_t b = pfsa_find_arc(x->model, q, x->p->symbol[a]);
        if (b == PFSA_NO_ARC)
            x->covered = false;
        else
            status = add_pair(x, x->p->target[a], x->model->target[b], e);
    }
    return status;
}

static int
explore(struct product *x, struct err *e)
{
    x->covered = true;
    x->pairs = intern_new(sizeof(struct pair), PFSA_STATES_MAX, e);
    int status = x->pairs != NULL ? add_pair(x, 0, 0, e) : ERR_NOMEM;
    for (uint32_t i = 0; status == 0 && x->covered && i < intern_count(x->pairs); i++) {
        struct pair at = get_pair(x, i);
        status = explore_pair(x, at.p, at.q, e);
    }
    return status;
}

/* The automaton p again, its states split into pairs. */
static struct pfsa *
split_states(const struct product *x, struct err *e)
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
            struct pair to = {p->target[a], x->model->target[b]};
            split->target[at] = intern_find(x->pairs, &to);
        }
        split->first[i + 1] = at;
    }
    return split;
}

/* Adds -visits * p log q and visits * p (log p - log q) of one transition. */
static void
add_transition(double visits, double logp, double logq, struct sum *cross, struct sum *kl)
{
    double weight = visits * dm_exp(logp);
    if (weight == 0)
        return;
    sum_add(cross, -weight * logq);
    sum_add(kl, weight * (logp - logq));
}

static void
add_pairs(const struct product *x, const double *visits, struct pfsa_relative *r)
{
    const struct pfsa *p = x->p, *model = x->model;
    struct sum cross = {0}, kl = {0};
    for (uint32_t i = 0; i < intern_count(x->pairs); i++) {
        uint32_t q = get_pair(x, i).p, m = get_pair(x, i).q;
        add_transition(visits[i], p->final_logp[q], model->final_logp[m], &cross, &kl);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            add_transition(visits[i], p->logp[a],
                           model->logp[pfsa_find_arc(model, m, p->symbol[a])], &cross, &kl);
    }
    r->cross_entropy = sum_total(&cross);
    r->kl = sum_total(&kl) > 0 ? sum_total(&kl) : 0; /* rounding may leave a negative nothing */
}

int
pfsa_stats_relative(const struct pfsa *p, const struct pfsa *model, struct pfsa_relative *r,
                    struct err *e)
{
    if (!alphabet_equal(&p->model.alphabet, &model->model.alphabet))
        return err_set(e, ERR_DATA, "the alphabets differ: '%s' and '%s'", p->model.alphabet.chars,
                       model->model.alphabet.chars);
    struct product x = {.p = p, .model = model};
    struct pfsa *split = NULL;
    double *visits = NULL;
    int status = explore(&x, e);
    r->cross_entropy = r->kl = INFINITY;
    if (status != 0 || !x.covered)
        goto done;
    status = ERR_NOMEM;
    if ((split = split_states(&x, e)) == NULL ||
        (visits = mem_array(split->states, sizeof *visits, e)) == NULL)
        goto done;
    status = pfsa_stats_visits(split, visits, e);
    if (status == 0)
        add_pairs(&x, visits, r);
done:
    mem_free(visits);
    pfsa_free(split);
    intern_free(x.pairs);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_builder.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_graph.h"
#include "pfsa/state_elimination.h"

int
pfsa_builder_state(struct pfsa_builder *d, double final_logw, uint32_t *state, struct err *e)
{
    if (d->states >= PFSA_STATES_MAX)
        return err_set(e, ERR_LIMIT, "automaton has more than %u states",
                       (unsigned)PFSA_STATES_MAX);
    size_t need = (size_t)d->states + 1;
    if (mem_reserve(&d->final_logw, &d->final_capacity, need, sizeof *d->final_logw, e) != 0)
        return ERR_NOMEM;
    d->final_logw[d->states] = final_logw;
    *state = d->states++;
    return 0;
}

int
pfsa_builder_arc(struct pfsa_builder *d, uint32_t source, uint8_t symbol, uint32_t target,
                 double logw, struct err *e)
{
    if (mem_reserve(&d->arc, &d->arcs_capacity, d->arcs + 1, sizeof *d->arc, e) != 0)
        return ERR_NOMEM;
    d->arc[d->arcs++] = (struct pfsa_builder_arc){source, target, symbol, logw};
    return 0;
}

void
pfsa_builder_clear(struct pfsa_builder *d)
{
    mem_free(d->arc);
    mem_free(d->final_logw);
    d->arc = NULL;
    d->final_logw = NULL;
    d->states = 0;
    d->arcs = d->arcs_capacity = d->final_capacity = 0;
}

/* A weight is a logarithm: -inf, or any number small enough that one per state can be added
 * up. */
static int
bad_weight(double logw)
{
    return !(fabs(logw) <= -PFSA_LOGP_MIN) && logw != -INFINITY;
}

static int
check_draft(const struct pfsa_builder *d, struct err *e)
{
    if (d->states == 0 || d->start >= d->states)
        return err_set(e, ERR_DATA, "automaton has no start state");
    for (uint32_t q = 0; q < d->states; q++)
        if (bad_weight(d->final_logw[q]))
            return err_set(e, ERR_DATA, "final weight of state %u is out of range", q);
    for (size_t i = 0; i < d->arcs; i++) {
        const struct pfsa_builder_arc *arc = &d->arc[i];
        if (arc->source >= d->states || arc->target >= d->states)
            return err_set(e, ERR_DATA, "an arc of state %u leads to a state that does not exist",
                           arc->source);
        if (arc->symbol >= d->alphabet.size)
            return err_set(e, ERR_DATA, "an arc of state %u has a symbol outside the alphabet",
                           arc->source);
        if (bad_weight(arc->logw))
            return err_set(e, ERR_DATA, "weight of an arc of state %u is out of range",
                           arc->source);
    }
    return 0;
}

/* Inserts the arc into the list of its state, [first, *end), in ascending order of symbols.
 * Drafts are nearly sorted, so this is cheap. */
static int
insert_arc(struct pfsa *p, const struct pfsa_builder_arc *arc, uint64_t first, uint64_t *end,
           struct err *e)
{
    uint64_t at = (*end)++;
    while (at > first && p->symbol[at - 1] > arc->symbol) {
        p->symbol[at] = p->symbol[at - 1];
        p->next[at] = p->next[at - 1];
        p->logp[at] = p->logp[at - 1];
        at--;
    }
    p->symbol[at] = arc->symbol;
    p->next[at] = arc->target;
    p->logp[at] = arc->logw;
    if (at == first || p->symbol[at - 1] != arc->symbol)
        return 0;
    size_t n;
    const char *symbol = alphabet_symbol(&p->model.alphabet, arc->symbol, &n);
    return err_set(e, ERR_DATA, "state %u has two arcs for '%.*s'; determinize the automaton first",
                   arc->source, (int)n, symbol);
}

/* The arcs of the draft by state; states keep their numbers, also dead ones. */
static struct pfsa *
arcs_by_state(const struct pfsa_builder *d, struct err *e)
{
    struct pfsa *p = pfsa_new(&d->alphabet, d->states, d->arcs, e);
    uint64_t *end = mem_array(d->states, sizeof *end, e);
    int rc = p == NULL || end == NULL ? ERR_NOMEM : 0;
    if (rc == 0) {
        memset(p->first, 0, ((size_t)d->states + 1) * sizeof *p->first);
        memcpy(p->final_logp, d->final_logw, d->states * sizeof *p->final_logp);
        for (size_t i = 0; i < d->arcs; i++)
            p->first[d->arc[i].source + 1] += d->arc[i].logw > -INFINITY;
        for (uint32_t q = 0; q < d->states; q++)
            p->first[q + 1] += p->first[q];
        p->arcs = p->first[d->states];
        memcpy(end, p->first, d->states * sizeof *end);
    }
    for (size_t i = 0; rc == 0 && i < d->arcs; i++) {
        const struct pfsa_builder_arc *arc = &d->arc[i];
        if (arc->logw > -INFINITY)
            rc = insert_arc(p, arc, p->first[arc->source], &end[arc->source], e);
    }
    mem_free(end);
    if (rc == 0)
        return p;
    pfsa_free(p);
    return NULL;
}

/* --- trimming and numbering --- */

/* New topological numbers for the states to keep; `old` is the inverse.  Returns their
 * number, and whether they form no cycle. */
static uint32_t
number_states(const struct pfsa *p, const struct pfsa_graph *shape, uint32_t *number, uint32_t *old,
              bool *acyclic)
{
    const struct scc *s = &shape->scc;
    uint32_t kept = 0;
    *acyclic = true;
    memset(number, 0xFF, p->states * sizeof *number);
    for (uint32_t c = s->components; c-- > 0;) {
        if (!shape->can_finish[c])
            continue;
        *acyclic &= !shape->cyclic[c];
        for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++) {
            old[kept] = s->member[i];
            number[s->member[i]] = kept++;
        }
    }
    return kept;
}

/* The automaton of the states old[0 .. states-1] only. */
static struct pfsa *
renumber(const struct pfsa *p, uint32_t states, const uint32_t *old, const uint32_t *number,
         struct err *e)
{
    uint64_t arcs = 0;
    for (uint32_t q = 0; q < states; q++)
        for (uint64_t a = p->first[old[q]]; a < p->first[old[q] + 1]; a++)
            arcs += number[p->next[a]] != UINT32_MAX;
    struct pfsa *r = pfsa_new(&p->model.alphabet, states, arcs, e);
    if (r == NULL)
        return NULL;
    uint64_t at = 0;
    for (uint32_t q = 0; q < states; q++) {
        r->final_logp[q] = p->final_logp[old[q]];
        for (uint64_t a = p->first[old[q]]; a < p->first[old[q] + 1]; a++) {
            if (number[p->next[a]] == UINT32_MAX)
                continue;
            r->symbol[at] = p->symbol[a];
            r->next[at] = number[p->next[a]];
            r->logp[at++] = p->logp[a];
        }
        r->first[q + 1] = at;
    }
    return r;
}

/* missing_logw of the states kept, which includes removed arcs. */
static int
renumber_leaks(const struct pfsa *p, uint32_t states, const uint32_t *old, const double *leak,
               double *kept, struct err *e)
{
    bool *stays = mem_zero(p->states, sizeof *stays, e);
    if (stays == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < states; q++)
        stays[old[q]] = true;
    for (uint32_t q = 0; q < states; q++) {
        kept[q] = leak[old[q]];
        for (uint64_t a = p->first[old[q]]; a < p->first[old[q] + 1]; a++)
            if (!stays[p->next[a]])
                kept[q] = dm_log_add_exp(kept[q], p->logp[a]);
    }
    mem_free(stays);
    return 0;
}

struct pfsa *
pfsa_trim(const struct pfsa *p, uint32_t start, uint32_t **old, struct err *e)
{
    struct pfsa *trimmed = NULL;
    struct pfsa_graph shape;
    uint32_t *number = mem_array(p->states, sizeof *number, e);
    bool acyclic;
    *old = mem_array(p->states, sizeof **old, e);
    int rc = pfsa_graph_find(&shape, p, start, e);
    if (rc == 0 && number != NULL && *old != NULL) {
        uint32_t states = number_states(p, &shape, number, *old, &acyclic);
        if (states == 0)
            err_set(e, ERR_EMPTY, "no string has positive probability");
        else if ((trimmed = renumber(p, states, *old, number, e)) != NULL)
            trimmed->acyclic = acyclic;
    }
    pfsa_graph_clear(&shape);
    mem_free(number);
    if (trimmed == NULL) {
        mem_free(*old);
        *old = NULL;
    }
    return trimmed;
}

/* Pushing may have moved a weight out of range. */
static int
check_range(const struct pfsa *p, struct err *e)
{
    for (uint32_t q = 0; q < p->states; q++) {
        bool bad = bad_weight(p->final_logp[q]);
        for (uint64_t i = p->first[q]; i < p->first[q + 1]; i++)
            bad = bad || bad_weight(p->logp[i]);
        if (bad)
            return err_set(e, ERR_DATA, "state %u has a probability below exp(-1e9)", q);
    }
    return 0;
}

int
pfsa_check_result(const struct pfsa *p, struct err *e)
{
    struct err why = {0};
    if (pfsa_check_states(p, &why) == 0 && check_range(p, &why) == 0)
        return 0;
    return err_set(e, ERR_NUMERIC, "weights cannot be normalized: %s", why.text);
}

struct pfsa *
pfsa_builder_finish(const struct pfsa_builder *d, struct err *e)
{
    if (check_draft(d, e) != 0)
        return NULL;
    struct pfsa *p = NULL, *all = arcs_by_state(d, e);
    uint32_t *old = NULL;
    double *leak = d->missing_logw != NULL ? mem_array(d->states, sizeof *leak, e) : NULL;
    if (all != NULL && (d->missing_logw == NULL || leak != NULL))
        p = pfsa_trim(all, d->start, &old, e);
    int rc = p != NULL ? 0 : ERR_NOMEM; /* or another error */
    if (rc == 0 && leak != NULL)
        rc = renumber_leaks(all, p->states, old, d->missing_logw, leak, e);
    if (rc == 0)
        rc = pfsa_push(p, leak, e);
    if (rc == 0)
        rc = pfsa_check_result(p, e);
    mem_free(leak);
    mem_free(old);
    pfsa_free(all);
    if (rc == 0)
        return p;
    pfsa_free(p);
    return NULL;
}

/* log of the total weight of all ways to finish from a state, as log + twos * ln 2 with
 * small |log|: so the error does not grow with the length of the strings. */
struct inside {
    double log;
    int64_t twos;
};

static double
inside_log(struct inside x)
{
    return x.log + (double)x.twos * DM_LN2;
}

static struct inside
make_inside(double log, int64_t twos)
{
    double more = floor(log / DM_LN2 + 0.5);
    return (struct inside){log - more * DM_LN2, twos + (int64_t)more};
}

/* Makes state q stochastic, given inside[] of all its targets; returns inside of q.  The
 * largest term is taken out first, so no logarithm becomes positive. */
static struct inside
push_state(struct pfsa *p, uint32_t q, const struct inside *inside)
{
    int64_t twos = p->final_logp[q] > -INFINITY ? 0 : INT64_MIN;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (inside[p->next[a]].twos > twos)
            twos = inside[p->next[a]].twos;
    double most = p->final_logp[q] -= (double)twos * DM_LN2;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        struct inside rest = inside[p->next[a]];
        p->logp[a] += rest.log + (double)(rest.twos - twos) * DM_LN2;
        if (p->logp[a] > most)
            most = p->logp[a];
    }
    if (most == -INFINITY) /* the start of a machine without strings */
        return (struct inside){-INFINITY, 0};
    double sum = dm_exp(p->final_logp[q] -= most);
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        sum += dm_exp(p->logp[a] -= most);
    double log_sum = dm_log(sum);
    p->final_logp[q] -= log_sum;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        p->logp[a] -= log_sum;
    return make_inside(most + log_sum, twos);
}

/* Solves the loops of component c, of n states: inside[] of its members from inside[] of all
 * components after it; `scratch` has room for n numbers. */
static int
solve_component(const struct pfsa *p, const struct scc *s, uint32_t c, const double *leak,
                struct inside *inside, double *scratch, struct err *e)
{
    const uint32_t *member = s->member + s->begin[c];
    uint32_t n = s->begin[c + 1] - s->begin[c];
    struct elimination *l = elimination_new(n, e);
    int rc = l == NULL ? ERR_NOMEM : 0;
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        uint32_t q = member[i];
        elimination_exit(l, i, p->final_logp[q]);
        elimination_missing(l, i, leak != NULL ? leak[q] : -INFINITY);
        for (uint64_t a = p->first[q]; rc == 0 && a < p->first[q + 1]; a++)
            if (s->of[p->next[a]] == c) {
                rc = elimination_arc(l, i, s->place[p->next[a]], p->logp[a], e);
            } else {
                elimination_exit(l, i, p->logp[a] + inside_log(inside[p->next[a]]));
                elimination_missing(l, i, p->logp[a]);
            }
    }
    if (rc == 0)
        rc = elimination_run(l, leak != NULL, ELIMINATION_CORE, e);
    if (rc == 0)
        rc = elimination_backward(l, scratch, e);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        inside[member[i]] = make_inside(scratch[i], 0);
    elimination_free(l);
    return rc;
}

static int
push_cyclic(struct pfsa *p, const double *leak, struct inside *inside, struct err *e)
{
    struct pfsa_graph shape;
    const struct scc *s = &shape.scc;
    int rc = pfsa_graph_find(&shape, p, 0, e);
    double *scratch = mem_array(p->states, sizeof *scratch, e);
    if (scratch == NULL)
        rc = ERR_NOMEM;
    for (uint32_t c = 0; rc == 0 && c < s->components; c++) {
        if (!shape.cyclic[c]) {
            uint32_t q = s->member[s->begin[c]];
            inside[q] = push_state(p, q, inside);
            continue;
        }
        rc = solve_component(p, s, c, leak, inside, scratch, e);
        for (uint32_t i = s->begin[c]; rc == 0 && i < s->begin[c + 1]; i++)
            push_state(p, s->member[i], inside);
    }
    mem_free(scratch);
    pfsa_graph_clear(&shape);
    return rc;
}

int
pfsa_push(struct pfsa *p, const double *missing_logw, struct err *e)
{
    struct inside *inside = mem_array(p->states, sizeof *inside, e);
    if (inside == NULL)
        return ERR_NOMEM;
    int rc = 0;
    if (!p->acyclic)
        rc = push_cyclic(p, missing_logw, inside, e);
    else
        for (uint32_t q = p->states; q-- > 0;)
            inside[q] = push_state(p, q, inside);
    if (rc == 0) {
        p->log_partition = inside_log(inside[0]);
        rc = pfsa_graph_lengths(p, e);
    }
    mem_free(inside);
    return rc;
}

/* --- probabilities that are known --- */

static void
take_logarithms(struct pfsa *p)
{
    for (uint32_t q = 0; q < p->states; q++) {
        struct compensated_sum sum = {0};
        compensated_sum_add(&sum, p->final_logp[q]);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            compensated_sum_add(&sum, p->logp[a]);
        double total = compensated_sum_total(&sum);
        p->final_logp[q] = dm_log(p->final_logp[q] / total);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            p->logp[a] = dm_log(p->logp[a] / total);
    }
}

struct pfsa *
pfsa_from_log_probabilities(struct pfsa *p, uint32_t start, struct err *e)
{
    uint32_t *old = NULL;
    struct pfsa *done = pfsa_trim(p, start, &old, e);
    mem_free(old);
    pfsa_free(p);
    if (done == NULL)
        return NULL;
    done->log_partition = 0;
    if (pfsa_graph_lengths(done, e) == 0 && pfsa_check_result(done, e) == 0)
        return done;
    pfsa_free(done);
    return NULL;
}

struct pfsa *
pfsa_from_probabilities(struct pfsa *p, uint32_t start, struct err *e)
{
    take_logarithms(p);
    return pfsa_from_log_probabilities(p, start, e);
}

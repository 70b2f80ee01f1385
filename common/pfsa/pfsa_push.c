/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_push.h"

#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_graph.h"
#include "pfsa/state_elimination.h"

/* log of the total weight of all ways to finish from a state, as
 * log + twos * ln 2 with |log| small: the error then does not grow with the
 * length of the strings. */
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

/* Makes state q stochastic, given inside[] of all its targets; returns that of
 * q.  The largest term is taken out first, so no logarithm becomes positive. */
static struct inside
push_state(struct pfsa *p, uint32_t q, const struct inside *inside)
{
    int64_t twos = p->final_logp[q] > -INFINITY ? 0 : INT64_MIN;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (inside[p->target[a]].twos > twos)
            twos = inside[p->target[a]].twos;
    double most = p->final_logp[q] -= (double)twos * DM_LN2;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        struct inside rest = inside[p->target[a]];
        p->logp[a] += rest.log + (double)(rest.twos - twos) * DM_LN2;
        if (p->logp[a] > most)
            most = p->logp[a];
    }
    double sum = dm_exp(p->final_logp[q] -= most);
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        sum += dm_exp(p->logp[a] -= most);
    double log_sum = dm_log(sum);
    p->final_logp[q] -= log_sum;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        p->logp[a] -= log_sum;
    return make_inside(most + log_sum, twos);
}

/* Solves the loops of component c, of n states: inside[] of its members from
 * inside[] of all that lies behind it; `scratch` has room for n numbers. */
static int
solve_component(const struct pfsa *p, const struct scc *s, uint32_t c, const double *leak,
                struct inside *inside, double *scratch, struct err *e)
{
    const uint32_t *member = s->member + s->begin[c];
    uint32_t n = s->begin[c + 1] - s->begin[c];
    struct loops *l = loops_new(n, e);
    int status = l == NULL ? ERR_NOMEM : 0;
    for (uint32_t i = 0; status == 0 && i < n; i++) {
        uint32_t q = member[i];
        loops_exit(l, i, p->final_logp[q]);
        loops_leak(l, i, leak != NULL ? leak[q] : -INFINITY);
        for (uint64_t a = p->first[q]; status == 0 && a < p->first[q + 1]; a++)
            if (s->of[p->target[a]] == c) {
                status = loops_arc(l, i, s->place[p->target[a]], p->logp[a], e);
            } else {
                loops_exit(l, i, p->logp[a] + inside_log(inside[p->target[a]]));
                loops_leak(l, i, p->logp[a]);
            }
    }
    if (status == 0)
        status = loops_eliminate(l, leak != NULL, e);
    if (status == 0)
        loops_inside(l, scratch);
    for (uint32_t i = 0; status == 0 && i < n; i++)
        inside[member[i]] = make_inside(scratch[i], 0);
    loops_free(l);
    return status;
}

static int
push_cyclic(struct pfsa *p, const double *leak, struct inside *inside, struct err *e)
{
    struct pfsa_shape shape;
    const struct scc *s = &shape.scc;
    int status = pfsa_shape_find(&shape, p, 0, e);
    double *scratch = mem_array(p->states, sizeof *scratch, e);
    if (scratch == NULL)
        status = ERR_NOMEM;
    for (uint32_t c = 0; status == 0 && c < s->components; c++) {
        if (!shape.cyclic[c]) {
            uint32_t q = s->member[s->begin[c]];
            inside[q] = push_state(p, q, inside);
            continue;
        }
        status = solve_component(p, s, c, leak, inside, scratch, e);
        for (uint32_t i = s->begin[c]; status == 0 && i < s->begin[c + 1]; i++)
            push_state(p, s->member[i], inside);
    }
    mem_free(scratch);
    pfsa_shape_clear(&shape);
    return status;
}

int
pfsa_push(struct pfsa *p, const double *leak_logw, struct err *e)
{
    struct inside *inside = mem_array(p->states, sizeof *inside, e);
    if (inside == NULL)
        return ERR_NOMEM;
    int status = 0;
    if (!p->acyclic)
        status = push_cyclic(p, leak_logw, inside, e);
    else
        for (uint32_t q = p->states; q-- > 0;)
            inside[q] = push_state(p, q, inside);
    if (status == 0) {
        p->log_partition = inside_log(inside[0]);
        status = pfsa_shape_lengths(p, e);
    }
    mem_free(inside);
    return status;
}

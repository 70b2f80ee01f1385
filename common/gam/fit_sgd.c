/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/histogram.h"
#include "gam/exact_moments.h"
#include "gam/fit_internal.h"
#include "gam/guided.h"
#include "gam/importance.h"

enum {
    BATCH = 500,       /* strings of data per update */
    GROUP = 1000,      /* maximum draws that enter the buffer of snis together */
    GUIDED_DRAWS = 100 /* guided: per update */
};

struct sgd {
    const struct fit_problem *problem;
    struct evidence *evidence;
    struct fit_solution *solution;
    double *mean;             /* [n] E phi under P, as last estimated */
    double *sum;              /* [n] sum of the epoch's moments */
    double *best;             /* [n] weights of the best epoch */
    struct histogram **group; /* [groups] the buffer of snis in the order of age, a ring */
    size_t groups, next_group;
};

/* Weighted means over the evidence at the present weights. */
static int
weighted_mean(struct sgd *s, struct err *e)
{
    struct importance t = {0};
    int rc = evidence_weigh(s->problem, s->evidence, &t, e);
    if (rc == 0) {
        importance_at(&t, s->solution->lambda);
        rc = evidence_check_possible(s->evidence, &t, e);
        memcpy(s->mean, t.mean, s->problem->n * sizeof *s->mean);
    }
    importance_clear(&t);
    return rc;
}

/* Draws one more group, which replaces the oldest once the buffer is full; the groups have
 * nearly equal sizes and fill the buffer. */
static int
renew_buffer(struct sgd *s, struct err *e)
{
    struct evidence *v = s->evidence;
    uint64_t samples = s->problem->options->samples;
    uint64_t size = samples / s->groups + (s->next_group < samples % s->groups);
    struct rejection_outcome o;
    struct histogram **place = &s->group[s->next_group];
    struct histogram *group = histogram_new(s->problem->features, e);
    if (group == NULL)
        return ERR_NOMEM;
    int rc = rejection_propose(v->source, size, group, &o, e);
    if (rc == 0 && *place != NULL)
        rc = histogram_merge(v->base, *place, -1, e);
    if (*place == NULL)
        v->base_draws += (double)size;
    histogram_free(*place);
    *place = group;
    s->next_group = (s->next_group + 1) % s->groups;
    return rc == 0 ? histogram_merge(v->base, group, 1, e) : rc;
}

static int
snis_mean(struct sgd *s, struct err *e)
{
    int rc = renew_buffer(s, e);
    return rc == 0 ? weighted_mean(s, e) : rc;
}

static int
rs_mean(struct sgd *s, struct err *e)
{
    struct evidence_round r = {0};
    int rc = evidence_draw(s->problem, s->evidence, s->solution->lambda,
                           s->problem->options->accepted, &r, e);
    if (rc == 0)
        rc = evidence_round_check(&r, e);
    if (rc == 0)
        histogram_mean(r.seen, s->mean);
    evidence_round_clear(&r);
    return rc;
}

/* Fresh guided draws at the current weights, without earlier ones. */
static int
guided_mean(struct sgd *s, struct err *e)
{
    struct evidence *v = s->evidence;
    struct draw_pool p = {.gam = s->problem->gam};
    struct importance t = {0};
    int rc = guided_aim(v->guided, s->solution->lambda, e);
    if (rc == 0)
        rc = guided_draw(v->guided, GUIDED_DRAWS, true, &p, e);
    if (rc == 0)
        rc = draw_pool_importance(&p, &t, e);
    if (rc == 0) {
        importance_at(&t, s->solution->lambda);
        memcpy(s->mean, t.mean, s->problem->n * sizeof *s->mean);
    }
    importance_clear(&t);
    draw_pool_clear(&p);
    return rc;
}

static int
exact_mean(struct sgd *s, struct err *e)
{
    struct moments *m = exact_moments_get(s->evidence->exact);
    int rc = m->at(m, s->solution->lambda, e);
    memcpy(s->mean, m->mean, s->problem->n * sizeof *s->mean);
    return rc;
}

/* s->mean = E phi under P at the current weights. */
static int
find_mean(struct sgd *s, struct err *e)
{
    switch (s->problem->options->regime) {
    case FIT_GUIDED:
        return guided_mean(s, e);
    case FIT_SNIS:
        return snis_mean(s, e);
    case FIT_RS:
        return rs_mean(s, e);
    default:
        return exact_mean(s, e);
    }
}

/* One epoch; its l1 distance is that of the mean of all its moments. */
static int
run_epoch(struct sgd *s, double rate, uint64_t updates, double *l1_mom, struct err *e)
{
    const struct fit_problem *p = s->problem;
    double *lambda = s->solution->lambda;
    memset(s->sum, 0, p->n * sizeof *s->sum);
    for (uint64_t u = 0; u < updates; u++) {
        int rc = find_mean(s, e);
        if (rc != 0)
            return rc;
        for (size_t i = 0; i < p->n; i++) {
            double slope = p->target[i] - s->mean[i] - p->l2[i] * lambda[i];
            s->sum[i] += s->mean[i];
            if (!p->options->fixed[i])
                lambda[i] = fmax(-p->bound[i], fmin(p->bound[i], lambda[i] + rate * slope));
        }
    }
    for (size_t i = 0; i < p->n; i++)
        s->sum[i] /= (double)updates;
    *l1_mom = fit_distance(p, s->sum);
    return fit_tell(p, s->evidence, s->solution, rate, *l1_mom, e);
}

static int
run_epochs(struct sgd *s, struct err *e)
{
    const struct fit_problem *p = s->problem;
    const struct fit_options *o = p->options;
    double *lambda = s->solution->lambda, least = INFINITY, l1_mom;
    uint64_t updates = ((uint64_t)fit_strings(p) + BATCH - 1) / BATCH, since = 0;
    int rc = 0;
    for (uint64_t k = 1; k <= o->epochs && since < o->patience && rc == 0; k++) {
        rc = run_epoch(s, o->alpha0 / (double)k, updates, &l1_mom, e);
        since++;
        if (rc == 0 && l1_mom < least) {
            least = l1_mom;
            since = 0;
            memcpy(s->best, lambda, p->n * sizeof *lambda);
        }
    }
    s->solution->converged = since >= o->patience;
    if (rc == 0)
        memcpy(lambda, s->best, p->n * sizeof *lambda);
    return rc;
}

int
fit_sgd(const struct fit_problem *p, struct evidence *v, struct fit_solution *solution,
        struct err *e)
{
    struct sgd s = {.problem = p,
                    .evidence = v,
                    .solution = solution,
                    .groups = (size_t)((p->options->samples + GROUP - 1) / GROUP)};
    s.mean = mem_array(p->n, sizeof *s.mean, e);
    s.sum = mem_array(p->n, sizeof *s.sum, e);
    s.best = mem_array(p->n, sizeof *s.best, e);
    s.group = mem_zero(s.groups, sizeof *s.group, e);
    int rc = s.mean == NULL || s.sum == NULL || s.best == NULL || s.group == NULL ? ERR_NOMEM : 0;
    if (rc == 0)
        rc = run_epochs(&s, e);
    for (size_t k = 0; s.group != NULL && k < s.groups; k++)
        histogram_free(s.group[k]);
    mem_free(s.group);
    mem_free(s.mean);
    mem_free(s.sum);
    mem_free(s.best);
    return rc;
}

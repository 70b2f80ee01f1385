/* SPDX-License-Identifier: MIT */
#include "gam/fit_internal.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/exact_moments.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/importance.h"
#include "gam/product.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

enum {
    BASE_DRAWS = 5000,   /* rs: from r, at least */
    GUIDED_DRAWS = 1000, /* guided: from r */
};

/* Proposals of a draw from P before it makes do with fewer strings, if any: for
 * each string, but so many at least.  A fit draws in every round, so a string in
 * 10^4 proposals is as rare as one can afford; a few strings may cost as much as
 * the 10^4 that newton wants at most.  Model steps limit it too. */
#define PROPOSALS_EACH UINT64_C(10000)
#define PROPOSALS_ALL  (10000 * PROPOSALS_EACH)

/* ---- the problem ---------------------------------------------------------------------- */

#define UNIT_MAX 30.0 /* of a weight, for each unit of its feature: odds of 1e13 */

/* A feature counts in units of 1/denominator, so a count over L needs a weight L
 * times that of a motif for the same odds. */
int
fit_data_moments(struct fit_problem *p, struct err *e)
{
    p->features = p->gam->features;
    p->n = feature_set_count(p->features);
    p->target = mem_array(p->n, sizeof *p->target, e);
    p->bound = mem_array(p->n, sizeof *p->bound, e);
    if (p->target == NULL || p->bound == NULL)
        return ERR_NOMEM;
    histogram_mean(p->data, p->target);
    for (size_t i = 0; i < p->n; i++)
        p->bound[i] = fmin(UNIT_MAX * feature_set_denominator(p->features, i), GAM_WEIGHT_MAX);
    return 0;
}

void
fit_problem_clear(struct fit_problem *p)
{
    mem_free(p->target);
    mem_free(p->bound);
}

double
fit_distance(const struct fit_problem *p, const double *mean)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!p->options->fixed[i])
            sum += fabs(p->target[i] - mean[i]);
    return sum;
}

/* ---- evidence ------------------------------------------------------------------------ */

void
evidence_round_clear(struct evidence_round *r)
{
    histogram_free(r->seen);
    mem_free(r->lambda);
}

void
evidence_clear(struct evidence *v)
{
    draw_pool_clear(&v->draws);
    guided_free(v->guided);
    histogram_free(v->base);
    for (size_t k = 0; k < v->rounds; k++)
        evidence_round_clear(&v->round[k]);
    mem_free(v->round);
    rejection_free(v->source);
    exact_moments_free(v->exact);
    mem_free(v->base_mean);
}

struct rejection_total
evidence_total(const struct evidence *v)
{
    if (v->exact != NULL)
        return (struct rejection_total){0};
    if (v->guided == NULL)
        return rejection_total(v->source);
    return (struct rejection_total){.proposals = guided_draws(v->guided),
                                    .model_steps = guided_steps(v->guided)};
}

static int
draw_base(struct evidence *v, uint64_t proposals, struct err *e)
{
    struct rejection_outcome o;
    v->base_draws += (double)proposals;
    return rejection_propose(v->source, proposals, v->base, &o, e);
}

static int
find_exactly(const struct fit_problem *p, struct evidence *v, struct err *e)
{
    const struct gam *g = p->gam;
    const struct pfsa *base = pfsa_of(g->model.base);
    uint64_t max_length = g->model.max_length;
    if (base == NULL)
        return err_advise(e, ERR_DATA, REMEDY_GUIDED,
                          "exact moments need a base of kind 'pfsa', and this is of kind '%s'",
                          g->model.base->kind->name);
    int rc = model_check_length(g->model.base, max_length, e);
    v->base_mean = mem_array(p->n, sizeof *v->base_mean, e);
    if (rc != 0 || v->base_mean == NULL)
        return e->code;
    v->exact = exact_moments_new(base, p->features, max_length, g->lambda, EXACT_MOMENTS_BYTES, e);
    rc = v->exact == NULL
             ? e->code
             : exact_means(base, p->features, max_length, PRODUCT_SIZE_MAX, v->base_mean, e);
    if (rc == ERR_LIMIT) {
        err_prefix(e, "too much for exact moments");
        err_remedy(e, REMEDY_GUIDED);
    }
    return rc;
}

static int
begin_guided(const struct fit_problem *p, struct pool *pool, struct evidence *v, struct err *e)
{
    const struct gam *g = p->gam;
    v->draws.gam = g;
    v->guided = guided_new(g, g->model.max_length, pool, p->options->seed, "gam-fit", e);
    return v->guided != NULL ? guided_draw(v->guided, GUIDED_DRAWS, true, &v->draws, e) : e->code;
}

int
fit_base_moments(const struct fit_problem *p, struct pool *pool, struct evidence *v, struct err *e)
{
    const struct fit_options *o = p->options;
    *v = (struct evidence){0};
    if (o->regime == FIT_GUIDED)
        return begin_guided(p, pool, v, e);
    if (o->regime == FIT_EXACT)
        return find_exactly(p, v, e);
    v->base = histogram_new(p->features, e);
    v->source = v->base != NULL ? rejection_new(p->gam, pool, o->seed, "gam-fit", e) : NULL;
    if (v->source == NULL)
        return e->code;
    if (o->regime == FIT_RS)
        return draw_base(v, o->accepted > BASE_DRAWS ? o->accepted : BASE_DRAWS, e);
    return o->optimizer == FIT_NEWTON ? draw_base(v, o->samples, e) : 0;
}

int
evidence_weigh(const struct fit_problem *p, const struct evidence *v, struct importance *t,
               struct err *e)
{
    if (v->guided != NULL)
        return draw_pool_importance(&v->draws, t, e);
    struct importance_source *part = mem_array(v->rounds + 1, sizeof *part, e);
    if (part == NULL)
        return ERR_NOMEM;
    part[0] = (struct importance_source){.seen = v->base, .draws = v->base_draws};
    for (size_t k = 0; k < v->rounds; k++) {
        const struct evidence_round *r = &v->round[k];
        part[k + 1] = (struct importance_source){
            .seen = r->seen,
            .lambda = r->lambda,
            .draws = (double)r->outcome.strings,
            .log_z = r->outcome.log_z,
        };
    }
    int rc = importance_init(t, p->features, part, v->rounds + 1, e);
    mem_free(part);
    return rc;
}

int
evidence_draw(const struct fit_problem *p, struct evidence *v, const double *lambda, uint64_t count,
              struct evidence_round *r, struct err *e)
{
    uint64_t most = count * PROPOSALS_EACH;
    r->seen = histogram_new(p->features, e);
    r->lambda = mem_array(p->n, sizeof *r->lambda, e);
    if (r->seen == NULL || r->lambda == NULL)
        return ERR_NOMEM;
    memcpy(r->lambda, lambda, p->n * sizeof *r->lambda);
    return rejection_sample(v->source, r->lambda, count,
                            most < PROPOSALS_ALL ? PROPOSALS_ALL : most, r->seen, &r->outcome, e);
}

int
evidence_round_check(const struct evidence_round *r, struct err *e)
{
    if (r->outcome.strings > 0)
        return 0;
    return err_advise(e, ERR_EMPTY, REMEDY_GUIDED,
                      "none of %llu strings from the base was accepted",
                      (unsigned long long)r->outcome.proposals);
}

int
evidence_draw_round(const struct fit_problem *p, struct evidence *v, const double *lambda,
                    uint64_t count, struct err *e)
{
    if (mem_reserve(&v->round, &v->round_capacity, v->rounds + 1, sizeof *v->round, e) != 0)
        return ERR_NOMEM;
    v->round[v->rounds] = (struct evidence_round){0};
    return evidence_draw(p, v, lambda, count, &v->round[v->rounds++], e);
}

const struct evidence_round *
evidence_last(const struct evidence *v)
{
    return &v->round[v->rounds - 1];
}

int
evidence_check_possible(const struct evidence *v, const struct importance *t, struct err *e)
{
    if (t->log_z > -INFINITY)
        return 0;
    return err_advise(e, ERR_EMPTY, REMEDY_GUIDED,
                      "none of %.0f strings from the base satisfies the hard constraints",
                      v->base_draws);
}

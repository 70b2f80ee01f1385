/* SPDX-License-Identifier: MIT */
#include "gam/fit_internal.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/constraint.h"
#include "gam/exact_moments.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/importance.h"
#include "gam/product.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

enum {
    BASE_DRAWS = 5000,   /* rs: minimum from r */
    GUIDED_DRAWS = 1000, /* guided: from r */
};

/* Limit on the proposals for strings from P, after which a smaller number of strings is
 * used: per string, and a minimum.  A fit draws in every round, so one string in 10^4
 * proposals is the rarest affordable case; a few strings may cost as much as the maximum of
 * 10^4 strings that newton uses.  Model steps are limited too. */
#define PROPOSALS_EACH UINT64_C(10000)
#define PROPOSALS_ALL  (10000 * PROPOSALS_EACH)

/* Witnesses of a part that the draws miss: their weight in units of Z, their least number, and
 * their least share. */
#define MISSED_WEIGHT 100.0
#define MISSED_COUNT  3
#define MISSED_SHARE  0.01

/* ---- the problem ---------------------------------------------------------------------- */

#define UNIT_MAX 30.0 /* of a weight, per unit of its feature: odds of 1e13 */

#define STATED_STRINGS 2000.0 /* of data that would give a mean as precisely as it is met */

bool
fit_is_stated(const struct fit_problem *p, size_t i)
{
    return p->options->stated != NULL && !isnan(p->options->stated[i]) && !p->options->fixed[i];
}

/* A feature counts in units of 1/denominator, so a count over L needs a weight L
 * times that of a motif for the same odds. */
int
fit_data_moments(struct fit_problem *p, struct err *e)
{
    p->features = p->gam->features;
    p->n = feature_set_count(p->features);
    p->target = mem_array(p->n, sizeof *p->target, e);
    p->bound = mem_array(p->n, sizeof *p->bound, e);
    p->l2 = mem_array(p->n, sizeof *p->l2, e);
    if (p->target == NULL || p->bound == NULL || p->l2 == NULL)
        return ERR_NOMEM;
    double strings = histogram_total(p->data);
    p->data_strings = strings > 0 ? strings : INFINITY;
    if (strings > 0)
        histogram_mean(p->data, p->target);
    for (size_t i = 0; i < p->n; i++) {
        bool stated = fit_is_stated(p, i);
        p->bound[i] = fmin(UNIT_MAX * feature_set_denominator(p->features, i), GAM_WEIGHT_MAX);
        p->l2[i] = stated ? 0 : p->options->l2;
        if (stated)
            p->target[i] = p->options->stated[i];
        else if (strings == 0)
            p->target[i] = p->gam->lambda[i] == -INFINITY ? 0 : NAN;
    }
    return 0;
}

double
fit_strings(const struct fit_problem *p)
{
    return isfinite(p->data_strings) ? p->data_strings : STATED_STRINGS;
}

/* The least and the greatest value of each feature that the hard constraints leave. */
static int
find_ranges(const struct fit_problem *p, const struct evidence *v, double *lo, double *hi,
            struct err *e)
{
    return v->exact != NULL ? exact_ranges(v->exact, lo, hi, e)
                            : constraint_ranges(p->gam, lo, hi, e);
}

/* A mean at the end of the range needs an infinite weight. */
static int
check_mean(const struct fit_problem *p, size_t i, double lo, double hi, struct err *e)
{
    double mean = p->target[i];
    const char *name = feature_set_name(p->features, i);
    if ((mean > lo && mean < hi) || (mean == lo && mean == hi))
        return 0;
    if (lo == hi)
        return err_set(e, ERR_DATA, "feature '%s': mean %g is impossible, it is always %g", name,
                       mean, lo);
    if (mean == lo || mean == hi)
        return err_advise(e, ERR_DATA, REMEDY_CONSTRAINT,
                          "feature '%s': mean %g needs an infinite weight, means between %g and %g "
                          "can be reached",
                          name, mean, lo, hi);
    return err_set(e, ERR_DATA, "feature '%s': mean %g is impossible, the range is %g to %g", name,
                   mean, lo, hi);
}

int
fit_check_stated(const struct fit_problem *p, const struct evidence *v, struct err *e)
{
    bool any = false;
    for (size_t i = 0; i < p->n; i++)
        any |= fit_is_stated(p, i);
    if (!any)
        return 0;
    double *lo = mem_array(p->n, 2 * sizeof *lo, e), *hi = lo != NULL ? lo + p->n : NULL;
    int rc = lo != NULL ? find_ranges(p, v, lo, hi, e) : ERR_NOMEM;
    for (size_t i = 0; i < p->n && rc == 0; i++)
        if (fit_is_stated(p, i))
            rc = check_mean(p, i, lo[i], hi[i], e);
    mem_free(lo);
    return rc;
}

void
fit_problem_clear(struct fit_problem *p)
{
    mem_free(p->target);
    mem_free(p->bound);
    mem_free(p->l2);
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
    draw_pool_clear(&v->witness);
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
                          "exact moments require a base model of kind 'pfsa', got '%s'",
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
        err_prefix(e, "too large for exact moments");
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
    return err_advise(e, ERR_EMPTY, REMEDY_GUIDED, "none of %llu proposals was accepted",
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
                      "none of %.0f samples of the base model satisfies the hard constraints",
                      v->base_draws);
}

/* ---- what the draws miss ------------------------------------------------------------------- */

static bool
has_fixed_tilt(const struct fit_problem *p, const double *lambda)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->options->fixed[i] && lambda[i] > -INFINITY)
            return true;
    return false;
}

/* The share of P with weights of more than 100 Z is at most E[w^2] / 100 Z^2, which is
 * draws / ess / 100. */
static double
missed_share(const struct draw_pool *witness, const double *log_w, const struct draw_estimate *z)
{
    double missed = 0, allowed = fmax(MISSED_SHARE, z->draws / z->ess / MISSED_WEIGHT);
    for (size_t i = 0; i < witness->strings; i++)
        if (log_w[i] - z->log_z > dm_log(MISSED_WEIGHT))
            missed += (double)witness->count[i];
    double share = missed / witness->draws;
    return missed >= MISSED_COUNT && share > allowed ? share : 0;
}

int
evidence_missed(const struct fit_problem *p, struct evidence *v, const double *lambda,
                const struct draw_pool *draws, double *missed, struct err *e)
{
    const struct strings *given = p->options->witness;
    struct draw_estimate z = draw_pool_estimate(draws, lambda);
    int rc = 0;
    *missed = 0;
    if (given == NULL || given->count == 0 || z.ess == 0 || has_fixed_tilt(p, lambda))
        return 0;
    v->witness.gam = p->gam;
    if (v->witness.members == 0)
        rc = guided_follow(v->guided, given, false, &v->witness, e);
    double *log_w = rc == 0 ? mem_array(v->witness.strings, sizeof *log_w, e) : NULL;
    if (log_w == NULL)
        return e->code;
    rc = draw_pool_cross_weights(&v->witness, draws, lambda, log_w, e);
    if (rc == 0)
        *missed = missed_share(&v->witness, log_w, &z);
    mem_free(log_w);
    return rc;
}

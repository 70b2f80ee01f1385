/* SPDX-License-Identifier: MIT */
#include "gam/partition.h"

#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/importance.h"
#include "gam/product.h"
#include "gam/rejection.h"
#include "model/model.h"
#include "model/sampler.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"

enum {
    FIRST_DRAWS = 2000,
    ROUND_DRAWS = 100000 /* at most, of strings without a guide */
};

/* Limits at which an estimate ends although its error is larger than requested. */
#define DRAWS_MAX 4e6
#define STEPS_MAX UINT64_C(50000000)

#define PROPOSALS_EACH UINT64_C(100000) /* of rejection, per accepted string */

#define ESS_KNOWN 400.0 /* of the estimate in the file of the GAM */

static int
find_exactly(const struct gam *g, struct partition *p, struct err *e)
{
    struct pfsa *normal = product_of_gam(g, g->model.max_length, e);
    if (normal == NULL)
        return e->code;
    *p = (struct partition){.log_z = normal->log_partition, .ess = INFINITY, .enough = true};
    pfsa_free(normal);
    return 0;
}

static struct partition
judge(const struct weight_sums *s, double error)
{
    struct draw_estimate z = weight_sums_estimate(s);
    return (struct partition){
        .log_z = z.log_z,
        .log_z_se = z.log_z_se,
        .ess = z.ess,
        .samples = (uint64_t)z.draws,
        .enough = z.log_z_se <= error && z.ess >= GUIDED_ESS_MIN * z.draws,
    };
}

/* How many draws give log Z the requested error, estimated from the error after `draws`. */
static double
draws_needed(double draws, double log_z_se, double error)
{
    return fmin(1.1 * draws * log_z_se * log_z_se / (error * error), DRAWS_MAX);
}

static void
tell(const struct partition_options *o, double draws, double wanted)
{
    if (o->progress != NULL)
        o->progress(o->arg, (uint64_t)draws, (uint64_t)wanted);
}

/* Draws until log Z has the requested error, or the budget is used up. */
static int
draw_guided(const struct gam *g, struct guided *d, const struct partition_options *o,
            struct partition *p, struct err *e)
{
    struct weight_sums s = WEIGHT_SUMS_NONE;
    double want = FIRST_DRAWS;
    int rc = 0;
    while (rc == 0 && s.draws < want && guided_steps(d) < STEPS_MAX) {
        struct draw_pool pool = {.gam = g};
        rc = guided_draw(d, (uint64_t)(want - s.draws) + 10, false, &pool, e);
        if (rc == 0)
            draw_pool_sum(&pool, g->lambda, &s);
        draw_pool_clear(&pool);
        *p = judge(&s, o->error);
        if (s.draws >= want && p->log_z_se > o->error)
            want = draws_needed(s.draws, p->log_z_se, o->error);
        tell(o, s.draws, want);
    }
    return rc;
}

static int
estimate_guided(const struct gam *g, struct pool *pool, const struct partition_options *o,
                struct partition *p, struct err *e)
{
    struct guided_gap gap;
    struct guided *d = guided_new(g, g->model.max_length, pool, o->seed, "partition", e);
    int rc = d != NULL ? guided_learn(d, g->lambda, &gap, e) : e->code;
    if (rc == 0)
        rc = draw_guided(g, d, o, p, e);
    if (rc == 0) {
        struct draw_estimate z = {
            .log_z = p->log_z, .log_z_se = p->log_z_se, .ess = p->ess, .draws = 1};
        guided_compare(d, g->lambda, &z, &gap);
        p->gap = gap.wide ? fabs(gap.log_z) : 0;
        p->enough &= !gap.wide;
        p->samples = guided_draws(d);
        p->model_steps = guided_steps(d);
        if (p->ess == 0)
            rc = err_set(e, ERR_EMPTY, "none of %llu proposals has a positive weight",
                         (unsigned long long)p->samples);
    }
    guided_free(d);
    return rc;
}

/* From the acceptance rate, with 1/error^2 accepted strings: used if the features have too
 * many states for a guide. */
static int
estimate_by_rejection(const struct gam *g, struct pool *pool, const struct partition_options *o,
                      struct partition *p, struct err *e)
{
    struct rejection_outcome drawn = {0};
    uint64_t count = (uint64_t)fmin(ceil(1 / (o->error * o->error)), 0x1p39);
    struct rejection *r = rejection_new(g, pool, o->seed, "partition", e);
    int rc = r != NULL ? 0 : e->code;
    if (rc == 0)
        rc = rejection_sample(r, g->lambda, count, count * PROPOSALS_EACH, NULL, &drawn, e);
    if (rc == 0 && drawn.accepted == 0)
        rc = err_set(e, ERR_EMPTY, "none of %llu proposals was accepted",
                     (unsigned long long)drawn.proposals);
    if (rc == 0)
        *p = (struct partition){
            .log_z = drawn.log_z,
            .log_z_se = drawn.log_z_se,
            .ess = (double)drawn.accepted,
            .samples = drawn.proposals,
            .model_steps = rejection_total(r).model_steps,
            .enough = drawn.strings == count,
        };
    rejection_free(r);
    return rc;
}

static int
estimate(const struct gam *g, struct pool *pool, const struct partition_options *o,
         struct partition *p, struct err *e)
{
    struct err why = {0};
    int rc = estimate_guided(g, pool, o, p, &why);
    if (rc == ERR_LIMIT)
        return estimate_by_rejection(g, pool, o, p, e);
    return rc == 0 ? 0 : err_set(e, rc, "%s", why.text);
}

/* Whether the GAM's file has an estimate that is good enough. */
static bool
is_known(const struct gam *g, double error, struct partition *p)
{
    if (!(g->log_z_se <= error && g->ess >= ESS_KNOWN))
        return false;
    *p = (struct partition){
        .log_z = g->log_z, .log_z_se = g->log_z_se, .ess = g->ess, .enough = true};
    return true;
}

static int
find_of_gam(const struct gam *g, struct pool *pool, const struct partition_options *o,
            struct partition *p, struct err *e)
{
    struct gam shorter = *g; /* a view of the same GAM: not to be freed */
    struct err why = {0};
    if (o->max_length < g->model.max_length)
        shorter.model.max_length = o->max_length;
    if (pfsa_of(g->model.base) == NULL) {
        bool as_fitted = shorter.model.max_length == g->model.max_length;
        return as_fitted && is_known(g, o->error, p) ? 0 : estimate(&shorter, pool, o, p, e);
    }
    int rc = find_exactly(&shorter, p, &why);
    if (rc == ERR_LIMIT)
        return estimate(&shorter, pool, o, p, e);
    return rc == 0 ? 0 : err_pass(e, &why);
}

static int
ignore_strings(void *arg, const uint8_t *symbols, size_t length, uint64_t count, struct err *e)
{
    (void)arg, (void)symbols, (void)length, (void)count, (void)e;
    return 0;
}

/* The share of strings that are short enough, with the error of a binomial. */
static struct partition
judge_lengths(const struct sampler_stats *s, double error)
{
    double n = (double)s->proposals, a = (double)s->accepted;
    double se = importance_log_z_se(a, n);
    return (struct partition){
        .log_z = dm_log(a / n),
        .log_z_se = se,
        .ess = a,
        .samples = s->proposals,
        .model_steps = s->model_steps,
        .enough = se <= error,
    };
}

/* How many of the `left` draws to make at once, within the budget of model steps. */
static uint64_t
next_round(const struct partition *p, double left)
{
    double steps = (double)p->model_steps / fmax((double)p->samples, 1); /* of one draw */
    double affordable =
        p->samples > 0 ? ((double)STEPS_MAX - (double)p->model_steps) / steps : left;
    return (uint64_t)ceil(fmin(left, fmin(affordable, ROUND_DRAWS)));
}

/* As draw_guided, for the lengths of a model's strings. */
static int
draw_lengths(struct sampler *s, const struct partition_options *o, struct partition *p,
             struct err *e)
{
    double want = FIRST_DRAWS;
    int rc = 0;
    *p = (struct partition){0};
    while (rc == 0 && (double)p->samples < want && p->model_steps < STEPS_MAX) {
        struct sampler_stats stats;
        uint64_t draws = next_round(p, want - (double)p->samples);
        rc = sampler_round(s, draws, ignore_strings, NULL, e);
        sampler_get_stats(s, &stats);
        *p = judge_lengths(&stats, o->error);
        if ((double)p->samples >= want && !p->enough)
            want = draws_needed((double)p->samples, p->log_z_se, o->error);
        tell(o, (double)p->samples, want);
    }
    if (rc == 0 && p->ess == 0)
        rc = err_set(e, ERR_EMPTY, "none of %llu strings from the model has at most %llu symbols",
                     (unsigned long long)p->samples, (unsigned long long)o->max_length);
    return rc;
}

static int
estimate_lengths(const struct model *m, struct pool *pool, const struct partition_options *o,
                 struct partition *p, struct err *e)
{
    struct sampler_options so = {
        .seed = o->seed, .purpose = "partition", .max_length = o->max_length};
    struct sampler *s = sampler_new(m, pool, &so, e);
    int rc = s != NULL ? draw_lengths(s, o, p, e) : e->code;
    sampler_free(s);
    return rc;
}

int
partition_find(const struct model *m, struct pool *pool, const struct partition_options *o,
               struct partition *p, struct err *e)
{
    const struct gam *g = gam_of(m);
    uint64_t longest = o->max_length < m->max_length || g == NULL ? o->max_length : m->max_length;
    if (model_check_length(model_proposal(m), longest, e) != 0)
        return e->code;
    if (g != NULL)
        return find_of_gam(g, pool, o, p, e);
    *p = (struct partition){.ess = INFINITY, .enough = true};
    bool one_length = m->min_length == m->max_length; /* of all its strings, then short enough */
    if (o->max_length == MODEL_UNBOUNDED || one_length)
        return 0;
    return pfsa_of(m) != NULL ? pfsa_stats_log_within(pfsa_of(m), o->max_length, &p->log_z, e)
                              : estimate_lengths(m, pool, o, p, e);
}

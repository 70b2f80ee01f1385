/* SPDX-License-Identifier: MIT */
#include "gam/partition.h"

#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/product.h"
#include "gam/rejection.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

enum { FIRST_DRAWS = 2000 };

/* Where an estimate ends although its error is larger than asked for. */
#define DRAWS_MAX 4e6
#define STEPS_MAX UINT64_C(50000000)

#define PROPOSALS_EACH UINT64_C(100000) /* of rejection, for each string accepted */

#define ESS_KNOWN 400.0 /* of an estimate that the GAM brings along */

#define ESS_MIN 0.05 /* per draw; with less the error itself cannot be trusted */

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
        .enough = z.log_z_se <= error && z.ess >= ESS_MIN * z.draws,
    };
}

/* Draws until log Z has the error asked for, or the budget is used up. */
static int
draw_guided(const struct gam *g, struct guided *d, double error, struct partition *p, struct err *e)
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
        *p = judge(&s, error);
        if (s.draws >= want && p->log_z_se > error)
            want = fmin(1.1 * s.draws * p->log_z_se * p->log_z_se / (error * error), DRAWS_MAX);
    }
    return rc;
}

static int
estimate_guided(const struct gam *g, struct pool *pool, uint64_t seed, double error,
                struct partition *p, struct err *e)
{
    struct draw_estimate learned;
    struct guided *d = guided_new(g, g->model.max_length, pool, seed, "partition", e);
    int rc = d != NULL ? guided_learn(d, g->lambda, &learned, e) : e->code;
    if (rc == 0)
        rc = draw_guided(g, d, error, p, e);
    if (rc == 0) {
        p->samples = guided_draws(d);
        p->model_steps = guided_steps(d);
        if (p->ess == 0)
            rc = err_set(e, ERR_EMPTY, "none of %llu strings from the base has positive weight",
                         (unsigned long long)p->samples);
    }
    guided_free(d);
    return rc;
}

/* From the rate of acceptance, 1/error^2 accepted strings: where guided draws cannot follow the
 * features. */
static int
estimate_by_rejection(const struct gam *g, struct pool *pool, uint64_t seed, double error,
                      struct partition *p, struct err *e)
{
    struct rejection_outcome o = {0};
    uint64_t count = (uint64_t)fmin(ceil(1 / (error * error)), 0x1p39);
    struct rejection *r = rejection_new(g, pool, seed, "partition", e);
    int rc = r != NULL ? 0 : e->code;
    if (rc == 0)
        rc = rejection_sample(r, g->lambda, count, count * PROPOSALS_EACH, NULL, &o, e);
    if (rc == 0 && o.accepted == 0)
        rc = err_set(e, ERR_EMPTY, "none of %llu strings from the base was accepted",
                     (unsigned long long)o.proposals);
    if (rc == 0)
        *p = (struct partition){
            .log_z = o.log_z,
            .log_z_se = o.log_z_se,
            .ess = (double)o.accepted,
            .samples = o.proposals,
            .model_steps = rejection_total(r).model_steps,
            .enough = o.strings == count,
        };
    rejection_free(r);
    return rc;
}

static int
estimate(const struct gam *g, struct pool *pool, uint64_t seed, double error, struct partition *p,
         struct err *e)
{
    struct err why = {0};
    int rc = estimate_guided(g, pool, seed, error, p, &why);
    if (rc == ERR_LIMIT)
        return estimate_by_rejection(g, pool, seed, error, p, e);
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

int
partition_find(const struct gam *g, struct pool *pool, uint64_t seed, double error,
               struct partition *p, struct err *e)
{
    struct err why = {0};
    int rc = model_check_length(g->model.base, g->model.max_length, e);
    if (rc != 0)
        return rc;
    if (pfsa_of(g->model.base) == NULL)
        return is_known(g, error, p) ? 0 : estimate(g, pool, seed, error, p, e);
    rc = find_exactly(g, p, &why);
    if (rc == ERR_LIMIT)
        return estimate(g, pool, seed, error, p, e);
    return rc == 0 ? 0 : err_pass(e, &why);
}

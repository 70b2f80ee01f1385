/* SPDX-License-Identifier: MIT */
#include "gam/partition.h"

#include <math.h>

#include "core/err.h"
#include "feature/histogram.h"
#include "gam/exact_moments.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "gam/rejection.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

/* Proposals for each string wanted, and no more.  Z is found once a run, and from
 * fewer strings too, only less exactly: so there is more patience than in a fit,
 * which draws again and again (fit_state.c), and less than where the strings
 * themselves are wanted (gam-sample). */
#define PROPOSALS_EACH UINT64_C(100000)

static int
sum_vectors(const struct gam *g, struct hist *h, struct partition *p, struct err *e)
{
    struct tilt t = {0};
    struct tilt_part all = {.seen = h, .draws = 1};
    int status = moments_histogram((const struct pfsa *)g->base, g->features, g->max_length, h, e);
    if (status == 0)
        status = tilt_init(&t, g->features, &all, 1, e);
    if (status == 0) {
        tilt_at(&t, g->lambda);
        *p = (struct partition){.log_z = t.log_z, .ess = INFINITY, .enough = true};
        if (t.log_z == -INFINITY)
            status = err_set(e, ERR_EMPTY, "no string satisfies the hard constraints");
    }
    tilt_clear(&t);
    return status;
}

static int
find_exactly(const struct gam *g, struct partition *p, struct err *e)
{
    struct hist *h = hist_new(g->features, e);
    int status = h != NULL ? sum_vectors(g, h, p, e) : ERR_NOMEM;
    hist_free(h);
    return status;
}

static int
estimate(const struct gam *g, struct pool *pool, uint64_t seed, double error, struct partition *p,
         struct err *e)
{
    struct reject_outcome o = {0};
    uint64_t count = (uint64_t)fmin(ceil(1 / (error * error)), 0x1p39);
    struct reject *r = reject_new(g, pool, seed, "partition", e);
    int status = r != NULL ? 0 : e->code;
    if (status == 0)
        status = reject_draw(r, g->lambda, count, count * PROPOSALS_EACH, NULL, &o, e);
    if (status == 0 && o.accepted == 0)
        status = err_set(e, ERR_EMPTY, "none of %llu strings from the base was accepted",
                         (unsigned long long)o.proposals);
    if (status == 0)
        *p = (struct partition){
            .log_z = o.log_z,
            .log_z_se = o.log_z_se,
            .ess = (double)o.accepted,
            .samples = o.proposals,
            .model_steps = reject_total(r).model_steps,
            .enough = o.strings == count,
        };
    reject_free(r);
    return status;
}

int
partition_find(const struct gam *g, struct pool *pool, uint64_t seed, double error,
               struct partition *p, struct err *e)
{
    struct err why = {0};
    int status = model_check_length(g->base, g->max_length, e);
    if (status != 0)
        return status;
    if (g->base->ops->kind != MDL_PFSA)
        return estimate(g, pool, seed, error, p, e);
    status = find_exactly(g, p, &why);
    /* Too many vectors, or infinitely many: then draws will do. */
    if (status == ERR_LIMIT || status == ERR_DATA)
        return estimate(g, pool, seed, error, p, e);
    return status == 0 ? 0 : err_set(e, status, "%s", why.text);
}

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
sum_vectors(const struct gam *g, struct histogram *h, struct partition *p, struct err *e)
{
    struct importance t = {0};
    struct importance_source all = {.seen = h, .draws = 1};
    int rc = exact_histogram(pfsa_of(g->model.base), g->features, g->model.max_length, h, e);
    if (rc == 0)
        rc = importance_init(&t, g->features, &all, 1, e);
    if (rc == 0) {
        importance_at(&t, g->lambda);
        *p = (struct partition){.log_z = t.log_z, .ess = INFINITY, .enough = true};
        if (t.log_z == -INFINITY)
            rc = err_set(e, ERR_EMPTY, "no string satisfies the hard constraints");
    }
    importance_clear(&t);
    return rc;
}

static int
find_exactly(const struct gam *g, struct partition *p, struct err *e)
{
    struct histogram *h = histogram_new(g->features, e);
    int rc = h != NULL ? sum_vectors(g, h, p, e) : ERR_NOMEM;
    histogram_free(h);
    return rc;
}

static int
estimate(const struct gam *g, struct pool *pool, uint64_t seed, double error, struct partition *p,
         struct err *e)
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

int
partition_find(const struct gam *g, struct pool *pool, uint64_t seed, double error,
               struct partition *p, struct err *e)
{
    struct err why = {0};
    int rc = model_check_length(g->model.base, g->model.max_length, e);
    if (rc != 0)
        return rc;
    if (pfsa_of(g->model.base) == NULL)
        return estimate(g, pool, seed, error, p, e);
    rc = find_exactly(g, p, &why);
    /* Too many vectors, or infinitely many: then draws will do. */
    if (rc == ERR_LIMIT || rc == ERR_DATA)
        return estimate(g, pool, seed, error, p, e);
    return rc == 0 ? 0 : err_set(e, rc, "%s", why.text);
}

/* SPDX-License-Identifier: MIT */
#include "gam/rejection.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "gam/weight_bound.h"
#include "model/sampler.h"

#define STEPS_MAX UINT64_C(50000000) /* of the model, in one draw */

struct rejection {
    const struct gam *gam;
    struct pool *pool;
    uint64_t seed;
    const char *purpose;
    struct weight_bound *bound;
    uint64_t draws; /* so far */
    struct rejection_total total;
    void *record;        /* of the features */
    uint64_t *whole;     /* [features] */
    struct histogram *h; /* of the draw under way */
};

struct rejection *
rejection_new(const struct gam *g, struct pool *pool, uint64_t seed, const char *purpose,
              struct err *e)
{
    struct rejection *r = mem_zero(1, sizeof *r, e);
    if (r == NULL)
        return NULL;
    r->gam = g;
    r->pool = pool;
    r->seed = seed;
    r->purpose = purpose;
    if (model_check_sampling(&g->model, g->model.max_length, e) == 0)
        r->bound = weight_bound_new(g->features, g->model.max_length, WEIGHT_BOUND_PAIRS_MAX, e);
    r->record = mem_array(1, feature_set_state_bytes(g->features), e);
    r->whole = mem_array(feature_set_count(g->features), sizeof *r->whole, e);
    if (r->bound != NULL && r->record != NULL && r->whole != NULL)
        return r;
    rejection_free(r);
    return NULL;
}

void
rejection_free(struct rejection *r)
{
    if (r == NULL)
        return;
    weight_bound_free(r->bound);
    mem_free(r->record);
    mem_free(r->whole);
    mem_free(r);
}

struct rejection_total
rejection_total(const struct rejection *r)
{
    return r->total;
}

static int
add_strings(void *arg, const uint8_t *symbols, size_t length, uint64_t count, struct err *e)
{
    struct rejection *r = arg;
    const struct feature_set *f = r->gam->features;
    if (r->h == NULL)
        return 0;
    feature_set_run(f, r->record, symbols, length);
    feature_set_numerators(f, r->record, r->whole);
    return histogram_add(r->h, r->whole, (double)count, e);
}

static int
add_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    return add_strings(arg, symbols, length, 1, e);
}

/* Estimates Z from the acceptance rate. */
static struct rejection_outcome
outcome_of(const struct sampler_stats *st, double log_bound)
{
    double n = (double)st->proposals, a = (double)st->accepted;
    return (struct rejection_outcome){
        .strings = st->written,
        .accepted = st->accepted,
        .proposals = st->proposals,
        .log_z = log_bound + dm_log(a / n),
        .log_z_se = importance_log_z_se(a, n),
    };
}

/* One draw: all accepted of `proposals` strings, or `goal`. */
static int
draw(struct rejection *r, const struct sampler_bound *bound, uint64_t proposals,
     const struct sampler_request *goal, struct rejection_outcome *o, struct err *e)
{
    char purpose[48];
    snprintf(purpose, sizeof purpose, "%s/%" PRIu64, r->purpose, r->draws++);
    struct sampler_options so = {.seed = r->seed,
                                 .purpose = purpose,
                                 .max_length = r->gam->model.max_length,
                                 .bound = bound};
    struct sampler *s = sampler_new(r->gam->model.base, r->pool, &so, e);
    if (s == NULL)
        return e->code;
    struct sampler_stats st;
    int rc =
        goal != NULL ? sampler_run(s, goal, e) : sampler_round(s, proposals, add_strings, r, e);
    sampler_get_stats(s, &st);
    sampler_free(s);
    r->total.proposals += st.proposals;
    r->total.model_steps += st.model_steps;
    *o = outcome_of(&st, bound != NULL ? weight_bound_root(r->bound) : 0);
    return rc;
}

int
rejection_propose(struct rejection *r, uint64_t proposals, struct histogram *h,
                  struct rejection_outcome *o, struct err *e)
{
    r->h = h;
    int rc = draw(r, NULL, proposals, NULL, o, e);
    if (rc == 0)
        o->strings = o->accepted;
    return rc;
}

int
rejection_sample(struct rejection *r, const double *lambda, uint64_t count, uint64_t max_proposals,
                 struct histogram *h, struct rejection_outcome *o, struct err *e)
{
    struct sampler_request goal = {.count = count,
                                   .max_proposals = max_proposals,
                                   .max_steps = STEPS_MAX,
                                   .string = add_string,
                                   .arg = r};
    int rc = weight_bound_set_lambda(r->bound, lambda, e);
    if (rc != 0)
        return rc;
    struct sampler_bound bound = weight_bound_bound(r->bound);
    r->h = h;
    return draw(r, &bound, 0, &goal, o, e);
}

/* SPDX-License-Identifier: MIT */
#include "gam/rejection.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/gam.h"
#include "gam/weight_bound.h"
#include "model/sampler.h"
#include "pfsa/alias_sampler.h"

struct reject {
    const struct gam *gam;
    struct pool *pool;
    uint64_t seed;
    const char *purpose;
    struct reach *reach;
    uint64_t draws; /* so far */
    struct reject_total total;
    void *record;    /* of the features */
    uint64_t *whole; /* [features] */
    struct hist *h;  /* of the draw under way */
};

struct reject *
reject_new(const struct gam *g, struct pool *pool, uint64_t seed, const char *purpose,
           struct err *e)
{
    struct reject *r = mem_zero(1, sizeof *r, e);
    if (r == NULL)
        return NULL;
    r->gam = g;
    r->pool = pool;
    r->seed = seed;
    r->purpose = purpose;
    if (pfsa_sample_check(g->base, g->max_length, e) == 0)
        r->reach = reach_new(g->features, g->max_length, REACH_PAIRS_MAX, e);
    r->record = mem_array(1, features_state_bytes(g->features), e);
    r->whole = mem_array(features_count(g->features), sizeof *r->whole, e);
    if (r->reach != NULL && r->record != NULL && r->whole != NULL)
        return r;
    reject_free(r);
    return NULL;
}

void
reject_free(struct reject *r)
{
    if (r == NULL)
        return;
    reach_free(r->reach);
    mem_free(r->record);
    mem_free(r->whole);
    mem_free(r);
}

struct reject_total
reject_total(const struct reject *r)
{
    return r->total;
}

static int
add_strings(void *arg, const uint8_t *codes, size_t length, uint64_t count, struct err *e)
{
    struct reject *r = arg;
    const struct features *f = r->gam->features;
    if (r->h == NULL)
        return 0;
    features_follow(f, r->record, codes, length);
    features_whole(f, r->record, r->whole);
    return hist_add(r->h, r->whole, (double)count, e);
}

static int
add_string(void *arg, const uint8_t *codes, size_t length, struct err *e)
{
    return add_strings(arg, codes, length, 1, e);
}

/* What the rate of acceptance says of Z. */
static struct reject_outcome
outcome_of(const struct sampler_stats *st, double log_bound)
{
    double n = (double)st->proposals, a = (double)st->accepted;
    return (struct reject_outcome){
        .strings = st->written,
        .accepted = st->accepted,
        .proposals = st->proposals,
        .log_z = log_bound + dm_log(a / n),
        .log_z_se = sqrt((1 - a / n) / a),
    };
}

/* One draw: all accepted of `proposals` strings, or `goal`. */
static int
draw(struct reject *r, const struct sampler_bound *bound, uint64_t proposals,
     const struct sampler_goal *goal, struct reject_outcome *o, struct err *e)
{
    char purpose[48];
    snprintf(purpose, sizeof purpose, "%s/%" PRIu64, r->purpose, r->draws++);
    struct sampler_options so = {
        .seed = r->seed, .purpose = purpose, .max_length = r->gam->max_length, .bound = bound};
    struct sampler *s = sampler_new(r->gam->base, r->pool, &so, e);
    if (s == NULL)
        return e->code;
    struct sampler_stats st;
    int status =
        goal != NULL ? sampler_run(s, goal, e) : sampler_round(s, proposals, add_strings, r, e);
    sampler_get_stats(s, &st);
    sampler_free(s);
    r->total.proposals += st.proposals;
    r->total.model_steps += st.model_steps;
    *o = outcome_of(&st, bound != NULL ? reach_root(r->reach) : 0);
    return status;
}

int
reject_base(struct reject *r, uint64_t proposals, struct hist *h, struct reject_outcome *o,
            struct err *e)
{
    r->h = h;
    int status = draw(r, NULL, proposals, NULL, o, e);
    if (status == 0)
        o->strings = o->accepted;
    return status;
}

int
reject_draw(struct reject *r, const double *lambda, uint64_t count, uint64_t max_proposals,
            struct hist *h, struct reject_outcome *o, struct err *e)
{
    struct sampler_goal goal = {
        .count = count, .max_proposals = max_proposals, .string = add_string, .arg = r};
    int status = reach_weigh(r->reach, lambda, e);
    if (status != 0)
        return status;
    struct sampler_bound bound = reach_bound(r->reach);
    r->h = h;
    return draw(r, &bound, 0, &goal, o, e);
}

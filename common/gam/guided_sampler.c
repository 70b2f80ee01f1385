/* SPDX-License-Identifier: MIT */
#include "gam/guided_sampler.h"

#include <math.h>
#include <stdio.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "gam/draw_pool.h"
#include "gam/gam.h"
#include "gam/quasi_rejection.h"
#include "model/sampler.h"

/* Draws of the pilot at a distance of PILOT_TVD; a smaller one needs more. */
enum { PILOT_DRAWS = 4000 };
#define PILOT_TVD 0.01

struct guided_sampler {
    const struct gam *gam;
    struct guided_sampler_options options;
    struct guided *guided;
    struct quasi_rejection bound;
    struct guided_sampler_quality quality;
    struct sampler_stats stats;
    uint64_t chunks;
    struct draw_pool pool; /* of the current chunk */
    double *log_w;         /* [strings of the pool] */
    size_t log_w_capacity;
    uint32_t *order; /* [ordered] strings of the pool to return, in random order */
    size_t ordered, order_capacity;
    uint8_t *symbols; /* of one string */
    size_t symbols_capacity;
};

/* Replaces the pool by fresh draws, and finds their weights. */
static int
draw_chunk(struct guided_sampler *s, uint64_t draws, struct err *e)
{
    draw_pool_clear(&s->pool);
    int rc = guided_draw(s->guided, draws, false, &s->pool, e);
    if (rc == 0)
        rc = mem_reserve(&s->log_w, &s->log_w_capacity, s->pool.strings + 1, sizeof *s->log_w, e);
    for (size_t i = 0; rc == 0 && i < s->pool.strings; i++)
        s->log_w[i] = draw_pool_log_weight(&s->pool, s->gam->lambda, i);
    return rc;
}

static uint64_t
pilot_draws(double tvd)
{
    double factor = fmax(0, dm_log(PILOT_TVD / tvd));
    return (uint64_t)(PILOT_DRAWS * dm_exp(0.7 * factor));
}

/* The pilot: several chunks if memory does not allow a single one; their counts and weights
 * are kept. */
struct guided_pilot {
    uint64_t *count;
    double *w; /* logarithms; in units of Z once that is known */
    size_t strings, count_capacity, w_capacity;
    struct weight_sums sums;
};

static void
pilot_clear(struct guided_pilot *p)
{
    mem_free(p->count);
    mem_free(p->w);
}

static int
pilot_add(struct guided_pilot *p, const struct guided_sampler *s, struct err *e)
{
    size_t n = p->strings + s->pool.strings;
    if (mem_reserve(&p->count, &p->count_capacity, n + 1, sizeof *p->count, e) != 0 ||
        mem_reserve(&p->w, &p->w_capacity, n + 1, sizeof *p->w, e) != 0)
        return ERR_NOMEM;
    for (size_t i = 0; i < s->pool.strings; i++) {
        weight_sums_add(&p->sums, s->log_w[i], s->pool.count[i]);
        p->count[p->strings] = s->pool.count[i];
        p->w[p->strings++] = s->log_w[i];
    }
    p->sums.draws += s->pool.draws;
    return 0;
}

int
guided_sampler_bound(const struct draw_pool *learned, const struct draw_pool *proposals,
                     const double *lambda, const struct quasi_rejection_pilot *pilot, double tvd,
                     struct quasi_rejection *bound, double *missed, struct err *e)
{
    size_t n = learned->strings;
    double *w = mem_array(n, 2 * sizeof *w, e), *share = w != NULL ? w + n : NULL;
    int rc = w != NULL ? draw_pool_cross_weights(learned, proposals, lambda, w, e) : ERR_NOMEM;
    if (rc == 0) {
        for (size_t i = 0; i < n; i++) {
            w[i] = dm_exp(w[i] - pilot->log_z);
            share[i] = dm_exp(draw_pool_log_weight(learned, lambda, i) - pilot->log_z);
        }
        const struct quasi_rejection_witness witness = {
            .share = share, .w = w, .count = learned->count, .strings = n};
        struct quasi_rejection own = quasi_rejection_choose(pilot, NULL, tvd);
        *bound = quasi_rejection_choose(pilot, &witness, tvd);
        *missed = bound->acceptance < GUIDED_ACCEPTANCE_KEPT * own.acceptance
                      ? quasi_rejection_missed(&witness, dm_exp(own.log_beta - pilot->log_z))
                      : 0;
    }
    mem_free(w);
    return rc;
}

/* Fixes the bound and judges the pilot. */
static int
judge_pilot(struct guided_sampler *s, struct guided_pilot *p, struct err *e)
{
    struct guided_sampler_quality *q = &s->quality;
    struct draw_estimate z = weight_sums_estimate(&p->sums);
    const struct quasi_rejection_pilot pilot = {
        .w = p->w, .count = p->count, .strings = p->strings, .draws = z.draws, .log_z = z.log_z};
    int rc = 0;
    for (size_t i = 0; i < p->strings && z.ess > 0; i++)
        p->w[i] = dm_exp(p->w[i] - z.log_z);
    guided_compare(s->guided, s->gam->lambda, &z, &q->gap);
    q->ess = z.ess / z.draws;
    q->log_z = z.log_z;
    q->log_z_se = z.log_z_se;
    if (z.ess > 0)
        rc = guided_sampler_bound(guided_learned(s->guided), &s->pool, s->gam->lambda, &pilot,
                                  s->options.tvd, &s->bound, &q->missed, e);
    q->refused = q->ess < GUIDED_ESS_MIN || q->gap.wide || q->missed > 0;
    q->tvd = q->refused ? NAN : s->bound.tvd;
    q->tvd_hi95 = q->refused ? NAN : s->bound.tvd_hi95;
    q->acceptance = s->bound.acceptance;
    return rc;
}

static int
run_pilot(struct guided_sampler *s, struct err *e)
{
    struct guided_pilot p = {.sums = WEIGHT_SUMS_NONE};
    double want = (double)pilot_draws(s->options.tvd);
    uint64_t before = guided_steps(s->guided);
    int rc = 0;
    while (rc == 0 && p.sums.draws < want) {
        rc = draw_chunk(s, (uint64_t)(want - p.sums.draws), e);
        if (rc == 0)
            rc = pilot_add(&p, s, e);
    }
    s->quality.steps = (double)(guided_steps(s->guided) - before) / p.sums.draws;
    if (rc == 0)
        rc = judge_pilot(s, &p, e);
    pilot_clear(&p);
    return rc;
}

struct guided_sampler *
guided_sampler_new(const struct gam *g, struct pool *pool, const struct guided_sampler_options *o,
                   struct err *e)
{
    struct guided_sampler *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->gam = s->pool.gam = g;
    s->options = *o;
    s->guided = guided_new(g, o->max_length, pool, o->seed, o->purpose, e);
    if (s->guided != NULL && guided_learn(s->guided, g->lambda, &s->quality.gap, e) == 0 &&
        run_pilot(s, e) == 0) {
        guided_set_part(s->guided, o->part);
        return s;
    }
    guided_sampler_free(s);
    return NULL;
}

void
guided_sampler_free(struct guided_sampler *s)
{
    if (s == NULL)
        return;
    guided_free(s->guided);
    draw_pool_clear(&s->pool);
    mem_free(s->order);
    mem_free(s->log_w);
    mem_free(s->symbols);
    mem_free(s);
}

void
guided_sampler_get_quality(const struct guided_sampler *s, struct guided_sampler_quality *q)
{
    *q = s->quality;
}

void
guided_sampler_get_stats(const struct guided_sampler *s, struct sampler_stats *stats)
{
    *stats = s->stats;
    stats->model_steps = guided_steps(s->guided);
}

static int
next_string(struct guided_sampler *s, size_t i, size_t *length, struct err *e)
{
    return draw_pool_string(&s->pool, i, &s->symbols, &s->symbols_capacity, length, e);
}

static struct rng
chunk_stream(const struct guided_sampler *s, const char *use)
{
    char purpose[64];
    struct rng r;
    snprintf(purpose, sizeof purpose, "%s/%s", s->options.purpose, use);
    rng_init(&r, s->options.seed, purpose, rng_part_index(s->options.part, s->chunks));
    return r;
}

/* Adds `copies` of string i to the order. */
static int
order_add(struct guided_sampler *s, size_t i, uint64_t copies, struct err *e)
{
    size_t need = s->ordered + (size_t)copies;
    if (mem_reserve(&s->order, &s->order_capacity, need, sizeof *s->order, e) != 0)
        return ERR_NOMEM;
    while (s->ordered < need)
        s->order[s->ordered++] = (uint32_t)i;
    return 0;
}

/* Orders the strings of the pool at random: those accepted, or all that were drawn. */
static int
order_chunk(struct guided_sampler *s, bool weighted, struct err *e)
{
    struct rng accept = chunk_stream(s, "accept"), order = chunk_stream(s, "order");
    uint64_t ended = 0;
    int rc = 0;
    s->ordered = 0;
    for (size_t i = 0; i < s->pool.strings && rc == 0; i++) {
        uint64_t copies = s->pool.count[i];
        ended += copies;
        if (!weighted)
            copies = rng_binomial(&accept, copies, quasi_rejection_accept(&s->bound, s->log_w[i]));
        rc = order_add(s, i, copies, e);
    }
    for (size_t i = s->ordered; i > 1; i--) {
        size_t other = (size_t)rng_below(&order, i);
        uint32_t swap = s->order[i - 1];
        s->order[i - 1] = s->order[other];
        s->order[other] = swap;
    }
    s->chunks++;
    s->stats.proposals += (uint64_t)s->pool.draws;
    s->stats.accepted += s->ordered;
    s->stats.too_long += (uint64_t)s->pool.draws - ended;
    return rc;
}

static int
hand_out(struct guided_sampler *s, const struct sampler_request *request, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < s->ordered && s->stats.written < request->count && rc == 0; i++) {
        size_t length;
        rc = sampler_check_stop(request, e);
        if (rc == 0)
            rc = next_string(s, s->order[i], &length, e);
        if (rc == 0)
            rc = request->string(request->arg, s->symbols, length, e);
        s->stats.written += rc == 0;
    }
    if (request->progress != NULL)
        request->progress(request->arg, s->stats.written);
    return rc;
}

/* The number of proposals that yield all missing strings with probability of about 0.999. */
static uint64_t
enough_proposals(const struct guided_sampler *s, const struct sampler_request *request)
{
    double want = (double)(request->count - s->stats.written), rate = s->bound.acceptance;
    if (request->max_round > 0)
        want = fmin(want, (double)request->max_round);
    double n = (want + 3 * sqrt(want * (1 - rate)) + 3) / rate;
    double left = (double)(request->max_proposals - s->stats.proposals);
    return (uint64_t)fmin(n + 10, fmax(left, 10));
}

int
guided_sampler_run(struct guided_sampler *s, const struct sampler_request *request, struct err *e)
{
    int rc = 0;
    while (rc == 0 && s->stats.written < request->count &&
           s->stats.proposals < request->max_proposals) {
        rc = draw_chunk(s, enough_proposals(s, request), e);
        if (rc == 0)
            rc = order_chunk(s, false, e);
        if (rc == 0)
            rc = hand_out(s, request, e);
    }
    return rc;
}

/* Draws that cannot end have weight 0 and no string.  The weights of the others are relative
 * to the proposal given that it ends, so their mean is Z. */
int
guided_sampler_run_weighted(struct guided_sampler *s, uint64_t count, guided_sampler_emit *emit,
                            void *arg, struct err *e)
{
    int rc = 0;
    while (rc == 0 && s->stats.written < count) {
        rc = draw_chunk(s, count - s->stats.written, e);
        if (rc == 0)
            rc = order_chunk(s, true, e);
        double log_ended = dm_log((double)s->ordered / s->pool.draws);
        for (size_t i = 0; i < s->ordered && rc == 0 && s->stats.written < count; i++) {
            size_t length;
            rc = next_string(s, s->order[i], &length, e);
            if (rc == 0)
                rc = emit(arg, s->symbols, length, s->log_w[s->order[i]] + log_ended, e);
            s->stats.written += rc == 0;
        }
    }
    return rc;
}

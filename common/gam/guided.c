/* SPDX-License-Identifier: MIT */
#include "gam/guided.h"

#include <math.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "gam/draw_tree.h"
#include "gam/gam.h"
#include "gam/guide.h"
#include "gam/tree_drawer.h"
#include "model/model.h"

enum {
    FIRST_DRAWS = 500, /* from r */
    ROUND_DRAWS = 500, /* of a round that learns */
    ROUNDS_MAX = 6,    /* at lambda itself */
    PARTS_MAX = 8,     /* on the way there */
    PROBE_SHARE = 10,  /* one draw in this many is from the product guide */
    BISECTIONS = 20
};

#define KEEP       0.7  /* factor of earlier counts after a round */
#define ESS_GOOD   0.5  /* per draw */
#define ESS_ENOUGH 25.0 /* minimum effective sample size at the next step toward lambda */
#define GAP_SIGMA  4.0  /* standard errors by which estimates of log Z may differ */
#define GAP_FEW    2.0  /* effective draws at which an error doubles */
#define GAP_LEAST  0.02 /* nats; a smaller difference is harmless */
#define HARD       20.0 /* weight in nats of the smallest violation of a hard constraint, halfway */

struct guided {
    const struct gam *gam;
    struct guide_source *source;
    struct tree_drawer *drawer;
    struct guide *guide, *probe; /* NULL: none */
    struct draw_pool learned;    /* all draws of guided_learn */
    uint64_t rounds, draws;
};

struct guided *
guided_new(const struct gam *g, uint64_t max_length, struct pool *pool, uint64_t seed,
           const char *purpose, struct err *e)
{
    struct guided *d = mem_zero(1, sizeof *d, e);
    if (d == NULL)
        return NULL;
    d->gam = d->learned.gam = g;
    d->source = guide_source_new(g->features, max_length, GUIDE_ENTRIES_MAX, e);
    if (d->source != NULL)
        d->drawer = tree_drawer_new(g->model.base, pool, max_length, guide_source_parts(d->source),
                                    seed, purpose, e);
    if (d->drawer != NULL)
        return d;
    guided_free(d);
    return NULL;
}

void
guided_free(struct guided *d)
{
    if (d == NULL)
        return;
    guide_free(d->guide);
    guide_free(d->probe);
    draw_pool_clear(&d->learned);
    tree_drawer_free(d->drawer);
    guide_source_free(d->source);
    mem_free(d);
}

int
guided_aim(struct guided *d, const double *lambda, struct err *e)
{
    struct guide *guide = guide_new(d->source, lambda, false, e), *probe = NULL;
    if (guide != NULL && guide_source_has_probe(d->source))
        probe = guide_new(d->source, lambda, true, e);
    if (e->code != ERR_NONE) {
        guide_free(guide);
        return e->code;
    }
    guide_free(d->guide);
    guide_free(d->probe);
    d->guide = guide;
    d->probe = probe;
    return 0;
}

static int
draw_from(struct guided *d, struct guide *g, uint64_t draws, double keep, struct draw_pool *p,
          struct err *e)
{
    struct draw_tree t = {0};
    int rc = tree_drawer_run(d->drawer, g, d->rounds++, draws, &t, e);
    d->draws += draws;
    if (rc == 0 && keep > 0)
        rc = guide_source_learn(d->source, &t, keep, e);
    if (rc == 0)
        return draw_pool_add(p, guide_share(g), &t, e);
    draw_tree_clear(&t);
    return rc;
}

int
guided_draw(struct guided *d, uint64_t draws, bool learn, struct draw_pool *p, struct err *e)
{
    uint64_t most = tree_drawer_most(d->drawer);
    draws = (draws < most ? draws : most) / PROBE_SHARE * PROBE_SHARE;
    draws = draws > PROBE_SHARE ? draws : PROBE_SHARE;
    uint64_t probes = d->probe != NULL ? draws / PROBE_SHARE : 0;
    int rc = draw_from(d, d->guide, draws - probes, learn ? KEEP : 0, p, e);
    if (rc == 0 && probes > 0)
        rc = draw_from(d, d->probe, probes, learn ? 1 : 0, p, e);
    return rc;
}

int
guided_follow(struct guided *d, const struct strings *given, bool learn, struct draw_pool *p,
              struct err *e)
{
    struct draw_tree t = {0};
    int rc = tree_drawer_follow(d->drawer, given, &t, e);
    if (rc == 0 && learn)
        rc = guide_source_learn(d->source, &t, 1, e);
    if (rc == 0)
        return draw_pool_add(p, NULL, &t, e);
    draw_tree_clear(&t);
    return rc;
}

/* ---- learning -------------------------------------------------------------------------- */

static void
keep_wider(struct guided_gap *gap, double difference, double se)
{
    if (fabs(difference) * gap->se < fabs(gap->log_z) * se || fabs(difference) < GAP_LEAST)
        return;
    *gap = (struct guided_gap){
        .log_z = difference, .se = se, .wide = fabs(difference) > GAP_SIGMA * se};
}

/* The error of an estimate from few effective draws reaches further down than up: a single hit
 * may be luck.  The factor makes GAP_SIGMA errors cover what a Poisson count allows. */
static double
widened(const struct draw_estimate *d)
{
    return d->log_z_se * (1 + GAP_FEW / d->ess);
}

void
guided_gap_add(struct guided_gap *gap, const struct draw_estimate *fresh,
               const struct draw_estimate *other, bool both_ways)
{
    double difference = fresh->log_z - other->log_z;
    if (other->ess > 0 && fresh->ess > 0 && (both_ways || difference < 0))
        keep_wider(gap, difference, hypot(widened(fresh), widened(other)));
}

void
guided_compare(const struct guided *d, const double *lambda, const struct draw_estimate *fresh,
               struct guided_gap *gap)
{
    struct draw_estimate before = draw_pool_estimate(&d->learned, lambda);
    guided_gap_add(gap, fresh, &before, true);
}

/* The weights at a fraction `part` of the way from 0 to lambda; hard constraints are finite
 * before the end. */
static void
go_part(const struct gam *g, const double *lambda, double part, double *weight)
{
    for (size_t i = 0; i < feature_set_count(g->features); i++) {
        weight[i] = part * lambda[i];
        if (lambda[i] == -INFINITY && part < 1)
            weight[i] = -HARD * feature_set_denominator(g->features, i) * part / (1 - part);
    }
}

/* The largest fraction at which the effective sample size is sufficient. */
static double
next_part(const struct guided *d, const double *lambda, double part, double *weight)
{
    double high = 1, low = part;
    if (draw_pool_estimate(&d->learned, lambda).ess >= ESS_ENOUGH)
        return 1;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = low + (high - low) / 2;
        go_part(d->gam, lambda, middle, weight);
        if (draw_pool_estimate(&d->learned, weight).ess >= ESS_ENOUGH)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A round at some weights: its own estimate in *o, its draws to all others. */
static int
run_round(struct guided *d, const double *weight, uint64_t draws, struct draw_estimate *o,
          struct err *e)
{
    struct draw_pool p = {.gam = d->gam};
    int rc = guided_draw(d, draws, true, &p, e);
    *o = draw_pool_estimate(&p, weight);
    if (rc == 0)
        return draw_pool_join(&d->learned, &p, e);
    draw_pool_clear(&p);
    return rc;
}

/* From r to lambda, and a round there. */
static int
approach(struct guided *d, const double *lambda, struct draw_estimate *last, struct guided_gap *gap,
         struct err *e)
{
    double *weight = mem_array(feature_set_count(d->gam->features), sizeof *weight, e), part = 0;
    int rc = weight != NULL ? run_round(d, lambda, FIRST_DRAWS, last, e) : ERR_NOMEM;
    for (int k = 0; k < PARTS_MAX && part < 1 && rc == 0; k++) {
        part = k + 1 < PARTS_MAX ? next_part(d, lambda, part, weight) : 1;
        go_part(d->gam, lambda, part, weight);
        struct draw_estimate before = draw_pool_estimate(&d->learned, weight);
        rc = guided_aim(d, weight, e);
        if (rc == 0)
            rc = run_round(d, weight, ROUND_DRAWS, last, e);
        if (rc == 0)
            guided_gap_add(gap, last, &before, false);
    }
    mem_free(weight);
    return rc;
}

int
guided_learn(struct guided *d, const double *lambda, struct guided_gap *gap, struct err *e)
{
    struct draw_estimate before = {0}, last = {0};
    struct guided_gap between = {0};
    *gap = (struct guided_gap){0};
    draw_pool_clear(&d->learned);
    int rc = approach(d, lambda, &last, gap, e);
    for (int k = 1; k < ROUNDS_MAX && rc == 0; k++) {
        before = last;
        rc = guided_aim(d, lambda, e);
        if (rc == 0)
            rc = run_round(d, lambda, ROUND_DRAWS, &last, e);
        between = (struct guided_gap){0};
        guided_gap_add(&between, &last, &before, true);
        if (last.ess > ESS_GOOD * last.draws && before.ess > ESS_GOOD * before.draws &&
            !between.wide)
            break;
    }
    keep_wider(gap, between.log_z, between.se);
    return rc == 0 ? guided_aim(d, lambda, e) : rc;
}

const struct draw_pool *
guided_learned(const struct guided *d)
{
    return &d->learned;
}

void
guided_set_part(struct guided *d, uint64_t part)
{
    d->rounds = rng_part_index(part, d->rounds);
}

uint64_t
guided_steps(const struct guided *d)
{
    return tree_drawer_steps(d->drawer);
}

uint64_t
guided_draws(const struct guided *d)
{
    return d->draws;
}

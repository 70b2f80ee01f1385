/* SPDX-License-Identifier: MIT */
#include "gam/guided.h"

#include <math.h>

#include "core/err.h"
#include "core/mem.h"
#include "gam/draw_tree.h"
#include "gam/gam.h"
#include "gam/guide.h"
#include "gam/tree_drawer.h"
#include "model/model.h"

enum {
    FIRST_DRAWS = 500, /* from r */
    ROUND_DRAWS = 500, /* of a round that learns */
    ROUNDS_MAX = 6,
    PROBE_SHARE = 10 /* one draw in so many is from the product guide */
};

#define KEEP        0.7 /* what was learned before a round counts so much after it */
#define ESS_GOOD    0.5 /* per draw */
#define AGREE_SIGMA 3.0 /* log Z of two rounds */

struct guided {
    const struct gam *gam;
    struct guide_source *source;
    struct tree_drawer *drawer;
    struct guide *guide, *probe; /* NULL: none */
    uint64_t rounds, draws;
};

struct guided *
guided_new(const struct gam *g, uint64_t max_length, struct pool *pool, uint64_t seed,
           const char *purpose, struct err *e)
{
    struct guided *d = mem_zero(1, sizeof *d, e);
    if (d == NULL)
        return NULL;
    d->gam = g;
    d->source = guide_source_new(g->features, max_length, e);
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

/* One round at lambda by itself. */
static int
run_round(struct guided *d, const double *lambda, uint64_t draws, struct draw_estimate *o,
          struct err *e)
{
    struct draw_pool p = {.gam = d->gam};
    int rc = guided_draw(d, draws, true, &p, e);
    if (rc == 0)
        *o = draw_pool_estimate(&p, lambda);
    draw_pool_clear(&p);
    return rc;
}

static bool
agree(const struct draw_estimate *a, const struct draw_estimate *b)
{
    double se = sqrt(a->log_z_se * a->log_z_se + b->log_z_se * b->log_z_se);
    return fabs(a->log_z - b->log_z) <= AGREE_SIGMA * se;
}

int
guided_learn(struct guided *d, const double *lambda, struct draw_estimate *last, struct err *e)
{
    struct draw_estimate before = {0};
    int rc = run_round(d, lambda, FIRST_DRAWS, last, e);
    for (int k = 0; k < ROUNDS_MAX && rc == 0; k++) {
        before = *last;
        rc = guided_aim(d, lambda, e);
        if (rc == 0)
            rc = run_round(d, lambda, ROUND_DRAWS, last, e);
        if (last->ess > ESS_GOOD * last->draws && before.ess > ESS_GOOD * before.draws &&
            agree(&before, last))
            break;
    }
    return rc == 0 ? guided_aim(d, lambda, e) : rc;
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

/* SPDX-License-Identifier: MIT */
#include "gam/gam_sampler.h"

#include <math.h>
#include <stdio.h>

#include "core/err.h"
#include "gam/gam.h"
#include "gam/product.h"
#include "gam/weight_bound.h"
#include "model/model.h"
#include "pfsa/alias_sampler.h"
#include "pfsa/pfsa.h"

/* The pilot run of rejection: proposals to begin with, their growth, accepted strings that
 * suffice to estimate the cost, and its limit on model steps. */
enum { PILOT_PROPOSALS = 1000, PILOT_GROWTH = 4, PILOT_ACCEPTED = 40, PILOT_STEPS = 100000 };

/* Rejection is cheap if a string takes no more steps than CHEAP_FACTOR times its length, or
 * all of them together no more than CHEAP_TOTAL.  A large run shares more prefixes than the
 * pilot, so this errs toward guided draws. */
#define CHEAP_FACTOR 20.0
#define CHEAP_TOTAL  500000.0

const char *const gam_sampler_choices[] = {[SAMPLE_AUTO] = "auto",
                                           [SAMPLE_EXACT] = "exact",
                                           [SAMPLE_GUIDED] = "guided",
                                           [SAMPLE_PLAIN] = "plain",
                                           NULL};

/* A run under way; `bound` is NULL without features. */
struct run {
    const struct model *r;
    const struct gam *gam;
    struct pool *pool;
    const struct gam_sampler_options *options;
    const struct sampler_request *request;
    struct gam_sampler_outcome *outcome;
    struct weight_bound *weights;
    struct sampler_bound bound;
};

static struct sampler_options
sampler_options_of(const struct run *u, const char *purpose, uint64_t part)
{
    return (struct sampler_options){
        .seed = u->options->seed,
        .purpose = purpose,
        .part = part,
        .max_length = u->options->max_length,
        .bound = u->weights != NULL ? &u->bound : NULL,
    };
}

static int
run_tree(struct run *u, const char *method, struct err *e)
{
    struct sampler_options so = sampler_options_of(u, u->options->purpose, u->options->part);
    u->outcome->method = method;
    struct sampler *s = sampler_new(u->r, u->pool, &so, e);
    if (s == NULL)
        return e->code;
    int rc = sampler_run(s, u->request, e);
    sampler_get_stats(s, &u->outcome->stats);
    sampler_free(s);
    return rc;
}

static int
run_plain(struct run *u, struct err *e)
{
    struct sampler_options so = sampler_options_of(u, u->options->purpose, u->options->part);
    u->outcome->method = "plain";
    return sampler_plain(u->r, u->pool, &so, u->request, &u->outcome->stats, e);
}

/* Whether the tables of the alias sampler pay: they take time for each state, and save some
 * for each string.  They know no maximum length but the automaton's own. */
static bool
tables_pay(const struct run *u, const struct pfsa *p)
{
    return p != NULL && u->request->lines != NULL && u->options->total >= p->states &&
           u->options->max_length >= p->model.max_length;
}

static int
run_tables(struct run *u, const struct pfsa *p, const char *method, struct err *e)
{
    const struct sampler_request *r = u->request;
    struct sampler_stats *stats = &u->outcome->stats;
    uint64_t count = r->count < r->max_proposals ? r->count : r->max_proposals;
    struct alias_sampler_request request = {.seed = u->options->seed,
                                            .purpose = u->options->purpose,
                                            .part = u->options->part,
                                            .count = count,
                                            .out = r->lines,
                                            .progress = r->progress,
                                            .arg = r->arg,
                                            .stop = r->stop,
                                            .written = &stats->written};
    u->outcome->method = method;
    struct alias_sampler *s = alias_sampler_new(p, e);
    if (s == NULL)
        return e->code;
    uint64_t characters = 0;
    int rc = alias_sampler_write(s, u->pool, &request, &characters, e);
    alias_sampler_free(s);
    stats->proposals = stats->accepted = stats->written;
    stats->model_steps = rc == 0 ? characters - count : 0; /* one per symbol */
    return rc;
}

/* Samples from the automaton of the GAM, as from any model without features. */
static int
run_automaton(const struct run *u, const struct pfsa *p, struct err *e)
{
    struct run direct = *u;
    direct.r = &p->model;
    int rc = model_check_sampling(direct.r, u->options->max_length, e);
    if (rc != 0)
        return rc;
    return tables_pay(u, p) ? run_tables(&direct, p, "automaton", e)
                            : run_tree(&direct, "automaton", e);
}

/* A model without features. */
static int
run_direct(struct run *u, struct err *e)
{
    if (u->options->choice == SAMPLE_PLAIN)
        return run_plain(u, e);
    return tables_pay(u, pfsa_of(u->r)) ? run_tables(u, pfsa_of(u->r), "direct", e)
                                        : run_tree(u, "direct", e);
}

static struct guided_sampler_options
guided_options(const struct gam_sampler_options *o)
{
    return (struct guided_sampler_options){.seed = o->seed,
                                           .purpose = o->purpose,
                                           .part = o->part,
                                           .max_length = o->max_length,
                                           .tvd = o->tvd};
}

static int
run_guided(struct run *u, struct err *e)
{
    struct guided_sampler_options go = guided_options(u->options);
    u->outcome->method = "guided";
    struct guided_sampler *s = guided_sampler_new(u->gam, u->pool, &go, e);
    if (s == NULL)
        return e->code;
    guided_sampler_get_quality(s, &u->outcome->quality);
    int rc = u->outcome->quality.refused ? 0 : guided_sampler_run(s, u->request, e);
    guided_sampler_get_stats(s, &u->outcome->stats);
    guided_sampler_free(s);
    return rc;
}

/* ---- the choice ------------------------------------------------------------------------ */

/* The result of a pilot run of rejection. */
struct pilot {
    struct sampler_stats stats;
    uint64_t symbols; /* of accepted strings */
};

static int
count_symbols(void *arg, const uint8_t *symbols, size_t length, uint64_t count, struct err *e)
{
    struct pilot *p = arg;
    (void)symbols, (void)e;
    p->symbols += length * count;
    return 0;
}

static int
run_pilot(const struct run *u, struct pilot *p, struct err *e)
{
    char purpose[64];
    snprintf(purpose, sizeof purpose, "%s/pilot", u->options->purpose);
    struct sampler_options so = sampler_options_of(u, purpose, 0);
    struct sampler *s = sampler_new(u->r, u->pool, &so, e);
    int rc = s != NULL ? 0 : e->code;
    for (uint64_t n = PILOT_PROPOSALS; rc == 0; n *= PILOT_GROWTH) {
        rc = sampler_round(s, n, count_symbols, p, e);
        sampler_get_stats(s, &p->stats);
        if (p->stats.accepted >= PILOT_ACCEPTED ||
            p->stats.model_steps * PILOT_GROWTH > PILOT_STEPS)
            break;
    }
    sampler_free(s);
    return rc;
}

static bool
is_cheap(const struct pilot *p, uint64_t count)
{
    double accepted = (double)p->stats.accepted, steps = (double)p->stats.model_steps;
    if (p->stats.accepted < PILOT_ACCEPTED)
        return false;
    return steps <= CHEAP_FACTOR * (double)(p->symbols + p->stats.accepted) ||
           steps / accepted * (double)count <= CHEAP_TOTAL;
}

/* Guided sampling unless rejection is cheap.  Rejection anyway if the features have too many
 * states for a guide, or if the guide's weights are poor and rejection has accepted some
 * strings. */
static int
run_auto(struct run *u, struct err *e)
{
    struct pilot p = {0};
    struct err why = {0};
    int rc = run_pilot(u, &p, e);
    if (rc != 0)
        return rc;
    if (is_cheap(&p, u->options->total))
        return run_tree(u, "rejection", e);
    rc = run_guided(u, &why);
    bool poor = rc == 0 && u->outcome->quality.refused && p.stats.accepted > 0;
    if (rc == ERR_LIMIT || poor)
        return run_tree(u, "rejection", e);
    return rc == 0 ? 0 : err_set(e, rc, "%s", why.text);
}

/* Without a bound, only guided sampling is possible. */
static int
find_bound(struct run *u, struct err *e)
{
    u->weights =
        weight_bound_new(u->gam->features, u->options->max_length, WEIGHT_BOUND_PAIRS_MAX, e);
    if (u->weights == NULL || weight_bound_set_lambda(u->weights, u->gam->lambda, e) != 0)
        return e->code;
    u->bound = weight_bound_bound(u->weights);
    u->outcome->wide_bound = !weight_bound_tight(u->weights);
    return 0;
}

/* For GAMs that are not an automaton, or a too large one. */
static int
run_other(struct run *u, struct err *e)
{
    struct err why = {0};
    int rc = find_bound(u, &why);
    if (rc == ERR_NUMERIC && u->options->choice == SAMPLE_AUTO)
        return run_guided(u, e);
    if (rc != 0)
        return err_set(e, rc, "%s", why.text);
    switch (u->options->choice) {
    case SAMPLE_PLAIN:
        return run_plain(u, e);
    case SAMPLE_EXACT:
        return run_tree(u, "rejection", e);
    default:
        return run_auto(u, e);
    }
}

static int
run_gam(struct run *u, struct err *e)
{
    struct err why = {0};
    if (u->options->choice == SAMPLE_GUIDED)
        return run_guided(u, e);
    if (u->options->choice != SAMPLE_AUTO || pfsa_of(u->r) == NULL)
        return run_other(u, e);
    struct pfsa *p = product_of_gam(u->gam, u->options->max_length, &why);
    u->outcome->too_large = p == NULL && why.code == ERR_LIMIT;
    if (u->outcome->too_large)
        return run_other(u, e);
    int rc = p != NULL ? run_automaton(u, p, e) : err_set(e, why.code, "%s", why.text);
    pfsa_free(p);
    return rc;
}

int
gam_sampler_run(const struct model *m, struct pool *pool, const struct gam_sampler_options *o,
                const struct sampler_request *request, struct gam_sampler_outcome *outcome,
                struct err *e)
{
    struct run u = {.r = model_proposal(m),
                    .gam = gam_of(m),
                    .pool = pool,
                    .options = o,
                    .request = request,
                    .outcome = outcome};
    *outcome = (struct gam_sampler_outcome){0};
    int rc = model_check_sampling(m, o->max_length, e);
    if (rc == 0)
        rc = model_check_length(u.r, o->max_length, e);
    if (rc != 0)
        return rc;
    rc = u.gam == NULL ? run_direct(&u, e) : run_gam(&u, e);
    weight_bound_free(u.weights);
    return rc;
}

int
gam_sampler_run_weighted(const struct gam *g, struct pool *pool,
                         const struct gam_sampler_options *o, uint64_t count,
                         guided_sampler_emit *emit, void *arg, struct gam_sampler_outcome *outcome,
                         struct err *e)
{
    struct guided_sampler_options go = guided_options(o);
    *outcome = (struct gam_sampler_outcome){.method = "guided"};
    struct guided_sampler *s = guided_sampler_new(g, pool, &go, e);
    if (s == NULL)
        return e->code;
    guided_sampler_get_quality(s, &outcome->quality);
    int rc = guided_sampler_run_weighted(s, count, emit, arg, e);
    guided_sampler_get_stats(s, &outcome->stats);
    guided_sampler_free(s);
    return rc;
}

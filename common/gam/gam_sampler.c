/* SPDX-License-Identifier: MIT */
#include "gam/gam_sampler.h"

#include <math.h>
#include <stdio.h>

#include "core/dmath.h"
#include "core/err.h"
#include "gam/gam.h"
#include "gam/product.h"
#include "gam/weight_bound.h"
#include "model/model.h"
#include "pfsa/alias_sampler.h"
#include "pfsa/pfsa.h"

/* The pilot run of rejection: proposals to begin with, their growth, accepted strings that
 * suffice to estimate the cost, and its limit on model steps; also the limit where a guide is
 * poor or expensive. */
enum {
    PILOT_PROPOSALS = 1000,
    PILOT_GROWTH = 4,
    PILOT_ACCEPTED = 40,
    PILOT_STEPS = 100000,
    PILOT_STEPS_LAST = 2000000
};
#define PILOT_SHARE 0.1 /* of the steps of guided draws, for a longer pilot */

/* Rejection is cheap if a string takes no more steps than CHEAP_FACTOR times its length, or
 * all of them together no more than CHEAP_TOTAL. */
#define CHEAP_FACTOR 20.0
#define CHEAP_TOTAL  500000.0

const char *const gam_sampler_choices[] = {[SAMPLE_AUTO] = "auto",
                                           [SAMPLE_EXACT] = "exact",
                                           [SAMPLE_GUIDED] = "guided",
                                           [SAMPLE_PLAIN] = "plain",
                                           NULL};

/* A run under way; `bound` is NULL without features. */
struct sampling_run {
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
sampler_options_of(const struct sampling_run *u, const char *purpose, uint64_t part)
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
run_tree(struct sampling_run *u, const char *method, struct err *e)
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
run_plain(struct sampling_run *u, struct err *e)
{
    struct sampler_options so = sampler_options_of(u, u->options->purpose, u->options->part);
    u->outcome->method = "plain";
    return sampler_plain(u->r, u->pool, &so, u->request, &u->outcome->stats, e);
}

/* Whether the tables of the alias sampler pay off: they take time for each state, and save some
 * for each string.  They support no other maximum length than the
 * automaton's own. */
static bool
tables_pay(const struct sampling_run *u, const struct pfsa *p)
{
    return p != NULL && u->request->text != NULL && u->options->total >= p->states &&
           u->options->max_length >= p->model.max_length;
}

static int
run_tables(struct sampling_run *u, const struct pfsa *p, const char *method, struct err *e)
{
    const struct sampler_request *r = u->request;
    struct sampler_stats *stats = &u->outcome->stats;
    uint64_t count = r->count < r->max_proposals ? r->count : r->max_proposals;
    struct alias_sampler_request request = {.seed = u->options->seed,
                                            .purpose = u->options->purpose,
                                            .part = u->options->part,
                                            .count = count,
                                            .first = r->first,
                                            .out = r->text,
                                            .progress = r->progress,
                                            .arg = r->arg,
                                            .stop = r->stop,
                                            .written = &stats->written};
    u->outcome->method = method;
    struct alias_sampler *s =
        alias_sampler_new(p, (struct alias_sampler_format){.fasta = r->fasta}, e);
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
run_automaton(const struct sampling_run *u, const struct pfsa *p, struct err *e)
{
    struct sampling_run direct = *u;
    direct.r = &p->model;
    int rc = model_check_sampling(direct.r, u->options->max_length, e);
    if (rc != 0)
        return rc;
    return tables_pay(u, p) ? run_tables(&direct, p, "automaton", e)
                            : run_tree(&direct, "automaton", e);
}

/* A model without features. */
static int
run_direct(struct sampling_run *u, struct err *e)
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

static struct guided_sampler *
learn_guide(const struct sampling_run *u, struct err *e)
{
    struct guided_sampler_options go = guided_options(u->options);
    return guided_sampler_new(u->gam, u->pool, &go, e);
}

/* Draws with a guide, which it frees; NULL: an error. */
static int
run_learned(struct sampling_run *u, struct guided_sampler *s, struct err *e)
{
    u->outcome->method = "guided";
    if (s == NULL)
        return e->code;
    guided_sampler_get_quality(s, &u->outcome->quality);
    int rc = u->outcome->quality.refused ? 0 : guided_sampler_run(s, u->request, e);
    guided_sampler_get_stats(s, &u->outcome->stats);
    guided_sampler_free(s);
    return rc;
}

static int
run_guided(struct sampling_run *u, struct err *e)
{
    return run_learned(u, learn_guide(u, e), e);
}

/* ---- the choice ------------------------------------------------------------------------ */

/* The result of a pilot run of rejection. */
struct rejection_pilot {
    struct sampler_stats stats;
    uint64_t symbols;        /* of accepted strings */
    double proposals, steps; /* of the last round */
    double exponent;         /* steps grow with this power of the proposals, or slower */
};

static int
count_symbols(void *arg, const uint8_t *symbols, size_t length, uint64_t count, struct err *e)
{
    struct rejection_pilot *p = arg;
    (void)symbols, (void)e;
    p->symbols += length * count;
    return 0;
}

static void
note_round(struct rejection_pilot *p, uint64_t proposals, const struct sampler_stats *now)
{
    double before = p->steps;
    p->proposals = (double)proposals;
    p->steps = (double)(now->model_steps - p->stats.model_steps);
    p->exponent = before > 0 ? dm_log(p->steps / before) / dm_log(PILOT_GROWTH) : 1;
    p->exponent = fmax(0, fmin(1, p->exponent));
    p->stats = *now;
}

static int
run_pilot(const struct sampling_run *u, uint64_t limit, struct rejection_pilot *p, struct err *e)
{
    char purpose[64];
    snprintf(purpose, sizeof purpose, "%s/pilot", u->options->purpose);
    struct sampler_options so = sampler_options_of(u, purpose, 0);
    struct sampler *s = sampler_new(u->r, u->pool, &so, e);
    struct sampler_stats now;
    int rc = s != NULL ? 0 : e->code;
    *p = (struct rejection_pilot){0};
    for (uint64_t n = PILOT_PROPOSALS; rc == 0; n *= PILOT_GROWTH) {
        rc = sampler_round(s, n, count_symbols, p, e);
        sampler_get_stats(s, &now);
        note_round(p, n, &now);
        if (now.accepted >= PILOT_ACCEPTED || now.model_steps * PILOT_GROWTH > limit)
            break;
    }
    sampler_free(s);
    return rc;
}

/* Steps for this number of strings.  The more proposals there are, the more prefixes they share, so
 * this is rather too many. */
static double
steps_for(const struct rejection_pilot *p, uint64_t count)
{
    double each = (double)p->stats.proposals / (double)p->stats.accepted;
    double rounds = fmax(1, (double)count * each / p->proposals);
    return p->steps * dm_exp(p->exponent * dm_log(rounds));
}

static bool
is_cheap(const struct rejection_pilot *p, uint64_t count)
{
    if (p->stats.accepted < PILOT_ACCEPTED)
        return false;
    double length = (double)p->symbols / (double)p->stats.accepted + 1;
    return steps_for(p, count) <= fmax(CHEAP_FACTOR * length * (double)count, CHEAP_TOTAL);
}

/* Whether to use rejection although it is not cheap: it takes no more steps than a guide that has
 * been learned, or the guide is poor and some string is accepted.  A longer pilot is worth its
 * steps if guided draws would take many. */
static int
choose_rejection(const struct sampling_run *u, struct rejection_pilot *p,
                 const struct guided_sampler *s, bool *rejection, struct err *e)
{
    struct guided_sampler_quality q;
    guided_sampler_get_quality(s, &q);
    double guided = q.refused ? INFINITY : (double)u->options->total * q.steps / q.acceptance;
    double limit = fmin(PILOT_STEPS_LAST, PILOT_SHARE * guided);
    int rc = 0;
    if (p->stats.accepted < PILOT_ACCEPTED && limit > PILOT_STEPS)
        rc = run_pilot(u, (uint64_t)limit, p, e);
    uint64_t enough = q.refused ? 1 : PILOT_ACCEPTED;
    *rejection = p->stats.accepted >= enough && steps_for(p, u->options->total) <= guided;
    return rc;
}

/* Guided sampling unless rejection is cheap, or better than the guide, or the features have too
 * many states for a guide. */
static int
run_auto(struct sampling_run *u, struct err *e)
{
    struct rejection_pilot p;
    struct err why = {0};
    bool rejection = true;
    int rc = run_pilot(u, PILOT_STEPS, &p, e);
    if (rc != 0)
        return rc;
    if (is_cheap(&p, u->options->total))
        return run_tree(u, "rejection", e);
    struct guided_sampler *s = learn_guide(u, &why);
    if (s == NULL && why.code != ERR_LIMIT)
        return err_set(e, why.code, "%s", why.text);
    if (s != NULL)
        rc = choose_rejection(u, &p, s, &rejection, e);
    if (rc == 0 && !rejection)
        return run_learned(u, s, e);
    guided_sampler_free(s);
    return rc == 0 ? run_tree(u, "rejection", e) : rc;
}

/* Without a bound, only guided sampling is possible. */
static int
find_bound(struct sampling_run *u, struct err *e)
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
run_other(struct sampling_run *u, struct err *e)
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
run_gam(struct sampling_run *u, struct err *e)
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
    struct sampling_run u = {.r = model_proposal(m),
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

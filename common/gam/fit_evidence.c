/* SPDX-License-Identifier: MIT */
#include "gam/fit_internal.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/exact_moments.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

enum { BASE_DRAWS = 5000 /* rs: from r, at least */ };

/* Proposals of a draw from P before it makes do with fewer strings, if any: for
 * each string, but so many at least.  A fit draws in every round, so a string in
 * 10^4 proposals is as rare as one can afford; a few strings may cost as much as
 * the 10^4 that newton wants at most. */
#define PROPOSALS_EACH UINT64_C(10000)
#define PROPOSALS_ALL  (10000 * PROPOSALS_EACH)

#define UNIT_MAX 30.0 /* of a weight, for each unit of its feature: odds of 1e13 */

/* A feature counts in units of 1/divisor, so a count over L needs a weight L
 * times that of a motif for the same odds. */
double
fit_state_bound(const struct fit_state *f, size_t i)
{
    return fmin(UNIT_MAX * feature_set_denominator(f->features, i), GAM_WEIGHT_MAX);
}

int
fit_state_init(struct fit_state *f, struct pool *pool, struct err *e)
{
    f->features = f->gam->features;
    size_t n = f->n = feature_set_count(f->features);
    f->target = mem_array(n, sizeof *f->target, e);
    f->lo = mem_array(n, sizeof *f->lo, e);
    f->hi = mem_array(n, sizeof *f->hi, e);
    f->mean = mem_array(n, sizeof *f->mean, e);
    f->base = histogram_new(f->features, e);
    if (f->target == NULL || f->lo == NULL || f->hi == NULL || f->mean == NULL || f->base == NULL)
        return ERR_NOMEM;
    f->reject = rejection_new(f->gam, pool, f->o->seed, "gam-fit", e);
    if (f->reject == NULL)
        return e->code;
    histogram_mean(f->data, f->target);
    for (size_t i = 0; i < n; i++) {
        f->lo[i] = -fit_state_bound(f, i);
        f->hi[i] = fit_state_bound(f, i);
    }
    return 0;
}

void
fit_round_clear(struct fit_round *r)
{
    histogram_free(r->seen);
    mem_free(r->lambda);
}

void
fit_state_clear(struct fit_state *f)
{
    mem_free(f->target);
    mem_free(f->lo);
    mem_free(f->hi);
    mem_free(f->mean);
    histogram_free(f->base);
    for (size_t k = 0; k < f->rounds; k++)
        fit_round_clear(&f->round[k]);
    mem_free(f->round);
    rejection_free(f->reject);
}

double
fit_state_distance(const struct fit_state *f, const double *mean)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        if (!f->o->fixed[i])
            sum += fabs(f->target[i] - mean[i]);
    return sum;
}

int
fit_state_tell(struct fit_state *f, double rate, double l1_mom, const double *lambda, struct err *e)
{
    struct fit_epoch state = {
        .epoch = ++f->result->epochs,
        .rate = rate,
        .l1_mom = l1_mom,
        .samples = rejection_total(f->reject).proposals,
        .lambda = lambda,
    };
    return f->o->epoch != NULL ? f->o->epoch(f->o->arg, &state, e) : 0;
}

/* ---- evidence ------------------------------------------------------------------------ */

static int
draw_base(struct fit_state *f, uint64_t proposals, struct err *e)
{
    struct rejection_outcome o;
    f->base_draws += (double)proposals;
    return rejection_propose(f->reject, proposals, f->base, &o, e);
}

static int
find_probabilities(struct fit_state *f, struct err *e)
{
    const struct model *base = f->gam->model.base;
    f->base_draws = 1;
    if (pfsa_of(base) == NULL)
        return err_advise(e, ERR_DATA, REMEDY_SAMPLE,
                          "exact moments need a base of kind 'pfsa', and this is of kind '%s'",
                          base->kind->name);
    int rc = model_check_length(base, f->gam->model.max_length, e);
    if (rc != 0)
        return rc;
    rc = exact_histogram(pfsa_of(base), f->features, f->gam->model.max_length, f->base, e);
    if (rc == ERR_LIMIT) {
        err_prefix(e, "too much for exact moments");
        err_remedy(e, REMEDY_SAMPLE);
    }
    return rc;
}

int
fit_state_find_base(struct fit_state *f, struct err *e)
{
    const struct fit_options *o = f->o;
    if (o->regime == FIT_EXACT)
        return find_probabilities(f, e);
    if (o->regime == FIT_RS)
        return draw_base(f, o->accepted > BASE_DRAWS ? o->accepted : BASE_DRAWS, e);
    return o->optimizer == FIT_NEWTON ? draw_base(f, o->samples, e) : 0;
}

int
fit_state_gather(const struct fit_state *f, struct importance *t, struct err *e)
{
    struct importance_source *part = mem_array(f->rounds + 1, sizeof *part, e);
    if (part == NULL)
        return ERR_NOMEM;
    part[0] = (struct importance_source){.seen = f->base, .draws = f->base_draws};
    for (size_t k = 0; k < f->rounds; k++) {
        const struct fit_round *r = &f->round[k];
        part[k + 1] = (struct importance_source){
            .seen = r->seen,
            .lambda = r->lambda,
            .draws = (double)r->outcome.strings,
            .log_z = r->outcome.log_z,
        };
    }
    int rc = importance_init(t, f->features, part, f->rounds + 1, e);
    mem_free(part);
    return rc;
}

int
fit_state_draw(struct fit_state *f, struct fit_round *r, uint64_t count, struct err *e)
{
    uint64_t most = count * PROPOSALS_EACH;
    r->seen = histogram_new(f->features, e);
    r->lambda = mem_array(f->n, sizeof *r->lambda, e);
    if (r->seen == NULL || r->lambda == NULL)
        return ERR_NOMEM;
    memcpy(r->lambda, f->gam->lambda, f->n * sizeof *r->lambda);
    return rejection_sample(f->reject, r->lambda, count,
                            most < PROPOSALS_ALL ? PROPOSALS_ALL : most, r->seen, &r->outcome, e);
}

int
fit_round_check(const struct fit_round *r, struct err *e)
{
    if (r->outcome.strings > 0)
        return 0;
    return err_advise(e, ERR_EMPTY, REMEDY_REWEIGHT,
                      "none of %llu strings from the base was accepted",
                      (unsigned long long)r->outcome.proposals);
}

int
fit_state_draw_round(struct fit_state *f, uint64_t count, struct err *e)
{
    if (mem_reserve(&f->round, &f->rounds_room, f->rounds + 1, sizeof *f->round, e) != 0)
        return ERR_NOMEM;
    f->round[f->rounds] = (struct fit_round){0};
    return fit_state_draw(f, &f->round[f->rounds++], count, e);
}

const struct fit_round *
fit_state_last(const struct fit_state *f)
{
    return &f->round[f->rounds - 1];
}

int
fit_state_check_possible(const struct fit_state *f, const struct importance *t, struct err *e)
{
    if (t->log_z > -INFINITY)
        return 0;
    if (f->o->regime == FIT_EXACT)
        return err_set(e, ERR_EMPTY, "no string of the base satisfies the hard constraints");
    return err_advise(e, ERR_EMPTY, REMEDY_MORE_PROPOSALS,
                      "none of %.0f strings from the base satisfies the hard constraints",
                      f->base_draws);
}

/* SPDX-License-Identifier: MIT */
#include "fit.h"

#include <math.h>
#include <string.h>

#include "err.h"
#include "feature.h"
#include "gam.h"
#include "hist.h"
#include "mem.h"
#include "model.h"
#include "moments.h"
#include "newton.h"
#include "pfsa.h"
#include "reject.h"
#include "tilt.h"

enum {
    BATCH = 500,            /* strings of data an update of sgd stands for */
    GROUP = 1000,           /* draws that enter the buffer of snis together, at most */
    BASE_DRAWS = 5000,      /* rs: from r, at least */
    REPORT_DRAWS = 500,     /* rs: for the moments that are reported, at least */
    PROPOSALS_EACH = 10000, /* before a draw from P gives up: for each string, */
    SCOUT_SHARE = 10        /* draws far from the solution are smaller by this */
};

#define PROPOSALS_ALL  UINT64_C(100000000) /* but so many at least */
#define UNIT_MAX       30.0 /* of a weight, for each unit of its feature: odds of 1e13 */
#define OVERLAP_ENOUGH 0.5  /* of what was drawn last with the solution */

/* A draw from P. */
struct round {
    struct hist *seen;
    double *lambda; /* [features] */
    struct reject_outcome outcome;
};

struct fit {
    struct gam *gam;
    const struct features *features;
    const struct hist *data;
    const struct fit_options *o;
    struct fit_result *result;
    size_t n; /* features */
    struct reject *reject;
    double *target;      /* [n] */
    double *lo, *hi;     /* [n] of weights */
    double *stride;      /* [n] of a weight between two draws, at most */
    double *mean, *sum;  /* [n] of sgd */
    double *phi;         /* [n] scratch */
    double *best;        /* [n] weights of sgd's best epoch */
    struct hist *base;   /* vectors drawn from r, or their probabilities */
    double base_draws;   /* 1 for probabilities */
    struct hist **group; /* [groups] the buffer of snis in the order of its age, a ring */
    size_t groups, next_group;
    struct round *round; /* draws of rs with newton, then those for the report */
    size_t rounds, rounds_room;
};

const char *const fit_regimes[] = {
    [FIT_SNIS] = "snis", [FIT_RS] = "rs", [FIT_EXACT] = "exact", NULL};
const char *const fit_optimizers[] = {[FIT_SGD] = "sgd", [FIT_NEWTON] = "newton", NULL};

const char *
fit_note_text(enum fit_note note)
{
    static const char *const text[] = {
        [FIT_FREE] = "-",
        [FIT_FIXED] = "fixed",
        [FIT_IDLE] = "no influence",
        [FIT_PRIOR] = "no finite optimum, kept by the prior",
        [FIT_STOPPED] = "no finite optimum, kept by the stopping rule",
        [FIT_UNSEEN] = "no draw has what the data have, kept in bounds",
        [FIT_NEVER] = "the base never has what the data have, kept in bounds",
        [FIT_BOUND] = "at the bound of weights, moments differ",
    };
    return text[note];
}

/* ---- set-up ------------------------------------------------------------------------ */

/* Means of the features; of one that is constant exactly its value. */
static void
hist_mean(const struct hist *h, const struct features *features, double *mean)
{
    size_t n = features_count(features);
    double total = hist_total(h);
    memset(mean, 0, n * sizeof *mean);
    for (size_t v = 0; v < hist_count(h); v++)
        for (size_t i = 0; i < n; i++)
            mean[i] += hist_weight(h, v) * (double)hist_whole(h, v)[i];
    for (size_t i = 0; i < n; i++)
        mean[i] = mean[i] / total / features_divisor(features, i);
}

/* The greatest weight of a feature.  A feature counts in units of 1/divisor, so
 * a count over L needs a weight L times that of a motif for the same odds. */
static double
bound_of(const struct fit *f, size_t i)
{
    return fmin(UNIT_MAX * features_divisor(f->features, i), FIT_WEIGHT_MAX);
}

static int
fit_init(struct fit *f, struct pool *pool, struct err *e)
{
    size_t n = f->n;
    f->target = mem_array(n, sizeof *f->target, e);
    f->lo = mem_array(n, sizeof *f->lo, e);
    f->hi = mem_array(n, sizeof *f->hi, e);
    f->stride = mem_array(n, sizeof *f->stride, e);
    f->mean = mem_array(n, sizeof *f->mean, e);
    f->sum = mem_array(n, sizeof *f->sum, e);
    f->phi = mem_array(n, sizeof *f->phi, e);
    f->best = mem_array(n, sizeof *f->best, e);
    f->base = hist_new(f->features, e);
    f->result->feature = mem_zero(n, sizeof *f->result->feature, e);
    if (f->target == NULL || f->lo == NULL || f->hi == NULL || f->stride == NULL ||
        f->mean == NULL || f->sum == NULL || f->phi == NULL || f->best == NULL || f->base == NULL ||
        f->result->feature == NULL)
        return ERR_NOMEM;
    f->reject = reject_new(f->gam, pool, f->o->seed, "gam-fit", e);
    if (f->reject == NULL)
        return e->code;
    hist_mean(f->data, f->features, f->target);
    for (size_t i = 0; i < n; i++) {
        f->lo[i] = -bound_of(f, i);
        f->hi[i] = bound_of(f, i);
    }
    return 0;
}

static void
round_clear(struct round *r)
{
    hist_free(r->seen);
    mem_free(r->lambda);
}

static void
fit_free(struct fit *f)
{
    mem_free(f->target);
    mem_free(f->lo);
    mem_free(f->hi);
    mem_free(f->stride);
    mem_free(f->mean);
    mem_free(f->sum);
    mem_free(f->phi);
    mem_free(f->best);
    hist_free(f->base);
    for (size_t k = 0; k < f->groups; k++)
        hist_free(f->group[k]);
    mem_free(f->group);
    for (size_t k = 0; k < f->rounds; k++)
        round_clear(&f->round[k]);
    mem_free(f->round);
    reject_free(f->reject);
}

void
fit_clear(struct fit_result *r)
{
    mem_free(r->feature);
    r->feature = NULL;
}

/* The l1 distance of moments, over the weights that can do something about it. */
static double
distance(const struct fit *f, const double *mean)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        if (!f->o->fixed[i])
            sum += fabs(f->target[i] - mean[i]);
    return sum;
}

static int
tell_epoch(struct fit *f, double rate, double l1_mom, const double *lambda, struct err *e)
{
    struct fit_epoch state = {
        .epoch = ++f->result->epochs,
        .rate = rate,
        .l1_mom = l1_mom,
        .samples = reject_total(f->reject).proposals,
        .lambda = lambda,
    };
    return f->o->epoch != NULL ? f->o->epoch(f->o->arg, &state, e) : 0;
}

/* ---- evidence ------------------------------------------------------------------------ */

static int
draw_base(struct fit *f, uint64_t proposals, struct err *e)
{
    struct reject_outcome o;
    f->base_draws += (double)proposals;
    return reject_base(f->reject, proposals, f->base, &o, e);
}

static int
find_probabilities(struct fit *f, struct err *e)
{
    const struct model *base = f->gam->base;
    f->base_draws = 1;
    if (base->ops->kind != MDL_PFSA)
        return err_set(e, ERR_DATA,
                       "--regime exact needs a base of kind 'pfsa', and this is of kind '%s'",
                       mdl_kind_name(base->ops->kind));
    return moments_histogram((const struct pfsa *)base, f->features, f->gam->max_length, f->base,
                             e);
}

/* What is known of r before any weight is. */
static int
find_base(struct fit *f, struct err *e)
{
    const struct fit_options *o = f->o;
    if (o->regime == FIT_EXACT)
        return find_probabilities(f, e);
    if (o->regime == FIT_RS)
        return draw_base(f, o->accepted > BASE_DRAWS ? o->accepted : BASE_DRAWS, e);
    return o->optimizer == FIT_NEWTON ? draw_base(f, o->samples, e) : 0;
}

/* All evidence there is, the base's first. */
static int
gather(const struct fit *f, struct tilt *t, struct err *e)
{
    struct tilt_part *part = mem_array(f->rounds + 1, sizeof *part, e);
    if (part == NULL)
        return ERR_NOMEM;
    part[0] = (struct tilt_part){.seen = f->base, .draws = f->base_draws};
    for (size_t k = 0; k < f->rounds; k++) {
        const struct round *r = &f->round[k];
        part[k + 1] = (struct tilt_part){
            .seen = r->seen,
            .lambda = r->lambda,
            .draws = (double)r->outcome.strings,
            .log_z = r->outcome.log_z,
        };
    }
    int status = tilt_init(t, f->features, part, f->rounds + 1, e);
    mem_free(part);
    return status;
}

/* No strings at all is no error here. */
static int
draw_into(struct fit *f, struct round *r, uint64_t count, struct err *e)
{
    uint64_t most = count * PROPOSALS_EACH;
    r->seen = hist_new(f->features, e);
    r->lambda = mem_array(f->n, sizeof *r->lambda, e);
    if (r->seen == NULL || r->lambda == NULL)
        return ERR_NOMEM;
    memcpy(r->lambda, f->gam->lambda, f->n * sizeof *r->lambda);
    return reject_draw(f->reject, r->lambda, count, most < PROPOSALS_ALL ? PROPOSALS_ALL : most,
                       r->seen, &r->outcome, e);
}

static int
check_drawn(const struct round *r, struct err *e)
{
    if (r->outcome.strings > 0)
        return 0;
    return err_set(e, ERR_EMPTY,
                   "none of %llu strings from the base was accepted; use --regime snis",
                   (unsigned long long)r->outcome.proposals);
}

/* A draw of `count` strings from P at the present weights. */
static int
draw_round(struct fit *f, uint64_t count, struct err *e)
{
    struct round *grown = mem_grow(f->round, &f->rounds_room, f->rounds + 1, sizeof *grown, e);
    if (grown == NULL)
        return ERR_NOMEM;
    f->round = grown;
    f->round[f->rounds] = (struct round){0};
    return draw_into(f, &f->round[f->rounds++], count, e);
}

static int
check_possible(const struct fit *f, const struct tilt *t, struct err *e)
{
    if (t->log_z > -INFINITY)
        return 0;
    if (f->o->regime == FIT_EXACT)
        return err_set(e, ERR_EMPTY, "no string of the base satisfies the hard constraints");
    return err_set(e, ERR_EMPTY,
                   "none of %.0f strings from the base satisfies the hard constraints; use "
                   "--regime rs, or more --samples",
                   f->base_draws);
}

/* ---- sgd ------------------------------------------------------------------------------ */

/* Weighted means over the evidence at the present weights. */
static int
weighted_mean(struct fit *f, struct err *e)
{
    struct tilt t = {0};
    int status = gather(f, &t, e);
    if (status == 0) {
        tilt_at(&t, f->gam->lambda);
        status = check_possible(f, &t, e);
        memcpy(f->mean, t.mean, f->n * sizeof *f->mean);
    }
    tilt_clear(&t);
    return status;
}

/* Takes a group of draws out of the buffer. */
static int
forget(struct fit *f, const struct hist *group, struct err *e)
{
    int status = 0;
    for (size_t v = 0; v < hist_count(group) && status == 0; v++)
        status = hist_add(f->base, hist_whole(group, v), -hist_weight(group, v), e);
    return status;
}

static int
remember(struct fit *f, const struct hist *group, struct err *e)
{
    int status = 0;
    for (size_t v = 0; v < hist_count(group) && status == 0; v++)
        status = hist_add(f->base, hist_whole(group, v), hist_weight(group, v), e);
    return status;
}

/* Draws one more group, which takes the place of the oldest once the buffer is
 * full; the groups are as equal as can be and make up the whole buffer. */
static int
renew_buffer(struct fit *f, struct err *e)
{
    uint64_t size = f->o->samples / f->groups + (f->next_group < f->o->samples % f->groups);
    struct reject_outcome o;
    struct hist **place = &f->group[f->next_group], *group = hist_new(f->features, e);
    if (group == NULL)
        return ERR_NOMEM;
    int status = reject_base(f->reject, size, group, &o, e);
    if (status == 0 && *place != NULL)
        status = forget(f, *place, e);
    if (*place == NULL)
        f->base_draws += (double)size;
    hist_free(*place);
    *place = group;
    f->next_group = (f->next_group + 1) % f->groups;
    return status == 0 ? remember(f, group, e) : status;
}

static int
snis_mean(struct fit *f, struct err *e)
{
    if (f->group == NULL) {
        size_t groups = (size_t)((f->o->samples + GROUP - 1) / GROUP);
        f->group = mem_zero(groups, sizeof *f->group, e);
        if (f->group == NULL)
            return ERR_NOMEM;
        f->groups = groups;
    }
    int status = renew_buffer(f, e);
    return status == 0 ? weighted_mean(f, e) : status;
}

static int
rs_mean(struct fit *f, struct err *e)
{
    struct round r = {0};
    int status = draw_into(f, &r, f->o->accepted, e);
    if (status == 0)
        status = check_drawn(&r, e);
    if (status == 0)
        hist_mean(r.seen, f->features, f->mean);
    round_clear(&r);
    return status;
}

/* f->mean = E phi under P at the present weights. */
static int
find_mean(struct fit *f, struct err *e)
{
    switch (f->o->regime) {
    case FIT_SNIS:
        return snis_mean(f, e);
    case FIT_RS:
        return rs_mean(f, e);
    case FIT_EXACT:
        break;
    }
    return weighted_mean(f, e);
}

/* One epoch; its l1 distance is that of the mean of all its moments. */
static int
sgd_epoch(struct fit *f, double rate, uint64_t updates, double *l1_mom, struct err *e)
{
    double *lambda = f->gam->lambda;
    memset(f->sum, 0, f->n * sizeof *f->sum);
    for (uint64_t u = 0; u < updates; u++) {
        int status = find_mean(f, e);
        if (status != 0)
            return status;
        for (size_t i = 0; i < f->n; i++) {
            double slope = f->target[i] - f->mean[i] - f->o->l2 * lambda[i];
            f->sum[i] += f->mean[i];
            if (!f->o->fixed[i])
                lambda[i] = fmax(f->lo[i], fmin(f->hi[i], lambda[i] + rate * slope));
        }
    }
    for (size_t i = 0; i < f->n; i++)
        f->sum[i] /= (double)updates;
    *l1_mom = distance(f, f->sum);
    return tell_epoch(f, rate, *l1_mom, lambda, e);
}

static int
run_sgd(struct fit *f, struct err *e)
{
    double *lambda = f->gam->lambda, least = INFINITY, l1_mom;
    uint64_t updates = ((uint64_t)hist_total(f->data) + BATCH - 1) / BATCH, since = 0;
    int status = 0;
    for (uint64_t k = 1; k <= f->o->epochs && since < f->o->patience && status == 0; k++) {
        status = sgd_epoch(f, f->o->alpha0 / (double)k, updates, &l1_mom, e);
        since++;
        if (status == 0 && l1_mom < least) {
            least = l1_mom;
            since = 0;
            memcpy(f->best, lambda, f->n * sizeof *lambda);
        }
    }
    f->result->converged = since >= f->o->patience;
    if (status == 0)
        memcpy(lambda, f->best, f->n * sizeof *lambda);
    return status;
}

/* ---- newton ----------------------------------------------------------------------------- */

static struct newton_problem
problem_of(const struct fit *f, struct tilt *t)
{
    return (struct newton_problem){
        .tilt = t,
        .target = f->target,
        .fixed = f->o->fixed,
        .l2 = f->o->l2,
        .lo = f->lo,
        .hi = f->hi,
        .steps_max = f->o->epochs,
    };
}

struct newton_log {
    struct fit *fit;
    const struct tilt *tilt;
};

static int
log_step(void *arg, const double *lambda, struct err *e)
{
    struct newton_log *l = arg;
    return tell_epoch(l->fit, 1, distance(l->fit, l->tilt->mean), lambda, e);
}

/* All evidence is there: one run. */
static int
run_newton(struct fit *f, struct err *e)
{
    struct tilt t = {0};
    struct newton_log log = {f, &t};
    int status = gather(f, &t, e);
    if (status == 0) {
        struct newton_problem p = problem_of(f, &t);
        p.step = log_step;
        p.arg = &log;
        tilt_at(&t, f->gam->lambda);
        status = check_possible(f, &t, e);
        if (status == 0)
            status = newton_run(&p, f->gam->lambda, &f->result->converged, e);
    }
    tilt_clear(&t);
    return status;
}

/* The share of the last draw that is left when it is weighted to fit the
 * present weights; none if a weight went as far as it may: what it is after has
 * perhaps not been drawn yet. */
static int
find_overlap(const struct fit *f, double *overlap, struct err *e)
{
    const struct round *r = &f->round[f->rounds - 1];
    struct tilt t = {0};
    *overlap = 0;
    for (size_t i = 0; i < f->n; i++)
        if (!f->o->fixed[i] && fabs(f->gam->lambda[i] - r->lambda[i]) >= f->stride[i])
            return 0;
    struct tilt_part part = {
        .seen = r->seen, .lambda = r->lambda, .draws = 1, .log_z = r->outcome.log_z};
    int status = tilt_init(&t, f->features, &part, 1, e);
    if (status == 0) {
        tilt_at(&t, f->gam->lambda);
        *overlap = t.ess / (double)r->outcome.strings;
    }
    tilt_clear(&t);
    return status;
}

/* Solves with all that was drawn, not far from the weights of the last draw. */
static int
solve_near(struct fit *f, struct err *e)
{
    struct tilt t = {0};
    bool converged;
    double *lambda = f->gam->lambda;
    int status = gather(f, &t, e);
    if (status == 0) {
        tilt_at(&t, lambda);
        tilt_spread(&t);
        for (size_t i = 0; i < f->n; i++) {
            f->stride[i] = newton_stride(&t, i);
            f->lo[i] = fmax(-bound_of(f, i), lambda[i] - f->stride[i]);
            f->hi[i] = fmin(bound_of(f, i), lambda[i] + f->stride[i]);
        }
        struct newton_problem p = problem_of(f, &t);
        status = newton_run(&p, lambda, &converged, e);
    }
    tilt_clear(&t);
    return status;
}

/* The weights have gone where nothing can be drawn: back to the last draw. */
static int
retreat(struct fit *f, struct err *e)
{
    if (f->rounds == 1)
        return check_drawn(&f->round[0], e);
    round_clear(&f->round[--f->rounds]);
    memcpy(f->gam->lambda, f->round[f->rounds - 1].lambda, f->n * sizeof *f->gam->lambda);
    return 0;
}

/* Small draws until they are near the solution, then a large one. */
static int
run_newton_rs(struct fit *f, struct err *e)
{
    uint64_t many = f->o->accepted, few = (many + SCOUT_SHARE - 1) / SCOUT_SHARE;
    bool near = false;
    for (uint64_t k = 0; k < f->o->epochs && !f->result->converged; k++) {
        double overlap = 0;
        bool large = near;
        int status = draw_round(f, large ? many : few, e);
        if (status == 0 && f->round[f->rounds - 1].outcome.strings == 0)
            return retreat(f, e);
        if (status == 0)
            status = solve_near(f, e);
        if (status == 0)
            status = find_overlap(f, &overlap, e);
        if (status != 0)
            return status;
        hist_mean(f->round[f->rounds - 1].seen, f->features, f->mean);
        status = tell_epoch(f, 1, distance(f, f->mean), f->gam->lambda, e);
        if (status != 0)
            return status;
        near = overlap >= OVERLAP_ENOUGH;
        f->result->converged = large && near;
    }
    return 0;
}

/* ---- the report ---------------------------------------------------------------------------- */

/* Moments, Z and the worth of the draws, from what was drawn from r. */
static void
report_weighted(struct fit *f, const struct tilt *t)
{
    struct fit_result *r = f->result;
    bool exact = f->o->regime == FIT_EXACT;
    r->log_z = t->log_z;
    r->log_z_se = exact ? 0 : sqrt(fmax(0, 1 / t->ess - 1 / f->base_draws));
    r->ess = exact ? INFINITY : t->ess;
    memcpy(f->mean, t->mean, f->n * sizeof *f->mean);
}

/* The same from a fresh draw from P. */
static int
report_drawn(struct fit *f, struct err *e)
{
    struct fit_result *r = f->result;
    uint64_t count = f->o->accepted > REPORT_DRAWS ? f->o->accepted : REPORT_DRAWS;
    int status = draw_round(f, count, e);
    const struct round *last = &f->round[f->rounds - 1];
    if (status == 0)
        status = check_drawn(last, e);
    if (status != 0)
        return status;
    hist_mean(last->seen, f->features, f->mean);
    r->log_z = last->outcome.log_z;
    r->log_z_se = last->outcome.log_z_se;
    r->ess = (double)last->outcome.strings;
    r->starved = last->outcome.strings < count;
    return 0;
}

static int
report_errors(struct fit *f, struct tilt *t, struct err *e)
{
    const double *lambda = f->gam->lambda;
    struct newton_problem p = problem_of(f, t);
    double *se = mem_array(f->n, 3 * sizeof *se, e);
    if (se == NULL)
        return ERR_NOMEM;
    double *draws = se + f->n, *step = draws + f->n;
    tilt_spread(t);
    int status = newton_errors(&p, lambda, hist_total(f->data), se, draws, step, e);
    for (size_t i = 0; i < f->n && status == 0; i++) {
        struct fit_feature *row = &f->result->feature[i];
        row->draws_se =
            sqrt((f->o->regime == FIT_EXACT ? 0 : draws[i] * draws[i]) + step[i] * step[i]);
        row->se = sqrt(se[i] * se[i] + row->draws_se * row->draws_se);
    }
    mem_free(se);
    return status;
}

/* Widens [lo, hi] to the values of all vectors that the hard constraints allow. */
static void
widen(const struct fit *f, const double *phi, double *lo, double *hi)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->gam->lambda[i] == -INFINITY && phi[i] != 0)
            return;
    for (size_t i = 0; i < f->n; i++) {
        lo[i] = fmin(lo[i], phi[i]);
        hi[i] = fmax(hi[i], phi[i]);
    }
}

static enum fit_note
note_of(const struct fit *f, size_t i, double lo, double hi, double all_lo, double all_hi)
{
    double target = f->target[i];
    if (f->o->fixed[i])
        return FIT_FIXED;
    if (all_lo >= all_hi)
        return FIT_IDLE;
    if (target < lo || target > hi)
        return f->o->regime == FIT_EXACT ? FIT_NEVER : FIT_UNSEEN;
    if (target <= all_lo || target >= all_hi)
        return f->o->l2 > 0 ? FIT_PRIOR : FIT_STOPPED;
    if (fabs(f->gam->lambda[i]) >= bound_of(f, i))
        return FIT_BOUND;
    return FIT_FREE;
}

/* lo, hi: values seen in draws; then in the data too. */
static int
report_notes(struct fit *f, const struct tilt *t, struct err *e)
{
    double *lo = mem_array(f->n, 4 * sizeof *lo, e);
    if (lo == NULL)
        return ERR_NOMEM;
    double *hi = lo + f->n, *all_lo = hi + f->n, *all_hi = all_lo + f->n;
    for (size_t i = 0; i < f->n; i++) {
        lo[i] = INFINITY;
        hi[i] = -INFINITY;
    }
    for (size_t v = 0; v < t->count; v++)
        if (t->seen[v] > 0)
            widen(f, t->phi + v * f->n, lo, hi);
    memcpy(all_lo, lo, 2 * f->n * sizeof *lo);
    for (size_t v = 0; v < hist_count(f->data); v++) {
        hist_values(f->data, v, f->phi);
        widen(f, f->phi, all_lo, all_hi);
    }
    for (size_t i = 0; i < f->n; i++)
        f->result->feature[i].note = note_of(f, i, lo[i], hi[i], all_lo[i], all_hi[i]);
    mem_free(lo);
    return 0;
}

static int
report(struct fit *f, struct err *e)
{
    struct tilt t = {0};
    int status = f->o->regime == FIT_RS ? report_drawn(f, e) : 0;
    if (status == 0)
        status = gather(f, &t, e);
    if (status == 0) {
        tilt_at(&t, f->gam->lambda);
        if (f->o->regime != FIT_RS)
            report_weighted(f, &t);
        for (size_t i = 0; i < f->n; i++) {
            f->result->feature[i].target = f->target[i];
            f->result->feature[i].model = f->mean[i];
        }
        f->result->l1_mom = distance(f, f->mean);
        hist_mean(f->base, f->features, f->mean);
        for (size_t i = 0; i < f->n; i++)
            f->result->feature[i].base = f->mean[i];
        status = report_errors(f, &t, e);
    }
    if (status == 0)
        status = report_notes(f, &t, e);
    tilt_clear(&t);
    return status;
}

int
fit_run(struct gam *g, const struct hist *data, struct pool *pool, const struct fit_options *o,
        struct fit_result *result, struct err *e)
{
    struct fit f = {.gam = g, .features = g->features, .data = data, .o = o, .result = result};
    f.n = features_count(g->features);
    *result = (struct fit_result){0};
    int status = fit_init(&f, pool, e);
    if (status == 0)
        status = find_base(&f, e);
    if (status == 0 && o->optimizer == FIT_SGD)
        status = run_sgd(&f, e);
    else if (status == 0)
        status = o->regime == FIT_RS ? run_newton_rs(&f, e) : run_newton(&f, e);
    if (status == 0)
        status = report(&f, e);
    if (status == 0) {
        result->samples = reject_total(f.reject).proposals;
        result->model_steps = reject_total(f.reject).model_steps;
    }
    fit_free(&f);
    if (status != 0)
        fit_clear(result);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * The result of a fit: moments, Z, the errors of the weights, and a note about each.
 */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/exact_moments.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/importance.h"
#include "gam/newton.h"

enum {
    REPORT_DRAWS = 500,  /* rs with sgd: for the moments that are reported */
    GUIDED_DRAWS = 4000, /* guided: likewise */
};

#define MATCH_SIGMA 4.0  /* errors by which a fitted moment may differ from its target */
#define ESS_LITTLE  20.0 /* effective sample size; with so few, errors are too small by half */

/* Estimates at the solution: means, the variance of each due to the draws, Z. */
struct estimate {
    double *mean, *variance; /* [n] */
    double log_z, log_z_se, ess;
    double kl_se;       /* of lambda . mean - log Z, which is KL(P || r) */
    double gap, missed; /* guided: see fit_result */
    bool poor;          /* guided: see fit_result */
    bool starved;       /* fewer strings than requested */
};

/* The error of KL(P || r) = E lambda . phi - log Z from weighted draws: that of the mean over draws
 * of w (t - E t) - (w - 1), where w is the weight of a draw, 1 on average, and t its
 * lambda . phi. */
static double
kl_error(const struct importance *t, const double *lambda, double draws)
{
    double sum = 0, rest = draws, mean = feature_set_dot(t->features, lambda, t->mean);
    for (size_t v = 0; v < t->count; v++) {
        double w = draws * t->p[v] / t->seen[v];
        double excess = w > 0 ? feature_set_dot(t->features, lambda, t->phi + v * t->n) - mean : 0;
        double term = w * (excess - 1) + 1;
        sum += t->seen[v] * term * term;
        rest -= t->seen[v];
    }
    return sqrt(sum + fmax(0, rest)) / draws;
}

/* From evidence at the solution. */
static void
from_evidence(const struct fit_problem *p, const struct importance *t, const double *lambda,
              double draws, struct estimate *m)
{
    m->kl_se = kl_error(t, lambda, draws);
    m->log_z = t->log_z;
    m->log_z_se = importance_log_z_se(t->ess, draws);
    m->ess = t->ess;
    for (size_t i = 0; i < p->n; i++) {
        m->mean[i] = t->mean[i];
        m->variance[i] = t->noise[i * p->n + i];
    }
}

/* Exactly. */
static int
from_automaton(const struct fit_problem *p, struct moments *exact, const double *lambda,
               struct estimate *m, struct err *e)
{
    int rc = exact->at(exact, lambda, e);
    if (rc == 0)
        rc = exact->spread(exact, e);
    m->log_z = exact->log_z;
    m->log_z_se = 0;
    m->ess = INFINITY;
    memcpy(m->mean, exact->mean, p->n * sizeof *m->mean);
    return rc;
}

/* Adds the squared deviations of vector k, as often as it was drawn; returns that of
 * lambda . phi. */
static double
add_square(const struct fit_problem *p, const struct histogram *h, size_t k, const double *lambda,
           struct estimate *m)
{
    const uint64_t *numerator = histogram_numerators(h, k);
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        double d = (double)numerator[i] / feature_set_denominator(p->features, i) - m->mean[i];
        m->variance[i] += histogram_weight(h, k) * d * d;
        sum += feature_weight(lambda[i], d);
    }
    return histogram_weight(h, k) * sum * sum;
}

/* From a fresh draw from P by rejection. */
static int
from_rejection(const struct fit_problem *p, struct evidence *v, const double *lambda,
               struct estimate *m, struct err *e)
{
    bool sgd = p->options->optimizer == FIT_SGD;
    uint64_t count = p->options->accepted;
    count = sgd && count < REPORT_DRAWS ? REPORT_DRAWS : count;
    int rc = evidence_draw_round(p, v, lambda, count, e);
    if (rc == 0)
        rc = evidence_round_check(evidence_last(v), e);
    if (rc != 0)
        return rc;
    const struct evidence_round *last = evidence_last(v);
    double square = 0, n = (double)last->outcome.strings;
    histogram_mean(last->seen, m->mean);
    for (size_t k = 0; k < histogram_count(last->seen); k++)
        square += add_square(p, last->seen, k, lambda, m);
    for (size_t i = 0; i < p->n; i++)
        m->variance[i] /= n * n;
    m->log_z = last->outcome.log_z;
    m->log_z_se = last->outcome.log_z_se;
    m->kl_se = sqrt(square / (n * n) + m->log_z_se * m->log_z_se);
    m->ess = (double)last->outcome.strings;
    m->starved = last->outcome.strings < count;
    return 0;
}

/* By how much fresh draws differ in log Z from those of the fit, or of the guide's lessons at given
 * weights, beyond chance.  Then *gap is what the lessons found. */
static double
find_gap(const struct fit_problem *p, const struct evidence *v, const struct draw_pool *fresh,
         const double *lambda, struct guided_gap *gap)
{
    struct draw_estimate now = draw_pool_estimate(fresh, lambda);
    struct draw_estimate fitted = draw_pool_estimate(&v->draws, lambda);
    if (fit_all_fixed(p))
        guided_compare(v->guided, lambda, &now, gap);
    else
        guided_gap_add(gap, &now, &fitted, true);
    return gap->wide ? fabs(gap->log_z) : 0;
}

/* From fresh guided draws.  Given weights can be far from r, where a guide that knows only draws
 * from r is poor. */
static int
from_guided(const struct fit_problem *p, struct evidence *v, const double *lambda,
            struct estimate *m, struct err *e)
{
    struct draw_pool fresh = {.gam = p->gam};
    struct importance t = {0};
    struct guided_gap gap = {0};
    int rc = fit_all_fixed(p) ? guided_learn(v->guided, lambda, &gap, e)
                              : guided_aim(v->guided, lambda, e);
    if (rc == 0)
        rc = guided_draw(v->guided, GUIDED_DRAWS, false, &fresh, e);
    if (rc == 0)
        rc = draw_pool_importance(&fresh, &t, e);
    if (rc == 0) {
        importance_at(&t, lambda);
        importance_covariance(&t);
        from_evidence(p, &t, lambda, fresh.draws, m);
        m->poor = t.ess < GUIDED_ESS_MIN * fresh.draws;
        m->gap = find_gap(p, v, &fresh, lambda, &gap);
        rc = evidence_missed(p, v, lambda, &fresh, &m->missed, e);
    }
    importance_clear(&t);
    draw_pool_clear(&fresh);
    return rc;
}

/* Errors of the weights.  With a small effective sample size they are too small: with 4, 43
 * % of weights lie beyond two errors, with 24 nearly 5 %. */
static int
find_errors(const struct fit_problem *p, const double *lambda, struct moments *m, double ess,
            struct fit_result *r, struct err *e)
{
    struct newton_problem newton = fit_newton_problem(p, m, NULL, NULL);
    double *se = mem_array(p->n, 3 * sizeof *se, e);
    if (se == NULL)
        return ERR_NOMEM;
    double *draws = se + p->n, *step = draws + p->n;
    double widen = p->options->regime == FIT_SNIS ? 1 + ESS_LITTLE / ess : 1;
    int rc = newton_errors(&newton, lambda, p->data_strings, se, draws, step, e);
    for (size_t i = 0; i < p->n && rc == 0; i++) {
        double own = draws[i] * draws[i] * widen;
        r->feature[i].draws_se = sqrt(own + step[i] * step[i]);
        r->feature[i].se = sqrt(se[i] * se[i] + own + step[i] * step[i]);
    }
    mem_free(se);
    return rc;
}

/* ---- notes ------------------------------------------------------------------------------ */

/* Values of the features among the draws, and among draws and data, that satisfy the hard
 * constraints. */
struct ranges {
    double *lo, *hi, *all_lo, *all_hi; /* [n] */
};

static void
widen(const struct fit_problem *p, const double *lambda, const double *phi, double *lo, double *hi)
{
    for (size_t i = 0; i < p->n; i++)
        if (lambda[i] == -INFINITY && phi[i] != 0)
            return;
    for (size_t i = 0; i < p->n; i++) {
        lo[i] = fmin(lo[i], phi[i]);
        hi[i] = fmax(hi[i], phi[i]);
    }
}

/* The variance of a moment's distance from its target, if the weight is right: that of these draws,
 * and that of the draws `t` by which the weight was found.  If a feature is 0 or 1, the variance is
 * known from its target; draws with few of a rare value underestimate it. */
static double
match_variance(const struct fit_problem *p, size_t i, const struct importance *t,
               const struct estimate *m)
{
    double known = p->target[i] * (1 - p->target[i]) / m->ess;
    bool zero_or_one = feature_set_denominator(p->features, i) == 1;
    double drawn = zero_or_one ? fmax(known, m->variance[i]) : m->variance[i];
    return drawn + (t->noise != NULL ? t->noise[i * p->n + i] : 0);
}

/* Whether the gradient at the weight is 0 within the error of the moment. */
static bool
is_matched(const struct fit_problem *p, size_t i, double lambda, double variance,
           const struct estimate *m)
{
    double slope = p->target[i] - m->mean[i] - p->l2[i] * lambda;
    return fabs(slope) <= MATCH_SIGMA * sqrt(variance) + 1e-6;
}

static enum fit_note
note_of(const struct fit_problem *p, size_t i, double lambda, const struct ranges *r,
        const struct importance *t, const struct estimate *m)
{
    double variance = match_variance(p, i, t, m);
    const struct fit_options *o = p->options;
    double target = p->target[i];
    if (o->fixed[i])
        return FIT_FIXED;
    bool outside = target < r->lo[i] || target > r->hi[i];
    if (r->all_lo[i] >= r->all_hi[i] && !(outside && fit_is_stated(p, i)))
        return FIT_IDLE;
    if (outside)
        return o->regime == FIT_EXACT ? FIT_NEVER : FIT_UNSEEN;
    if (target <= r->all_lo[i] || target >= r->all_hi[i])
        return p->l2[i] > 0 ? FIT_PRIOR : FIT_STOPPED;
    if (fabs(lambda) >= p->bound[i])
        return FIT_BOUND;
    return o->optimizer == FIT_NEWTON && !is_matched(p, i, lambda, variance, m) ? FIT_UNMATCHED
                                                                                : FIT_FREE;
}

/* The values that draws have, or that strings of the base can have. */
static int
base_ranges(const struct fit_problem *p, const struct evidence *v, const double *lambda,
            const struct importance *t, struct ranges *r, struct err *e)
{
    if (v->exact != NULL)
        return exact_ranges(v->exact, r->lo, r->hi, e);
    for (size_t i = 0; i < p->n; i++) {
        r->lo[i] = INFINITY;
        r->hi[i] = -INFINITY;
    }
    for (size_t k = 0; k < t->count; k++)
        if (t->seen[k] > 0)
            widen(p, lambda, t->phi + k * p->n, r->lo, r->hi);
    return 0;
}

static int
find_notes(const struct fit_problem *p, const struct evidence *v, const double *lambda,
           const struct importance *t, const struct estimate *m, struct fit_result *result,
           struct err *e)
{
    double *block = mem_array(p->n, 5 * sizeof *block, e);
    if (block == NULL)
        return ERR_NOMEM;
    struct ranges r = {block, block + p->n, block + 2 * p->n, block + 3 * p->n};
    double *phi = block + 4 * p->n;
    int rc = base_ranges(p, v, lambda, t, &r, e);
    memcpy(r.all_lo, r.lo, 2 * p->n * sizeof *r.lo);
    for (size_t k = 0; k < histogram_count(p->data); k++) {
        histogram_values(p->data, k, phi);
        widen(p, lambda, phi, r.all_lo, r.all_hi);
    }
    for (size_t i = 0; rc == 0 && i < p->n; i++) {
        enum fit_note note = note_of(p, i, lambda[i], &r, t, m);
        result->feature[i].note = note;
        result->unfitted |= note >= FIT_UNSEEN;
    }
    mem_free(block);
    return rc;
}

/* ---- the result ------------------------------------------------------------------------- */

/* Means under r: those at weights of 0. */
static void
find_base_means(const struct fit_problem *p, const struct evidence *v, struct importance *t,
                double *zero, struct fit_result *r)
{
    if (v->exact != NULL) {
        memcpy(zero, v->base_mean, p->n * sizeof *zero);
    } else if (v->guided == NULL) {
        histogram_mean(v->base, zero);
    } else {
        memset(zero, 0, p->n * sizeof *zero);
        importance_at(t, zero);
        memcpy(zero, t->mean, p->n * sizeof *zero);
    }
    for (size_t i = 0; i < p->n; i++)
        r->feature[i].base = zero[i];
}

/* Sets the notes, from the moments and the evidence. */
static int
describe(const struct fit_problem *p, const struct evidence *v, const struct fit_solution *s,
         struct importance *t, struct estimate *m, struct fit_result *r, struct err *e)
{
    for (size_t i = 0; i < p->n; i++) {
        r->feature[i].target = p->target[i];
        r->feature[i].model = m->mean[i];
    }
    r->l1_mom = fit_distance(p, m->mean);
    r->log_z = m->log_z;
    r->log_z_se = m->log_z_se;
    r->kl = feature_set_dot(p->features, s->lambda, m->mean) - m->log_z;
    r->kl_se = m->kl_se;
    r->ess = m->ess;
    r->poor = m->poor;
    r->starved = m->starved;
    r->gap = m->gap;
    r->missed = m->missed;
    r->converged = s->converged;
    r->epochs = s->epochs;
    r->samples = evidence_total(v).proposals;
    r->model_steps = evidence_total(v).model_steps;
    struct moments drawn = importance_moments(t);
    struct moments *at = v->exact != NULL ? exact_moments_get(v->exact) : &drawn;
    int rc = find_errors(p, s->lambda, at, t->ess, r, e);
    if (rc == 0)
        rc = find_notes(p, v, s->lambda, t, m, r, e);
    if (rc == 0)
        find_base_means(p, v, t, m->mean, r);
    return rc;
}

static int
weigh_at(const struct fit_problem *p, const struct evidence *v, const double *lambda,
         struct importance *t, struct err *e)
{
    int rc = evidence_weigh(p, v, t, e);
    if (rc == 0) {
        importance_at(t, lambda);
        importance_covariance(t);
    }
    return rc;
}

int
fit_outcome(const struct fit_problem *p, struct evidence *v, const struct fit_solution *s,
            struct fit_result *result, struct err *e)
{
    struct importance t = {0};
    struct estimate m = {.mean = mem_zero(p->n, 2 * sizeof *m.mean, e)};
    int rc = m.mean != NULL ? 0 : ERR_NOMEM, regime = p->options->regime;
    m.variance = m.mean != NULL ? m.mean + p->n : NULL;
    if (rc == 0 && regime == FIT_RS)
        rc = from_rejection(p, v, s->lambda, &m, e);
    else if (rc == 0 && regime == FIT_GUIDED)
        rc = from_guided(p, v, s->lambda, &m, e);
    else if (rc == 0 && regime == FIT_EXACT)
        rc = from_automaton(p, exact_moments_get(v->exact), s->lambda, &m, e);
    if (rc == 0 && regime != FIT_EXACT)
        rc = weigh_at(p, v, s->lambda, &t, e);
    if (rc == 0 && regime == FIT_SNIS)
        from_evidence(p, &t, s->lambda, v->base_draws, &m);
    if (rc == 0)
        rc = describe(p, v, s, &t, &m, result, e);
    importance_clear(&t);
    mem_free(m.mean);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "gam/fit_outcome.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/histogram.h"
#include "gam/fit_newton.h"
#include "gam/fit_state.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "gam/newton.h"

enum { REPORT_DRAWS = 500 }; /* rs: for the moments that are reported, at least */

/* Moments, Z and the worth of the draws, from what was drawn from r. */
static void
from_evidence(struct fit_state *f, const struct tilt *t)
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
from_draw(struct fit_state *f, struct err *e)
{
    struct fit_result *r = f->result;
    uint64_t count = f->o->accepted > REPORT_DRAWS ? f->o->accepted : REPORT_DRAWS;
    int status = fit_state_draw_round(f, count, e);
    if (status == 0)
        status = fit_round_check(fit_state_last(f), e);
    if (status != 0)
        return status;
    const struct fit_round *last = fit_state_last(f);
    hist_mean(last->seen, f->mean);
    r->log_z = last->outcome.log_z;
    r->log_z_se = last->outcome.log_z_se;
    r->ess = (double)last->outcome.strings;
    r->starved = last->outcome.strings < count;
    return 0;
}

static int
find_errors(struct fit_state *f, struct tilt *t, struct err *e)
{
    const double *lambda = f->gam->lambda;
    struct newton_problem p = fit_newton_problem(f, t);
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
widen(const struct fit_state *f, const double *phi, double *lo, double *hi)
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
note_of(const struct fit_state *f, size_t i, double lo, double hi, double all_lo, double all_hi)
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
    if (fabs(f->gam->lambda[i]) >= fit_state_bound(f, i))
        return FIT_BOUND;
    return FIT_FREE;
}

/* lo, hi: values seen in draws; then in the data too. */
static int
find_notes(struct fit_state *f, const struct tilt *t, struct err *e)
{
    double *lo = mem_array(f->n, 5 * sizeof *lo, e);
    if (lo == NULL)
        return ERR_NOMEM;
    double *hi = lo + f->n, *all_lo = hi + f->n, *all_hi = all_lo + f->n, *phi = all_hi + f->n;
    for (size_t i = 0; i < f->n; i++) {
        lo[i] = INFINITY;
        hi[i] = -INFINITY;
    }
    for (size_t v = 0; v < t->count; v++)
        if (t->seen[v] > 0)
            widen(f, t->phi + v * f->n, lo, hi);
    memcpy(all_lo, lo, 2 * f->n * sizeof *lo);
    for (size_t v = 0; v < hist_count(f->data); v++) {
        hist_values(f->data, v, phi);
        widen(f, phi, all_lo, all_hi);
    }
    for (size_t i = 0; i < f->n; i++)
        f->result->feature[i].note = note_of(f, i, lo[i], hi[i], all_lo[i], all_hi[i]);
    mem_free(lo);
    return 0;
}

int
fit_outcome(struct fit_state *f, struct err *e)
{
    struct tilt t = {0};
    int status = f->o->regime == FIT_RS ? from_draw(f, e) : 0;
    if (status == 0)
        status = fit_state_gather(f, &t, e);
    if (status == 0) {
        tilt_at(&t, f->gam->lambda);
        if (f->o->regime != FIT_RS)
            from_evidence(f, &t);
        for (size_t i = 0; i < f->n; i++) {
            f->result->feature[i].target = f->target[i];
            f->result->feature[i].model = f->mean[i];
        }
        f->result->l1_mom = fit_state_distance(f, f->mean);
        hist_mean(f->base, f->mean);
        for (size_t i = 0; i < f->n; i++)
            f->result->feature[i].base = f->mean[i];
        status = find_errors(f, &t, e);
    }
    if (status == 0)
        status = find_notes(f, &t, e);
    tilt_clear(&t);
    return status;
}

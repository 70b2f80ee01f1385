/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/histogram.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "gam/newton.h"

enum { SCOUT_SHARE = 10 }; /* draws far from the solution are smaller by this */

#define OVERLAP_ENOUGH 0.5 /* of what was drawn last with the solution */

struct newton_problem
fit_newton_problem(const struct fit_state *f, struct moments *m)
{
    return (struct newton_problem){
        .moments = m,
        .target = f->target,
        .fixed = f->o->fixed,
        .l2 = f->o->l2,
        .lo = f->lo,
        .hi = f->hi,
        .steps_max = f->o->epochs,
    };
}

struct newton_log {
    struct fit_state *fit;
    const struct importance *tilt;
};

static int
log_step(void *arg, const double *lambda, struct err *e)
{
    struct newton_log *l = arg;
    return fit_state_tell(l->fit, 1, fit_state_distance(l->fit, l->tilt->mean), lambda, e);
}

/* All evidence is there: one run. */
static int
solve(struct fit_state *f, struct err *e)
{
    struct importance t = {0};
    struct newton_log log = {f, &t};
    int rc = fit_state_gather(f, &t, e);
    if (rc == 0) {
        struct moments m = importance_moments(&t);
        struct newton_problem p = fit_newton_problem(f, &m);
        p.step = log_step;
        p.arg = &log;
        importance_at(&t, f->gam->lambda);
        rc = fit_state_check_possible(f, &t, e);
        if (rc == 0)
            rc = newton_run(&p, f->gam->lambda, &f->result->converged, e);
    }
    importance_clear(&t);
    return rc;
}

/* The share of the last draw that is left when it is weighted to fit the
 * present weights; none if a weight went as far as it may: what it is after has
 * perhaps not been drawn yet. */
static int
find_overlap(const struct fit_state *f, const double *stride, double *overlap, struct err *e)
{
    const struct fit_round *r = fit_state_last(f);
    struct importance t = {0};
    *overlap = 0;
    for (size_t i = 0; i < f->n; i++)
        if (!f->o->fixed[i] && fabs(f->gam->lambda[i] - r->lambda[i]) >= stride[i])
            return 0;
    struct importance_source part = {
        .seen = r->seen, .lambda = r->lambda, .draws = 1, .log_z = r->outcome.log_z};
    int rc = importance_init(&t, f->features, &part, 1, e);
    if (rc == 0) {
        importance_at(&t, f->gam->lambda);
        *overlap = t.ess / (double)r->outcome.strings;
    }
    importance_clear(&t);
    return rc;
}

/* Solves with all that was drawn, not farther than stride[features] from the
 * weights of the last draw. */
static int
solve_near(struct fit_state *f, double *stride, struct err *e)
{
    struct importance t = {0};
    bool converged;
    double *lambda = f->gam->lambda;
    int rc = fit_state_gather(f, &t, e);
    if (rc == 0) {
        importance_at(&t, lambda);
        importance_covariance(&t);
        struct moments m = importance_moments(&t);
        for (size_t i = 0; i < f->n; i++) {
            stride[i] = newton_step_limit(&m, i);
            f->lo[i] = fmax(-fit_state_bound(f, i), lambda[i] - stride[i]);
            f->hi[i] = fmin(fit_state_bound(f, i), lambda[i] + stride[i]);
        }
        struct newton_problem p = fit_newton_problem(f, &m);
        rc = newton_run(&p, lambda, &converged, e);
    }
    importance_clear(&t);
    return rc;
}

/* The weights have gone where nothing can be drawn: back to the last draw. */
static int
retreat(struct fit_state *f, struct err *e)
{
    if (f->rounds == 1)
        return fit_round_check(fit_state_last(f), e);
    fit_round_clear(&f->round[--f->rounds]);
    memcpy(f->gam->lambda, fit_state_last(f)->lambda, f->n * sizeof *f->gam->lambda);
    return 0;
}

/* One draw, and the solution with it.  *near: what was drawn is near it. */
static int
advance(struct fit_state *f, uint64_t count, double *stride, bool *near, struct err *e)
{
    double overlap = 0;
    int rc = fit_state_draw_round(f, count, e);
    if (rc != 0 || fit_state_last(f)->outcome.strings == 0)
        return rc;
    rc = solve_near(f, stride, e);
    if (rc == 0)
        rc = find_overlap(f, stride, &overlap, e);
    if (rc != 0)
        return rc;
    *near = overlap >= OVERLAP_ENOUGH;
    histogram_mean(fit_state_last(f)->seen, f->mean);
    return fit_state_tell(f, 1, fit_state_distance(f, f->mean), f->gam->lambda, e);
}

/* Small draws until they are near the solution, then a large one. */
static int
draw_and_solve(struct fit_state *f, double *stride, struct err *e)
{
    uint64_t many = f->o->accepted, few = (many + SCOUT_SHARE - 1) / SCOUT_SHARE;
    bool near = false;
    for (uint64_t k = 0; k < f->o->epochs && !f->result->converged; k++) {
        bool large = near;
        int rc = advance(f, large ? many : few, stride, &near, e);
        if (rc != 0)
            return rc;
        if (fit_state_last(f)->outcome.strings == 0)
            return retreat(f, e);
        f->result->converged = large && near;
    }
    return 0;
}

int
fit_newton(struct fit_state *f, struct err *e)
{
    if (f->o->regime != FIT_RS)
        return solve(f, e);
    double *stride = mem_array(f->n, sizeof *stride, e);
    int rc = stride != NULL ? draw_and_solve(f, stride, e) : ERR_NOMEM;
    mem_free(stride);
    return rc;
}

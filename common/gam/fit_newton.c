/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/histogram.h"
#include "gam/exact_moments.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "gam/newton.h"

enum { SCOUT_SHARE = 10 }; /* draws far from the solution are smaller by this factor */

#define OVERLAP_ENOUGH 0.5 /* minimum agreement of the last draws with the solution */

struct newton_problem
fit_newton_problem(const struct fit_problem *p, struct moments *m, const double *lo,
                   const double *hi)
{
    return (struct newton_problem){
        .moments = m,
        .target = p->target,
        .fixed = p->options->fixed,
        .l2 = p->l2,
        .lo = lo,
        .hi = hi,
        .steps_max = p->options->epochs,
    };
}

void
fit_newton_box(const struct fit_problem *p, const struct moments *m, const double *lambda,
               double *step_limit, double *lo, double *hi)
{
    for (size_t i = 0; i < p->n; i++) {
        step_limit[i] = newton_step_limit(m, i);
        lo[i] = fmax(-p->bound[i], lambda[i] - step_limit[i]);
        hi[i] = fmin(p->bound[i], lambda[i] + step_limit[i]);
    }
}

/* State of Newton's method. */
struct newton_run {
    const struct fit_problem *problem;
    struct evidence *evidence;
    struct fit_solution *solution;
    struct importance t;          /* at the current weights; not if exact */
    double *step_limit, *lo, *hi; /* [n] */
};

static int
run_init(struct newton_run *r, const struct fit_problem *p, struct evidence *v,
         struct fit_solution *s, struct err *e)
{
    *r = (struct newton_run){.problem = p, .evidence = v, .solution = s};
    r->step_limit = mem_array(p->n, 3 * sizeof *r->step_limit, e);
    if (r->step_limit == NULL)
        return ERR_NOMEM;
    r->lo = r->step_limit + p->n;
    r->hi = r->lo + p->n;
    for (size_t i = 0; i < p->n; i++) {
        r->lo[i] = -p->bound[i];
        r->hi[i] = p->bound[i];
    }
    return 0;
}

static void
run_clear(struct newton_run *r)
{
    importance_clear(&r->t);
    mem_free(r->step_limit);
}

static int
log_step(void *arg, const double *lambda, struct err *e)
{
    struct newton_run *r = arg;
    const double *mean =
        r->evidence->exact != NULL ? exact_moments_get(r->evidence->exact)->mean : r->t.mean;
    (void)lambda;
    return fit_tell(r->problem, r->evidence, r->solution, 1, fit_distance(r->problem, mean), e);
}

/* With snis, a feature that has one value in all draws, and another in the data, cannot be
 * learned: its weight stays 0. */
static void
hold_unseen(struct newton_run *r)
{
    const struct fit_problem *p = r->problem;
    importance_covariance(&r->t);
    for (size_t i = 0; i < p->n; i++)
        if (p->options->regime == FIT_SNIS && r->t.covariance[i * p->n + i] == 0)
            r->lo[i] = r->hi[i] = 0;
}

static int
solve_with(struct newton_run *r, struct moments *m, struct err *e)
{
    struct newton_problem p = fit_newton_problem(r->problem, m, r->lo, r->hi);
    p.step = log_step;
    p.arg = r;
    return newton_run(&p, r->solution->lambda, &r->solution->converged, e);
}

/* All evidence is available: one run. */
static int
solve(struct newton_run *r, struct err *e)
{
    if (r->evidence->exact != NULL)
        return solve_with(r, exact_moments_get(r->evidence->exact), e);
    int rc = evidence_weigh(r->problem, r->evidence, &r->t, e);
    if (rc != 0)
        return rc;
    struct moments m = importance_moments(&r->t);
    importance_at(&r->t, r->solution->lambda);
    rc = evidence_check_possible(r->evidence, &r->t, e);
    if (rc != 0)
        return rc;
    hold_unseen(r);
    return solve_with(r, &m, e);
}

/* The effective share of the last draws at the current weights.  0 if a weight reached its
 * limit: what it must match may not have been drawn yet. */
static int
find_overlap(const struct newton_run *run, double *overlap, struct err *e)
{
    const struct fit_problem *p = run->problem;
    const struct evidence_round *r = evidence_last(run->evidence);
    const double *lambda = run->solution->lambda;
    struct importance t = {0};
    *overlap = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!p->options->fixed[i] && fabs(lambda[i] - r->lambda[i]) >= run->step_limit[i])
            return 0;
    struct importance_source part = {
        .seen = r->seen, .lambda = r->lambda, .draws = 1, .log_z = r->outcome.log_z};
    int rc = importance_init(&t, p->features, &part, 1, e);
    if (rc == 0) {
        importance_at(&t, lambda);
        *overlap = t.ess / (double)r->outcome.strings;
    }
    importance_clear(&t);
    return rc;
}

/* Solves with all draws; each weight moves at most by its limit from the weights of the last
 * draw. */
static int
solve_near(struct newton_run *r, struct err *e)
{
    double *lambda = r->solution->lambda;
    bool converged;
    importance_clear(&r->t);
    int rc = evidence_weigh(r->problem, r->evidence, &r->t, e);
    if (rc != 0)
        return rc;
    importance_at(&r->t, lambda);
    importance_covariance(&r->t);
    struct moments m = importance_moments(&r->t);
    fit_newton_box(r->problem, &m, lambda, r->step_limit, r->lo, r->hi);
    struct newton_problem p = fit_newton_problem(r->problem, &m, r->lo, r->hi);
    return newton_run(&p, lambda, &converged, e);
}

/* No string can be drawn at the new weights: returns to those of the last draw. */
static int
retreat(struct newton_run *r, struct err *e)
{
    struct evidence *v = r->evidence;
    if (v->rounds == 1)
        return evidence_round_check(evidence_last(v), e);
    evidence_round_clear(&v->round[--v->rounds]);
    memcpy(r->solution->lambda, evidence_last(v)->lambda,
           r->problem->n * sizeof *r->solution->lambda);
    return 0;
}

/* One draw, and the solution with it.  *near: the draw is near the solution. */
static int
advance(struct newton_run *r, uint64_t count, bool *near, struct err *e)
{
    double overlap = 0;
    int rc = evidence_draw_round(r->problem, r->evidence, r->solution->lambda, count, e);
    if (rc != 0 || evidence_last(r->evidence)->outcome.strings == 0)
        return rc;
    rc = solve_near(r, e);
    if (rc == 0)
        rc = find_overlap(r, &overlap, e);
    if (rc != 0)
        return rc;
    *near = overlap >= OVERLAP_ENOUGH;
    histogram_mean(evidence_last(r->evidence)->seen, r->t.mean);
    return log_step(r, r->solution->lambda, e);
}

/* Small draws until they are near the solution, then a large one. */
static int
draw_and_solve(struct newton_run *r, struct err *e)
{
    const struct fit_options *o = r->problem->options;
    uint64_t many = o->accepted, few = (many + SCOUT_SHARE - 1) / SCOUT_SHARE;
    bool near = false;
    for (uint64_t k = 0; k < o->epochs && !r->solution->converged; k++) {
        bool large = near;
        int rc = advance(r, large ? many : few, &near, e);
        if (rc != 0)
            return rc;
        if (evidence_last(r->evidence)->outcome.strings == 0)
            return retreat(r, e);
        r->solution->converged = large && near;
    }
    return 0;
}

int
fit_newton(const struct fit_problem *p, struct evidence *v, struct fit_solution *s, struct err *e)
{
    struct newton_run r;
    int rc = run_init(&r, p, v, s, e);
    if (rc == 0)
        rc = p->options->regime == FIT_RS ? draw_and_solve(&r, e) : solve(&r, e);
    run_clear(&r);
    return rc;
}

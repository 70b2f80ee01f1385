/* SPDX-License-Identifier: MIT
 *
 * Weights by guided draws: in each round, Newton's method on all draws so far, a guide at the
 * new weights, and more draws.  Draws from r come first; they need not contain what a feature
 * requires, since the guide looks ahead for it.
 */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/histogram.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/importance.h"
#include "gam/newton.h"

enum {
    SCOUT_DRAWS = 500, /* draws of a round far from the solution */
    NEAR_DRAWS = 2000, /* draws of a round near the solution */
    DRAWS_MAX = 40000, /* draws in all */
    LESSONS_MAX = 3    /* from strings that the draws miss */
};

#define ESS_ENOUGH  50.0 /* minimum effective sample size at the new weights */
#define ESS_SHARE   0.05 /* or this share of all draws, if that is less */
#define SHRINK      0.6  /* fraction of a step that has too few */
#define ESS_NEAR    250  /* effective sample size at which the solution is known */
#define DRAWS_ERROR 0.3  /* largest error due to the draws, relative to that of the data */

struct guided_run {
    const struct fit_problem *problem;
    struct evidence *evidence;
    double *lambda;               /* [n] the current weights */
    double *before;               /* [n] the weights before this round */
    double *step_limit, *lo, *hi; /* [n] the box of this round */
    double *se;                   /* [3 n] errors of the weights: data, draws, step */
};

static int
run_init(struct guided_run *r, const struct fit_problem *p, struct evidence *v, double *lambda,
         struct err *e)
{
    *r = (struct guided_run){.problem = p, .evidence = v, .lambda = lambda};
    r->before = mem_array(p->n, 7 * sizeof *r->before, e);
    if (r->before == NULL)
        return ERR_NOMEM;
    r->step_limit = r->before + p->n;
    r->lo = r->step_limit + p->n;
    r->hi = r->lo + p->n;
    r->se = r->hi + p->n;
    return 0;
}

/* Solves with all draws; each weight moves at most by its limit. */
static int
solve_near(struct guided_run *r, struct importance *t, struct err *e)
{
    bool converged;
    memcpy(r->before, r->lambda, r->problem->n * sizeof *r->before);
    importance_at(t, r->lambda);
    importance_covariance(t);
    struct moments m = importance_moments(t);
    fit_newton_box(r->problem, &m, r->lambda, r->step_limit, r->lo, r->hi);
    struct newton_problem p = fit_newton_problem(r->problem, &m, r->lo, r->hi);
    return newton_run(&p, r->lambda, &converged, e);
}

/* Shortens the step while too few draws support the new weights.  True if the full step is
 * left, and no weight reached its limit. */
static bool
shrink_move(struct guided_run *r, struct importance *t)
{
    const struct fit_problem *p = r->problem;
    double enough = fmin(ESS_ENOUGH, ESS_SHARE * r->evidence->draws.draws);
    bool whole = true;
    for (size_t i = 0; i < p->n; i++)
        if (!p->options->fixed[i] && fabs(r->lambda[i] - r->before[i]) >= r->step_limit[i])
            whole = false;
    importance_at(t, r->before);
    enough = fmin(enough, t->ess);
    for (importance_at(t, r->lambda); t->ess < enough; importance_at(t, r->lambda)) {
        whole = false;
        for (size_t i = 0; i < p->n; i++)
            if (!p->options->fixed[i])
                r->lambda[i] = r->before[i] + SHRINK * (r->lambda[i] - r->before[i]);
    }
    return whole;
}

/* Whether the errors due to the draws are small relative to those of the data, for all
 * weights that both determine. */
static int
check_precision(struct guided_run *r, struct importance *t, bool *precise, struct err *e)
{
    const struct fit_problem *p = r->problem;
    struct moments m = importance_moments(t);
    struct newton_problem newton = fit_newton_problem(p, &m, r->lo, r->hi);
    double *draws = r->se + p->n, *step = draws + p->n;
    importance_covariance(t);
    int rc = newton_errors(&newton, r->lambda, fit_strings(p), r->se, draws, step, e);
    *precise = true;
    for (size_t i = 0; i < p->n && rc == 0; i++)
        if (isfinite(r->se[i]) && draws[i] > DRAWS_ERROR * r->se[i])
            *precise = false;
    return rc;
}

/* Solves with the current draws.  *near: they determine the solution; *precise: also
 * accurately enough. */
static int
solve_round(struct guided_run *r, struct fit_solution *s, bool *near, bool *precise, struct err *e)
{
    struct importance t = {0};
    int rc = evidence_weigh(r->problem, r->evidence, &t, e);
    if (rc == 0)
        rc = solve_near(r, &t, e);
    if (rc == 0) {
        *near = shrink_move(r, &t) && t.ess >= ESS_NEAR;
        rc = check_precision(r, &t, precise, e);
    }
    if (rc == 0)
        rc = fit_tell(r->problem, r->evidence, s, 1, fit_distance(r->problem, t.mean), e);
    importance_clear(&t);
    return rc;
}

static int
draw_round(struct guided_run *r, uint64_t draws, struct err *e)
{
    struct evidence *v = r->evidence;
    int rc = guided_aim(v->guided, r->lambda, e);
    return rc == 0 ? guided_draw(v->guided, draws, true, &v->draws, e) : rc;
}

/* Learns from the witnesses if the draws miss them; then the solution does not count. */
static int
learn_missed(struct guided_run *r, int *lessons, bool *converged, struct err *e)
{
    struct draw_pool given = {.gam = r->problem->gam};
    struct evidence *v = r->evidence;
    double missed;
    int rc = evidence_missed(r->problem, v, r->lambda, &v->draws, &missed, e);
    if (rc == 0 && missed > 0) {
        rc = guided_follow(v->guided, r->problem->options->witness, true, &given, e);
        *converged = false;
        ++*lessons;
    }
    draw_pool_clear(&given);
    return rc;
}

/* The first guide is at the given weights: with hard constraints, none of r's own strings
 * may be possible.  A solution is accepted when two successive rounds have found it. */
int
fit_guided(const struct fit_problem *p, struct evidence *v, struct fit_solution *s, struct err *e)
{
    struct guided_run r;
    bool near = false, was_near = false, precise = false;
    int lessons = 0;
    int rc = run_init(&r, p, v, s->lambda, e);
    for (uint64_t k = 0; k < p->options->epochs && rc == 0; k++) {
        rc = draw_round(&r, near ? NEAR_DRAWS : SCOUT_DRAWS, e);
        was_near = near;
        if (rc == 0)
            rc = solve_round(&r, s, &near, &precise, e);
        s->converged = near && was_near && (precise || v->draws.draws >= DRAWS_MAX);
        if (rc == 0 && s->converged && lessons < LESSONS_MAX)
            rc = learn_missed(&r, &lessons, &s->converged, e);
        if (s->converged)
            break;
    }
    mem_free(r.before);
    return rc;
}

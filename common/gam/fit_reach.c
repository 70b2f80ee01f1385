/* SPDX-License-Identifier: MIT
 *
 * Stated means that no weights reach together.
 *
 * Means that can be reached are averages of feature vectors of strings, whatever the base model
 * gives these strings.  So weights at which the means are met are sought on exact moments, over an
 * automaton of the same strings.  Means of the data do not count: their weights have a prior, so
 * they give way.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/constraint.h"
#include "gam/exact_moments.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/moments.h"
#include "gam/newton.h"

enum { STEPS_MAX = 200, DOUBLINGS_MAX = 12 };

#define MEAN_MET  1e-9 /* difference from a mean that is reached */
#define SAME_MEAN 1e-6 /* difference of the ends of a range that is one number */
#define UNIT      1e-9 /* of the ends of a range: finite weights do not quite attain them */

/* Which of the stated means are to be met; the weights of all other features stay. */
struct reach {
    const struct fit_problem *problem;
    struct moments *moments;
    bool *still;         /* [n] */
    double *start;       /* [n] weights to start from */
    double *lambda, *l2; /* [n]; all l2 are 0 */
    double *lo, *hi;     /* [n] the box */
};

static int
reach_init(struct reach *r, const struct fit_problem *p, struct moments *m, struct err *e)
{
    *r = (struct reach){.problem = p, .moments = m};
    r->still = mem_array(p->n, sizeof *r->still, e);
    r->start = mem_zero(p->n, 5 * sizeof *r->start, e);
    if (r->still == NULL || r->start == NULL)
        return ERR_NOMEM;
    r->lambda = r->start + p->n;
    r->l2 = r->lambda + p->n;
    r->lo = r->l2 + p->n;
    r->hi = r->lo + p->n;
    for (size_t i = 0; i < p->n; i++) {
        r->still[i] = !fit_is_stated(p, i);
        r->start[i] = p->gam->lambda[i] == -INFINITY ? -INFINITY : 0;
        r->lo[i] = -p->bound[i];
        r->hi[i] = p->bound[i];
    }
    return 0;
}

static void
reach_clear(struct reach *r)
{
    mem_free(r->still);
    mem_free(r->start);
}

/* Whether weights in the box meet the means. */
static int
find_met(struct reach *r, bool *met, struct err *e)
{
    const struct fit_problem *p = r->problem;
    struct newton_problem newton = {.moments = r->moments,
                                    .target = p->target,
                                    .fixed = r->still,
                                    .l2 = r->l2,
                                    .lo = r->lo,
                                    .hi = r->hi,
                                    .steps_max = STEPS_MAX};
    bool converged;
    memcpy(r->lambda, r->start, p->n * sizeof *r->lambda);
    int rc = newton_run(&newton, r->lambda, &converged, e);
    *met = rc == 0;
    for (size_t i = 0; i < p->n; i++)
        *met &= r->still[i] || fabs(r->moments->mean[i] - p->target[i]) <= MEAN_MET;
    return rc;
}

/* Leaves out every mean without which the others still cannot be met. */
static int
reduce(struct reach *r, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < r->problem->n && rc == 0; i++) {
        bool met;
        if (r->still[i])
            continue;
        r->still[i] = true;
        rc = find_met(r, &met, e);
        r->still[i] = !met;
    }
    return rc;
}

/* The least (sign -1) or greatest mean of a feature where the others are met.  The larger its
 * weight, the more extreme are the strings that are left.  Toward the end of the range all weights
 * grow in proportion. */
static int
find_end(struct reach *r, size_t feature, double sign, double *end, struct err *e)
{
    size_t n = r->problem->n;
    bool met = true;
    double before = INFINITY;
    r->still[feature] = true;
    for (size_t i = 0; i < n; i++) {
        r->lo[i] = -INFINITY;
        r->hi[i] = INFINITY;
        r->start[i] = r->start[i] == -INFINITY ? -INFINITY : 0;
    }
    r->start[feature] = sign * r->problem->bound[feature];
    for (int k = 0; k < DOUBLINGS_MAX; k++) {
        int rc = find_met(r, &met, e);
        if (rc != 0 || (!met && k == 0))
            return rc != 0 ? rc : err_set(e, ERR_LIMIT, "weights are too large");
        if (!met || fabs(r->moments->mean[feature] - before) < UNIT)
            return 0;
        before = r->moments->mean[feature];
        *end = round(before / UNIT) * UNIT;
        for (size_t i = 0; i < n; i++)
            r->start[i] = 2 * r->lambda[i];
    }
    return 0;
}

/* "NAME=MEAN, NAME=MEAN" of the means to be met, as far as they fit. */
static void
list_means(const struct reach *r, char *text, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < r->problem->n && used < room; i++) {
        if (r->still[i])
            continue;
        int n = snprintf(text + used, room - used, "%s%s=%g", used > 0 ? ", " : "",
                         feature_set_name(r->problem->features, i), r->problem->target[i]);
        used += n > 0 ? (size_t)n : room;
    }
}

/* The range of one of the means, given the others. */
static int
explain(struct reach *r, struct err *e)
{
    size_t last = r->problem->n - 1;
    double lo, hi, mean;
    char list[ERR_TEXT_MAX / 2] = "";
    while (r->still[last])
        last--;
    mean = r->problem->target[last];
    int rc = find_end(r, last, -1, &lo, e);
    if (rc == 0)
        rc = find_end(r, last, 1, &hi, e);
    if (rc != 0 || (mean > lo && mean < hi))
        return rc;
    list_means(r, list, sizeof list);
    const char *name = feature_set_name(r->problem->features, last);
    if (hi - lo < SAME_MEAN)
        return err_set(e, ERR_DATA,
                       "feature '%s': mean %g is impossible together with %s, which makes it %.6g",
                       name, mean, list, lo);
    return err_set(e, ERR_DATA,
                   "feature '%s': mean %g is impossible together with %s, the range is %.6g to "
                   "%.6g",
                   name, mean, list, lo, hi);
}

static int
check(const struct fit_problem *p, struct moments *m, struct err *e)
{
    struct reach r;
    bool met = true;
    int rc = reach_init(&r, p, m, e);
    if (rc == 0)
        rc = find_met(&r, &met, e);
    if (rc == 0 && !met)
        rc = reduce(&r, e);
    if (rc == 0 && !met)
        rc = explain(&r, e);
    reach_clear(&r);
    return rc;
}

int
fit_check_together(const struct fit_problem *p, const struct evidence *v, struct err *e)
{
    struct err why = {0};
    struct exact_moments *any = v->exact == NULL ? constraint_moments(p->gam, &why) : NULL;
    struct exact_moments *x = v->exact != NULL ? v->exact : any;
    if (x != NULL)
        check(p, exact_moments_get(x), &why);
    exact_moments_free(any);
    return why.code == ERR_DATA || why.code == ERR_NOMEM ? err_pass(e, &why) : 0;
}

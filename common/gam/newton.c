/* SPDX-License-Identifier: MIT */
#include "gam/newton.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/moments.h"

enum { HALVINGS_MAX = 40 };

#define GRADIENT_ENOUGH 1e-11 /* moments are not known more exactly */
#define STRIDE          4.0   /* of a weight: a factor of about 50 in odds */
#define SUFFICIENT      1e-4  /* of the decrease predicted by the gradient */
#define DECREASE_SEEN   1e-10 /* a smaller decrease is below the rounding error of F */

/* The system of the weights that can move; `index` lists them. */
struct work {
    const struct newton_problem *problem;
    size_t n, moving;
    size_t *index;    /* [moving] */
    double *gradient; /* [n] */
    double *hessian;  /* [moving][moving], factored */
    double *step;     /* [n] */
    double *next;     /* [n] candidate weights */
    double *row;      /* [n] */
    double worst;     /* component of the gradient among the moving */
};

static int
work_init(struct work *w, const struct newton_problem *p, struct err *e)
{
    size_t n = p->moments->n;
    *w = (struct work){.problem = p, .n = n, .worst = INFINITY};
    w->index = mem_array(n, sizeof *w->index, e);
    w->gradient = mem_array(n, sizeof *w->gradient, e);
    w->hessian = mem_array(n, n * sizeof *w->hessian, e);
    w->step = mem_array(n, sizeof *w->step, e);
    w->next = mem_array(n, sizeof *w->next, e);
    w->row = mem_array(n, sizeof *w->row, e);
    return w->index != NULL && w->gradient != NULL && w->hessian != NULL && w->step != NULL &&
                   w->next != NULL && w->row != NULL
               ? 0
               : ERR_NOMEM;
}

static void
work_clear(struct work *w)
{
    mem_free(w->index);
    mem_free(w->gradient);
    mem_free(w->hessian);
    mem_free(w->step);
    mem_free(w->next);
    mem_free(w->row);
}

/* F at the lambda of the moments. */
static double
objective(const struct newton_problem *p, const double *lambda)
{
    double f = p->moments->log_z;
    for (size_t i = 0; i < p->moments->n; i++)
        if (!p->fixed[i])
            f += lambda[i] * (p->l2[i] / 2 * lambda[i] - p->target[i]);
    return f;
}

static void
find_gradient(struct work *w, const double *lambda)
{
    const struct newton_problem *p = w->problem;
    for (size_t i = 0; i < w->n; i++)
        w->gradient[i] =
            p->fixed[i] ? 0 : p->moments->mean[i] - p->target[i] + p->l2[i] * lambda[i];
}

/* Whether the gradient points out of the box at this weight. */
static bool
at_wall(const struct work *w, const double *lambda, size_t i)
{
    const struct newton_problem *p = w->problem;
    return w->gradient[i] > 0 ? lambda[i] <= p->lo[i] : lambda[i] >= p->hi[i];
}

/* The Hessian of the moving weights, factored.  It is singular if weights have no influence,
 * or the same one as others: a small ridge decides between them. */
static bool
factor(struct work *w, double ridge)
{
    const struct moments *m = w->problem->moments;
    for (size_t i = 0; i < w->moving; i++)
        for (size_t j = 0; j <= i; j++)
            w->hessian[i * w->moving + j] = m->covariance[w->index[i] * w->n + w->index[j]];
    for (size_t i = 0; i < w->moving; i++)
        w->hessian[i * w->moving + i] += w->problem->l2[w->index[i]] + ridge;
    return cholesky_factor(w->hessian, w->moving);
}

/* x[moving] = H^-1 x, scattered over all weights into `full`. */
static void
solve(struct work *w, const double *x, double *full)
{
    for (size_t i = 0; i < w->moving; i++)
        w->row[i] = x[w->index[i]];
    cholesky_solve(w->hessian, w->moving, w->row);
    memset(full, 0, w->n * sizeof *full);
    for (size_t i = 0; i < w->moving; i++)
        full[w->index[i]] = w->row[i];
}

double
newton_step_limit(const struct moments *m, size_t i)
{
    double deviation = sqrt(fmax(0, m->covariance[i * m->n + i]));
    double most = STRIDE * feature_set_denominator(m->features, i);
    return deviation * most > 1 ? fmax(STRIDE, 1 / deviation) : most;
}

/* Truncates the step of each weight separately if the result still leads downhill, else
 * scales all of them. */
static double
cut_step(struct work *w)
{
    double slope = 0, scale = 1, full = 0;
    for (size_t i = 0; i < w->n; i++) {
        double s = w->step[i], most = newton_step_limit(w->problem->moments, i);
        w->next[i] = fmax(-most, fmin(most, s));
        slope += w->next[i] * w->gradient[i];
        full += s * w->gradient[i];
        if (fabs(s) > most)
            scale = fmin(scale, most / fabs(s));
    }
    if (scale == 1)
        return full;
    for (size_t i = 0; i < w->n; i++)
        w->step[i] = slope < 0 ? w->next[i] : scale * w->step[i];
    return slope < 0 ? slope : scale * full;
}

/* Computes the step at lambda; *done if there is nothing left to do, or rounding prevents
 * further progress. */
static int
find_step(struct work *w, const double *lambda, double *slope, bool *done, struct err *e)
{
    double worst = 0, before = w->worst;
    find_gradient(w, lambda);
    w->moving = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->problem->fixed[i] || at_wall(w, lambda, i))
            continue;
        w->index[w->moving++] = i;
        worst = fmax(worst, fabs(w->gradient[i]));
    }
    w->worst = worst;
    *done = worst <= GRADIENT_ENOUGH || (-*slope < DECREASE_SEEN && worst > before / 2);
    int rc = *done ? 0 : w->problem->moments->spread(w->problem->moments, e);
    if (*done || rc != 0)
        return rc;
    for (double ridge = 0; !factor(w, ridge); ridge = ridge > 0 ? 10 * ridge : 1e-12)
        ;
    solve(w, w->gradient, w->step);
    for (size_t i = 0; i < w->n; i++)
        w->step[i] = -w->step[i];
    *slope = cut_step(w);
    return 0;
}

/* Takes the step, halved as often as necessary; *done if F cannot be lowered. */
static int
take_step(struct work *w, double *lambda, double slope, bool *done, struct err *e)
{
    const struct newton_problem *p = w->problem;
    double before = objective(p, lambda), scale = 1;
    for (int k = 0; k < HALVINGS_MAX; k++, scale /= 2) {
        for (size_t i = 0; i < w->n; i++) {
            w->next[i] = lambda[i];
            if (w->step[i] != 0)
                w->next[i] = fmax(p->lo[i], fmin(p->hi[i], lambda[i] + scale * w->step[i]));
        }
        int rc = p->moments->at(p->moments, w->next, e);
        if (rc != 0)
            return rc;
        double after = objective(p, w->next);
        bool lower = after <= before + SUFFICIENT * scale * slope && after < before;
        if (lower || (k == 0 && -slope < DECREASE_SEEN)) {
            memcpy(lambda, w->next, w->n * sizeof *lambda);
            return 0;
        }
    }
    *done = true;
    return p->moments->at(p->moments, lambda, e);
}

int
newton_run(const struct newton_problem *p, double *lambda, bool *converged, struct err *e)
{
    struct work w;
    double slope = -INFINITY;
    int rc = work_init(&w, p, e);
    *converged = false;
    if (rc == 0)
        rc = p->moments->at(p->moments, lambda, e);
    for (uint64_t k = 0; rc == 0; k++) {
        rc = find_step(&w, lambda, &slope, converged, e);
        if (rc != 0 || *converged || k == p->steps_max)
            break;
        rc = take_step(&w, lambda, slope, converged, e);
        if (rc != 0 || *converged)
            break;
        rc = p->step != NULL ? p->step(p->arg, lambda, e) : 0;
    }
    work_clear(&w);
    return rc;
}

/* Row i of H^-1 gives all results for weight i. */
static void
weight_errors(struct work *w, size_t i, double strings, double *data_se, double *draws_se,
              double *step)
{
    const double *noise = w->problem->moments->noise;
    double sum = 0;
    memset(w->next, 0, w->n * sizeof *w->next);
    w->next[i] = 1;
    solve(w, w->next, w->step);
    *step = 0;
    for (size_t j = 0; j < w->n; j++) {
        for (size_t k = 0; noise != NULL && k < w->n; k++)
            sum += w->step[j] * noise[j * w->n + k] * w->step[k];
        *step -= w->step[j] * w->gradient[j];
    }
    *data_se = sqrt(w->step[i] / strings);
    *draws_se = sqrt(fmax(0, sum));
}

int
newton_errors(const struct newton_problem *p, const double *lambda, double strings, double *data_se,
              double *draws_se, double *step, struct err *e)
{
    struct work w;
    int rc = work_init(&w, p, e);
    if (rc == 0) {
        find_gradient(&w, lambda);
        for (size_t i = 0; i < w.n; i++) {
            bool idle = p->moments->covariance[i * w.n + i] + p->l2[i] <= 0;
            data_se[i] = draws_se[i] = !p->fixed[i] ? INFINITY : 0;
            step[i] = 0;
            if (!p->fixed[i] && !idle)
                w.index[w.moving++] = i;
        }
        if (factor(&w, 0))
            for (size_t k = 0; k < w.moving; k++) {
                size_t i = w.index[k];
                weight_errors(&w, i, strings, &data_se[i], &draws_se[i], &step[i]);
            }
    }
    work_clear(&w);
    return rc;
}

bool
cholesky_factor(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double pivot = a[j * n + j], whole = pivot;
        for (size_t k = 0; k < j; k++)
            pivot -= a[j * n + k] * a[j * n + k];
        if (!(pivot > 1e-14 * whole) || !(whole > 0))
            return false;
        a[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = sum / a[j * n + j];
        }
    }
    return true;
}

void
cholesky_solve(const double *l, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= l[i * n + k] * b[k];
        b[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= l[k * n + i] * b[k];
        b[i] /= l[i * n + i];
    }
}

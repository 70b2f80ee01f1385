/* SPDX-License-Identifier: MIT */
#include "core/lbfgs.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"

enum {
    PAIRS = 12,    /* steps that are remembered */
    TRIALS = 60,   /* points in a line search */
    PAIR_PARTS = 2 /* of a pair: the step, and the change of the gradient */
};

#define DECREASE 1e-4  /* Wolfe: minimum decrease of the value, relative to the first slope */
#define SLOPE    0.9   /* Wolfe: maximum remaining slope, relative to the first */
#define ROUNDING 1e-14 /* of the value, relative to its size */

/* A point with its value and derivatives. */
struct point {
    double *x, *gradient, *diagonal; /* [n] */
    double value;
};

struct lbfgs_state {
    const struct lbfgs_problem *problem;
    size_t n;
    struct point now, next;
    double *direction;              /* [n] */
    double *pair;                   /* [PAIRS][PAIR_PARTS][n] */
    double rho[PAIRS], part[PAIRS]; /* 1 / (step . change), and scratch of the recursion */
    size_t pairs;                   /* ever made; the last PAIRS are kept */
    double *memory;
};

static double
dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double *
step_of(const struct lbfgs_state *r, size_t pair)
{
    return r->pair + (pair % PAIRS) * PAIR_PARTS * r->n;
}

static double *
change_of(const struct lbfgs_state *r, size_t pair)
{
    return step_of(r, pair) + r->n;
}

static int
look(struct lbfgs_state *r, struct point *at, struct err *e)
{
    return r->problem->at(r->problem->self, at->x, &at->value, at->gradient, at->diagonal, e);
}

/* An estimate of the value minus the minimum, from the gradient and the diagonal. */
static double
gap(const struct lbfgs_state *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += r->now.gradient[i] * r->now.gradient[i] / r->now.diagonal[i];
    return sum / 2;
}

/* The scale of the diagonal that fits the last step. */
static double
diagonal_scale(const struct lbfgs_state *r)
{
    if (r->pairs == 0)
        return 1;
    const double *y = change_of(r, r->pairs - 1);
    double sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += y[i] * y[i] / r->now.diagonal[i];
    return 1 / (r->rho[(r->pairs - 1) % PAIRS] * sum);
}

/* direction = - H gradient, by the two-loop recursion. */
static void
find_direction(struct lbfgs_state *r)
{
    double *d = r->direction;
    size_t n = r->n, oldest = r->pairs > PAIRS ? r->pairs - PAIRS : 0;
    double scale = diagonal_scale(r);
    for (size_t i = 0; i < n; i++)
        d[i] = -r->now.gradient[i];
    for (size_t k = r->pairs; k-- > oldest;) {
        const double *y = change_of(r, k);
        double part = r->part[k % PAIRS] = r->rho[k % PAIRS] * dot(step_of(r, k), d, n);
        for (size_t i = 0; i < n; i++)
            d[i] -= part * y[i];
    }
    for (size_t i = 0; i < n; i++)
        d[i] *= scale / r->now.diagonal[i];
    for (size_t k = oldest; k < r->pairs; k++) {
        const double *s = step_of(r, k);
        double part = r->part[k % PAIRS] - r->rho[k % PAIRS] * dot(change_of(r, k), d, n);
        for (size_t i = 0; i < n; i++)
            d[i] += part * s[i];
    }
}

/* Stores the step from `now` to `next`, unless rounding makes it useless. */
static void
remember(struct lbfgs_state *r)
{
    double *s = step_of(r, r->pairs), *y = change_of(r, r->pairs);
    for (size_t i = 0; i < r->n; i++) {
        s[i] = r->next.x[i] - r->now.x[i];
        y[i] = r->next.gradient[i] - r->now.gradient[i];
    }
    double curvature = dot(s, y, r->n);
    if (curvature > 1e-12 * sqrt(dot(s, s, r->n) * dot(y, y, r->n)))
        r->rho[r->pairs++ % PAIRS] = 1 / curvature;
}

/* The fraction of the direction that is tried first. */
static double
first_size(const struct lbfgs_state *r)
{
    double most = 0;
    for (size_t i = 0; i < r->n; i++)
        most = fmax(most, fabs(r->direction[i]));
    return r->problem->change_max > 0 && most > r->problem->change_max
               ? r->problem->change_max / most
               : 1;
}

/* The next point along the direction; *moved unless there is no better one. */
static int
search_line(struct lbfgs_state *r, bool *moved, struct err *e)
{
    double low = 0, high = INFINITY, size = first_size(r);
    double slope = dot(r->direction, r->now.gradient, r->n);
    double slack = ROUNDING * (1 + fabs(r->now.value));
    *moved = false;
    if (!(slope < 0))
        return 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (size_t i = 0; i < r->n; i++)
            r->next.x[i] = r->now.x[i] + size * r->direction[i];
        int rc = look(r, &r->next, e);
        if (rc != 0)
            return rc;
        double limit = r->now.value + DECREASE * size * slope + slack;
        if (!isfinite(r->next.value) || r->next.value > limit) {
            high = size;
        } else {
            *moved = true;
            if (dot(r->direction, r->next.gradient, r->n) >= SLOPE * slope)
                return 0;
            low = size;
        }
        size = high < INFINITY ? (low + high) / 2 : 2 * low;
    }
    *moved = *moved && r->next.value <= r->now.value;
    return 0;
}

static int
descend(struct lbfgs_state *r, bool *converged, struct err *e)
{
    bool moved = true;
    int rc = look(r, &r->now, e);
    if (rc == 0 && !isfinite(r->now.value))
        rc = err_set(e, ERR_NUMERIC, "the value to be minimized is not finite");
    for (unsigned step = 0; rc == 0 && step < r->problem->steps_max && moved; step++) {
        if (gap(r) <= r->problem->tolerance)
            break;
        find_direction(r);
        rc = search_line(r, &moved, e);
        if (rc != 0 || !moved)
            break;
        remember(r);
        struct point last = r->now;
        r->now = r->next;
        r->next = last;
    }
    *converged = rc == 0 && gap(r) <= r->problem->tolerance;
    return rc;
}

static int
allocate(struct lbfgs_state *r, struct err *e)
{
    enum { VECTORS = 7 };
    double **part[VECTORS] = {&r->now.x,         &r->now.gradient,  &r->now.diagonal, &r->next.x,
                              &r->next.gradient, &r->next.diagonal, &r->direction};
    r->memory = mem_array(VECTORS + (size_t)PAIRS * PAIR_PARTS, r->n * sizeof *r->memory, e);
    if (r->memory == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < VECTORS; i++)
        *part[i] = r->memory + i * r->n;
    r->pair = r->memory + VECTORS * r->n;
    return 0;
}

int
lbfgs_run(const struct lbfgs_problem *p, double *x, double *value, bool *converged, struct err *e)
{
    struct lbfgs_state r = {.problem = p, .n = p->n};
    *converged = false;
    int rc = allocate(&r, e);
    if (rc == 0) {
        memcpy(r.now.x, x, p->n * sizeof *x);
        rc = descend(&r, converged, e);
        memcpy(x, r.now.x, p->n * sizeof *x);
        *value = r.now.value;
    }
    mem_free(r.memory);
    return rc;
}

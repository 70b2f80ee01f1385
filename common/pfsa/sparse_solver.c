/* SPDX-License-Identifier: MIT */
#include "pfsa/sparse_solver.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"

enum {
    CORRECTIONS_MAX = 20,
    ITERATIONS_MAX = 300, /* of BiCGSTAB per correction */
    PROOF_MAX = 1024      /* powers of P: the largest diameter is about half of it */
};

#define CORRECTED 1e-10   /* a correction leaves about this part of the residual */
#define SMALL     1e-26   /* a residual that needs no more corrections; b is at most 1 */
#define PROVED    0x1p-52 /* relative error */
#define ROUNDING  0x1p-90 /* of a residual, relative to its terms */
#define LOG_LEAST (-345)  /* of b */
#define UNDERFLOW 1e-300  /* what products that are too small for a double add to a residual */

struct sparse_matrix *
sparse_matrix_new(uint32_t n, uint64_t elements, struct err *e)
{
    struct sparse_matrix *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    m->n = n;
    m->first = mem_array((uint64_t)n + 1, sizeof *m->first, e);
    m->column = mem_array(elements, sizeof *m->column, e);
    m->weight = mem_array(elements, sizeof *m->weight, e);
    m->diagonal = mem_zero(n, sizeof *m->diagonal, e);
    if (m->first != NULL && m->column != NULL && m->weight != NULL && m->diagonal != NULL) {
        m->first[0] = 0;
        return m;
    }
    sparse_matrix_free(m);
    return NULL;
}

void
sparse_matrix_free(struct sparse_matrix *m)
{
    if (m == NULL)
        return;
    mem_free(m->first);
    mem_free(m->column);
    mem_free(m->weight);
    mem_free(m->diagonal);
    mem_free(m);
}

struct sparse_matrix *
sparse_matrix_transpose(const struct sparse_matrix *m, struct err *e)
{
    struct sparse_matrix *t = sparse_matrix_new(m->n, m->first[m->n], e);
    if (t == NULL)
        return NULL;
    memcpy(t->diagonal, m->diagonal, m->n * sizeof *t->diagonal);
    memset(t->first, 0, ((size_t)m->n + 1) * sizeof *t->first);
    for (uint64_t k = 0; k < m->first[m->n]; k++)
        t->first[m->column[k] + 1]++;
    for (uint32_t i = 0; i < m->n; i++)
        t->first[i + 1] += t->first[i];
    /* Filling a row moves its beginning to that of the next one. */
    for (uint32_t i = 0; i < m->n; i++)
        for (uint64_t k = m->first[i]; k < m->first[i + 1]; k++) {
            uint64_t at = t->first[m->column[k]]++;
            t->column[at] = i;
            t->weight[at] = m->weight[k];
        }
    memmove(t->first + 1, t->first, m->n * sizeof *t->first);
    t->first[0] = 0;
    return t;
}

/* --- iteration --- */

/* sum + a (high + low), with twice the precision */
static inline void
add_product(struct compensated_sum *sum, double a, double high, double low)
{
    double product = a * high;
    compensated_sum_add(sum, product);
    compensated_sum_add(sum, fma(a, high, -product) + a * low);
}

/* Vectors of n numbers. */
struct work {
    const struct sparse_matrix *m;
    double *b, *high, *low;         /* x is the sum of two */
    double *r, *slack;              /* the residual, and how much it can be wrong */
    double *z;                      /* a correction of x */
    double *d, *shadow, *p, *v, *t; /* of BiCGSTAB, and of the proof */
    double *all;
};

enum { VECTORS = 11 };

/* A residual can be that of a single state, which is a poor shadow: take numbers that are related
 * to no residual. */
static void
fill_shadow(double *shadow, uint32_t n)
{
    struct rng r;
    rng_init(&r, 0, "sparse_solver", 0);
    for (uint32_t i = 0; i < n; i++)
        shadow[i] = rng_double(&r) - 0.5;
}

static int
work_init(struct work *w, const struct sparse_matrix *m, struct err *e)
{
    double *at = mem_zero((uint64_t)m->n * VECTORS, sizeof *at, e);
    double **vector[VECTORS] = {&w->b, &w->high,   &w->low, &w->r, &w->slack, &w->z,
                                &w->d, &w->shadow, &w->p,   &w->v, &w->t};
    if (at == NULL)
        return ERR_NOMEM;
    w->m = m;
    w->all = at;
    for (int i = 0; i < VECTORS; i++, at += m->n)
        *vector[i] = at;
    fill_shadow(w->shadow, m->n);
    return 0;
}

/* Of row i. */
static inline double
row_product(const struct sparse_matrix *m, uint32_t i, const double *x)
{
    double sum = 0;
    for (uint64_t k = m->first[i]; k < m->first[i + 1]; k++)
        sum += m->weight[k] * x[m->column[k]];
    return sum;
}

/* y = P x */
static void
step(const struct sparse_matrix *m, const double *x, double *y)
{
    for (uint32_t i = 0; i < m->n; i++)
        y[i] = row_product(m, i, x) / m->diagonal[i].high;
}

static double
dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = (1 - P) x */
static void
apply(const struct sparse_matrix *m, const double *x, double *y)
{
    step(m, x, y);
    for (uint32_t i = 0; i < m->n; i++)
        y[i] = x[i] - y[i];
}

/* Sets r and slack; returns the largest part of r relative to the largest of b, which is 1. */
static double
find_residual(struct work *w)
{
    const struct sparse_matrix *m = w->m;
    double worst = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct compensated_sum d = m->diagonal[i];
        struct compensated_sum sum = {w->b[i], 0};
        add_product(&sum, -d.high, w->high[i], w->low[i]);
        add_product(&sum, -d.low, w->high[i], 0);
        for (uint64_t k = m->first[i]; k < m->first[i + 1]; k++)
            add_product(&sum, m->weight[k], w->high[m->column[k]], w->low[m->column[k]]);
        w->r[i] = compensated_sum_total(&sum);
        w->slack[i] = ROUNDING * (w->b[i] + d.high * fabs(w->high[i])) + UNDERFLOW;
        worst = fmax(worst, fabs(w->r[i]));
    }
    return worst;
}

/* One step of BiCGSTAB for (1 - P) z = d; *rho is the product of shadow and d.  Returns whether
 * the result is finite. */
static bool
improve(struct work *w, double *rho)
{
    const uint32_t n = w->m->n;
    apply(w->m, w->p, w->v);
    double alpha = *rho / dot(w->shadow, w->v, n);
    for (uint32_t i = 0; i < n; i++)
        w->d[i] -= alpha * w->v[i];
    apply(w->m, w->d, w->t);
    double omega = dot(w->t, w->d, n) / dot(w->t, w->t, n);
    if (!isfinite(alpha) || !isfinite(omega))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        w->z[i] += alpha * w->p[i] + omega * w->d[i];
        w->d[i] -= omega * w->t[i];
    }
    double next = dot(w->shadow, w->d, n), beta = next / *rho * (alpha / omega);
    for (uint32_t i = 0; i < n; i++)
        w->p[i] = w->d[i] + beta * (w->p[i] - omega * w->v[i]);
    *rho = next;
    return isfinite(beta);
}

/* Adds to x about the solution for b = r. */
static void
correct(struct work *w)
{
    const uint32_t n = w->m->n;
    for (uint32_t i = 0; i < n; i++) {
        w->d[i] = w->p[i] = w->r[i] / w->m->diagonal[i].high;
        w->z[i] = 0;
    }
    double rho = dot(w->shadow, w->d, n), goal = CORRECTED * CORRECTED * dot(w->d, w->d, n);
    for (int k = 0; k < ITERATIONS_MAX && improve(w, &rho); k++)
        if (dot(w->d, w->d, n) <= goal)
            break;
    for (uint32_t i = 0; i < n; i++) {
        struct compensated_sum x = {w->high[i], w->low[i]};
        compensated_sum_add(&x, w->z[i]);
        w->high[i] = x.high;
        w->low[i] = x.low;
    }
}

/* Whether S <= PROVED T, in p and z; rounding errors here are far below the margin of 1 %. */
static bool
bounds_hold(const struct work *w)
{
    for (uint32_t i = 0; i < w->m->n; i++)
        if (!(w->p[i] * 1.01 <= PROVED * w->z[i] && w->z[i] > 0 && w->high[i] > 0))
            return false;
    return true;
}

static void
next_power(const struct sparse_matrix *m, double **power, double **spare, double *sum)
{
    double *swap = *spare;
    step(m, *power, swap);
    *spare = *power;
    *power = swap;
    for (uint32_t i = 0; i < m->n; i++)
        sum[i] += swap[i];
}

static bool
prove(const struct work *w)
{
    const struct sparse_matrix *m = w->m;
    double *s = w->v, *t = w->t, *spare = w->d;
    for (uint32_t i = 0; i < m->n; i++) {
        w->p[i] = s[i] = (fabs(w->r[i]) + w->slack[i]) / m->diagonal[i].high;
        w->z[i] = t[i] = w->b[i] / m->diagonal[i].high;
    }
    for (int k = 1; k <= PROOF_MAX; k++) {
        if ((k & (k - 1)) == 0 && bounds_hold(w))
            return true;
        next_power(m, &s, &spare, w->p);
        next_power(m, &t, &spare, w->z);
    }
    return false;
}

/* b is scaled to the maximum 1, so that x has the scale of a number of visits. */
static bool
solve_scaled(struct work *w)
{
    double before = INFINITY;
    for (int k = 0; k < CORRECTIONS_MAX; k++) {
        double now = find_residual(w);
        if (now <= SMALL || !(now < before / 10))
            return now < 1 && prove(w);
        before = now;
        correct(w);
    }
    return false;
}

static double
maximum(const double *x, uint32_t n)
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

int
sparse_solve(const struct sparse_matrix *m, double *x, struct err *e)
{
    double scale = maximum(x, m->n);
    if (scale == -INFINITY)
        return 0; /* as is the solution */
    struct work w;
    int rc = work_init(&w, m, e);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < m->n; i++)
        w.b[i] = x[i] - scale > LOG_LEAST ? dm_exp(x[i] - scale) : 0;
    bool lost = false;
    for (uint32_t i = 0; i < m->n; i++)
        lost = lost || (w.b[i] == 0 && x[i] > -INFINITY);
    if (lost || !solve_scaled(&w))
        rc = err_set(e, ERR_NUMERIC, "iteration does not converge");
    for (uint32_t i = 0; rc == 0 && i < m->n; i++)
        x[i] = dm_log(w.high[i]) + w.low[i] / w.high[i] + scale;
    mem_free(w.all);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "gam/importance.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"

int
importance_allocate(struct importance *t, const struct feature_set *f, size_t count, struct err *e)
{
    size_t n = feature_set_count(f);
    *t = (struct importance){.features = f, .n = n, .count = count};
    t->phi = mem_array(t->count, n * sizeof *t->phi, e);
    t->seen = mem_array(t->count, sizeof *t->seen, e);
    t->log_r = mem_array(t->count, sizeof *t->log_r, e);
    t->p = mem_array(t->count, sizeof *t->p, e);
    t->mean = mem_array(n, sizeof *t->mean, e);
    t->covariance = mem_array(n, n * sizeof *t->covariance, e);
    t->noise = mem_array(n, n * sizeof *t->noise, e);
    return t->phi != NULL && t->seen != NULL && t->log_r != NULL && t->p != NULL &&
                   t->mean != NULL && t->covariance != NULL && t->noise != NULL
               ? 0
               : ERR_NOMEM;
}

/* log of sum n_k exp(lambda_k . phi) / Z_k. */
static double
log_density(const struct importance *t, const double *phi, const struct importance_source *part,
            size_t parts)
{
    double sum = -INFINITY;
    for (const struct importance_source *k = part; k < part + parts; k++) {
        double dot = k->lambda != NULL ? feature_set_dot(t->features, k->lambda, phi) : 0;
        if (k->draws > 0)
            sum = dm_log_add_exp(sum, dm_log(k->draws) + dot - k->log_z);
    }
    return sum;
}

/* All parts in one histogram. */
static struct histogram *
merge(const struct feature_set *f, const struct importance_source *part, size_t parts,
      struct err *e)
{
    struct histogram *all = histogram_new(f, e);
    int rc = all != NULL ? 0 : ERR_NOMEM;
    for (size_t k = 0; k < parts && rc == 0; k++)
        rc = histogram_merge(all, part[k].seen, 1, e);
    if (rc == 0)
        return all;
    histogram_free(all);
    return NULL;
}

int
importance_init(struct importance *t, const struct feature_set *f,
                const struct importance_source *part, size_t parts, struct err *e)
{
    *t = (struct importance){0};
    struct histogram *all = merge(f, part, parts, e);
    if (all == NULL)
        return ERR_NOMEM;
    int rc = importance_allocate(t, f, histogram_count(all), e);
    for (size_t v = 0; v < t->count && rc == 0; v++) {
        double *phi = t->phi + v * t->n;
        histogram_values(all, v, phi);
        t->seen[v] = histogram_weight(all, v);
        t->log_r[v] = dm_log(t->seen[v]) - log_density(t, phi, part, parts);
    }
    histogram_free(all);
    return rc;
}

void
importance_clear(struct importance *t)
{
    mem_free(t->phi);
    mem_free(t->seen);
    mem_free(t->log_r);
    mem_free(t->p);
    mem_free(t->mean);
    mem_free(t->covariance);
    mem_free(t->noise);
    *t = (struct importance){0};
}

void
importance_at(struct importance *t, const double *lambda)
{
    double squares = 0;
    for (size_t v = 0; v < t->count; v++)
        t->p[v] = t->log_r[v] + feature_set_dot(t->features, lambda, t->phi + v * t->n);
    t->log_z = dm_log_sum_exp(t->p, t->count);
    memset(t->mean, 0, t->n * sizeof *t->mean);
    for (size_t v = 0; v < t->count; v++) {
        t->p[v] = t->log_z > -INFINITY ? dm_exp(t->p[v] - t->log_z) : 0;
        if (t->p[v] > 0)
            squares += t->p[v] * t->p[v] / t->seen[v];
        for (size_t i = 0; i < t->n; i++)
            t->mean[i] += t->p[v] * t->phi[v * t->n + i];
    }
    t->ess = squares > 0 ? 1 / squares : 0;
}

/* A draw of vector v has the weight p_v / c_v, so the variance of the weighted
 * mean is the sum of (p_v / c_v)^2 d d' over draws, d = phi - mean. */
void
importance_covariance(struct importance *t)
{
    size_t n = t->n;
    memset(t->covariance, 0, n * n * sizeof *t->covariance);
    memset(t->noise, 0, n * n * sizeof *t->noise);
    for (size_t v = 0; v < t->count; v++) {
        const double *phi = t->phi + v * n;
        if (t->p[v] == 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            double d = t->p[v] * (phi[i] - t->mean[i]);
            for (size_t j = 0; j <= i; j++) {
                double product = d * (phi[j] - t->mean[j]);
                t->covariance[i * n + j] += product;
                t->noise[i * n + j] += product * t->p[v] / t->seen[v];
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            t->covariance[j * n + i] = t->covariance[i * n + j];
            t->noise[j * n + i] = t->noise[i * n + j];
        }
}

static int
moments_at(struct moments *m, const double *lambda, struct err *e)
{
    struct importance *t = m->self;
    (void)e;
    importance_at(t, lambda);
    m->log_z = t->log_z;
    return 0;
}

static int
moments_spread(struct moments *m, struct err *e)
{
    (void)e;
    importance_covariance(m->self);
    return 0;
}

double
importance_log_z_se(double ess, double draws)
{
    return sqrt(fmax(0, 1 / ess - 1 / draws) + 1 / (draws * draws));
}

struct moments
importance_moments(struct importance *t)
{
    return (struct moments){
        .self = t,
        .features = t->features,
        .n = t->n,
        .log_z = t->log_z,
        .mean = t->mean,
        .covariance = t->covariance,
        .noise = t->noise,
        .at = moments_at,
        .spread = moments_spread,
    };
}

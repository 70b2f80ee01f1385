/* SPDX-License-Identifier: MIT */
#include "discover/string_tilt.h"

#include <math.h>
#include <stdbool.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "text/strings.h"

enum { PASSES_MAX = 200 };

/* Means match when no log odds change by more. */
static const double tolerance = 1e-6;

struct string_tilt {
    struct feature_set *features;
    void *state;                   /* of the features */
    double *phi, *lambda, *target; /* [features] */
    size_t capacity[3];            /* of these */
    double log_most, rate;         /* greatest weight, share that is kept */
};

struct string_tilt *
string_tilt_new(const struct alphabet *a, struct err *e)
{
    struct string_tilt *t = mem_zero(1, sizeof *t, e);
    if (t == NULL)
        return NULL;
    t->rate = 1;
    t->features = feature_set_new(a, e);
    if (t->features != NULL)
        return t;
    string_tilt_free(t);
    return NULL;
}

void
string_tilt_free(struct string_tilt *t)
{
    if (t == NULL)
        return;
    feature_set_free(t->features);
    mem_free(t->state);
    mem_free(t->phi);
    mem_free(t->lambda);
    mem_free(t->target);
    mem_free(t);
}

double
string_tilt_rate(const struct string_tilt *t)
{
    return t->rate;
}

static void
find_values(const struct string_tilt *t, const uint8_t *symbols, size_t length, double *phi)
{
    feature_set_run(t->features, t->state, symbols, length);
    feature_set_values(t->features, t->state, phi);
}

double
string_tilt_keep(struct string_tilt *t, const uint8_t *symbols, size_t length)
{
    if (feature_set_count(t->features) == 0)
        return 1;
    find_values(t, symbols, length, t->phi);
    double log_w = feature_set_dot(t->features, t->lambda, t->phi) - t->log_most;
    return log_w < 0 ? dm_exp(log_w) : 1;
}

/* ---- fitting */

static int
reserve(struct string_tilt *t, size_t n, struct err *e)
{
    double **array[3] = {&t->phi, &t->lambda, &t->target};
    for (int i = 0; i < 3; i++)
        if (mem_reserve(array[i], &t->capacity[i], n, sizeof **array[i], e) != 0)
            return ERR_NOMEM;
    t->lambda[n - 1] = 0;
    mem_free(t->state);
    t->state = mem_array(feature_set_state_bytes(t->features), 1, e);
    return e->code;
}

static double
within(double mean, size_t strings)
{
    double half = 0.5 / (double)(strings + 1);
    return fmin(fmax(mean, half), 1 - half);
}

/* The mean of the last feature in the data. */
static void
set_target(struct string_tilt *t, const struct string_range *data, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < data->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(data->strings, data->first + i, &length);
        find_values(t, x, length, t->phi);
        sum += t->phi[n - 1];
    }
    t->target[n - 1] = within(sum / (double)data->count, data->count);
}

/* The mean of feature i over strings with the present weights, and the weights' greatest and
 * sum. */
static double
weighted_mean(struct string_tilt *t, const double *phi, size_t strings, size_t n, size_t i)
{
    double sum = 0, with = 0;
    t->log_most = -INFINITY;
    for (size_t k = 0; k < strings; k++)
        t->log_most = fmax(t->log_most, feature_set_dot(t->features, t->lambda, phi + k * n));
    for (size_t k = 0; k < strings; k++) {
        double w = dm_exp(feature_set_dot(t->features, t->lambda, phi + k * n) - t->log_most);
        sum += w;
        with += w * phi[k * n + i];
    }
    t->rate = sum / (double)strings;
    return within(with / sum, strings);
}

/* Gives each feature its mean in turn, until none changes much. */
static void
fit(struct string_tilt *t, const double *phi, size_t strings, size_t n)
{
    double change = INFINITY;
    for (int pass = 0; pass < PASSES_MAX && change > tolerance; pass++) {
        change = 0;
        for (size_t i = 0; i < n; i++) {
            double is = weighted_mean(t, phi, strings, n, i), want = t->target[i];
            double step = dm_log(want / (1 - want)) - dm_log(is / (1 - is));
            t->lambda[i] += step;
            change = fmax(change, fabs(step));
        }
    }
    weighted_mean(t, phi, strings, n, 0);
}

/* Whether some strings have each feature and some have not: else no weights give it its mean. */
static bool
is_mixed(const double *phi, size_t strings, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < strings; k++)
            sum += phi[k * n + i];
        if (sum == 0 || sum == (double)strings)
            return false;
    }
    return true;
}

int
string_tilt_add(struct string_tilt *t, const char *spec, const struct string_range *data,
                const struct string_range *background, struct err *e)
{
    int rc = feature_set_add(t->features, spec, e);
    size_t n = feature_set_count(t->features);
    if (rc != 0 || (rc = reserve(t, n, e)) != 0)
        return rc;
    set_target(t, data, n);
    double *phi = mem_array(background->count * n, sizeof *phi, e);
    if (phi == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < background->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(background->strings, background->first + i, &length);
        find_values(t, x, length, phi + i * n);
    }
    fit(t, phi, background->count, n);
    if (!is_mixed(phi, background->count, n))
        t->rate = 0;
    mem_free(phi);
    return 0;
}

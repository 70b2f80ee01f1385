/* SPDX-License-Identifier: MIT */
#include "discover/background.h"

#include <math.h>
#include <stdbool.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "discover/tilted_chain.h"
#include "discover/word_census.h"
#include "feature/feature_set.h"
#include "gam/gam_sampler.h"
#include "model/model.h"
#include "text/strings.h"

/* ---- strings thinned by a GAM ------------------------------------------------------- */

/* Strings are thinned so that features have the means they have in the data.  The weights
 * exp(lambda . phi(x)) that do this are those of a GAM over the background.  A string is kept with
 * the probability weight / largest weight. */

enum { PASSES_MAX = 200 };

/* Means match when no log odds change by more. */
static const double tolerance = 1e-6;

struct tilt {
    struct feature_set *features;
    void *state;                   /* of the features */
    double *phi, *lambda, *target; /* [features] */
    size_t capacity[3];            /* of these */
    double log_most, rate;         /* greatest weight, share that is kept */
};

static void
tilt_free(struct tilt *t)
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

static struct tilt *
tilt_new(const struct alphabet *a, struct err *e)
{
    struct tilt *t = mem_zero(1, sizeof *t, e);
    if (t == NULL)
        return NULL;
    t->rate = 1;
    t->features = feature_set_new(a, e);
    if (t->features != NULL)
        return t;
    tilt_free(t);
    return NULL;
}

/* The share of the background that is kept; 0 if no weights give the features their means. */
static double
tilt_rate(const struct tilt *t)
{
    return t->rate;
}

static void
find_values(const struct tilt *t, const uint8_t *symbols, size_t length, double *phi)
{
    feature_set_run(t->features, t->state, symbols, length);
    feature_set_values(t->features, t->state, phi);
}

/* The probability of keeping a string.  Not for several threads at once. */
static double
tilt_keep(struct tilt *t, const uint8_t *symbols, size_t length)
{
    if (feature_set_count(t->features) == 0)
        return 1;
    find_values(t, symbols, length, t->phi);
    double log_w = feature_set_dot(t->features, t->lambda, t->phi) - t->log_most;
    return log_w < 0 ? dm_exp(log_w) : 1;
}

/* ---- fitting */

static int
reserve(struct tilt *t, size_t n, struct err *e)
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
set_target(struct tilt *t, const struct string_range *data, size_t n)
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
weighted_mean(struct tilt *t, const double *phi, size_t strings, size_t n, size_t i)
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
fit(struct tilt *t, const double *phi, size_t strings, size_t n)
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

/* Adds a feature with values 0 and 1, and fits all weights to the means in `data`, on strings of
 * the background.  Means of 0 and 1 are moved by half a string.  0, ERR_NOMEM or
 * ERR_USAGE. */
static int
tilt_add(struct tilt *t, const char *spec, const struct string_range *data,
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

/* ---- background ----------------------------------------------------------------- */

/* The smallest share of strings that thinning may keep. */
static const double rate_min = 0.01;

enum { ROUNDS_MAX = 64 }; /* of a draw */

struct background {
    struct background_options options;
    const struct strings *data;
    struct pool *pool;
    uint64_t draws;             /* calls so far */
    struct tilted_chain *chain; /* or: */
    struct tilt *tilt;
};

struct background *
background_new(const struct background_options *o, const struct strings *data,
               const struct alphabet *a, struct pool *pool, struct err *e)
{
    struct background *b = mem_zero(1, sizeof *b, e);
    if (b == NULL)
        return NULL;
    *b = (struct background){.options = *o, .data = data, .pool = pool};
    if (o->model == NULL && o->others == NULL)
        b->chain = tilted_chain_new(data, a, o->order, e);
    else
        b->tilt = tilt_new(a, e);
    if (e->code == 0)
        return b;
    background_free(b);
    return NULL;
}

void
background_free(struct background *b)
{
    if (b == NULL)
        return;
    tilted_chain_free(b->chain);
    tilt_free(b->tilt);
    mem_free(b);
}

/* ---- drawing */

/* Where strings go that are kept. */
struct sieve {
    struct background *background;
    struct strings *out;
    struct rng rng;
    size_t wanted;        /* strings in `out` at most */
    uint64_t symbols_max; /* in `out` */
};

static int
sift(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct sieve *s = arg;
    double keep = tilt_keep(s->background->tilt, symbols, length);
    if (s->out->symbols + length > s->symbols_max)
        return err_set(e, ERR_LIMIT, "strings are too long to be compared: %llu symbols on average",
                       (unsigned long long)(s->out->symbols / (s->out->count + 1)));
    if (s->out->count >= s->wanted || (keep < 1 && rng_double(&s->rng) >= keep))
        return 0;
    return strings_add(s->out, symbols, length, e);
}

static int
sift_others(struct background *b, struct sieve *s, struct err *e)
{
    int rc = 0;
    s->wanted = SIZE_MAX;
    s->symbols_max = UINT64_MAX;
    for (size_t i = 0; rc == 0 && i < b->options.others->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(b->options.others, i, &length);
        rc = sift(s, x, length, e);
    }
    return rc;
}

/* Nothing was drawn: strings with the features are too rare, or the strings of the model do not
 * end. */
static int
no_strings(const struct background *b, struct err *e)
{
    if (tilt_rate(b->tilt) < 1)
        return err_set(e, ERR_EMPTY, "strings with all features are too rare to be drawn");
    return err_set(e, ERR_EMPTY, "no string ends within %llu symbols",
                   (unsigned long long)b->options.model->max_length);
}

/* Draws slightly more than the expected rate requires, until there are enough. */
static int
sift_model(struct background *b, struct sieve *s, struct err *e)
{
    const struct model *m = b->options.model;
    double mean = (double)b->data->symbols / (double)b->data->count + 1;
    int rc = 0;
    s->symbols_max = s->out->symbols + BACKGROUND_SYMBOLS_FEW +
                     (uint64_t)(BACKGROUND_TIMES_MAX * mean * (double)(s->wanted - s->out->count));
    for (uint64_t round = 0; rc == 0 && s->out->count < s->wanted; round++) {
        double need = (double)(s->wanted - s->out->count) / tilt_rate(b->tilt);
        struct gam_sampler_options so = {.seed = b->options.seed,
                                         .purpose = "gam-features/model",
                                         .part = b->draws * ROUNDS_MAX + round,
                                         .max_length = m->max_length,
                                         .choice = SAMPLE_AUTO,
                                         .tvd = 0.01};
        struct sampler_request request = {.count = (uint64_t)(need * 1.02) + 50,
                                          .max_proposals = INT64_MAX,
                                          .string = sift,
                                          .arg = s};
        struct gam_sampler_outcome outcome;
        so.total = request.count;
        size_t before = s->out->count;
        rc = gam_sampler_run(m, b->pool, &so, &request, &outcome, e);
        if (rc == 0 && (s->out->count == before || round + 1 == ROUNDS_MAX))
            rc = no_strings(b, e);
    }
    if (rc != 0)
        err_prefix(e, "%s", b->options.model_name);
    return rc;
}

int
background_draw(struct background *b, size_t count, struct strings *out, struct err *e)
{
    uint64_t draw = b->draws++;
    if (b->chain != NULL)
        return tilted_chain_draw(b->chain, b->options.seed, draw, count, out, e);
    if (tilt_rate(b->tilt) < rate_min)
        return no_strings(b, e);
    struct sieve s = {.background = b, .out = out, .wanted = out->count + count};
    rng_init(&s.rng, b->options.seed, "gam-features/thinning", draw);
    return b->options.others != NULL ? sift_others(b, &s, e) : sift_model(b, &s, e);
}

int
background_add(struct background *b, const char *spec, const struct strings *first, struct err *e)
{
    struct string_range data = {b->data, 0, b->data->count}, all = {first, 0, first->count};
    return b->chain != NULL ? tilted_chain_add(b->chain, spec, e)
                            : tilt_add(b->tilt, spec, &data, &all, e);
}

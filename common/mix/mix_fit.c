/* SPDX-License-Identifier: MIT */
#include "mix/mix_fit.h"

#include <math.h>
#include <stdbool.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "mix/mix.h"
#include "model/scorer.h"
#include "text/strings.h"

/* ---- probabilities of the components ---------------------------------------------------- */

/* Whether some component can produce each string: then its end is possible. */
static int
check_possible(const struct mix_evidence *v, const struct strings *s, struct err *e)
{
    size_t end = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        bool possible = false;
        strings_get(s, i, &length);
        end += length + 1;
        for (size_t k = 0; k < v->parts && !possible; k++)
            possible = v->logp[k * v->chars + end - 1] > -INFINITY;
        if (!possible)
            return err_set(e, ERR_DATA, "no model can produce string %zu", i + 1);
    }
    return 0;
}

int
mix_evidence_gather(struct mix_evidence *v, const struct mix *m, const struct strings *s,
                    struct pool *pool, struct err *e)
{
    *v = (struct mix_evidence){.parts = m->count, .chars = (size_t)s->symbols + s->count};
    if (s->count == 0)
        return err_set(e, ERR_DATA, "no strings");
    v->logp = mem_array(v->chars, m->count * sizeof *v->logp, e);
    int rc = v->logp != NULL ? 0 : ERR_NOMEM;
    for (size_t k = 0; k < m->count && rc == 0; k++) {
        struct scorer *score = scorer_new(m->part[k].model, pool, e);
        rc = score != NULL ? scorer_trace(score, s, v->logp + k * v->chars, e) : ERR_NOMEM;
        scorer_free(score);
    }
    return rc == 0 ? check_possible(v, s, e) : rc;
}

void
mix_evidence_clear(struct mix_evidence *v)
{
    mem_free(v->logp);
    *v = (struct mix_evidence){0};
}

double
mix_evidence_loss(const struct mix_evidence *v, size_t part)
{
    struct compensated_sum sum = {0};
    for (size_t t = 0; t < v->chars; t++) {
        double logp = v->logp[part * v->chars + t];
        if (!(logp > -INFINITY))
            return INFINITY;
        compensated_sum_add(&sum, -logp);
    }
    return compensated_sum_total(&sum) / (double)v->chars;
}

/* ---- EM -------------------------------------------------------------------------------- */

/* The evidence in the order of EM, character by character: p_kt divided by the largest of
 * them, and -1 for a component that cannot produce the prefix. */
struct em_table {
    size_t parts, chars;
    double *share;   /* [chars][parts] */
    double log_peak; /* sum of the logarithms of these largest values */
};

static double
peak_of(const struct mix_evidence *v, size_t t)
{
    double peak = -INFINITY;
    for (size_t k = 0; k < v->parts; k++)
        peak = v->logp[k * v->chars + t] > peak ? v->logp[k * v->chars + t] : peak;
    return peak;
}

static int
make_table(struct em_table *x, const struct mix_evidence *v, struct err *e)
{
    struct compensated_sum log_peak = {0};
    *x = (struct em_table){.parts = v->parts, .chars = v->chars};
    x->share = mem_array(v->chars, v->parts * sizeof *x->share, e);
    if (x->share == NULL)
        return ERR_NOMEM;
    for (size_t t = 0; t < v->chars; t++) {
        double peak = peak_of(v, t);
        for (size_t k = 0; k < v->parts; k++) {
            double logp = v->logp[k * v->chars + t];
            x->share[t * v->parts + k] = isnan(logp) ? -1 : dm_exp(logp - peak);
        }
        compensated_sum_add(&log_peak, peak);
    }
    x->log_peak = compensated_sum_total(&log_peak);
    return 0;
}

/* Adds the expected counts of a character; returns its probability relative to the largest
 * of the components. */
static double
add_counts(const double *share, const double *weight, size_t parts, double *count)
{
    double sum = 0, live = 0, dead = 0;
    for (size_t k = 0; k < parts; k++)
        if (share[k] >= 0) {
            sum += weight[k] * share[k];
            live += weight[k];
        } else {
            dead += weight[k];
        }
    for (size_t k = 0; k < parts; k++)
        count[k] += share[k] >= 0 ? weight[k] * share[k] / sum : weight[k] / live;
    return dead > 0 ? sum / live : sum;
}

/* A factor of the likelihood is at least MIX_FIT_WEIGHT_MIN, so a product of them does not
 * underflow before its logarithm is taken. */
#define PRODUCT_MIN 1e-280

/* The expectation step: n_k into `count`, loss and gap into `i`. */
static void
expect(const struct em_table *x, double *count, struct mix_iteration *i)
{
    struct compensated_sum log_likelihood = {.high = x->log_peak};
    double total = 0, product = 1;
    for (size_t k = 0; k < x->parts; k++)
        count[k] = 0;
    for (size_t t = 0; t < x->chars; t++) {
        product *= add_counts(x->share + t * x->parts, i->weight, x->parts, count);
        if (product < PRODUCT_MIN || t + 1 == x->chars) {
            compensated_sum_add(&log_likelihood, dm_log(product));
            product = 1;
        }
    }
    for (size_t k = 0; k < x->parts; k++)
        total += count[k];
    i->loss = -compensated_sum_total(&log_likelihood) / (double)x->chars;
    i->gap = 0;
    for (size_t k = 0; k < x->parts; k++)
        i->gap = fmax(i->gap, count[k] / (i->weight[k] * total) - 1);
}

/* The maximization step. */
static void
maximize(const double *count, size_t parts, double *weight)
{
    double total = 0;
    for (size_t k = 0; k < parts; k++)
        total += count[k];
    double sum = 0;
    for (size_t k = 0; k < parts; k++) {
        weight[k] = fmax(count[k] / total, MIX_FIT_WEIGHT_MIN);
        sum += weight[k];
    }
    for (size_t k = 0; k < parts; k++)
        weight[k] /= sum;
}

int
mix_fit(const struct mix_evidence *v, const struct mix_fit_options *o, double *weight,
        struct mix_fit_result *result, struct err *e)
{
    double count[MIX_PARTS_MAX];
    struct mix_iteration i = {.weight = weight};
    struct em_table x;
    int rc = make_table(&x, v, e);
    while (rc == 0) {
        expect(&x, count, &i);
        if (o->iteration != NULL)
            rc = o->iteration(o->arg, &i, e);
        if (i.gap <= MIX_FIT_GAP || i.number == MIX_FIT_ITERATIONS)
            break;
        maximize(count, v->parts, weight);
        i.number++;
    }
    *result = (struct mix_fit_result){.iterations = i.number, .loss = i.loss, .gap = i.gap};
    mem_free(x.share);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "gam/fit.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/importance.h"
#include "gam/newton.h"
#include "io/input.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "text/line_reader.h"

const char *const fit_regimes[] = {
    [FIT_SNIS] = "snis", [FIT_RS] = "rs", [FIT_EXACT] = "exact", NULL};
const char *const fit_optimizers[] = {[FIT_SGD] = "sgd", [FIT_NEWTON] = "newton", NULL};

const char *
fit_note_text(enum fit_note note)
{
    static const char *const text[] = {
        [FIT_FREE] = "-",
        [FIT_FIXED] = "fixed",
        [FIT_IDLE] = "no influence",
        [FIT_PRIOR] = "no finite optimum, kept by the prior",
        [FIT_STOPPED] = "no finite optimum, kept by the stopping rule",
        [FIT_UNSEEN] = "no draw has what the data have, kept in bounds",
        [FIT_NEVER] = "the base never has what the data have, kept in bounds",
        [FIT_BOUND] = "at the bound of weights, moments differ",
    };
    return text[note];
}

void
fit_clear(struct fit_result *r)
{
    mem_free(r->feature);
    r->feature = NULL;
}

static int
run(struct fit_state *f, struct pool *pool, struct err *e)
{
    int rc = fit_state_init(f, pool, e);
    if (rc == 0)
        rc = fit_state_find_base(f, e);
    if (rc == 0)
        rc = f->o->optimizer == FIT_SGD ? fit_sgd(f, e) : fit_newton(f, e);
    if (rc == 0)
        rc = fit_outcome(f, e);
    return rc;
}

int
fit_run(struct gam *g, const struct histogram *data, struct pool *pool, const struct fit_options *o,
        struct fit_result *result, struct err *e)
{
    struct fit_state f = {.gam = g, .data = data, .o = o, .result = result};
    *result = (struct fit_result){0};
    result->feature = mem_zero(feature_set_count(g->features), sizeof *result->feature, e);
    int rc = result->feature != NULL ? run(&f, pool, e) : ERR_NOMEM;
    if (rc == 0) {
        result->samples = rejection_total(f.reject).proposals;
        result->model_steps = rejection_total(f.reject).model_steps;
    }
    fit_state_clear(&f);
    if (rc != 0)
        fit_clear(result);
    return rc;
}

enum {
    SAMPLES = 50000,
    EPOCHS = 100,
    PATIENCE = 10,
    ALPHA0 = 10,
    ACCEPTED_SGD = 10,
    /* newton: as many as the data, within bounds: then draws and data have
     * about the same error. */
    ACCEPTED_MIN = 2000,
    ACCEPTED_MAX = 10000,
};
#define PRIOR_DEVIATION 10.0 /* of a weight, for newton */

void
fit_options_init(struct fit_options *o)
{
    *o = (struct fit_options){.regime = -1, .optimizer = -1, .alpha0 = -1, .l2 = -1};
}

void
fit_options_complete(struct fit_options *o, const struct gam *g, const struct histogram *data)
{
    double strings = histogram_total(data);
    if (o->regime < 0)
        o->regime = pfsa_of(g->model.base) != NULL ? FIT_EXACT : FIT_RS;
    if (o->optimizer < 0)
        o->optimizer = FIT_NEWTON;
    bool sgd = o->optimizer == FIT_SGD;
    if (o->accepted == 0)
        o->accepted =
            sgd ? ACCEPTED_SGD : (uint64_t)fmax(ACCEPTED_MIN, fmin(ACCEPTED_MAX, strings));
    if (o->samples == 0)
        o->samples = SAMPLES;
    if (o->epochs == 0)
        o->epochs = EPOCHS;
    if (o->patience == 0)
        o->patience = PATIENCE;
    if (o->alpha0 < 0)
        o->alpha0 = ALPHA0;
    if (o->l2 < 0)
        o->l2 = sgd ? 0 : 1 / (PRIOR_DEVIATION * PRIOR_DEVIATION * strings);
}

/* The feature whose name is the first `length` characters, or feature_set_count. */
static size_t
find_feature(const struct feature_set *f, const char *name, size_t length)
{
    size_t i = 0;
    while (i < feature_set_count(f) && (strlen(feature_set_name(f, i)) != length ||
                                        memcmp(feature_set_name(f, i), name, length) != 0))
        i++;
    return i;
}

/* The last = counts, because a name may have one too. */
int
fit_options_fix(const char *text, struct gam *g, bool *fixed, struct err *e)
{
    const char *equals = strrchr(text, '=');
    if (equals == NULL)
        return err_set(e, ERR_USAGE, "'%s' is not NAME=VALUE", text);
    size_t length = (size_t)(equals - text), i = find_feature(g->features, text, length);
    if (i == feature_set_count(g->features))
        return err_set(e, ERR_USAGE, "there is no feature '%.*s'", (int)length, text);
    double *weight = &g->lambda[i];
    fixed[i] = true;
    int rc = num_parse_f64_inf(equals + 1, weight, e);
    if (rc == 0 && *weight != -INFINITY && fabs(*weight) > GAM_WEIGHT_MAX)
        rc = err_set(e, ERR_USAGE, "'%s' is neither -inf nor in the range %.0f to %.0f", equals + 1,
                     -GAM_WEIGHT_MAX, GAM_WEIGHT_MAX);
    return rc;
}

struct reader {
    struct fit_data *data;
    const struct gam *gam;
    struct input *in;
    struct line_reader *lines;
    void *scratch;   /* of model_log_weight */
    void *record;    /* of the features */
    uint64_t *whole; /* [features] */
};

static int
add_string(struct reader *r, const uint8_t *codes, size_t length, struct err *e)
{
    const struct gam *g = r->gam;
    if (length > g->model.max_length)
        return err_advise(e, ERR_DATA, REMEDY_RAISE_MAX_LENGTH,
                          "%s:%" PRIu64 ": string has %zu symbols, maximum is %" PRIu64,
                          input_name(r->in), line_reader_number(r->lines), length,
                          g->model.max_length);
    feature_set_run(g->features, r->record, codes, length);
    feature_set_numerators(g->features, r->record, r->whole);
    r->data->forbidden += model_log_weight(&g->model, codes, length, r->scratch) == -INFINITY;
    return histogram_add(r->data->seen, r->whole, 1, e);
}

static int
read_lines(struct reader *r, struct err *e)
{
    const uint8_t *codes;
    size_t length;
    int rc;
    while ((rc = line_reader_next(r->lines, &codes, &length, e)) == 1)
        if ((rc = add_string(r, codes, length, e)) != 0)
            return rc;
    if (rc == 0 && histogram_count(r->data->seen) == 0)
        return err_set(e, ERR_DATA, "'%s' holds no strings", input_name(r->in));
    return rc;
}

int
fit_data_read(struct fit_data *d, const struct gam *g, const char *path, struct err *e)
{
    const struct feature_set *f = g->features;
    struct reader r = {.data = d, .gam = g, .in = input_open(path, e)};
    r.lines = r.in != NULL ? line_reader_new(r.in, feature_set_alphabet(f), e) : NULL;
    r.scratch = mem_array(1, model_weight_bytes(&g->model), e);
    r.record = mem_array(1, feature_set_state_bytes(f), e);
    r.whole = mem_array(feature_set_count(f), sizeof *r.whole, e);
    d->seen = histogram_new(f, e);
    if (e->code == ERR_NONE && read_lines(&r, e) == 0)
        d->hash = input_hash(r.in);
    mem_free(r.scratch);
    mem_free(r.record);
    mem_free(r.whole);
    line_reader_free(r.lines);
    input_close(r.in);
    return e->code;
}

void
fit_data_clear(struct fit_data *d)
{
    histogram_free(d->seen);
    *d = (struct fit_data){0};
}

enum { REPORT_DRAWS = 500 }; /* rs: for the moments that are reported, at least */

/* Moments, Z and the worth of the draws, from what was drawn from r. */
static void
from_evidence(struct fit_state *f, const struct importance *t)
{
    struct fit_result *r = f->result;
    bool exact = f->o->regime == FIT_EXACT;
    r->log_z = t->log_z;
    r->log_z_se = exact ? 0 : sqrt(fmax(0, 1 / t->ess - 1 / f->base_draws));
    r->ess = exact ? INFINITY : t->ess;
    memcpy(f->mean, t->mean, f->n * sizeof *f->mean);
}

/* The same from a fresh draw from P. */
static int
from_draw(struct fit_state *f, struct err *e)
{
    struct fit_result *r = f->result;
    uint64_t count = f->o->accepted > REPORT_DRAWS ? f->o->accepted : REPORT_DRAWS;
    int rc = fit_state_draw_round(f, count, e);
    if (rc == 0)
        rc = fit_round_check(fit_state_last(f), e);
    if (rc != 0)
        return rc;
    const struct fit_round *last = fit_state_last(f);
    histogram_mean(last->seen, f->mean);
    r->log_z = last->outcome.log_z;
    r->log_z_se = last->outcome.log_z_se;
    r->ess = (double)last->outcome.strings;
    r->starved = last->outcome.strings < count;
    return 0;
}

static int
find_errors(struct fit_state *f, struct importance *t, struct err *e)
{
    const double *lambda = f->gam->lambda;
    struct moments m = importance_moments(t);
    struct newton_problem p = fit_newton_problem(f, &m);
    double *se = mem_array(f->n, 3 * sizeof *se, e);
    if (se == NULL)
        return ERR_NOMEM;
    double *draws = se + f->n, *step = draws + f->n;
    importance_covariance(t);
    int rc = newton_errors(&p, lambda, histogram_total(f->data), se, draws, step, e);
    for (size_t i = 0; i < f->n && rc == 0; i++) {
        struct fit_feature *row = &f->result->feature[i];
        row->draws_se =
            sqrt((f->o->regime == FIT_EXACT ? 0 : draws[i] * draws[i]) + step[i] * step[i]);
        row->se = sqrt(se[i] * se[i] + row->draws_se * row->draws_se);
    }
    mem_free(se);
    return rc;
}

/* Widens [lo, hi] to the values of all vectors that the hard constraints allow. */
static void
widen(const struct fit_state *f, const double *phi, double *lo, double *hi)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->gam->lambda[i] == -INFINITY && phi[i] != 0)
            return;
    for (size_t i = 0; i < f->n; i++) {
        lo[i] = fmin(lo[i], phi[i]);
        hi[i] = fmax(hi[i], phi[i]);
    }
}

static enum fit_note
note_of(const struct fit_state *f, size_t i, double lo, double hi, double all_lo, double all_hi)
{
    double target = f->target[i];
    if (f->o->fixed[i])
        return FIT_FIXED;
    if (all_lo >= all_hi)
        return FIT_IDLE;
    if (target < lo || target > hi)
        return f->o->regime == FIT_EXACT ? FIT_NEVER : FIT_UNSEEN;
    if (target <= all_lo || target >= all_hi)
        return f->o->l2 > 0 ? FIT_PRIOR : FIT_STOPPED;
    if (fabs(f->gam->lambda[i]) >= fit_state_bound(f, i))
        return FIT_BOUND;
    return FIT_FREE;
}

/* lo, hi: values seen in draws; then in the data too. */
static int
find_notes(struct fit_state *f, const struct importance *t, struct err *e)
{
    double *lo = mem_array(f->n, 5 * sizeof *lo, e);
    if (lo == NULL)
        return ERR_NOMEM;
    double *hi = lo + f->n, *all_lo = hi + f->n, *all_hi = all_lo + f->n, *phi = all_hi + f->n;
    for (size_t i = 0; i < f->n; i++) {
        lo[i] = INFINITY;
        hi[i] = -INFINITY;
    }
    for (size_t v = 0; v < t->count; v++)
        if (t->seen[v] > 0)
            widen(f, t->phi + v * f->n, lo, hi);
    memcpy(all_lo, lo, 2 * f->n * sizeof *lo);
    for (size_t v = 0; v < histogram_count(f->data); v++) {
        histogram_values(f->data, v, phi);
        widen(f, phi, all_lo, all_hi);
    }
    for (size_t i = 0; i < f->n; i++)
        f->result->feature[i].note = note_of(f, i, lo[i], hi[i], all_lo[i], all_hi[i]);
    mem_free(lo);
    return 0;
}

int
fit_outcome(struct fit_state *f, struct err *e)
{
    struct importance t = {0};
    int rc = f->o->regime == FIT_RS ? from_draw(f, e) : 0;
    if (rc == 0)
        rc = fit_state_gather(f, &t, e);
    if (rc == 0) {
        importance_at(&t, f->gam->lambda);
        if (f->o->regime != FIT_RS)
            from_evidence(f, &t);
        for (size_t i = 0; i < f->n; i++) {
            f->result->feature[i].target = f->target[i];
            f->result->feature[i].model = f->mean[i];
        }
        f->result->l1_mom = fit_state_distance(f, f->mean);
        histogram_mean(f->base, f->mean);
        for (size_t i = 0; i < f->n; i++)
            f->result->feature[i].base = f->mean[i];
        rc = find_errors(f, &t, e);
    }
    if (rc == 0)
        rc = find_notes(f, &t, e);
    importance_clear(&t);
    return rc;
}

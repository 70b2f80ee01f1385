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
#include "lstm/lstm.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "text/string_reader.h"
#include "text/strings.h"

const char *const fit_regimes[] = {
    [FIT_GUIDED] = "guided", [FIT_SNIS] = "snis", [FIT_RS] = "rs", [FIT_EXACT] = "exact", NULL};
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
        [FIT_UNSEEN] = "target outside the samples, not fitted",
        [FIT_UNMATCHED] = "moments differ by more than their error",
        [FIT_NEVER] = "target impossible for the base model, kept in bounds",
        [FIT_BOUND] = "weight at its bound, moments differ",
    };
    return text[note];
}

void
fit_clear(struct fit_result *r)
{
    mem_free(r->feature);
    r->feature = NULL;
}

int
fit_tell(const struct fit_problem *p, const struct evidence *v, struct fit_solution *s, double rate,
         double l1_mom, struct err *e)
{
    struct fit_epoch state = {
        .epoch = ++s->epochs,
        .rate = rate,
        .l1_mom = l1_mom,
        .samples = evidence_total(v).proposals,
        .lambda = s->lambda,
    };
    return p->options->epoch != NULL ? p->options->epoch(p->options->arg, &state, e) : 0;
}

bool
fit_all_fixed(const struct fit_problem *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!p->options->fixed[i])
            return false;
    return true;
}

/* The result for given weights if nothing could be drawn. */
static void
leave_unknown(const struct fit_problem *p, const struct evidence *v, struct fit_result *r)
{
    r->log_z = r->log_z_se = r->ess = r->kl = r->kl_se = NAN;
    r->samples = v->source != NULL || v->guided != NULL ? evidence_total(v).proposals : 0;
    r->converged = true;
    for (size_t i = 0; i < p->n; i++)
        r->feature[i] = (struct fit_feature){
            .target = p->target[i], .base = NAN, .model = NAN, .note = FIT_FIXED};
}

static int
solve(const struct fit_problem *p, struct evidence *v, struct fit_solution *s, struct err *e)
{
    if (p->options->optimizer == FIT_SGD)
        return fit_sgd(p, v, s, e);
    return p->options->regime == FIT_GUIDED ? fit_guided(p, v, s, e) : fit_newton(p, v, s, e);
}

/* The evidence of the chosen regime.  If the user did not choose it and the features are too
 * large for it, the evidence of the next regime. */
static int
find_evidence(const struct fit_problem *p, struct fit_options *used, struct pool *pool,
              struct evidence *v, struct err *e)
{
    for (;;) {
        struct err why = {0};
        int rc = fit_base_moments(p, pool, v, &why);
        if (rc != ERR_LIMIT || !used->may_fall_back || used->regime == FIT_RS)
            return err_pass(e, &why);
        evidence_clear(v);
        used->regime = used->regime == FIT_EXACT ? FIT_GUIDED : FIT_RS;
    }
}

/* A GAM whose weights are all given needs no fitting; if its moments require draws and nothing was
 * drawn, they are unknown. */
static int
describe_given(const struct fit_problem *p, struct fit_options *used, struct pool *pool,
               struct evidence *v, struct fit_solution *s, struct fit_result *r, struct err *e)
{
    struct err why = {0};
    s->converged = true;
    int rc = find_evidence(p, used, pool, v, &why);
    if (rc == 0 && p->options->optimizer == FIT_SGD) /* it draws in its own way */
        rc = fit_sgd(p, v, s, &why);
    if (rc == 0)
        rc = fit_outcome(p, v, s, r, &why);
    bool drawn = p->options->regime != FIT_EXACT;
    if (drawn && (rc == ERR_EMPTY || rc == ERR_LIMIT || rc == ERR_NUMERIC)) {
        leave_unknown(p, v, r);
        return 0;
    }
    return err_pass(e, &why);
}

/* Why a fit failed, if no weights meet all stated means. */
static int
explain_failure(const struct fit_problem *p, const struct evidence *v, struct err *e)
{
    struct err why = {0};
    if (fit_check_together(p, v, &why) != 0)
        *e = why;
    return e->code;
}

static int
find_weights(const struct fit_problem *p, struct fit_options *used, struct pool *pool,
             struct evidence *v, struct fit_solution *s, struct fit_result *r, struct err *e)
{
    int rc = find_evidence(p, used, pool, v, e);
    if (rc == 0)
        rc = fit_check_stated(p, v, e);
    if (rc == 0)
        rc = solve(p, v, s, e);
    if (rc == 0)
        rc = fit_outcome(p, v, s, r, e);
    bool failed = rc == 0 ? r->unfitted || !r->converged : rc == ERR_EMPTY;
    return failed ? explain_failure(p, v, e) : rc;
}

int
fit_run(struct gam *g, const struct histogram *data, struct pool *pool, const struct fit_options *o,
        struct fit_result *result, struct err *e)
{
    struct fit_options used = *o;
    struct fit_problem p = {.gam = g, .data = data, .options = &used};
    struct evidence v = {0};
    struct fit_solution s = {.lambda = g->lambda};
    *result = (struct fit_result){0};
    result->feature = mem_zero(feature_set_count(g->features), sizeof *result->feature, e);
    int rc = result->feature != NULL ? fit_data_moments(&p, e) : ERR_NOMEM;
    if (rc == 0)
        rc = fit_all_fixed(&p) ? describe_given(&p, &used, pool, &v, &s, result, e)
                               : find_weights(&p, &used, pool, &v, &s, result, e);
    result->regime = used.regime;
    evidence_clear(&v);
    fit_problem_clear(&p);
    if (rc != 0 && used.regime != o->regime)
        err_remedy(e, REMEDY_NONE); /* the regime that would help is the one that failed */
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
    /* newton: as many as the data, within bounds: then draws and data have about the same
     * error. */
    ACCEPTED_MIN = 2000,
    ACCEPTED_MAX = 10000,
};
#define PRIOR_DEVIATION 10.0 /* of a weight, for newton */

void
fit_options_init(struct fit_options *o)
{
    *o = (struct fit_options){.regime = -1, .optimizer = -1, .alpha0 = -1, .l2 = -1};
}

double
fit_options_l2(const struct fit_options *o, double strings)
{
    if (o->l2 >= 0)
        return o->l2;
    return o->optimizer == FIT_SGD || strings == 0
               ? 0
               : 1 / (PRIOR_DEVIATION * PRIOR_DEVIATION * strings);
}

void
fit_options_complete(struct fit_options *o, const struct gam *g, const struct histogram *data)
{
    double strings = histogram_total(data);
    o->may_fall_back = o->regime < 0;
    if (o->regime < 0)
        o->regime = pfsa_of(g->model.base) != NULL ? FIT_EXACT : FIT_GUIDED;
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
    o->l2 = fit_options_l2(o, strings);
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

/* The feature of NAME=VALUE, and the value.  The last = counts, because a name may contain one
 * too. */
static int
parse_assignment(const char *text, const struct feature_set *f, size_t *feature, const char **value,
                 struct err *e)
{
    const char *equals = strrchr(text, '=');
    if (equals == NULL)
        return err_set(e, ERR_USAGE, "'%s': expected NAME=VALUE", text);
    size_t length = (size_t)(equals - text);
    *feature = find_feature(f, text, length);
    *value = equals + 1;
    if (*feature == feature_set_count(f))
        return err_set(e, ERR_USAGE, "unknown feature '%.*s'", (int)length, text);
    return 0;
}

int
fit_options_fix(const char *text, struct gam *g, bool *fixed, struct err *e)
{
    const char *value;
    size_t i;
    int rc = parse_assignment(text, g->features, &i, &value, e);
    if (rc != 0)
        return rc;
    double *weight = &g->lambda[i];
    fixed[i] = true;
    rc = num_parse_f64_inf(value, weight, e);
    if (rc == 0 && *weight != -INFINITY && fabs(*weight) > GAM_WEIGHT_MAX)
        rc = err_set(e, ERR_USAGE, "'%s' is neither -inf nor in the range %.0f to %.0f", value,
                     -GAM_WEIGHT_MAX, GAM_WEIGHT_MAX);
    return rc;
}

int
fit_options_state(const char *text, const struct gam *g, double *stated, struct err *e)
{
    const char *value;
    size_t i;
    int rc = parse_assignment(text, g->features, &i, &value, e);
    return rc == 0 ? num_parse_f64(value, 0, 1, &stated[i], e) : rc;
}

struct reader {
    struct fit_data *data;
    const struct gam *gam;
    struct input *in;
    struct string_reader *lines;
    void *scratch;   /* of model_log_weight */
    void *record;    /* of the features */
    uint64_t *whole; /* [features] */
};

/* Whether the base is known to give the string probability 0. */
static bool
is_impossible(const struct model *base, const uint8_t *symbols, size_t length)
{
    const struct lstm *l = lstm_of(base);
    if (l != NULL)
        return l->fixed_length && length != base->max_length;
    return pfsa_of(base) != NULL && pfsa_log_prob(pfsa_of(base), symbols, length) == -INFINITY;
}

static int
keep_witness(struct strings *w, const uint8_t *symbols, size_t length, struct err *e)
{
    if (w->count == FIT_WITNESSES || w->symbols + length > FIT_WITNESS_SYMBOLS)
        return 0;
    return strings_add(w, symbols, length, e);
}

static int
add_string(struct reader *r, const uint8_t *symbols, size_t length, struct err *e)
{
    const struct gam *g = r->gam;
    feature_set_run(g->features, r->record, symbols, length);
    feature_set_numerators(g->features, r->record, r->whole);
    bool forbidden = model_log_weight(&g->model, symbols, length, r->scratch) == -INFINITY;
    bool impossible = is_impossible(g->model.base, symbols, length);
    r->data->forbidden += forbidden;
    r->data->impossible += impossible;
    if (!forbidden && !impossible && keep_witness(&r->data->witness, symbols, length, e) != 0)
        return e->code;
    return histogram_add(r->data->seen, r->whole, 1, e);
}

static int
read_lines(struct reader *r, struct err *e)
{
    const uint8_t *symbols;
    size_t length;
    int rc;
    while ((rc = string_reader_next(r->lines, &symbols, &length, e)) == 1) {
        if (length > r->gam->model.max_length)
            return err_advise(e, ERR_DATA, REMEDY_RAISE_MAX_LENGTH,
                              "%s:%" PRIu64 ": string has %zu symbols, maximum is %" PRIu64,
                              input_name(r->in), string_reader_line(r->lines), length,
                              r->gam->model.max_length);
        if ((rc = add_string(r, symbols, length, e)) != 0)
            return rc;
    }
    if (rc == 0 && histogram_count(r->data->seen) == 0)
        return err_set(e, ERR_DATA, "'%s' contains no strings", input_name(r->in));
    return rc;
}

/* Clear in either case. */
static int
reader_init(struct reader *r, struct fit_data *d, const struct gam *g, struct err *e)
{
    const struct feature_set *f = g->features;
    *r = (struct reader){.data = d, .gam = g};
    r->scratch = mem_array(1, model_weight_bytes(&g->model), e);
    r->record = mem_array(1, feature_set_state_bytes(f), e);
    r->whole = mem_array(feature_set_count(f), sizeof *r->whole, e);
    d->seen = histogram_new(f, e);
    return e->code;
}

static void
reader_clear(struct reader *r)
{
    mem_free(r->scratch);
    mem_free(r->record);
    mem_free(r->whole);
    string_reader_free(r->lines);
    input_close(r->in);
}

int
fit_data_read(struct fit_data *d, const struct gam *g, const char *path,
              const struct string_format *f, struct err *e)
{
    struct reader r;
    if (reader_init(&r, d, g, e) == 0 && (r.in = input_open(path, e)) != NULL)
        r.lines = string_reader_new(r.in, feature_set_alphabet(g->features), f, e);
    if (e->code == ERR_NONE && read_lines(&r, e) == 0) {
        d->hash = input_hash(r.in);
        d->skipped = string_reader_skipped(r.lines);
        d->bytes = input_bytes(r.in);
    }
    reader_clear(&r);
    return e->code;
}

int
fit_data_none(struct fit_data *d, const struct gam *g, struct err *e)
{
    d->seen = histogram_new(g->features, e);
    return d->seen != NULL ? 0 : ERR_NOMEM;
}

int
fit_data_take(struct fit_data *d, const struct gam *g, const struct strings *s, struct err *e)
{
    struct reader r;
    int rc = reader_init(&r, d, g, e);
    for (size_t i = 0; rc == 0 && i < s->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        rc = add_string(&r, symbols, length, e);
    }
    reader_clear(&r);
    return rc;
}

void
fit_data_clear(struct fit_data *d)
{
    histogram_free(d->seen);
    strings_clear(&d->witness);
    *d = (struct fit_data){0};
}

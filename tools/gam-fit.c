/* SPDX-License-Identifier: MIT
 * gam-fit: fits the weights of a GAM's features to data. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli.h"
#include "feature.h"
#include "feature_options.h"
#include "fit.h"
#include "gam.h"
#include "hist.h"
#include "in.h"
#include "lines.h"
#include "mem.h"
#include "meta.h"
#include "model.h"
#include "num.h"
#include "out.h"
#include "pool.h"
#include "progress.h"
#include "report.h"
#include "stopwatch.h"
#include "words.h"

struct options {
    const char *base, *motif; /* NULL if not given */
    struct feature_options features;
    struct words weights;       /* of --lambda */
    int regime, optimizer;      /* -1: the default */
    uint64_t samples, accepted; /* 0: the default */
    uint64_t epochs, patience;
    double alpha0, l2; /* l2 < 0: the default */
    const char *log, *report;
};

/* What is not given. */
enum {
    SAMPLES = 50000,
    ACCEPTED_SGD = 10,
    /* newton: as many as the data, within bounds: then draws and data have
     * about the same error. */
    ACCEPTED_MIN = 2000,
    ACCEPTED_MAX = 10000,
};
#define PRIOR_DEVIATION 10.0 /* of a weight, for newton */

enum {
    OPT_ACCEPTED = 256,
    OPT_ALPHA0,
    OPT_BASE,
    OPT_EPOCHS,
    OPT_L2,
    OPT_LAMBDA,
    OPT_LOG,
    OPT_OPTIMIZER,
    OPT_PATIENCE,
    OPT_REGIME,
    OPT_REPORT,
    OPT_SAMPLES
};

static const struct cli_option options[] = {
    {0, NULL, NULL, "The model", CLI_HEADING},
    {OPT_BASE, "base", "MODEL", "the autoregressive model r", CLI_NO_TRACE},
    FEATURE_OPTIONS("a feature, see gamut-features(7)",
                    "and that strings of the model have at most [the base's]"),
    {OPT_LAMBDA, "lambda", "NAME=VALUE",
     "holds a weight fixed; -inf makes a hard constraint;\nmay be repeated", 0},
    {'m', "motif", "S", "the motif of --ft", 0},
    {0, NULL, NULL, "The method", CLI_HEADING},
    {OPT_ACCEPTED, "accepted", "N",
     "rs: strings accepted for each estimate of the moments\n[sgd: 10; newton: |D| within 2000 "
     "and 10000]",
     0},
    {OPT_ALPHA0, "alpha0", "A", "sgd: rate of the first epoch; of epoch k, A/k [10]", 0},
    {OPT_EPOCHS, "epochs", "N", "at most N epochs of sgd, steps or draws of newton [100]", 0},
    {OPT_L2, "l2", "X",
     "weight of the Gaussian prior, per string of data [newton:\n"
     "1/(100 |D|), a standard deviation of 10; sgd: 0]",
     0},
    {OPT_OPTIMIZER, "optimizer", "NAME", "sgd or newton [newton]", 0},
    {OPT_PATIENCE, "patience", "N", "sgd: epochs without a better l1 distance [10]", 0},
    {OPT_REGIME, "regime", "NAME",
     "where moments come from: snis, rs or exact [exact if the\nbase is an automaton, else rs]", 0},
    {OPT_SAMPLES, "samples", "N", "snis: strings from the base to keep [50000]", 0},
    {0, NULL, NULL, "Records", CLI_HEADING},
    {OPT_LOG, "log", "FILE", "write a row an epoch to FILE", CLI_NO_TRACE},
    {OPT_REPORT, "report", "FILE", "write the outcome to FILE", CLI_NO_TRACE},
    {0, NULL, NULL, NULL, 0}};

static const char *const regimes[] = {
    [FIT_SNIS] = "snis", [FIT_RS] = "rs", [FIT_EXACT] = "exact", NULL};
static const char *const optimizers[] = {[FIT_SGD] = "sgd", [FIT_NEWTON] = "newton", NULL};

static void
clear_options(struct options *o)
{
    feature_options_clear(&o->features);
    words_clear(&o->weights);
}

static int
set_text(struct options *o, int key, const char *value, struct err *e)
{
    switch (key) {
    case 'm':
        o->motif = value;
        return 0;
    case OPT_BASE:
        o->base = value;
        return 0;
    case OPT_LAMBDA:
        return words_add(&o->weights, value, e);
    case OPT_LOG:
        o->log = value;
        return 0;
    default:
        o->report = value;
        return 0;
    }
}

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    int status = feature_options_set(&o->features, key, value, e);
    if (status != 0)
        return status < 0 ? status : 0;
    switch (key) {
    case OPT_ACCEPTED:
        return num_u64(value, 1, INT32_MAX, &o->accepted, e);
    case OPT_ALPHA0:
        return num_f64(value, 0, 1e6, &o->alpha0, e);
    case OPT_EPOCHS:
        return num_u64(value, 1, INT32_MAX, &o->epochs, e);
    case OPT_L2:
        return num_f64(value, 0, 1e6, &o->l2, e);
    case OPT_OPTIMIZER:
        return words_choose(optimizers, value, &o->optimizer, e);
    case OPT_PATIENCE:
        return num_u64(value, 1, INT32_MAX, &o->patience, e);
    case OPT_REGIME:
        return words_choose(regimes, value, &o->regime, e);
    case OPT_SAMPLES:
        return num_u64(value, 1, INT32_MAX, &o->samples, e);
    default:
        return set_text(o, key, value, e);
    }
}

static const struct cli_tool tool = {
    .name = "gam-fit",
    .operands = "[DATA]",
    .summary = "Fits the weights of features to data, and writes base, features and weights\n"
               "as one model, a GAM.",
    .details = "P(x) = r(x) exp(lambda . phi(x)): the features' means under P become those of\n"
               "the data.",
    .examples = "  gam-fit --base r.lstm -m 10001011111000 --ft 1001111 D >g.gam\n"
                "  gam-fit --base r.lstm --feature length --report - -o g.gam D",
    .options = options,
    .flags = CLI_REPORT,
    .max_operands = 1,
    .set = set_option,
};

struct job {
    const struct cli *cli;
    const struct options *options;
    struct gam *gam;
    struct hist *data;
    uint64_t data_hash, forbidden; /* strings of the data that a hard constraint forbids */
    struct pool *pool;
    bool *fixed; /* [features] */
    struct out *log;
    struct report log_rows;
    struct progress progress;
    struct fit_options fit;
    struct fit_result result;
    double seconds;
};

/* ---- the model -------------------------------------------------------------------- */

static int
check_options(const struct cli *c, const struct options *o, struct err *e)
{
    const struct files_entry files[] = {{"--base", o->base, FILES_READ_MODEL},
                                        {"DATA", cli_operand(c, 0), FILES_READ},
                                        {"--output", c->output, FILES_WRITE_MODEL},
                                        {"--report", o->report, FILES_WRITE},
                                        {"--log", o->log, FILES_WRITE}};
    if (o->base == NULL)
        return err_set(e, ERR_USAGE, "--base MODEL is missing");
    if (o->motif != NULL && o->features.bits == NULL)
        return err_set(e, ERR_USAGE,
                       "--motif goes with --ft; for the motif alone give --feature motif:%s",
                       o->motif);
    if (o->features.bits == NULL && o->features.specs.count == 0)
        return err_set(e, ERR_USAGE, "no features: give --feature, or --motif and --ft");
    return cli_files(c, files, sizeof files / sizeof *files, e);
}

/* "NAME=VALUE"; the last = counts, because an alphabet may have one too. */
static int
set_weight(struct job *j, const char *text, struct err *e)
{
    const struct features *f = j->gam->features;
    const char *equals = strrchr(text, '=');
    size_t i = 0, length = equals != NULL ? (size_t)(equals - text) : 0;
    if (equals == NULL)
        return err_set(e, ERR_USAGE, "'%s' is not NAME=VALUE", text);
    while (i < features_count(f) && (strlen(features_name(f, i)) != length ||
                                     memcmp(features_name(f, i), text, length) != 0))
        i++;
    if (i == features_count(f))
        return err_set(e, ERR_USAGE, "there is no feature '%.*s'", (int)length, text);
    double *weight = &j->gam->lambda[i];
    j->fixed[i] = true;
    int status = num_f64_inf(equals + 1, weight, e);
    if (status == 0 && *weight != -INFINITY && fabs(*weight) > FIT_WEIGHT_MAX)
        status = err_set(e, ERR_USAGE, "'%s' is neither -inf nor in the range %.0f to %.0f",
                         equals + 1, -FIT_WEIGHT_MAX, FIT_WEIGHT_MAX);
    return status;
}

static int
make_model(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    uint64_t max_length = o->features.max_length;
    struct features *f = NULL;
    j->gam = gam_on_base(o->base, e);
    if (j->gam != NULL)
        f = feature_options_build(&o->features, &j->gam->base->alphabet, &o->motif,
                                  o->motif != NULL, e);
    if (f == NULL)
        return e->code;
    if (gam_settle(j->gam, f, max_length > 0 ? max_length : j->gam->base->max_length, e) != 0)
        return e->code;
    j->fixed = mem_zero(features_count(f), sizeof *j->fixed, e);
    if (j->fixed == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < o->weights.count; i++)
        if (set_weight(j, o->weights.word[i], e) != 0) {
            err_prefix(e, "--lambda");
            return e->code;
        }
    return 0;
}

/* ---- the data ------------------------------------------------------------------------ */

struct reader {
    struct job *job;
    struct in *in;
    struct lines *lines;
    void *scratch;   /* of gam_log_weight */
    void *record;    /* of the features */
    uint64_t *whole; /* [features] */
};

static int
add_string(struct reader *r, const uint8_t *codes, size_t length, struct err *e)
{
    const struct gam *g = r->job->gam;
    if (length > g->max_length)
        return err_set(e, ERR_DATA,
                       "%s:%" PRIu64 ": a string of %zu symbols where the maximum is %" PRIu64
                       "; see --max-length",
                       in_name(r->in), lines_number(r->lines), length, g->max_length);
    features_follow(g->features, r->record, codes, length);
    features_whole(g->features, r->record, r->whole);
    r->job->forbidden += gam_log_weight(g, codes, length, r->scratch) == -INFINITY;
    return hist_add(r->job->data, r->whole, 1, e);
}

static int
read_lines(struct reader *r, struct err *e)
{
    const uint8_t *codes;
    size_t length;
    int status;
    while ((status = lines_next(r->lines, &codes, &length, e)) == 1)
        if ((status = add_string(r, codes, length, e)) != 0)
            return status;
    if (status == 0 && hist_count(r->job->data) == 0)
        return err_set(e, ERR_DATA, "'%s' holds no strings", in_name(r->in));
    return status;
}

static int
read_data(struct job *j, struct err *e)
{
    const struct features *f = j->gam->features;
    struct reader r = {.job = j, .in = in_open(cli_operand(j->cli, 0), e)};
    r.lines = r.in != NULL ? lines_new(r.in, features_alphabet(f), e) : NULL;
    r.scratch = mem_array(1, gam_scratch_bytes(j->gam), e);
    r.record = mem_array(1, features_state_bytes(f), e);
    r.whole = mem_array(features_count(f), sizeof *r.whole, e);
    j->data = hist_new(f, e);
    int status = e->code;
    if (status == 0)
        status = read_lines(&r, e);
    if (r.in != NULL)
        j->data_hash = in_hash(r.in);
    mem_free(r.scratch);
    mem_free(r.record);
    mem_free(r.whole);
    lines_free(r.lines);
    in_close(r.in);
    return status;
}

/* ---- fitting ---------------------------------------------------------------------------- */

static int
tell_epoch(void *arg, const struct fit_epoch *s, struct err *e)
{
    struct job *j = arg;
    struct report *r = &j->log_rows;
    snprintf(j->progress.note, sizeof j->progress.note, "l1 %.4g", s->l1_mom);
    progress_update(&j->progress, s->epoch);
    cli_note(j->cli, "epoch %llu: l1 %.6g", (unsigned long long)s->epoch, s->l1_mom);
    if (j->log == NULL)
        return 0;
    report_cell_u64(r, s->epoch);
    report_cell_f64(r, s->rate);
    report_cell_f64(r, s->l1_mom);
    report_cell_u64(r, s->samples);
    for (size_t i = 0; i < features_count(j->gam->features); i++)
        report_cell_f64(r, s->lambda[i]);
    return e->code;
}

static void
set_method(struct job *j)
{
    const struct options *o = j->options;
    bool automaton = j->gam->base->ops->kind == MDL_PFSA;
    struct fit_options *f = &j->fit;
    *f = (struct fit_options){
        .regime = o->regime >= 0 ? (enum fit_regime)o->regime
                  : automaton    ? FIT_EXACT
                                 : FIT_RS,
        .optimizer = o->optimizer >= 0 ? (enum fit_optimizer)o->optimizer : FIT_NEWTON,
        .seed = j->cli->seed,
        .samples = o->samples > 0 ? o->samples : SAMPLES,
        .accepted = o->accepted,
        .alpha0 = o->alpha0,
        .epochs = o->epochs,
        .patience = o->patience,
        .l2 = o->l2,
        .fixed = j->fixed,
        .epoch = tell_epoch,
        .arg = j,
    };
    bool sgd = f->optimizer == FIT_SGD;
    double as_many = fmax(ACCEPTED_MIN, fmin(ACCEPTED_MAX, hist_total(j->data)));
    if (f->accepted == 0)
        f->accepted = sgd ? ACCEPTED_SGD : (uint64_t)as_many;
    if (f->l2 < 0)
        f->l2 = sgd ? 0 : 1 / (PRIOR_DEVIATION * PRIOR_DEVIATION * hist_total(j->data));
}

static int
fit(struct job *j, struct err *e)
{
    double start = stopwatch_now();
    set_method(j);
    progress_begin(&j->progress, j->cli->progress, "epochs", 0);
    int status = fit_run(j->gam, j->data, j->pool, &j->fit, &j->result, e);
    progress_end(&j->progress);
    j->seconds = stopwatch_now() - start;
    return status;
}

/* The log, as a table with a column for each weight; it is a table of its own,
 * so it appears complete or not at all like every output. */
static int
fit_with_log(struct job *j, struct err *e)
{
    const struct features *f = j->gam->features;
    size_t n = features_count(f);
    const char **column = mem_zero(n + 5, sizeof *column, e);
    j->log = column != NULL ? out_open(j->options->log, e) : NULL;
    if (j->log == NULL) {
        mem_free(column);
        return e->code;
    }
    static const char *const first[] = {"epoch", "rate", "l1_mom", "samples"};
    memcpy(column, first, sizeof first);
    for (size_t i = 0; i < n; i++)
        column[4 + i] = features_name(f, i);
    report_begin(&j->log_rows, j->log, false, e);
    report_table(&j->log_rows, "epochs", column);
    int status = fit(j, e);
    report_table_end(&j->log_rows);
    if (report_end(&j->log_rows) != 0)
        status = e->code;
    if (status == 0)
        status = out_commit(j->log, e);
    else
        out_abort(j->log);
    mem_free(column);
    return status;
}

/* ---- what came out -------------------------------------------------------------------------- */

static void
report_features(struct report *r, const struct job *j)
{
    static const char *const columns[] = {"feature",   "target",   "base", "model", "lambda",
                                          "lambda_se", "draws_se", "note", NULL};
    report_table(r, "features", columns);
    for (size_t i = 0; i < features_count(j->gam->features); i++) {
        const struct fit_feature *f = &j->result.feature[i];
        report_cell_text(r, features_name(j->gam->features, i));
        report_cell_f64(r, f->target);
        report_cell_f64(r, f->base);
        report_cell_f64(r, f->model);
        report_cell_f64(r, j->gam->lambda[i]);
        report_cell_f64(r, f->se);
        report_cell_f64(r, f->draws_se);
        report_cell_text(r, fit_note_text(f->note));
    }
    report_table_end(r);
}

static int
write_report(const struct job *j, struct err *e)
{
    const struct fit_result *f = &j->result;
    struct report r;
    struct out *out = out_open(j->options->report, e);
    if (out == NULL)
        return e->code;
    report_begin(&r, out, j->cli->json, e);
    report_text(&r, "regime", regimes[j->fit.regime]);
    report_text(&r, "optimizer", optimizers[j->fit.optimizer]);
    report_f64(&r, "l2", j->fit.l2);
    report_u64(&r, "strings", (uint64_t)hist_total(j->data));
    report_features(&r, j);
    report_f64(&r, "l1_mom", f->l1_mom);
    report_f64(&r, "log_z", f->log_z);
    report_f64(&r, "log_z_se", f->log_z_se);
    report_f64(&r, "ess", f->ess);
    report_u64(&r, "epochs", f->epochs);
    report_u64(&r, "samples", f->samples);
    report_u64(&r, "model_steps", f->model_steps);
    report_f64(&r, "seconds", j->seconds);
    if (report_end(&r) != 0) {
        out_abort(out);
        return e->code;
    }
    return out_commit(out, e);
}

/* What the weights do not say. */
static void
warn(const struct job *j)
{
    const struct features *f = j->gam->features;
    if (j->forbidden > 0)
        cli_warn(j->cli, "%llu strings of the data violate the hard constraints",
                 (unsigned long long)j->forbidden);
    for (size_t i = 0; i < features_count(f); i++)
        if (j->result.feature[i].note > FIT_IDLE)
            cli_warn(j->cli, "feature '%s', weight %g: %s", features_name(f, i), j->gam->lambda[i],
                     fit_note_text(j->result.feature[i].note));
    if (j->result.starved)
        cli_warn(j->cli, "only %.0f strings from P could be drawn in time; see draws_se",
                 j->result.ess);
    if (!j->result.converged)
        cli_warn(j->cli, "not converged after %llu epochs; the l1 distance of moments is %g",
                 (unsigned long long)j->result.epochs, j->result.l1_mom);
}

static int
write_model(const struct job *j, struct out *out, struct err *e)
{
    struct meta *m = cli_meta(j->cli, e);
    int status = m != NULL ? 0 : ERR_NOMEM;
    if (status == 0)
        status = meta_set_hash(m, "input", j->data_hash, e);
    if (status == 0)
        status = meta_set(m, "regime", e, "%s", regimes[j->fit.regime]);
    if (status == 0)
        status = meta_set(m, "optimizer", e, "%s", optimizers[j->fit.optimizer]);
    if (status == 0)
        status = meta_set_number(m, "l1_mom", j->result.l1_mom, e);
    if (status == 0)
        status = meta_set_number(m, "log_z", j->result.log_z, e);
    if (status == 0)
        status = gam_save(j->gam, m, out, e);
    meta_free(m);
    return status;
}

/* The output is opened last: nothing appears unless all went well. */
static int
run(struct job *j, struct out **out, struct err *e)
{
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool == NULL || make_model(j, e) != 0 || read_data(j, e) != 0)
        return e->code;
    *out = cli_output(j->cli, true, e);
    if (*out == NULL)
        return e->code;
    int status = j->options->log != NULL ? fit_with_log(j, e) : fit(j, e);
    if (status != 0)
        return status;
    warn(j);
    if (j->options->report != NULL && write_report(j, e) != 0)
        return e->code;
    return write_model(j, *out, e);
}

static void
job_clear(struct job *j)
{
    fit_clear(&j->result);
    hist_free(j->data);
    gam_free(j->gam);
    pool_free(j->pool);
    mem_free(j->fixed);
}

int
main(int argc, char **argv)
{
    struct options o = {
        .regime = -1, .optimizer = -1, .alpha0 = 10, .epochs = 100, .patience = 10, .l2 = -1};
    struct cli c;
    struct err e = {0};
    struct out *out = NULL;
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status < 0) {
        struct job j = {.cli = &c, .options = &o};
        if (check_options(&c, &o, &e) == 0)
            run(&j, &out, &e);
        job_clear(&j);
        status = cli_finish(&c, out, EXIT_DONE, &e);
    }
    clear_options(&o);
    return status;
}

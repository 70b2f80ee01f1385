/* SPDX-License-Identifier: MIT
 * gam-fit: fits the weights of a GAM's features to data. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/seconds.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/constraint.h"
#include "gam/fit.h"
#include "gam/fit_report.h"
#include "gam/gam.h"
#include "gam/joint_fit.h"
#include "gam/joint_model.h"
#include "gam/product.h"
#include "gam/smooth.h"
#include "io/output.h"
#include "io/report.h"
#include "model/meta.h"
#include "model/model.h"
#include "text/strings.h"

struct options {
    const char *base, *motif; /* NULL if not given */
    bool base_is_fitted;      /* it is an n-gram, fitted with the weights */
    int order;                /* of the n-gram (joint_fit.h) */
    struct string_options strings;
    struct alphabet alphabet; /* of -a; empty: from the data */
    double smooth; /* weight of the n-gram in the base, SMOOTH_AUTO if it is to be chosen */
    bool smooth_given;
    const char *valid;
    struct feature_options features;
    struct constraint_options constraints;
    struct text_list weights; /* of --lambda */
    struct text_list targets; /* of --target */
    struct fit_options fit;
    const char *log, *report; /* files, or NULL */
};

static int
set_smooth(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    struct err why = {0};
    double *smooth = member;
    if (strcmp(value, "auto") == 0) {
        *smooth = SMOOTH_AUTO;
        return 0;
    }
    if (num_parse_f64(value, o->low, o->high, smooth, &why) != 0)
        return err_set(e, ERR_USAGE, "'%s' is neither auto nor a number from %g to %g", value,
                       o->low, o->high);
    return 0;
}

static const struct cli_option options[] = {
    CLI_HEADING("Model"),
    {0, "base", "MODEL",
     "the base model r: an LSTM, an automaton or a mixture; or ngram, ngram:K (of order K) or "
     "uniform: an n-gram model fitted together with the weights; required",
     CLI_FILE(struct options, base, FILE_READ_MODEL)},
    ALPHABET_OPTION(struct options, strings,
                    "with --base ngram or uniform: " ALPHABET_HELP " [default: 01]"),
    STRING_OPTIONS(struct options, strings),
    {0, "smooth", "C",
     "interpolate the base model with an n-gram model of weight C, or auto: choose the weight "
     "with which P predicts the strings of --valid best [default: auto with --valid, else 0]",
     CLI_SET(set_smooth, struct options, smooth), CLI_GIVEN(struct options, smooth_given), .low = 0,
     .high = 1},
    {0, "valid", "FILE",
     "strings for --smooth auto that the base model was not trained on; once the weight is "
     "chosen, they are added to DATA",
     CLI_FILE(struct options, valid, FILE_READ)},
    FEATURE_OPTIONS(struct options, features, "add feature",
                    "maximum length L of the strings of the model, which also "
                    "divides lengths and counts [default: that of the base model; with --base "
                    "ngram or uniform as lstm-train]"),
    {'m', "motif", "S", "the motif for --ft", CLI_TEXT(struct options, motif)},
    {0, "lambda", "NAME=VALUE",
     "fix the weight of a feature; -inf is a hard constraint: motif:S=-inf requires S, "
     "count:S=-inf forbids it; can be repeated",
     CLI_LIST(struct options, weights)},
    {0, "target", "NAME=MEAN",
     "give a feature this mean, 0 to 1, instead of its mean in DATA; can be repeated",
     CLI_LIST(struct options, targets)},
    CONSTRAINT_OPTIONS(struct options, constraints),
    CLI_HEADING("Method"),
    {0, "regime", "NAME",
     "source of the moments: guided (proposals that look ahead), rs (rejection sampling), snis "
     "(importance sampling from the base) or exact "
     "[default: exact for automata, guided for LSTMs]",
     CLI_NAME(struct options, fit.regime, fit_regimes)},
    {0, "optimizer", "NAME", "newton or sgd [default: newton]",
     CLI_NAME(struct options, fit.optimizer, fit_optimizers)},
    {0, "l2", "X",
     "strength of the Gaussian prior [default: with newton 1/(100 n) for n strings; with sgd 0]",
     CLI_F64(struct options, fit.l2, 0, 1e6)},
    {0, "epochs", "N",
     "maximum number of epochs (sgd), or of steps or sampling rounds (newton) [default: 100]",
     CLI_U64(struct options, fit.epochs, 1, INT32_MAX)},
    {0, "accepted", "N",
     "rs: samples from P per estimate [default: newton: as many as strings, but 2000 to 10000; "
     "sgd: "
     "10]",
     CLI_U64(struct options, fit.accepted, 1, INT32_MAX)},
    {0, "samples", "N", "snis: samples from the base model [default: 50000]",
     CLI_U64(struct options, fit.samples, 1, INT32_MAX)},
    {0, "alpha0", "A", "sgd: learning rate; A/k in epoch k [default: 10]",
     CLI_F64(struct options, fit.alpha0, 0, 1e6)},
    {0, "patience", "N", "sgd: stop after N epochs without improvement [default: 10]",
     CLI_U64(struct options, fit.patience, 1, INT32_MAX)},
    CLI_HEADING("Reports"),
    {0, "report", "FILE", "write the result of the fit to FILE",
     CLI_FILE(struct options, report, FILE_WRITE)},
    {0, "log", "FILE", "write a row per epoch to FILE", CLI_FILE(struct options, log, FILE_WRITE)},
    CLI_END};

enum { SMOOTH_EPOCHS = 100 }; /* of the fit before the choice */
enum { ORDER_MAX = 1000 };    /* of --base ngram:K */
enum { ESS_LITTLE = 20 };     /* effective sample size below which errors are rough */

struct job {
    struct cli *cli;
    struct options *options;
    struct pool *pool;
    struct gam *gam;
    bool *fixed;            /* [features] */
    double *stated;         /* [features] means of --target; NaN: none */
    struct strings strings; /* of DATA, where they are kept */
    uint64_t valid_hash;    /* of --valid, where it is read */
    struct joint_choice choice;
    struct smooth_result smooth; /* all zero: none */
    struct fit_data data;
    struct fit_options fit;
    struct fit_result result;
    struct fit_log log;
    struct progress progress;
    double seconds;
};

/* Whether every feature may have a target or a weight; read_data finds out. */
static bool
may_state_all(const struct options *o)
{
    return o->targets.count > 0 || o->weights.count > 0 || !feature_options_given(&o->features);
}

/* What --base means, if it is no file. */
static int
parse_base(struct options *o, struct err *e)
{
    struct err why = {0};
    uint64_t order;
    o->order = strcmp(o->base, "uniform") == 0 ? JOINT_NO_WORDS : JOINT_CHOOSE;
    o->base_is_fitted = strcmp(o->base, "ngram") == 0 || o->order == JOINT_NO_WORDS;
    if (strncmp(o->base, "ngram:", 6) != 0)
        return 0;
    if (num_parse_u64(o->base + 6, 0, ORDER_MAX, &order, &why) != 0)
        return err_set(e, ERR_USAGE, "--base: '%s' is not ngram:K with an order K from 0 to %d",
                       o->base, ORDER_MAX);
    o->order = (int)order;
    o->base_is_fitted = true;
    return 0;
}

static int
check_smooth(struct options *o, struct err *e)
{
    if (o->base_is_fitted && (o->smooth_given || o->valid != NULL))
        return err_set(
            e, ERR_USAGE,
            "%s cannot be combined with --base ngram or uniform; add all strings to DATA",
            o->valid != NULL ? "--valid" : "--smooth");
    if (!o->smooth_given && o->valid != NULL)
        o->smooth = SMOOTH_AUTO;
    if (o->smooth < 0 && o->valid == NULL)
        return err_set(e, ERR_USAGE, "--smooth auto requires --valid FILE");
    return 0;
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    if (o->base == NULL)
        return err_set(e, ERR_USAGE, "missing required option --base MODEL");
    if (parse_base(o, e) != 0)
        return e->code;
    if (check_smooth(o, e) != 0)
        return e->code;
    if (string_options_alphabet(&o->strings, &o->alphabet, e) != 0)
        return e->code;
    c->no_stdin = may_state_all(o) && !o->base_is_fitted && o->smooth == 0;
    if (o->strings.alphabet != NULL && !o->base_is_fitted)
        return err_set(e, ERR_USAGE,
                       "--alphabet requires --base ngram or uniform; the base model "
                       "has its own");
    if (o->motif != NULL && o->features.bits == NULL)
        return err_set(e, ERR_USAGE,
                       "--motif requires --ft; for the motif alone, use --feature motif:%s",
                       o->motif);
    if (!feature_options_given(&o->features) && !constraint_options_given(&o->constraints))
        return err_set(e, ERR_USAGE,
                       "missing features; use --feature, --require, or --motif with --ft");
    return 0;
}

static int
fix_weights(struct job *j, struct err *e)
{
    const struct text_list *weights = &j->options->weights;
    j->fixed = mem_zero(feature_set_count(j->gam->features), sizeof *j->fixed, e);
    if (j->fixed == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < feature_set_count(j->gam->features); i++)
        j->fixed[i] = j->gam->lambda[i] == -INFINITY;
    for (size_t i = 0; i < weights->count; i++)
        if (fit_options_fix(weights->word[i], j->gam, j->fixed, e) != 0) {
            err_prefix(e, "--lambda");
            return e->code;
        }
    return 0;
}

static int
state_means(struct job *j, struct err *e)
{
    const struct text_list *targets = &j->options->targets;
    size_t n = feature_set_count(j->gam->features);
    j->stated = mem_array(n, sizeof *j->stated, e);
    if (j->stated == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        j->stated[i] = NAN;
    for (size_t i = 0; i < targets->count; i++)
        if (fit_options_state(targets->word[i], j->gam, j->stated, e) != 0) {
            err_prefix(e, "--target");
            return e->code;
        }
    for (size_t i = 0; i < n; i++)
        if (j->fixed[i] && !isnan(j->stated[i]))
            return err_set(e, ERR_USAGE, "--target: the weight of the feature '%s' is fixed",
                           feature_set_name(j->gam->features, i));
    return 0;
}

static int
constrain(struct job *j, struct err *e)
{
    struct feature_set *c =
        constraint_options_build(&j->options->constraints, &j->gam->model.alphabet, e);
    int rc = c != NULL ? gam_constrain(j->gam, c, e) : e->code;
    feature_set_free(c);
    return rc;
}

static int
add_features(struct job *j, uint64_t max_length, struct err *e)
{
    const struct options *o = j->options;
    struct feature_set *f = feature_options_build(&o->features, &j->gam->model.alphabet, &o->motif,
                                                  o->motif != NULL, e);
    if (f == NULL || gam_set_features(j->gam, f, max_length, e) != 0)
        return e->code;
    if (constrain(j, e) != 0 || fix_weights(j, e) != 0 || constraint_check(j->gam, e) != 0)
        return e->code;
    return state_means(j, e);
}

/* How to read strings over the alphabet of the base model. */
static struct string_format
base_format(struct job *j)
{
    return string_options_format(&j->options->strings, &j->gam->model.alphabet);
}

static int
read_strings(struct job *j, const char *path, struct err *e)
{
    progress_begin(&j->progress, j->cli->progress, "strings", 0);
    progress_note(&j->progress, "reading");
    const struct string_format f = base_format(j);
    int rc = fit_data_read(&j->data, j->gam, path, &f, e);
    progress_end(&j->progress);
    if (rc == 0)
        string_options_report(j->cli, j->data.skipped, NULL);
    return rc;
}

/* A base from a file. */
static int
read_base(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    j->gam = gam_from_base(o->base, e);
    if (j->gam == NULL || string_options_check(&o->strings, &j->gam->model.alphabet, e) != 0 ||
        add_features(j,
                     o->features.max_length > 0 ? o->features.max_length : j->gam->model.max_length,
                     e) != 0)
        return e->code;
    return 0;
}

/* ---- a base that is fitted with the weights */

static void
note_choice(const struct job *j)
{
    for (size_t i = 0; i < j->choice.count; i++) {
        const struct joint_candidate *c = &j->choice.candidate[i];
        cli_note(j->cli, "order %d, prior %g: %.6f nats per character by cross-validation",
                 c->order, c->prior, c->cv_ce);
    }
}

static int
load_strings(struct job *j, uint64_t *max_length, uint64_t *hash, struct err *e)
{
    struct options *o = j->options;
    const char *path = cli_operand(j->cli, 0);
    const struct string_format f = string_options_format(&o->strings, &o->alphabet);
    if (strings_load(&j->strings, path, &o->alphabet, &f, hash, e) != 0)
        return e->code;
    if (j->strings.count == 0)
        return err_set(e, ERR_DATA, "'%s' contains no strings",
                       strcmp(path, "-") == 0 ? "standard input" : path);
    if (f.grow != NULL && strings_settle_alphabet(&j->strings, f.grow, e) != 0)
        return e->code;
    string_options_report(j->cli, j->strings.skipped, f.grow);
    *max_length = o->features.max_length;
    if (*max_length == 0)
        *max_length = strings_default_max_length(j->strings.shortest, j->strings.longest);
    if (*max_length < j->strings.longest)
        return err_set(e, ERR_USAGE,
                       "--max-length: %llu is less than %zu, the length of the longest string",
                       (unsigned long long)*max_length, j->strings.longest);
    return 0;
}

static int
fit_base(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    uint64_t max_length = 0, hash = 0;
    struct meta *meta = cli_meta(j->cli, e);
    if (meta != NULL && load_strings(j, &max_length, &hash, e) == 0 &&
        (j->gam = gam_without_base(&o->alphabet, e)) != NULL &&
        add_features(j, max_length, e) == 0) {
        struct joint_options how = {.order = o->order,
                                    .l2 = fit_options_l2(&o->fit, (double)j->strings.count),
                                    .fixed = j->fixed,
                                    .stated = j->stated,
                                    .max_length = max_length,
                                    .max_size = PRODUCT_SIZE_MAX};
        if (joint_fit_gam(j->gam, &j->strings, &how, j->pool, meta, &j->choice, e) == 0) {
            note_choice(j);
            fit_data_take(&j->data, j->gam, &j->strings, e);
            j->data.hash = hash;
            j->data.bytes = j->strings.bytes;
        }
    }
    meta_free(meta);
    return e->code;
}

/* ---- a base that is smoothed with n-grams */

/* Adds the strings of a file, none of them longer than L. */
static int
add_strings(struct job *j, struct strings *s, const char *path, uint64_t *hash, struct err *e)
{
    const struct string_format f = base_format(j);
    if (strings_load(s, path, &j->gam->model.alphabet, &f, hash, e) != 0)
        return e->code;
    if (s->count == 0)
        return err_set(e, ERR_DATA, "'%s' contains no strings",
                       strcmp(path, "-") == 0 ? "standard input" : path);
    string_options_report(j->cli, s->skipped, NULL);
    if (s->longest > j->gam->model.max_length)
        return err_advise(e, ERR_DATA, REMEDY_RAISE_MAX_LENGTH,
                          "%s: a string has %zu symbols, maximum is %llu", path, s->longest,
                          (unsigned long long)j->gam->model.max_length);
    return 0;
}

static void
note_smooth(const struct job *j)
{
    const struct smooth_result *r = &j->smooth;
    for (unsigned i = 0; i < r->count; i++)
        cli_note(j->cli, "weights %.3f %.3f %.3f: %.6f nats per character of the validation set",
                 r->candidate[i].weight[0], r->candidate[i].weight[1], r->candidate[i].weight[2],
                 r->candidate[i].valid_ce);
    cli_note(j->cli, "base model %.4f, fitted n-gram %.4f, counted n-gram %.4f", r->weight[0],
             r->weight[1], r->weight[2]);
}

static int
smooth_base(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    struct strings valid = {0};
    uint64_t hash = 0;
    struct meta *meta = cli_meta(j->cli, e);
    struct fit_options how = o->fit;
    if (meta != NULL && add_strings(j, &j->strings, cli_operand(j->cli, 0), &hash, e) == 0 &&
        (o->valid == NULL || add_strings(j, &valid, o->valid, &j->valid_hash, e) == 0)) {
        how.seed = j->cli->seed;
        how.fixed = j->fixed;
        how.stated = j->stated;
        how.l2 = fit_options_l2(&how, (double)j->strings.count);
        how.epochs = SMOOTH_EPOCHS;
        how.accepted = how.samples = 1;
        if (smooth_gam(j->gam, &j->strings, &valid, o->smooth, &how, j->pool, meta, &j->smooth,
                       e) == 0 &&
            smooth_join(&j->strings, &valid, e) == 0) {
            note_smooth(j);
            fit_data_take(&j->data, j->gam, &j->strings, e);
            j->data.hash = hash;
            j->data.bytes = j->strings.bytes;
        }
    }
    strings_clear(&valid);
    meta_free(meta);
    return e->code;
}

static int
tell_epoch(void *arg, const struct fit_epoch *s, struct err *e)
{
    struct job *j = arg;
    progress_note(&j->progress, "epoch %llu, l1 %.4g", (unsigned long long)s->epoch, s->l1_mom);
    progress_update(&j->progress, s->samples);
    cli_note(j->cli, "epoch %llu: l1 %.6g", (unsigned long long)s->epoch, s->l1_mom);
    fit_log_row(&j->log, s);
    return e->code;
}

/* Warns about options of a method that is not used; a script may give those of several
 * methods. */
static void
warn_of_idle(const struct job *j)
{
    const struct fit_options *given = &j->options->fit, *chosen = &j->fit;
    if (given->samples > 0 && chosen->regime != FIT_SNIS)
        cli_warn(j->cli, "--samples is ignored without --regime snis");
    if (given->accepted > 0 && chosen->regime != FIT_RS)
        cli_warn(j->cli, "--accepted is ignored without --regime rs");
    if (given->alpha0 >= 0 && chosen->optimizer != FIT_SGD)
        cli_warn(j->cli, "--alpha0 is ignored without --optimizer sgd");
    if (given->patience > 0 && chosen->optimizer != FIT_SGD)
        cli_warn(j->cli, "--patience is ignored without --optimizer sgd");
    if (j->cli->json && j->options->report == NULL)
        cli_warn(j->cli, "--json is ignored without --report");
}

static int
fit(struct job *j, struct err *e)
{
    const char *log = j->options->log;
    double start = seconds_now();
    j->fit = j->options->fit;
    j->fit.seed = j->cli->seed;
    j->fit.fixed = j->fixed;
    j->fit.witness = &j->data.witness;
    j->fit.stated = j->stated;
    j->fit.epoch = tell_epoch;
    j->fit.arg = j;
    fit_options_complete(&j->fit, j->gam, j->data.seen);
    warn_of_idle(j);
    progress_begin(&j->progress, j->cli->progress, "proposals", 0);
    progress_note(&j->progress, "fitting, %s", fit_regimes[j->fit.regime]);
    if (log == NULL || fit_log_open(&j->log, log, j->gam->features, e) == 0)
        fit_run(j->gam, j->data.seen, j->pool, &j->fit, &j->result, e);
    progress_end(&j->progress);
    j->seconds = seconds_now() - start;
    return fit_log_close(&j->log, e);
}

static bool
all_fixed(const struct job *j)
{
    for (size_t i = 0; i < feature_set_count(j->gam->features); i++)
        if (!j->fixed[i])
            return false;
    return true;
}

/* What the weights do not say. */
static void
warn(const struct job *j)
{
    const struct feature_set *f = j->gam->features;
    if (j->data.forbidden > 0)
        cli_warn(j->cli, "%llu strings of the training set violate the hard constraints",
                 (unsigned long long)j->data.forbidden);
    if (j->data.impossible > 0)
        cli_warn(j->cli, "%llu strings of the training set have probability 0 under the base model",
                 (unsigned long long)j->data.impossible);
    for (size_t i = 0; i < feature_set_count(f); i++)
        if (j->result.feature[i].note == FIT_PRIOR || j->result.feature[i].note == FIT_STOPPED)
            cli_warn(j->cli, "feature '%s': no finite optimum; %s %g", feature_set_name(f, i),
                     j->result.feature[i].note == FIT_PRIOR ? "--l2 limits the weight to"
                                                            : "the optimizer stopped at weight",
                     j->gam->lambda[i]);
    if (j->result.regime != j->fit.regime)
        cli_warn(j->cli, "features have too many states for --regime %s; using %s instead",
                 fit_regimes[j->fit.regime], fit_regimes[j->result.regime]);
    if (j->result.starved && all_fixed(j))
        cli_warn(j->cli, "only %.0f samples of P were accepted within the limit of proposals",
                 j->result.ess);
    if (j->result.poor)
        cli_warn(
            j->cli,
            "effective sample size is %.3g, less than 0.05 per draw: log Z, means and standard "
            "errors are unreliable",
            j->result.ess);
    else if (j->result.ess < ESS_LITTLE)
        cli_warn(j->cli,
                 "effective sample size is %.3g, and standard errors are unreliable below %d%s",
                 j->result.ess, ESS_LITTLE,
                 j->result.regime != FIT_GUIDED ? "; use --regime guided" : "");
}

/* The exit status: whether the weights meet the request, and the reason if not. */
static int
judge(const struct job *j)
{
    const struct feature_set *f = j->gam->features;
    int status = EXIT_DONE;
    for (size_t i = 0; i < feature_set_count(f); i++) {
        const struct fit_feature *row = &j->result.feature[i];
        if (row->note >= FIT_UNSEEN)
            status = cli_unmet(j->cli, "feature '%s': %s: target %.6g, model %.6g, weight %g",
                               feature_set_name(f, i), fit_note_text(row->note), row->target,
                               row->model, j->gam->lambda[i]);
    }
    if (j->result.starved && !all_fixed(j))
        status =
            cli_unmet(j->cli,
                      "only %.0f samples of P were accepted within the limit of proposals; see "
                      "draws_se in the report, and use --regime guided",
                      j->result.ess);
    if (!j->result.converged)
        status =
            cli_unmet(j->cli, "not converged after %llu epochs, l1 distance of the moments is %g%s",
                      (unsigned long long)j->result.epochs, j->result.l1_mom,
                      j->result.epochs >= j->fit.epochs ? "; raise --epochs" : "");
    if (j->result.missed > 0)
        status =
            cli_unmet(j->cli,
                      "guided draws miss %.2g of the training set: they draw these strings more "
                      "than 100 times too rarely",
                      j->result.missed);
    if (j->result.gap > 0)
        status = cli_unmet(j->cli, "guided draws disagree about log Z by %.3g", j->result.gap);
    return status;
}

static void
report_smooth(struct report *r, const struct smooth_result *s)
{
    report_f64(r, "base_weight", s->weight[0]);
    report_f64(r, "ngram_weight", s->weight[1]);
    report_f64(r, "counted_weight", s->weight[2]);
    if (s->count > 0) {
        report_f64(r, "valid_gain", s->gain);
        report_f64(r, "valid_gain_se", s->gain_se);
    }
}

static int
write_report(const struct job *j, struct err *e)
{
    struct report r;
    uint64_t strings = (uint64_t)histogram_total(j->data.seen);
    struct output *out = output_open(j->options->report, e);
    if (out == NULL)
        return e->code;
    report_begin(&r, out, j->cli->json, e);
    if (j->options->smooth != 0)
        report_smooth(&r, &j->smooth);
    fit_report(&r, j->gam, &j->fit, &j->result,
               j->options->base_is_fitted ? &j->choice.candidate[j->choice.best] : NULL, strings,
               j->seconds);
    return output_close(out, e);
}

/* What was read, in the metadata. */
static int
note_data(const struct job *j, struct meta *m, struct err *e)
{
    int rc = meta_set_hash(m, "input", j->data.hash, e);
    if (rc == 0)
        rc = meta_set(m, "input_bytes", e, "%" PRIu64, j->data.bytes);
    return rc == 0 && j->options->smooth != 0 && j->options->valid != NULL
               ? meta_set_hash(m, "input.valid", j->valid_hash, e)
               : rc;
}

static int
write_model(const struct job *j, struct err *e)
{
    struct meta *m = cli_meta(j->cli, e);
    bool read = histogram_total(j->data.seen) > 0;
    if (m != NULL && (!read || note_data(j, m, e) == 0) &&
        meta_set(m, "regime", e, "%s", fit_regimes[j->result.regime]) == 0 &&
        meta_set(m, "optimizer", e, "%s", fit_optimizers[j->fit.optimizer]) == 0 &&
        meta_set_number(m, "l1_mom", j->result.l1_mom, e) == 0 &&
        meta_set_number(m, "log_z", j->result.log_z, e) == 0)
        model_write(&j->gam->model, m, j->cli->out, e);
    meta_free(m);
    return e->code;
}

/* An estimate of log Z goes with the model; an exact one is found again. */
static void
keep_log_z(struct job *j)
{
    if (!isfinite(j->result.ess) || j->result.log_z_se == 0 || j->result.gap > 0 ||
        j->result.missed > 0)
        return;
    j->gam->log_z = j->result.log_z;
    j->gam->log_z_se = j->result.log_z_se;
    j->gam->ess = j->result.ess;
}

/* Whether every feature has a target or a fixed weight. */
static bool
states_all(const struct job *j)
{
    for (size_t i = 0; i < feature_set_count(j->gam->features); i++)
        if (!j->fixed[i] && isnan(j->stated[i]))
            return false;
    return true;
}

/* Reads DATA, unless it is not named and nothing depends on it. */
static int
read_data(struct job *j, struct err *e)
{
    if (cli_operand(j->cli, 0) == NULL && states_all(j))
        return fit_data_none(&j->data, j->gam, e);
    if (cli_use_stdin(j->cli, j->options, e) != 0)
        return e->code;
    return read_strings(j, cli_operand(j->cli, 0), e);
}

/* The output is opened after the request was found to be valid. */
static int
fit_model(struct job *j, struct err *e)
{
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool == NULL || (j->options->base_is_fitted ? fit_base(j, e) : read_base(j, e)) != 0 ||
        (!j->options->base_is_fitted &&
         (j->options->smooth != 0 ? smooth_base(j, e) : read_data(j, e)) != 0))
        return e->code;
    if (cli_output(j->cli, true, e) == NULL || fit(j, e) != 0)
        return e->code;
    warn(j);
    keep_log_z(j);
    if (j->options->report != NULL && write_report(j, e) != 0)
        return e->code;
    return write_model(j, e);
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    int status = fit_model(&j, e) == 0 ? judge(&j) : EXIT_FAILED;
    constraint_explain(j.gam, e);
    if (!j.options->base_is_fitted &&
        (e->remedy == REMEDY_BAD_SYMBOL || e->remedy == REMEDY_SET_ALPHABET)) /* it is the base's */
        err_remedy(e, e->remedy == REMEDY_BAD_SYMBOL ? REMEDY_SKIP_BAD : REMEDY_NONE);
    fit_clear(&j.result);
    fit_data_clear(&j.data);
    strings_clear(&j.strings);
    gam_free(j.gam);
    pool_free(j.pool);
    mem_free(j.fixed);
    mem_free(j.stated);
    return status;
}

static const struct cli_tool tool = {
    .name = "gam-fit",
    .operands = "[DATA]",
    .summary = "Fit a global autoregressive model (GAM) to strings.",
    .details = "P(x) = r(x) exp(lambda . phi(x)) for |x| <= L. The weights lambda are fitted so\n"
               "that each feature has the same mean under P as in DATA, or the mean that\n"
               "--target states.",
    .examples = "  gam-fit --base r.lstm -m 10001011111000 --ft 1001111 D >g.gam\n"
                "  gam-fit --base r.lstm --feature length:30 --report - -o g.gam D\n"
                "  gam-fit --base r.lstm --feature motif:101 --lambda motif:101=-inf D >g.gam",
    .options = options,
    .flags = CLI_REPORT,
    .max_operands = 1,
    .operand = {{"DATA", FILE_READ}},
    .writes_model = true,
    .check = check_options,
    .run = run,
    .remedy =
        {
            ALPHABET_REMEDIES,
            [REMEDY_SET_MAX_LENGTH] = "set --max-length",
            [REMEDY_RAISE_MAX_LENGTH] = "raise --max-length",
            [REMEDY_LOWER_MAX_LENGTH] = "limit the length with --max-length",
            [REMEDY_GUIDED] = "use --regime guided",
            [REMEDY_CONSTRAINT] = "use --require or --forbid",
            [REMEDY_LOWER_ORDER] = "use a lower order",
        },
};

int
main(int argc, char **argv)
{
    struct options o = {0};
    fit_options_init(&o.fit);
    return cli_main(&tool, &o, argc, argv);
}

/* SPDX-License-Identifier: MIT
 * gam-fit: fits the weights of a GAM's features to data. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/seconds.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "gam/fit.h"
#include "gam/fit_report.h"
#include "gam/gam.h"
#include "io/output.h"
#include "io/report.h"
#include "model/meta.h"
#include "model/model.h"

struct options {
    const char *base, *motif; /* NULL if not given */
    struct feature_options features;
    struct text_list weights; /* of --lambda */
    struct fit_options fit;
    const char *log, *report; /* files, or NULL */
};

static const struct cli_option options[] = {
    CLI_HEADING("Model"),
    {0, "base", "MODEL", "the base model r, an LSTM or an automaton; required",
     CLI_FILE(struct options, base, FILE_READ_MODEL)},
    FEATURE_OPTIONS(struct options, features, "add feature",
                    "maximum length L of the strings of the model, which also "
                    "divides lengths and counts [default: that of the base model]"),
    {'m', "motif", "S", "the motif for --ft", CLI_TEXT(struct options, motif)},
    {0, "lambda", "NAME=VALUE",
     "fix the weight of a feature; -inf is a hard constraint: motif:S=-inf requires S, "
     "count:S=-inf forbids it; can be repeated",
     CLI_LIST(struct options, weights)},
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
     "rs: samples from P per estimate [default: with newton n, but 2000 to 10000; with sgd 10]",
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

enum { ESS_LITTLE = 20 }; /* effective draws below which errors are rough */

struct job {
    struct cli *cli;
    const struct options *options;
    struct pool *pool;
    struct gam *gam;
    bool *fixed; /* [features] */
    struct fit_data data;
    struct fit_options fit;
    struct fit_result result;
    struct fit_log log;
    struct progress progress;
    double seconds;
};

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    (void)c;
    if (o->base == NULL)
        return err_set(e, ERR_USAGE, "--base MODEL is missing");
    if (o->motif != NULL && o->features.bits == NULL)
        return err_set(e, ERR_USAGE,
                       "--motif goes with --ft; for the motif alone give --feature motif:%s",
                       o->motif);
    if (!feature_options_given(&o->features))
        return err_set(e, ERR_USAGE, "no features: give --feature, or --motif and --ft");
    return 0;
}

static int
fix_weights(struct job *j, struct err *e)
{
    const struct text_list *weights = &j->options->weights;
    j->fixed = mem_zero(feature_set_count(j->gam->features), sizeof *j->fixed, e);
    if (j->fixed == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < weights->count; i++)
        if (fit_options_fix(weights->word[i], j->gam, j->fixed, e) != 0) {
            err_prefix(e, "--lambda");
            return e->code;
        }
    return 0;
}

static int
make_model(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    uint64_t max_length = o->features.max_length;
    struct feature_set *f = NULL;
    j->gam = gam_from_base(o->base, e);
    if (j->gam != NULL)
        f = feature_options_build(&o->features, &j->gam->model.base->alphabet, &o->motif,
                                  o->motif != NULL, e);
    if (f == NULL)
        return e->code;
    if (gam_set_features(j->gam, f, max_length > 0 ? max_length : j->gam->model.base->max_length,
                         e) != 0)
        return e->code;
    return fix_weights(j, e);
}

static int
tell_epoch(void *arg, const struct fit_epoch *s, struct err *e)
{
    struct job *j = arg;
    snprintf(j->progress.note, sizeof j->progress.note, "l1 %.4g", s->l1_mom);
    progress_update(&j->progress, s->epoch);
    cli_note(j->cli, "epoch %llu: l1 %.6g", (unsigned long long)s->epoch, s->l1_mom);
    fit_log_row(&j->log, s);
    return e->code;
}

/* Options of a method that was not chosen: a script may give those of several. */
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
    j->fit.epoch = tell_epoch;
    j->fit.arg = j;
    fit_options_complete(&j->fit, j->gam, j->data.seen);
    warn_of_idle(j);
    progress_begin(&j->progress, j->cli->progress, "epochs", 0);
    if (log == NULL || fit_log_open(&j->log, log, j->gam->features, e) == 0)
        fit_run(j->gam, j->data.seen, j->pool, &j->fit, &j->result, e);
    progress_end(&j->progress);
    j->seconds = seconds_now() - start;
    return fit_log_close(&j->log, e);
}

/* What the weights do not say. */
static void
warn(const struct job *j)
{
    const struct feature_set *f = j->gam->features;
    if (j->data.forbidden > 0)
        cli_warn(j->cli, "%llu strings of the data violate the hard constraints",
                 (unsigned long long)j->data.forbidden);
    if (j->data.impossible > 0)
        cli_warn(j->cli, "%llu strings of the data have probability 0 under the base",
                 (unsigned long long)j->data.impossible);
    for (size_t i = 0; i < feature_set_count(f); i++)
        if (j->result.feature[i].note > FIT_IDLE && j->result.feature[i].note < FIT_UNSEEN)
            cli_warn(j->cli, "feature '%s', weight %g: %s", feature_set_name(f, i),
                     j->gam->lambda[i], fit_note_text(j->result.feature[i].note));
    if (j->result.regime != j->fit.regime)
        cli_warn(j->cli, "the features have too many states for --regime %s; used %s",
                 fit_regimes[j->fit.regime], fit_regimes[j->result.regime]);
    if (j->result.starved)
        cli_warn(j->cli, "only %.0f strings from P could be drawn in time; see draws_se",
                 j->result.ess);
    if (j->result.ess < ESS_LITTLE)
        cli_warn(j->cli,
                 "the effective sample size is %.3g: errors are rough below %d; try --regime "
                 "guided",
                 j->result.ess, ESS_LITTLE);
}

/* The exit status: whether the weights are those that were asked for, and why not. */
static int
judge(const struct job *j)
{
    const struct feature_set *f = j->gam->features;
    int status = EXIT_DONE;
    for (size_t i = 0; i < feature_set_count(f); i++) {
        const struct fit_feature *row = &j->result.feature[i];
        if (row->note >= FIT_UNSEEN)
            status = cli_unmet(j->cli, "feature '%s', weight %g: %s: target %.6g, model %.6g",
                               feature_set_name(f, i), j->gam->lambda[i], fit_note_text(row->note),
                               row->target, row->model);
    }
    if (!j->result.converged)
        status =
            cli_unmet(j->cli, "not converged after %llu epochs; the l1 distance of moments is %g",
                      (unsigned long long)j->result.epochs, j->result.l1_mom);
    return status;
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
    fit_report(&r, j->gam, &j->fit, &j->result, strings, j->seconds);
    return output_close(out, e);
}

static int
write_model(const struct job *j, struct err *e)
{
    struct meta *m = cli_meta(j->cli, e);
    if (m != NULL && meta_set_hash(m, "input", j->data.hash, e) == 0 &&
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
    if (!isfinite(j->result.ess) || j->result.log_z_se == 0)
        return;
    j->gam->log_z = j->result.log_z;
    j->gam->log_z_se = j->result.log_z_se;
    j->gam->ess = j->result.ess;
}

/* The output is opened when what was asked for is known to make sense. */
static int
fit_model(struct job *j, struct err *e)
{
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool == NULL || make_model(j, e) != 0 ||
        fit_data_read(&j->data, j->gam, cli_operand(j->cli, 0), e) != 0)
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
    fit_clear(&j.result);
    fit_data_clear(&j.data);
    gam_free(j.gam);
    pool_free(j.pool);
    mem_free(j.fixed);
    return status;
}

static const struct cli_tool tool = {
    .name = "gam-fit",
    .operands = "[DATA]",
    .summary = "Fit a global autoregressive model (GAM) to strings.",
    .details = "P(x) = r(x) exp(lambda . phi(x)) for |x| <= L. The weights lambda are fitted so\n"
               "that each feature has the same mean under P as in DATA.",
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
            [REMEDY_SET_MAX_LENGTH] = "give --max-length",
            [REMEDY_RAISE_MAX_LENGTH] = "raise --max-length",
            [REMEDY_LOWER_MAX_LENGTH] = "give a smaller --max-length",
            [REMEDY_GUIDED] = "use --regime guided",
        },
};

int
main(int argc, char **argv)
{
    struct options o = {0};
    fit_options_init(&o.fit);
    return cli_main(&tool, &o, argc, argv);
}

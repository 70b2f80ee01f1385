/* SPDX-License-Identifier: MIT
 * lm-mix: interpolates models symbol by symbol. */
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "core/mem.h"
#include "core/pool.h"
#include "gam/gam.h"
#include "gam/product.h"
#include "io/output.h"
#include "io/report.h"
#include "mix/mix.h"
#include "mix/mix_fit.h"
#include "model/meta.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "text/strings.h"

struct options {
    const char *valid;   /* a file, or NULL */
    const char *weights; /* "W,W,...", or NULL */
    uint64_t max_length; /* 0: of the models */
    const char *log, *report;
    double weight[MIX_PARTS_MAX]; /* of --weights */
    struct string_options strings;
};

static const struct cli_option options[] = {
    CLI_HEADING("Weights"),
    {0, "valid", "FILE", "find the weights that maximize the likelihood of the strings in FILE",
     CLI_FILE(struct options, valid, FILE_READ)},
    {0, "weights", "W,W,...", "the weight of each model; they sum to 1",
     CLI_TEXT(struct options, weights)},
    CLI_HEADING("Data"),
    STRING_OPTIONS(struct options, strings),
    CLI_HEADING("Model"),
    {0, "max-length", "N",
     "maximum length of strings that are drawn [default: the largest of the models]",
     CLI_U64(struct options, max_length, 1, UINT32_MAX)},
    CLI_HEADING("Output"),
    {0, "log", "FILE", "write weights and CE after each iteration to FILE", .no_trace = true,
     CLI_FILE(struct options, log, FILE_WRITE)},
    {0, "report", "FILE", "write weights and CE of each model to FILE", .no_trace = true,
     CLI_FILE(struct options, report, FILE_WRITE)},
    CLI_END};

struct job {
    struct cli *cli;
    const struct options *options;
    struct pool *pool;
    struct mix *mix;
    struct strings strings; /* of --valid */
    uint64_t hash;
    struct mix_evidence evidence;
    double weight[MIX_PARTS_MAX];
    struct mix_fit_result result;
    struct output *log; /* or NULL */
    struct report rows; /* of the log */
};

static int
check_weights(const struct cli *c, struct options *o, struct err *e)
{
    int rc = shares_parse(o->weights, (size_t)c->operand_count, "model", o->weight, e);
    for (int i = 0; rc == 0 && i < c->operand_count; i++)
        if (o->weight[i] == 0)
            rc = err_set(e, ERR_USAGE, "the weight of '%s' is 0; leave the model out",
                         cli_operand(c, i));
    if (rc != 0)
        err_prefix(e, "--weights");
    return rc;
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    if (c->operand_count < 2)
        return err_set(e, ERR_USAGE, "a mixture requires at least 2 models, got %d",
                       c->operand_count);
    if (c->operand_count > MIX_PARTS_MAX)
        return err_set(e, ERR_USAGE, "a mixture has at most %d models, got %d", MIX_PARTS_MAX,
                       c->operand_count);
    if (o->valid == NULL && o->weights == NULL)
        return err_set(e, ERR_USAGE, "missing required option --valid FILE or --weights W,W,...");
    if (o->valid != NULL && o->weights != NULL)
        return err_set(e, ERR_USAGE, "--weights cannot be combined with --valid");
    if (o->log != NULL && o->valid == NULL)
        return err_set(e, ERR_USAGE, "--log requires --valid");
    if (o->report != NULL && o->valid == NULL)
        return err_set(e, ERR_USAGE, "--report requires --valid");
    return o->weights != NULL ? check_weights(c, o, e) : 0;
}

/* ---- the models */

/* Puts the automaton that a GAM over an automaton is, and its file, in the GAM's place. */
static int
convert_gam(struct model **m, struct model_file *file, struct err *e)
{
    struct gam *g = gam_of(*m);
    if (pfsa_of(g->model.base) == NULL)
        return err_set(
            e, ERR_DATA,
            "base model of a GAM in a mixture must be of kind 'pfsa', got '%s'; train an "
            "LSTM on samples of the GAM instead",
            g->model.base->kind->name);
    struct pfsa *p = product_of_gam(g, MODEL_UNBOUNDED, e);
    if (p == NULL)
        return e->code;
    mem_free(file->bytes);
    *file = (struct model_file){0};
    int rc = model_pack(&p->model, g->model.meta, file, e);
    model_free(*m);
    *m = &p->model;
    return rc;
}

static int
add_model(struct job *j, const char *path, struct err *e)
{
    struct model_file file = {0};
    struct model *m = model_load_file(path, &file, e);
    int rc = m != NULL ? 0 : e->code;
    if (gam_of(m) != NULL && (rc = convert_gam(&m, &file, e)) != 0)
        err_prefix(e, "%s", path);
    if (rc != 0) {
        mem_free(file.bytes);
        model_free(m);
        return rc;
    }
    rc = mix_add(j->mix, m, file, e);
    if (rc != 0)
        err_prefix(e, "%s", path);
    return rc;
}

static int
open_models(struct job *j, struct err *e)
{
    j->pool = pool_new(j->cli->threads, e);
    j->mix = j->pool != NULL ? mix_new(e) : NULL;
    int rc = j->mix != NULL ? 0 : ERR_NOMEM;
    for (int i = 0; i < j->cli->operand_count && rc == 0; i++)
        rc = add_model(j, cli_operand(j->cli, i), e);
    if (rc == 0 && j->options->max_length > 0)
        j->mix->model.max_length = j->options->max_length;
    return rc == 0 ? model_check_length(&j->mix->model, j->mix->model.max_length, e) : rc;
}

/* ---- the weights */

static int
open_log(struct job *j, const char **columns, struct err *e)
{
    if (j->options->log == NULL)
        return 0;
    columns[0] = "iteration";
    columns[1] = "ce";
    columns[2] = "gap";
    for (int i = 0; i < j->cli->operand_count; i++)
        columns[3 + i] = cli_operand(j->cli, i);
    j->log = output_open(j->options->log, e);
    if (j->log == NULL)
        return e->code;
    report_begin(&j->rows, j->log, false, e);
    report_table(&j->rows, "iterations", columns);
    return e->code;
}

static int
log_iteration(void *arg, const struct mix_iteration *i, struct err *e)
{
    struct job *j = arg;
    if (j->log == NULL)
        return 0;
    report_cell_u64(&j->rows, i->number);
    report_cell_f64(&j->rows, i->loss);
    report_cell_f64(&j->rows, i->gap);
    for (size_t k = 0; k < j->mix->count; k++)
        report_cell_f64(&j->rows, i->weight[k]);
    return e->code;
}

static int
close_log(struct job *j, struct err *e)
{
    if (j->log != NULL && e->code == ERR_NONE) {
        report_table_end(&j->rows);
        report_end(&j->rows);
    }
    int rc = output_close(j->log, e);
    j->log = NULL;
    return rc;
}

static int
find_weights(struct job *j, struct err *e)
{
    const char *columns[MIX_PARTS_MAX + 4] = {0};
    const char *valid = j->options->valid;
    const char *name = strcmp(valid, "-") == 0 ? "standard input" : valid;
    struct alphabet *a = &j->mix->model.alphabet;
    const struct string_format f = string_options_format(&j->options->strings, a);
    if (string_options_check(&j->options->strings, a, e) != 0 ||
        strings_load(&j->strings, valid, a, &f, &j->hash, e) != 0)
        return e->code;
    string_options_report(j->cli, j->strings.skipped, NULL);
    if (j->strings.count == 0)
        return err_set(e, ERR_DATA, "'%s' contains no strings", name);
    if (mix_evidence_gather(&j->evidence, j->mix, &j->strings, j->pool, e) != 0) {
        if (e->code == ERR_DATA)
            err_prefix(e, "%s", name);
        return e->code;
    }
    for (size_t k = 0; k < j->mix->count; k++)
        j->weight[k] = j->mix->part[k].weight;
    if (open_log(j, columns, e) == 0) {
        struct mix_fit_options o = {.iteration = log_iteration, .arg = j};
        mix_fit(&j->evidence, &o, j->weight, &j->result, e);
    }
    return close_log(j, e);
}

static int
set_weights(struct job *j, struct err *e)
{
    if (j->options->weights != NULL)
        memcpy(j->weight, j->options->weight, sizeof j->weight);
    else if (find_weights(j, e) != 0)
        return e->code;
    return mix_set_weights(j->mix, j->weight, e);
}

/* ---- the output */

static void
note_weights(const struct job *j)
{
    for (size_t k = 0; k < j->mix->count && j->options->valid != NULL; k++)
        cli_note(j->cli, "%s: weight %.6f, %.6f nats per character", cli_operand(j->cli, (int)k),
                 j->weight[k], mix_evidence_loss(&j->evidence, k));
    if (j->options->valid != NULL)
        cli_note(j->cli, "the mixture: %.6f nats per character after %llu iterations",
                 j->result.loss, (unsigned long long)j->result.iterations);
}

static int
write_report(const struct job *j, struct err *e)
{
    static const char *const columns[] = {"model", "kind", "weight", "ce", NULL};
    struct report r;
    struct output *out = output_open(j->options->report, e);
    if (out == NULL)
        return e->code;
    report_begin(&r, out, j->cli->json, e);
    report_u64(&r, "strings", j->strings.count);
    report_u64(&r, "chars", j->evidence.chars);
    report_u64(&r, "iterations", j->result.iterations);
    report_f64(&r, "ce", j->result.loss);
    report_f64(&r, "gap", j->result.gap);
    report_table(&r, "models", columns);
    for (size_t k = 0; k < j->mix->count; k++) {
        report_cell_text(&r, cli_operand(j->cli, (int)k));
        report_cell_text(&r, j->mix->part[k].model->kind->name);
        report_cell_f64(&r, j->weight[k]);
        report_cell_f64(&r, mix_evidence_loss(&j->evidence, k));
    }
    report_table_end(&r);
    report_end(&r);
    return output_close(out, e);
}

static int
write_model(const struct job *j, struct err *e)
{
    struct meta *meta = cli_meta(j->cli, e);
    int rc = meta != NULL ? 0 : ERR_NOMEM;
    if (rc == 0 && j->options->valid != NULL) {
        rc = meta_set_hash(meta, "input.valid", j->hash, e);
        if (rc == 0)
            rc = meta_set_number(meta, "valid_ce", j->result.loss, e);
    }
    if (rc == 0)
        rc = model_write(&j->mix->model, meta, j->cli->out, e);
    meta_free(meta);
    return rc;
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    if (open_models(&j, e) == 0 && set_weights(&j, e) == 0 && cli_output(c, true, e) != NULL) {
        note_weights(&j);
        if (j.options->report == NULL || write_report(&j, e) == 0)
            write_model(&j, e);
    }
    mix_evidence_clear(&j.evidence);
    strings_clear(&j.strings);
    mix_free(j.mix);
    pool_free(j.pool);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "lm-mix",
    .operands = "MODEL MODEL...",
    .summary = "Interpolate models symbol by symbol.",
    .details = "MODELs are LSTMs, automata, mixtures, or GAMs over automata. The mixture\n"
               "predicts each symbol by the weighted mean of what the models predict.",
    .examples = "  lm-mix --valid V r1.lstm r2.lstm ngram.pfsa >m.mix\n"
                "  lm-mix --weights 0.7,0.3 r.lstm uniform.pfsa -o m.mix",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = -1,
    .operand = {{"MODEL", FILE_READ_MODEL}},
    .writes_model = true,
    .check = check_options,
    .run = run,
    .remedy = {STRING_REMEDIES, [REMEDY_SET_MAX_LENGTH] = "set --max-length",
               [REMEDY_RAISE_MAX_LENGTH] = "raise --max-length",
               [REMEDY_LOWER_MAX_LENGTH] = "lower --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {0};
    return cli_main(&tool, &o, argc, argv);
}

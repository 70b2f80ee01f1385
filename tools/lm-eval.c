/* SPDX-License-Identifier: MIT
 * lm-eval: the cross-entropy of a model on strings. */
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "core/dmath.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/ratio.h"
#include "gam/evaluate.h"
#include "gam/gam.h"
#include "gam/partition.h"
#include "io/input.h"
#include "io/output.h"
#include "io/report.h"
#include "model/model.h"
#include "model/scorer.h"
#include "pfsa/pfsa.h"
#include "text/alphabet.h"
#include "text/line_reader.h"
#include "text/strings.h"

struct options {
    bool per_string;
    const char *truth; /* a model file, or NULL */
    double log_z_se;   /* wanted of a GAM's log Z */
};

static const struct cli_option options[] = {
    CLI_HEADING("Evaluation"),
    {0, "truth", "PFSA",
     "the source of the strings: also print its CE, and the KL divergence of the model from it",
     CLI_FILE(struct options, truth, FILE_READ_MODEL)},
    {0, "per-string", NULL, "print 'log p<TAB>string' for each string instead of the report",
     CLI_FLAG(struct options, per_string)},
    {0, "log-z-se", "X", "GAM: requested standard error of log Z [default: 0.01]",
     CLI_F64(struct options, log_z_se, 1e-6, 1)},
    CLI_END};

struct job {
    struct cli *cli;
    const struct options *options;
    struct input *data;
    struct line_reader *lines;
    struct pool *pool;
    struct output *out;
    struct model *model;
    struct partition z; /* of a GAM */
    struct pfsa *truth; /* or NULL */
    struct strings block;
    char *text; /* a string as it is printed */
    size_t text_capacity;
    struct evaluate evaluation;
};

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    if (o->per_string && (o->truth != NULL || c->json))
        return err_set(e, ERR_USAGE, "--per-string prints no report: leave out %s",
                       c->json ? "--json" : "--truth");
    return 0;
}

static int
open_model(struct job *j, const char *path, struct err *e)
{
    j->model = model_load(path, e);
    if (gam_of(j->model) != NULL)
        partition_find(gam_of(j->model), j->pool, j->cli->seed, j->options->log_z_se, &j->z, e);
    return e->code;
}

static int
open_truth(struct job *j, const char *path, struct err *e)
{
    const struct alphabet *a = &j->model->alphabet;
    if (path == NULL)
        return 0;
    j->truth = pfsa_load(path, e);
    if (j->truth == NULL || alphabet_equal(a, &j->truth->model.alphabet))
        return e->code;
    return err_set(e, ERR_DATA, "'%s' has the alphabet '%s', but '%s' has '%s'", path,
                   j->truth->model.alphabet.chars, cli_operand(j->cli, 0), a->chars);
}

static int
open_all(struct job *j, struct err *e)
{
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool == NULL || open_model(j, cli_operand(j->cli, 0), e) != 0 ||
        open_truth(j, j->options->truth, e) != 0)
        return e->code;
    const struct model *truth = j->truth != NULL ? &j->truth->model : NULL;
    const struct partition *z = gam_of(j->model) != NULL ? &j->z : NULL;
    if (evaluate_init(&j->evaluation, j->model, z, truth, j->pool, e) != 0)
        return e->code;
    j->data = input_open(cli_operand(j->cli, 1), e);
    j->lines = j->data != NULL ? line_reader_new(j->data, &j->model->alphabet, e) : NULL;
    j->out = j->lines != NULL ? cli_output(j->cli, false, e) : NULL;
    return e->code;
}

static void
close_all(struct job *j)
{
    evaluate_clear(&j->evaluation);
    strings_clear(&j->block);
    mem_free(j->text);
    model_free(j->model);
    pfsa_free(j->truth);
    line_reader_free(j->lines);
    input_close(j->data);
    pool_free(j->pool);
}

static int
print_block(struct job *j, struct err *e)
{
    int rc = mem_reserve(&j->text, &j->text_capacity, j->block.longest, 1, e);
    for (size_t i = 0; i < j->block.count && rc == 0; i++) {
        char number[NUM_TEXT_MAX];
        size_t length;
        const uint8_t *symbols = strings_get(&j->block, i, &length);
        num_text(j->evaluation.model.logp[i], number);
        alphabet_decode(&j->model->alphabet, symbols, length, j->text);
        output_write(j->out, number, strlen(number), e);
        output_write(j->out, "\t", 1, e);
        output_write(j->out, j->text, length, e);
        rc = output_write(j->out, "\n", 1, e);
    }
    return rc;
}

static int
score_all(struct job *j, struct err *e)
{
    struct evaluate *v = &j->evaluation;
    struct progress p;
    int status;
    progress_begin(&p, j->cli->progress, "strings", 0);
    while ((status = scorer_read_block(&j->block, j->lines, e)) == 1) {
        status = evaluate_block(v, &j->block, e);
        if (status == 0 && j->options->per_string)
            status = print_block(j, e);
        if (status != 0)
            break;
        progress_update(&p, v->strings);
    }
    progress_end(&p);
    cli_note(j->cli, "%llu model steps for %llu characters", (unsigned long long)evaluate_steps(v),
             (unsigned long long)v->chars);
    return status;
}

/* What makes the numbers less than they seem. */
static void
warn(const struct job *j)
{
    const struct evaluate *v = &j->evaluation;
    if (v->strings == 0)
        cli_warn(j->cli, "'%s' holds no strings", input_name(j->data));
    if (v->too_long > 0)
        cli_warn(j->cli, "%llu of %llu strings are longer than the model's maximum of %llu symbols",
                 (unsigned long long)v->too_long, (unsigned long long)v->strings,
                 (unsigned long long)j->model->max_length);
    if (j->z.samples > 0 && pfsa_of(model_proposal(j->model)) != NULL)
        cli_warn(j->cli, "the GAM as an automaton is too large to sum exactly; log Z is estimated");
    if (v->ce.infinite > 0)
        cli_warn(j->cli, "%llu of %llu strings have probability 0 under the model",
                 (unsigned long long)v->ce.infinite, (unsigned long long)v->strings);
    if (v->true_ce.infinite > 0)
        cli_warn(j->cli, "%llu of %llu strings have probability 0 under the truth",
                 (unsigned long long)v->true_ce.infinite, (unsigned long long)v->strings);
}

/* The exit status: whether log Z is as exact as was asked for. */
static int
judge(const struct job *j)
{
    if (gam_of(j->model) == NULL || j->z.enough)
        return EXIT_DONE;
    return cli_unmet(j->cli,
                     "log Z has a standard error of %g after %llu proposals, where %g was asked "
                     "for; the effective sample size is %.3g",
                     j->z.log_z_se, (unsigned long long)j->z.samples, j->options->log_z_se,
                     j->z.ess);
}

static int
print_report(const struct job *j, struct err *e)
{
    const struct evaluate *v = &j->evaluation;
    struct report r;
    double ce = ratio_value(&v->ce);
    report_begin(&r, j->out, j->cli->json, e);
    report_u64(&r, "strings", v->strings);
    report_u64(&r, "chars", v->chars);
    report_f64(&r, "ce", ce);
    report_f64(&r, "ce_se", evaluate_error(v, &v->ce));
    report_f64(&r, "perplexity", dm_exp(ce));
    report_f64(&r, "bits_per_char", ce / DM_LN2);
    report_f64(&r, "log_likelihood", 0 - ratio_sum(&v->ce));
    if (gam_of(j->model) != NULL) {
        report_f64(&r, "log_z", j->z.log_z);
        report_f64(&r, "log_z_se", j->z.log_z_se);
        report_f64(&r, "ess", j->z.ess);
    }
    if (j->truth != NULL) {
        report_f64(&r, "true_ce", ratio_value(&v->true_ce));
        report_f64(&r, "kl", ratio_value(&v->kl));
        report_f64(&r, "kl_se", evaluate_error(v, &v->kl));
    }
    return report_end(&r);
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    int status = EXIT_FAILED;
    if (open_all(&j, e) == 0 && score_all(&j, e) == 0) {
        warn(&j);
        if (!j.options->per_string)
            print_report(&j, e);
        status = judge(&j);
    }
    close_all(&j);
    return status;
}

static const struct cli_tool tool = {
    .name = "lm-eval",
    .operands = "MODEL [DATA]",
    .summary = "Print the cross-entropy of a model on strings, in nats per character.",
    .details = "MODEL is an LSTM, an automaton or a GAM. Characters include the end of each\n"
               "string.",
    .examples = "  lm-eval r.lstm T\n"
                "  pfsa-gen -n 5000 m.pfsa | lm-eval --truth m.pfsa r.lstm",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = 2,
    .operand = {{"MODEL", FILE_READ_MODEL}, {"DATA", FILE_READ}},
    .check = check_options,
    .run = run,
    .remedy = {[REMEDY_SET_MAX_LENGTH] = "give gam-fit --max-length",
               [REMEDY_LOWER_MAX_LENGTH] = "give gam-fit a smaller --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {.log_z_se = 0.01};
    return cli_main(&tool, &o, argc, argv);
}

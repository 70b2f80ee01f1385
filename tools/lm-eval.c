/* SPDX-License-Identifier: MIT
 * lm-eval: the cross-entropy of a model on strings. */
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "core/dmath.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/ratio.h"
#include "feature/feature_set.h"
#include "gam/constraint.h"
#include "gam/evaluate.h"
#include "gam/gam.h"
#include "gam/partition.h"
#include "gam/provenance.h"
#include "io/input.h"
#include "io/output.h"
#include "io/report.h"
#include "model/model.h"
#include "model/scorer.h"
#include "pfsa/pfsa.h"
#include "text/alphabet.h"
#include "text/string_reader.h"
#include "text/strings.h"

struct options {
    bool per_string;
    const char *truth;   /* a model file, or NULL */
    double log_z_se;     /* error wanted for log Z */
    uint64_t max_length; /* MODEL_UNBOUNDED: not given */
    struct constraint_options constraints;
    struct string_options strings;
};

static const struct cli_option options[] = {
    CLI_HEADING("Evaluation"),
    {0, "truth", "PFSA",
     "the source of the strings: also print its CE, and the KL divergence of the model from it",
     CLI_FILE(struct options, truth, FILE_READ_MODEL)},
    {0, "per-string", NULL,
     "print 'log p<TAB>string' for each string instead of the report; for FASTA, a TAB and the "
     "name follow",
     CLI_FLAG(struct options, per_string)},
    {0, "max-length", "N", "score the strings given that they have at most N symbols",
     CLI_U64(struct options, max_length, 0, INT64_MAX)},
    {0, "log-z-se", "X",
     "GAM, or LSTM with --max-length: requested standard error of log Z [default: 0.01]",
     CLI_F64(struct options, log_z_se, 1e-6, 1)},
    CONSTRAINT_OPTIONS(struct options, constraints),
    CLI_HEADING("Data"),
    STRING_OPTIONS(struct options, strings),
    CLI_END};

struct job {
    struct cli *cli;
    const struct options *options;
    struct input *data;
    struct provenance known; /* the training sets of the model */
    struct string_reader *lines;
    struct pool *pool;
    struct output *out;
    struct model *model;
    struct partition z;  /* 1 if nothing is to be normalized */
    uint64_t max_length; /* of --max-length and a GAM's L, the smaller */
    struct pfsa *truth;  /* or NULL */
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
        return err_set(e, ERR_USAGE, "--per-string cannot be combined with %s",
                       c->json ? "--json" : "--truth");
    return 0;
}

/* Makes the model a GAM with the constraints. */
static int
constrain(struct job *j, struct err *e)
{
    struct constrained x = {0};
    if (j->model == NULL || !constraint_options_given(&j->options->constraints))
        return e->code;
    struct feature_set *c =
        constraint_options_build(&j->options->constraints, &j->model->alphabet, e);
    if (c == NULL)
        return e->code;
    int rc = constrained_init(&x, j->model, c, j->model->max_length, e);
    j->model = NULL;
    if (rc == 0) {
        j->model = &x.gam->model;
        x.gam = NULL;
    }
    constrained_clear(&x);
    feature_set_free(c);
    return rc;
}

static void
show_draws(void *arg, uint64_t draws, uint64_t wanted)
{
    struct progress *p = arg;
    progress_expect(p, wanted);
    progress_update(p, draws);
}

static int
find_partition(struct job *j, struct err *e)
{
    struct progress p;
    struct partition_options o = {
        .max_length = j->options->max_length,
        .seed = j->cli->seed,
        .error = j->options->log_z_se,
        .progress = show_draws,
        .arg = &p,
    };
    progress_begin(&p, j->cli->progress, "proposals", 0);
    progress_note(&p, "log Z");
    int rc = partition_find(j->model, j->pool, &o, &j->z, e);
    progress_end(&p);
    return rc;
}

/* Whether scores are divided by a normalizing constant. */
static bool
is_normalized(const struct job *j)
{
    return gam_of(j->model) != NULL || j->options->max_length != MODEL_UNBOUNDED;
}

static int
open_model(struct job *j, const char *path, struct err *e)
{
    j->model = model_load(path, e);
    if (j->model == NULL)
        return e->code;
    provenance_add(&j->known, j->model);
    if (string_options_check(&j->options->strings, &j->model->alphabet, e) != 0 ||
        constrain(j, e) != 0)
        return e->code;
    j->max_length = j->options->max_length;
    if (gam_of(j->model) != NULL && j->model->max_length < j->max_length)
        j->max_length = j->model->max_length;
    find_partition(j, e);
    return constraint_explain(gam_of(j->model), e);
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
    return err_set(e, ERR_DATA, "alphabet of '%s' is '%s', but alphabet of '%s' is '%s'", path,
                   j->truth->model.alphabet.text, cli_operand(j->cli, 0), a->text);
}

static int
open_all(struct job *j, struct err *e)
{
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool == NULL || open_model(j, cli_operand(j->cli, 0), e) != 0 ||
        open_truth(j, j->options->truth, e) != 0)
        return e->code;
    const struct model *truth = j->truth != NULL ? &j->truth->model : NULL;
    const struct partition *z = is_normalized(j) ? &j->z : NULL;
    if (evaluate_init(&j->evaluation, j->model, j->max_length, z, truth, j->pool, e) != 0)
        return e->code;
    const struct string_format f = string_options_format(&j->options->strings, &j->model->alphabet);
    j->data = input_open(cli_operand(j->cli, 1), e);
    if (j->data != NULL)
        input_watch(j->data, j->known.mark, j->known.count);
    j->lines = j->data != NULL ? string_reader_new(j->data, &j->model->alphabet, &f, e) : NULL;
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
    string_reader_free(j->lines);
    input_close(j->data);
    pool_free(j->pool);
}

static int
print_block(struct job *j, struct err *e)
{
    size_t most = alphabet_text_max(&j->model->alphabet, j->block.longest);
    const char *name = string_reader_names(j->lines);
    int rc = mem_reserve(&j->text, &j->text_capacity, most, 1, e);
    for (size_t i = 0; i < j->block.count && rc == 0; i++) {
        char number[NUM_TEXT_MAX];
        size_t length;
        const uint8_t *symbols = strings_get(&j->block, i, &length);
        num_text(j->evaluation.model.logp[i], number);
        size_t bytes = alphabet_decode(&j->model->alphabet, symbols, length, j->text);
        output_write(j->out, number, strlen(number), e);
        output_write(j->out, "\t", 1, e);
        output_write(j->out, j->text, bytes, e);
        if (name != NULL) {
            output_printf(j->out, e, "\t%s", name);
            name += strlen(name) + 1;
        }
        rc = output_write(j->out, "\n", 1, e);
    }
    return rc;
}

static uint64_t
scored(void *arg)
{
    return evaluate_scored(arg);
}

/* Estimates how many strings the file has, from the part that was read. */
static uint64_t
expected_strings(const struct job *j)
{
    double part = (double)input_stored(j->data) / (double)input_size(j->data);
    double read = (double)(j->evaluation.strings + j->block.count);
    return part > 0 && part <= 1 ? (uint64_t)(read / part) : 0;
}

static int
read_block(struct job *j, struct err *e)
{
    if (j->options->per_string)
        string_reader_keep_names(j->lines);
    return scorer_read_block(&j->block, j->lines, e);
}

static int
score_all(struct job *j, struct err *e)
{
    struct evaluate *v = &j->evaluation;
    struct progress p;
    int rc;
    progress_begin(&p, j->cli->progress, "strings", 0);
    progress_poll(&p, scored, v);
    while ((rc = read_block(j, e)) == 1) {
        progress_expect(&p, expected_strings(j));
        rc = evaluate_block(v, &j->block, e);
        if (rc == 0 && j->options->per_string)
            rc = print_block(j, e);
        if (rc != 0)
            break;
    }
    progress_end(&p);
    cli_note(j->cli, "%llu model steps for %llu characters", (unsigned long long)evaluate_steps(v),
             (unsigned long long)v->chars);
    return rc;
}

static void
warn_of_long(const struct job *j)
{
    const struct evaluate *v = &j->evaluation;
    unsigned long long too_long = v->too_long, strings = v->strings, most = j->max_length;
    if (too_long > 0 && j->max_length == j->options->max_length)
        cli_warn(j->cli, "%llu of %llu strings are longer than --max-length %llu", too_long,
                 strings, most);
    else if (too_long > 0)
        cli_warn(
            j->cli,
            "%llu of %llu strings are longer than %llu symbols, the maximum length of the model",
            too_long, strings, most);
}

static void
warn_of_training_set(const struct job *j)
{
    enum provenance_answer answer = provenance_of(&j->known, j->data);
    if (answer == DATA_TRAINED_ON)
        cli_warn(j->cli,
                 "'%s' is the training set of the model; use other strings, such as those of "
                 "another seed (-s)",
                 input_name(j->data));
    else if (answer == DATA_BEGIN_AS_TRAINED)
        cli_warn(j->cli,
                 "'%s' begins with the training set of the model; use other strings, such as those "
                 "of another seed (-s)",
                 input_name(j->data));
}

/* What makes the numbers less than they seem. */
static void
warn(const struct job *j)
{
    const struct evaluate *v = &j->evaluation;
    string_options_report(j->cli, string_reader_skipped(j->lines), NULL);
    if (v->strings == 0)
        cli_warn(j->cli, "'%s' contains no strings", input_name(j->data));
    warn_of_training_set(j);
    warn_of_long(j);
    if (j->z.samples > 0 && pfsa_of(model_proposal(j->model)) != NULL)
        cli_warn(j->cli, "product of automaton and features is too large; log Z is estimated");
    if (v->ce.infinite > 0)
        cli_warn(j->cli, "%llu of %llu strings have probability 0 under the model",
                 (unsigned long long)v->ce.infinite, (unsigned long long)v->strings);
    if (v->true_ce.infinite > 0)
        cli_warn(j->cli, "%llu of %llu strings have probability 0 under the source",
                 (unsigned long long)v->true_ce.infinite, (unsigned long long)v->strings);
}

/* The exit status: whether log Z is as exact as requested. */
static int
judge(const struct job *j)
{
    if (j->z.enough)
        return EXIT_DONE;
    if (j->z.gap > 0)
        return cli_unmet(
            j->cli,
            "guided draws disagree about log Z by %.3g: the guide misses a part of the "
            "GAM, and log Z may be too small",
            j->z.gap);
    if (j->z.log_z_se <= j->options->log_z_se)
        return cli_unmet(j->cli,
                         "the effective sample size of %llu proposals is only %.3g, and the "
                         "standard error of log Z, %g, may be too small",
                         (unsigned long long)j->z.samples, j->z.ess, j->z.log_z_se);
    return cli_unmet(j->cli,
                     "log Z has a standard error of %g after %llu proposals, %g was requested; the "
                     "effective sample size is %.3g",
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
    if (is_normalized(j)) {
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
    .details = "MODEL is an LSTM, an automaton, a mixture or a GAM. Characters include the end\n"
               "of each string.",
    .examples = "  lm-eval r.lstm T\n"
                "  pfsa-gen -s 2 -n 5000 m.pfsa | lm-eval --truth m.pfsa r.lstm",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = 2,
    .operand = {{"MODEL", FILE_READ_MODEL}, {"DATA", FILE_READ}},
    .check = check_options,
    .run = run,
    .remedy = {STRING_REMEDIES, [REMEDY_SET_MAX_LENGTH] = "set --max-length",
               [REMEDY_LOWER_MAX_LENGTH] = "limit the length with --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {.log_z_se = 0.01, .max_length = MODEL_UNBOUNDED};
    return cli_main(&tool, &o, argc, argv);
}

/* SPDX-License-Identifier: MIT
 * lm-eval: the cross-entropy of a model on strings. */
#include <math.h>
#include <string.h>

#include "alphabet.h"
#include "cli.h"
#include "dmath.h"
#include "gam.h"
#include "in.h"
#include "lines.h"
#include "mem.h"
#include "model.h"
#include "num.h"
#include "out.h"
#include "partition.h"
#include "pfsa.h"
#include "pool.h"
#include "progress.h"
#include "ratio.h"
#include "report.h"
#include "score.h"

#define LN2 0.693147180559945309417

struct options {
    bool per_string;
    const char *truth; /* a model file, or NULL */
    double log_z_se;   /* wanted of a GAM's log Z */
};

enum { OPT_LOG_Z_SE = 256, OPT_PER_STRING, OPT_TRUTH };

static const struct cli_option options[] = {
    {OPT_LOG_Z_SE, "log-z-se", "X",
     "of a GAM: draw from its base until log Z has this\nstandard error [0.01]", 0},
    {OPT_PER_STRING, "per-string", NULL,
     "print 'log p<TAB>string' for each string instead\nof the report", 0},
    {OPT_TRUTH, "truth", "PFSA", "the true model: adds its own CE and the KL\ndivergence from it",
     0},
    {0, NULL, NULL, NULL, 0}};

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    switch (key) {
    case OPT_LOG_Z_SE:
        return num_f64(value, 1e-6, 1, &o->log_z_se, e);
    case OPT_PER_STRING:
        o->per_string = true;
        return 0;
    default:
        o->truth = value;
        return 0;
    }
}

static const struct cli_tool tool = {
    .name = "lm-eval",
    .operands = "MODEL [DATA]",
    .summary = "Prints the cross-entropy of a model on strings, in nats per character.",
    .details = "A character count includes the end of each string.",
    .examples = "  lm-eval r.lstm test.txt\n"
                "  pfsa-gen -l 30 -n 5000 | lm-eval --truth m.pfsa r.lstm",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = 2,
    .set = set_option,
};

/* A model and the scores of the present block under it. */
struct judge {
    struct model *model;
    struct score *score;
    double *logp; /* [room] */
    size_t room;
};

struct evaluation {
    const struct cli *cli;
    const struct options *options;
    struct in *data;
    struct lines *lines;
    struct pool *pool;
    struct out *out;
    struct judge model, truth;
    struct gam *gam; /* whose base the model is, or NULL */
    struct partition z;
    void *scratch;     /* of gam_log_weight */
    uint64_t too_long; /* strings beyond a GAM's L */
    struct score_block block;
    uint64_t strings, chars;
    struct ratio ce, true_ce, kl; /* per character */
};

static int
check_options(const struct cli *c, const struct options *o, struct err *e)
{
    const struct files_entry files[] = {{"MODEL", cli_operand(c, 0), FILES_READ_MODEL},
                                        {"--truth", o->truth, FILES_READ_MODEL},
                                        {"DATA", cli_operand(c, 1), FILES_READ},
                                        {"--output", c->output, FILES_WRITE}};
    if (o->per_string && (o->truth != NULL || c->json))
        return err_set(e, ERR_USAGE, "--per-string prints no report: leave out %s",
                       c->json ? "--json" : "--truth");
    return cli_files(c, files, sizeof files / sizeof *files, e);
}

static int
open_model(struct evaluation *v, const char *path, struct err *e)
{
    if (gam_load_any(path, &v->model.model, &v->gam, e) != 0)
        return e->code;
    v->model.score = score_new(v->model.model, v->pool, e);
    if (v->gam != NULL && (v->scratch = mem_array(1, gam_scratch_bytes(v->gam), e)) != NULL)
        partition_find(v->gam, v->pool, v->cli->seed, v->options->log_z_se, &v->z, e);
    return e->code;
}

static int
open_truth(struct evaluation *v, const char *path, struct err *e)
{
    struct pfsa *truth = pfsa_load(path, e);
    if (truth == NULL)
        return e->code;
    v->truth.model = &truth->model;
    v->truth.score = score_new(v->truth.model, v->pool, e);
    return e->code;
}

static int
open_all(struct evaluation *v, struct err *e)
{
    const char *model = cli_operand(v->cli, 0), *truth = v->options->truth;
    v->pool = pool_new(v->cli->threads, e);
    if (v->pool == NULL || open_model(v, model, e) != 0)
        return e->code;
    if (truth != NULL && open_truth(v, truth, e) != 0)
        return e->code;
    const struct alphabet *a = &v->model.model->alphabet;
    if (truth != NULL && !alphabet_equal(a, &v->truth.model->alphabet))
        return err_set(e, ERR_DATA, "'%s' has the alphabet '%s', but '%s' has '%s'", truth,
                       v->truth.model->alphabet.chars, model, a->chars);
    v->data = in_open(cli_operand(v->cli, 1), e);
    v->lines = v->data != NULL ? lines_new(v->data, a, e) : NULL;
    v->out = v->lines != NULL ? cli_output(v->cli, false, e) : NULL;
    return e->code;
}

static void
close_judge(struct judge *j)
{
    score_free(j->score);
    mem_free(j->logp);
}

static void
close_all(struct evaluation *v)
{
    score_block_clear(&v->block);
    close_judge(&v->model);
    close_judge(&v->truth);
    gam_free_any(v->model.model, v->gam);
    model_free(v->truth.model);
    mem_free(v->scratch);
    lines_free(v->lines);
    in_close(v->data);
    pool_free(v->pool);
}

static int
judge_block(struct judge *j, const struct score_block *b, struct err *e)
{
    if (mem_reserve(&j->logp, &j->room, b->count, sizeof *j->logp, e) != 0)
        return ERR_NOMEM;
    return score_block(j->score, b, j->logp, e);
}

/* From the base's log r(x) to the GAM's log P(x) / Z. */
static void
weigh_block(struct evaluation *v)
{
    const struct score_block *b = &v->block;
    for (size_t i = 0; v->gam != NULL && i < b->count; i++) {
        size_t length = b->start[i + 1] - b->start[i];
        double weight = gam_log_weight(v->gam, b->codes + b->start[i], length, v->scratch);
        v->model.logp[i] += weight - v->z.log_z;
        v->too_long += length > v->gam->max_length;
    }
}

/* Adds the block to the sums, in the order of the input. */
static void
add_block(struct evaluation *v)
{
    const struct score_block *b = &v->block;
    for (size_t i = 0; i < b->count; i++) {
        double m = (double)(b->start[i + 1] - b->start[i] + 1);
        ratio_add(&v->ce, -v->model.logp[i], m);
        if (v->truth.model != NULL) {
            ratio_add(&v->true_ce, -v->truth.logp[i], m);
            ratio_add(&v->kl, v->truth.logp[i] - v->model.logp[i], m);
        }
        v->chars += (uint64_t)m;
    }
}

/* The block has been used: its codes turn into text in place. */
static int
print_block(struct evaluation *v, struct err *e)
{
    struct score_block *b = &v->block;
    const struct alphabet *a = &v->model.model->alphabet;
    int status = 0;
    for (size_t i = 0; i < b->count && status == 0; i++) {
        char number[NUM_TEXT_MAX], *text = (char *)b->codes + b->start[i];
        size_t length = b->start[i + 1] - b->start[i];
        num_text(v->model.logp[i], number);
        alphabet_decode(a, b->codes + b->start[i], length, text);
        out_write(v->out, number, strlen(number), e);
        out_write(v->out, "\t", 1, e);
        out_write(v->out, text, length, e);
        status = out_write(v->out, "\n", 1, e);
    }
    return status;
}

static int
evaluate(struct evaluation *v, struct err *e)
{
    struct progress p;
    int status;
    progress_begin(&p, v->cli->progress, "strings", 0);
    while ((status = score_block_read(&v->block, v->lines, e)) == 1) {
        status = judge_block(&v->model, &v->block, e);
        if (status == 0 && v->truth.model != NULL)
            status = judge_block(&v->truth, &v->block, e);
        if (status != 0)
            break;
        weigh_block(v);
        add_block(v);
        v->strings += v->block.count;
        if (v->options->per_string && (status = print_block(v, e)) != 0)
            break;
        progress_update(&p, v->strings);
    }
    progress_end(&p);
    cli_note(v->cli, "%llu model steps for %llu characters",
             (unsigned long long)score_steps(v->model.score), (unsigned long long)v->chars);
    return status;
}

/* What makes the numbers less than they seem. */
static void
warn(const struct evaluation *v)
{
    if (v->strings == 0)
        cli_warn(v->cli, "'%s' holds no strings", in_name(v->data));
    if (v->too_long > 0)
        cli_warn(v->cli, "%llu of %llu strings are longer than the model's maximum of %llu symbols",
                 (unsigned long long)v->too_long, (unsigned long long)v->strings,
                 (unsigned long long)v->gam->max_length);
    if (v->gam != NULL && !v->z.enough)
        cli_warn(v->cli, "log Z has a standard error of %g after %llu proposals from the base",
                 v->z.log_z_se, (unsigned long long)v->z.samples);
    if (v->ce.infinite > 0)
        cli_warn(v->cli, "%llu of %llu strings have probability 0 under the model",
                 (unsigned long long)v->ce.infinite, (unsigned long long)v->strings);
    if (v->true_ce.infinite > 0)
        cli_warn(v->cli, "%llu of %llu strings have probability 0 under the truth",
                 (unsigned long long)v->true_ce.infinite, (unsigned long long)v->strings);
}

/* The error of a mean per character, with that of log Z, which is the same for
 * all strings. */
static double
total_error(const struct evaluation *v, const struct ratio *r)
{
    double z = v->z.log_z_se * (double)v->strings / (double)v->chars;
    return v->gam != NULL ? sqrt(ratio_error(r) * ratio_error(r) + z * z) : ratio_error(r);
}

static int
print_report(const struct evaluation *v, struct err *e)
{
    struct report r;
    double ce = ratio_value(&v->ce);
    report_begin(&r, v->out, v->cli->json, e);
    report_u64(&r, "strings", v->strings);
    report_u64(&r, "chars", v->chars);
    report_f64(&r, "ce", ce);
    report_f64(&r, "ce_se", total_error(v, &v->ce));
    report_f64(&r, "perplexity", dm_exp(ce));
    report_f64(&r, "bits_per_char", ce / LN2);
    report_f64(&r, "log_likelihood", 0 - ratio_sum(&v->ce));
    if (v->gam != NULL) {
        report_f64(&r, "log_z", v->z.log_z);
        report_f64(&r, "log_z_se", v->z.log_z_se);
        report_f64(&r, "ess", v->z.ess);
    }
    if (v->truth.model != NULL) {
        report_f64(&r, "true_ce", ratio_value(&v->true_ce));
        report_f64(&r, "kl", ratio_value(&v->kl));
        report_f64(&r, "kl_se", total_error(v, &v->kl));
    }
    return report_end(&r);
}

int
main(int argc, char **argv)
{
    struct options o = {.log_z_se = 0.01};
    struct cli c;
    struct err e = {0};
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status >= 0)
        return status;
    struct evaluation v = {.cli = &c, .options = &o};
    if (check_options(&c, &o, &e) == 0 && open_all(&v, &e) == 0 && evaluate(&v, &e) == 0) {
        warn(&v);
        if (!o.per_string)
            print_report(&v, &e);
    }
    struct out *out = v.out;
    close_all(&v);
    return cli_finish(&c, out, EXIT_DONE, &e);
}

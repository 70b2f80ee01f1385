/* SPDX-License-Identifier: MIT
 * lm-compare: compares models on the same strings, with significance. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/paired.h"
#include "core/pool.h"
#include "core/utf8.h"
#include "gam/evaluate.h"
#include "gam/gam.h"
#include "gam/partition.h"
#include "io/input.h"
#include "io/report.h"
#include "model/model.h"
#include "model/scorer.h"
#include "text/line_reader.h"
#include "text/string_reader.h"
#include "text/strings.h"

enum { MODELS_MAX = 100 };

struct options {
    const char *reference; /* an operand, or NULL: the best */
    bool scores;
    double log_z_se; /* wanted of the log Z of GAMs */
    struct string_options strings;
};

static const struct cli_option options[] = {
    CLI_HEADING("Comparison"),
    {0, "reference", "MODEL", "compare all others with this one of them [default: the best]",
     CLI_TEXT(struct options, reference)},
    {0, "scores", NULL, "operands are files written by lm-eval --per-string, with the same strings",
     CLI_FLAG(struct options, scores)},
    {0, "log-z-se", "X", "GAMs: requested standard error of log Z [default: 0.01]",
     CLI_F64(struct options, log_z_se, 1e-6, 1)},
    CLI_HEADING("Data"),
    STRING_OPTIONS(struct options, strings),
    CLI_END};

/* One row of the table: a model, or a file of scores. */
struct entry {
    const char *name;
    struct model *model;
    struct partition z; /* of a GAM */
    struct evaluate evaluation;
    struct input *in; /* of scores */
    struct line_reader *lines;
};

struct job {
    struct cli *cli;
    const struct options *options;
    struct pool *pool;
    struct entry *entry; /* [entries] */
    size_t entries;
    struct paired paired;
    double *loss; /* [entries] of a string */
    struct strings block;
};

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    int models = c->operand_count - !o->scores;
    const char *what = o->scores ? "files of scores" : "models and DATA";
    if (models < 2)
        return err_set(e, ERR_USAGE, "a comparison requires at least 2 %s, got %d operand%s", what,
                       c->operand_count, c->operand_count == 1 ? "" : "s");
    if (models > MODELS_MAX)
        return err_set(e, ERR_USAGE, "at most %d models can be compared, got %d", MODELS_MAX,
                       models);
    for (int i = 0; o->reference != NULL && i < models; i++)
        if (strcmp(cli_operand(c, i), o->reference) == 0)
            return 0;
    return o->reference == NULL
               ? 0
               : err_set(e, ERR_USAGE, "--reference: '%s' is none of the models", o->reference);
}

static int
start(struct job *j, struct err *e)
{
    j->entries = (size_t)(j->cli->operand_count - !j->options->scores);
    j->pool = pool_new(j->cli->threads, e);
    j->entry = mem_zero(j->entries, sizeof *j->entry, e);
    j->loss = mem_zero(j->entries, sizeof *j->loss, e);
    if (j->pool == NULL || j->entry == NULL || j->loss == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < j->entries; i++)
        j->entry[i].name = cli_operand(j->cli, (int)i);
    return paired_init(&j->paired, j->entries, e);
}

static void
finish(struct job *j)
{
    for (size_t i = 0; j->entry != NULL && i < j->entries; i++) {
        evaluate_clear(&j->entry[i].evaluation);
        model_free(j->entry[i].model);
        line_reader_free(j->entry[i].lines);
        input_close(j->entry[i].in);
    }
    paired_clear(&j->paired);
    strings_clear(&j->block);
    mem_free(j->entry);
    mem_free(j->loss);
    pool_free(j->pool);
}

/* ---- models on strings */

static int
open_model(struct job *j, size_t i, struct err *e)
{
    struct entry *x = &j->entry[i];
    x->model = model_load(x->name, e);
    if (x->model == NULL)
        return e->code;
    const struct alphabet *a = &x->model->alphabet, *first = &j->entry[0].model->alphabet;
    if (!alphabet_equal(a, first))
        return err_set(e, ERR_DATA, "alphabet of '%s' is '%s', but alphabet of '%s' is '%s'",
                       x->name, a->text, j->entry[0].name, first->text);
    bool gam = gam_of(x->model) != NULL;
    uint64_t max_length = gam ? x->model->max_length : MODEL_UNBOUNDED;
    struct partition_options o = {
        .max_length = MODEL_UNBOUNDED, .seed = j->cli->seed, .error = j->options->log_z_se};
    if (gam && partition_find(x->model, j->pool, &o, &x->z, e) != 0) {
        err_prefix(e, "%s", x->name);
        return e->code;
    }
    j->paired.shift_se[i] = gam ? x->z.log_z_se : 0;
    return evaluate_init(&x->evaluation, x->model, max_length, gam ? &x->z : NULL, NULL, j->pool,
                         e);
}

static int
add_block(struct job *j, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < j->entries && rc == 0; i++)
        rc = evaluate_block(&j->entry[i].evaluation, &j->block, e);
    for (size_t s = 0; s < j->block.count && rc == 0; s++) {
        size_t length;
        strings_get(&j->block, s, &length);
        for (size_t i = 0; i < j->entries; i++)
            j->loss[i] = -j->entry[i].evaluation.model.logp[s];
        paired_add(&j->paired, j->loss, (double)length + 1);
    }
    return rc;
}

static int
compare_models(struct job *j, struct err *e)
{
    struct progress p;
    int rc = 0;
    for (size_t i = 0; i < j->entries && rc == 0; i++)
        rc = open_model(j, i, e);
    if (rc != 0)
        return rc;
    struct alphabet *a = &j->entry[0].model->alphabet;
    const struct string_format f = string_options_format(&j->options->strings, a);
    rc = string_options_check(&j->options->strings, a, e);
    struct input *in = rc == 0 ? input_open(cli_operand(j->cli, (int)j->entries), e) : NULL;
    struct string_reader *l = in != NULL ? string_reader_new(in, a, &f, e) : NULL;
    rc = l != NULL ? 1 : e->code;
    progress_begin(&p, j->cli->progress, "strings", 0);
    while (rc > 0 && (rc = scorer_read_block(&j->block, l, e)) == 1) {
        rc = add_block(j, e) == 0 ? 1 : e->code;
        progress_update(&p, j->paired.strings);
    }
    progress_end(&p);
    if (rc == 0 && j->paired.strings == 0)
        rc = err_set(e, ERR_DATA, "'%s' contains no strings", input_name(in));
    if (rc == 0)
        string_options_report(j->cli, string_reader_skipped(l), NULL);
    string_reader_free(l);
    input_close(in);
    return rc;
}

/* ---- files of scores */

/* "log p<TAB>string", perhaps with "<TAB>name": the loss, and the string of *bytes. */
static int
parse_score(const struct entry *x, const char *text, size_t length, double *loss,
            const char **string, size_t *bytes, struct err *e)
{
    char number[64];
    struct err why = {0};
    const char *tab = memchr(text, '\t', length);
    size_t n = tab != NULL ? (size_t)(tab - text) : sizeof number;
    if (n < sizeof number) {
        memcpy(number, text, n);
        number[n] = '\0';
    }
    if (n >= sizeof number || num_parse_f64_inf(number, loss, &why) != 0 || *loss == INFINITY)
        return err_set(e, ERR_DATA, "%s:%llu: expected a log-probability, a tab and a string",
                       input_name(x->in), (unsigned long long)line_reader_number(x->lines));
    *loss = -*loss;
    *string = tab + 1;
    *bytes = length - (size_t)(*string - text);
    tab = memchr(*string, '\t', *bytes);
    *bytes = tab != NULL ? (size_t)(tab - *string) : *bytes;
    return 0;
}

/* The symbols of a string: its tokens, or its characters in UTF-8. */
static size_t
count_symbols(const char *string, size_t bytes, bool tokens)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes && tokens; i++)
        n += string[i] != ' ' && (i == 0 || string[i - 1] == ' ');
    return tokens ? n : utf8_count(string, bytes);
}

/* The next line of file i, which has the string of the first file.  1, 0 at the end, or an
 * error. */
static int
next_score(struct job *j, size_t i, const char **string, size_t *length, struct err *e)
{
    const struct entry *x = &j->entry[i];
    const char *text, *own;
    size_t n;
    int rc = line_reader_next(x->lines, &text, &n, e);
    if (rc <= 0)
        return rc;
    rc = parse_score(x, text, n, &j->loss[i], &own, &n, e);
    if (rc != 0)
        return rc;
    if (i == 0) {
        *string = own;
        *length = n;
    } else if (n != *length || memcmp(own, *string, n) != 0) {
        return err_set(e, ERR_DATA, "%s:%llu: string is not that of '%s'", input_name(x->in),
                       (unsigned long long)line_reader_number(x->lines),
                       input_name(j->entry[0].in));
    }
    return 1;
}

/* One line of each file.  1, 0 at the end of all, or an error. */
static int
next_scores(struct job *j, struct err *e)
{
    const char *string = NULL;
    size_t length = 0;
    int first = next_score(j, 0, &string, &length, e);
    for (size_t i = 1; i < j->entries && first >= 0; i++) {
        int rc = next_score(j, i, &string, &length, e);
        if (rc >= 0 && rc != first)
            rc = err_set(e, ERR_DATA, "'%s' and '%s' have different numbers of strings",
                         input_name(j->entry[0].in), input_name(j->entry[i].in));
        first = rc < 0 ? rc : first;
    }
    if (first == 1)
        paired_add(&j->paired, j->loss,
                   (double)count_symbols(string, length, j->options->strings.tokens) + 1);
    return first;
}

static int
compare_scores(struct job *j, struct err *e)
{
    int rc = 1;
    for (size_t i = 0; i < j->entries; i++) {
        struct entry *x = &j->entry[i];
        x->in = input_open(x->name, e);
        x->lines = x->in != NULL ? line_reader_new(x->in, e) : NULL;
        if (x->lines == NULL)
            return e->code;
    }
    while (rc == 1)
        rc = next_scores(j, e);
    if (rc == 0 && j->paired.strings == 0)
        rc = err_set(e, ERR_DATA, "'%s' contains no strings", input_name(j->entry[0].in));
    return rc;
}

/* ---- the table */

/* The entries by loss; of equal ones, the first comes first. */
static void
sort_entries(const struct job *j, size_t *order)
{
    for (size_t n = 0; n < j->entries; n++) {
        size_t at = n;
        for (; at > 0 && paired_loss(&j->paired, n) < paired_loss(&j->paired, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = n;
    }
}

static size_t
find_reference(const struct job *j, size_t best)
{
    for (size_t i = 0; j->options->reference != NULL && i < j->entries; i++)
        if (strcmp(j->entry[i].name, j->options->reference) == 0)
            return i;
    return best;
}

static int
print_table(const struct job *j, struct err *e)
{
    static const char *const columns[] = {"model",   "ce", "ce_se",      "diff",
                                          "diff_se", "p",  "impossible", NULL};
    size_t order[MODELS_MAX] = {0};
    struct report r;
    sort_entries(j, order);
    size_t reference = find_reference(j, order[0]);
    report_begin(&r, j->cli->out, j->cli->json, e);
    report_table(&r, "models", columns);
    for (size_t n = 0; n < j->entries; n++) {
        size_t i = order[n];
        struct paired_difference d = paired_compare(&j->paired, i, reference);
        report_cell_text(&r, j->entry[i].name);
        report_cell_f64(&r, paired_loss(&j->paired, i));
        report_cell_f64(&r, paired_loss_error(&j->paired, i));
        report_cell_f64(&r, d.value);
        report_cell_f64(&r, d.error);
        report_cell_f64(&r, d.p);
        report_cell_u64(&r, j->paired.loss[i].infinite);
    }
    report_table_end(&r);
    return report_end(&r);
}

static void
warn(const struct job *j)
{
    for (size_t i = 0; i < j->entries; i++)
        if (j->paired.loss[i].infinite > 0)
            cli_warn(j->cli, "%s: %llu of %llu strings have probability 0 under the model",
                     j->entry[i].name, (unsigned long long)j->paired.loss[i].infinite,
                     (unsigned long long)j->paired.strings);
    if (j->paired.strings == 1)
        cli_warn(j->cli, "a single string gives no standard error");
}

/* The exit status: whether log Z of all GAMs is as exact as requested. */
static int
judge(const struct job *j)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < j->entries; i++) {
        const struct entry *x = &j->entry[i];
        if (gam_of(x->model) != NULL && !x->z.enough)
            status = cli_unmet(j->cli, "%s: log Z has a standard error of %g, %g was requested",
                               x->name, x->z.log_z_se, j->options->log_z_se);
    }
    return status;
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    int rc = start(&j, e), status = EXIT_FAILED;
    if (rc == 0)
        rc = j.options->scores ? compare_scores(&j, e) : compare_models(&j, e);
    if (rc == 0 && cli_output(c, false, e) != NULL && print_table(&j, e) == 0) {
        warn(&j);
        status = judge(&j);
    }
    finish(&j);
    return status;
}

static const struct cli_tool tool = {
    .name = "lm-compare",
    .operands = "MODEL MODEL... DATA",
    .summary = "Compare models on the same strings.",
    .details = "Prints a table of the models, best first: cross-entropy in nats per character,\n"
               "and the difference from the best with its standard error and p-value. DATA\n"
               "are strings that none of the models was trained on.",
    .examples = "  lm-compare r.lstm g.gam pi.lstm T\n"
                "  lm-compare --reference r.lstm r.lstm pi.lstm T",
    .options = options,
    .flags = CLI_REPORT,
    .min_operands = 1,
    .max_operands = -1,
    .operand = {{"MODEL", FILE_READ}},
    .check = check_options,
    .run = run,
    .remedy = {STRING_REMEDIES, [REMEDY_SET_MAX_LENGTH] = "set --max-length of gam-fit",
               [REMEDY_LOWER_MAX_LENGTH] = "limit the length with --max-length of gam-fit"},
};

int
main(int argc, char **argv)
{
    struct options o = {.log_z_se = 0.01};
    return cli_main(&tool, &o, argc, argv);
}

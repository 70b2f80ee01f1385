/* SPDX-License-Identifier: MIT
 * motif-freq: how often motifs occur in strings, and the means of features. */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "core/mem.h"
#include "core/pool.h"
#include "feature/feature_set.h"
#include "feature/text_statistics.h"
#include "io/input.h"
#include "io/report.h"
#include "model/model.h"
#include "text/alphabet.h"
#include "text/strings.h"

struct options {
    struct string_options strings;
    const char *model; /* a model file, or NULL */
    struct text_list motifs;
    struct feature_options features;
    bool occurrences;
};

static const struct cli_option options[] = {
    CLI_HEADING("Counts"),
    {'m', "motif", "S", "count the strings that contain S; can be repeated",
     CLI_LIST(struct options, motifs)},
    {0, "occurrences", NULL, "also count occurrences, including overlapping ones",
     CLI_FLAG(struct options, occurrences)},
    CLI_HEADING("Data"),
    ALPHABET_OPTION(struct options, strings, ALPHABET_HELP " [default: 01]"),
    STRING_OPTIONS(struct options, strings),
    CLI_HEADING("Features"),
    FEATURE_OPTIONS(struct options, features, "print the mean of feature",
                    "divide lengths and counts by N [default: the common length of all strings, or "
                    "2 x longest + 1]"),
    {0, "model", "FILE", "divide by the maximum length of the model in FILE, and use its alphabet",
     CLI_FILE(struct options, model, FILE_READ_MODEL)},
    CLI_END};

/* ---- what to count ------------------------------------------------------------ */

/* Files of data: standard input if none is named. */
static int
data_files(const struct cli *c)
{
    return c->operand_count > 0 ? c->operand_count : 1;
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    (void)c;
    if (o->motifs.count == 0 && !feature_options_given(&o->features))
        return err_set(e, ERR_USAGE, "nothing to count; use --motif or --feature");
    if (o->occurrences && o->motifs.count == 0)
        return err_set(e, ERR_USAGE, "--occurrences requires --motif");
    if (o->model != NULL && (o->strings.alphabet != NULL || o->features.max_length != 0))
        return err_set(e, ERR_USAGE, "--model cannot be combined with %s",
                       o->strings.alphabet != NULL ? "--alphabet" : "--max-length");
    return 0;
}

/* The alphabet and L of the model. */
static int
load_model(struct options *o, struct alphabet *a, struct err *e)
{
    struct model *m = model_load(o->model, e);
    if (m == NULL)
        return e->code;
    *a = m->alphabet;
    o->features.max_length = m->max_length;
    int rc = 0;
    if (m->max_length == MODEL_UNBOUNDED || m->max_length == 0)
        rc = err_set(e, ERR_DATA,
                     "%s: model has no maximum length greater than 0; use --max-length", o->model);
    model_free(m);
    return rc;
}

static int
find_alphabet(struct options *o, struct alphabet *a, struct err *e)
{
    if (o->model != NULL && load_model(o, a, e) == 0)
        return string_options_check(&o->strings, a, e);
    if (o->model != NULL)
        return e->code;
    return string_options_alphabet(&o->strings, a, e);
}

static struct text_statistics *
make_tally(const struct options *o, const struct feature_set *f, struct pool *pool, struct err *e)
{
    struct text_statistics *t = text_statistics_new(f, pool, e);
    int rc = t == NULL ? ERR_NOMEM : 0;
    for (size_t i = 0; rc == 0 && i < o->motifs.count; i++)
        if ((rc = text_statistics_add_motif(t, o->motifs.word[i], e)) < 0)
            err_prefix(e, "--motif");
    if (rc == 0)
        rc = text_statistics_compile(t, e);
    if (rc == 0)
        return t;
    text_statistics_free(t);
    return NULL;
}

static int
read_files(const struct cli *c, const struct string_format *f, struct text_statistics *t,
           struct err *e)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < data_files(c); i++) {
        struct input *in = input_open(cli_operand(c, i), e);
        rc = in == NULL ? e->code : text_statistics_read(t, in, f, e);
        input_close(in);
    }
    if (rc == 0)
        string_options_report(c, text_statistics_skipped(t), NULL);
    return rc;
}

/* Keeps all strings in memory, and finds their alphabet. */
static int
load_files(const struct cli *c, const struct string_format *f, struct strings *s, struct err *e)
{
    uint64_t hash;
    int rc = 0;
    for (int i = 0; rc == 0 && i < data_files(c); i++)
        rc = strings_load(s, cli_operand(c, i), f->grow, f, &hash, e);
    if (rc == 0)
        rc = strings_settle_alphabet(s, f->grow, e);
    if (rc == 0)
        string_options_report(c, s->skipped, f->grow);
    return rc;
}

/* ---- the report ------------------------------------------------------------------ */

static void
report_motifs(struct report *r, const struct options *o, const struct text_statistics *t)
{
    static const char *const columns[] = {"motif", "strings", "with", "freq", "lo95", "hi95", NULL};
    static const char *const more[] = {"motif", "strings",     "with",       "freq", "lo95",
                                       "hi95",  "occurrences", "per_string", NULL};
    report_table(r, "motifs", o->occurrences ? more : columns);
    for (size_t i = 0; i < o->motifs.count; i++) {
        struct text_statistics_motif m = text_statistics_motif_result(t, i);
        report_cell_text(r, o->motifs.word[i]);
        report_cell_u64(r, text_statistics_strings(t));
        report_cell_u64(r, m.with);
        report_cell_f64(r, m.freq);
        report_cell_f64(r, m.lo95);
        report_cell_f64(r, m.hi95);
        if (o->occurrences) {
            report_cell_u64(r, m.occurrences);
            report_cell_f64(r, m.per_string);
        }
    }
    report_table_end(r);
}

static void
report_features(struct report *r, const struct feature_set *f, const struct text_statistics *t)
{
    static const char *const columns[] = {"feature", "mean", "se", "freq", NULL};
    report_table(r, "features", columns);
    for (size_t i = 0; i < feature_set_count(f); i++) {
        struct text_statistics_feature v = text_statistics_feature_result(t, i);
        report_cell_text(r, feature_set_name(f, i));
        report_cell_f64(r, v.mean);
        report_cell_f64(r, v.se);
        report_cell_f64(r, feature_set_share(f, i, v.mean));
    }
    report_table_end(r);
}

static int
report_all(const struct cli *c, const struct options *o, const struct feature_set *f,
           const struct text_statistics *t, struct err *e)
{
    struct report r;
    if (text_statistics_strings(t) == 0)
        cli_warn(c, "no strings");
    report_begin(&r, c->out, c->json, e);
    if (o->motifs.count > 0)
        report_motifs(&r, o, t);
    if (feature_set_count(f) > 0)
        report_features(&r, f, t);
    return report_end(&r);
}

/* Counts and reports; all resources are allocated.  With an alphabet from the data, their
 * strings are in `s`. */
static int
count(struct cli *c, const struct options *o, const struct string_format *format,
      const struct strings *s, struct feature_set *f, struct text_statistics *t, struct err *e)
{
    if ((format->grow != NULL ? text_statistics_add(t, s, e) : read_files(c, format, t, e)) != 0)
        return e->code;
    if (o->features.max_length == 0)
        feature_set_set_max_length(f, text_statistics_max_length(t));
    return cli_output(c, false, e) != NULL ? report_all(c, o, f, t, e) : e->code;
}

static void
count_strings(struct cli *c, const struct options *o, const struct string_format *format,
              const struct alphabet *a, const struct strings *s, struct err *e)
{
    const struct text_list *motifs = &o->motifs;
    struct feature_set *f = feature_options_build(&o->features, a, motifs->word, motifs->count, e);
    struct pool *pool = f != NULL ? pool_new(c->threads, e) : NULL;
    struct text_statistics *t = pool != NULL ? make_tally(o, f, pool, e) : NULL;
    if (t != NULL)
        count(c, o, format, s, f, t, e);
    text_statistics_free(t);
    pool_free(pool);
    feature_set_free(f);
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    struct strings s = {0};
    struct alphabet a;
    alphabet_clear(&a, false);
    int rc = find_alphabet(o, &a, e);
    const struct string_format format = string_options_format(&o->strings, &a);
    if (rc == 0 && format.grow != NULL)
        rc = load_files(c, &format, &s, e);
    if (rc == 0)
        count_strings(c, o, &format, &a, &s, e);
    if (o->model != NULL && (e->remedy == REMEDY_BAD_SYMBOL ||
                             e->remedy == REMEDY_SET_ALPHABET)) /* it is the model's */
        err_remedy(e, e->remedy == REMEDY_BAD_SYMBOL ? REMEDY_SKIP_BAD : REMEDY_NONE);
    strings_clear(&s);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "motif-freq",
    .operands = "[DATA]...",
    .summary = "Count the strings that contain motifs, and average features.",
    .details = "DATA are strings in lines or FASTA, plain or compressed with gzip. All files are\n"
               "counted together.",
    .examples = "  motif-freq -m 10001011111000 D\n"
                "  gam-sample -n 2000 pi.lstm | motif-freq -m 10001011111000 --ft 1001111",
    .options = options,
    .flags = CLI_REPORT,
    .max_operands = -1,
    .operand = {{"DATA", FILE_READ}},
    .check = check_options,
    .run = run,
    .remedy = {ALPHABET_REMEDIES},
};

int
main(int argc, char **argv)
{
    struct options o = {0};
    return cli_main(&tool, &o, argc, argv);
}

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

struct options {
    const char *alphabet;
    struct text_list motifs;
    struct feature_options features;
    bool occurrences;
};

enum { OPT_OCCURRENCES = 256 };

static const struct cli_option options[] = {
    {0, NULL, NULL, "Counts", CLI_HEADING},
    {'a', "alphabet", "CHARS", "the symbols of the strings [default: 01]", 0},
    {'m', "motif", "S", "count the strings that contain S; can be repeated", 0},
    {OPT_OCCURRENCES, "occurrences", NULL, "also count occurrences, including overlapping ones", 0},
    {0, NULL, NULL, "Features", CLI_HEADING},
    FEATURE_OPTIONS("print the mean of feature",
                    "divide lengths and counts by N [default: the common length of all strings, or "
                    "2 x longest + 1]"),
    {0, NULL, NULL, NULL, 0}};

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    int status = feature_options_set(&o->features, key, value, e);
    if (status != 0)
        return status < 0 ? status : 0;
    switch (key) {
    case 'a':
        o->alphabet = value;
        return 0;
    case 'm':
        return text_list_add(&o->motifs, value, e);
    default:
        o->occurrences = true;
        return 0;
    }
}

static const struct cli_tool tool = {
    .name = "motif-freq",
    .operands = "[DATA]...",
    .summary = "Count the strings that contain motifs, and average features.",
    .details = "DATA has one string per line, plain or compressed with gzip. All files are\n"
               "counted together.",
    .examples = "  motif-freq -m 10001011111000 D\n"
                "  gam-sample -n 2000 pi.lstm | motif-freq -m 10001011111000 --ft 1001111",
    .options = options,
    .flags = CLI_REPORT,
    .max_operands = -1,
    .set = set_option,
};

/* ---- what to count ------------------------------------------------------------ */

/* Files of data: standard input if none is named. */
static int
data_files(const struct cli *c)
{
    return c->operand_count > 0 ? c->operand_count : 1;
}

static int
check_files(const struct cli *c, struct err *e)
{
    int n = data_files(c);
    struct file_entry *file = mem_array((size_t)n + 1, sizeof *file, e);
    if (file == NULL)
        return ERR_NOMEM;
    for (int i = 0; i < n; i++)
        file[i] = (struct file_entry){"DATA", cli_operand(c, i), FILE_READ};
    file[n] = (struct file_entry){"--output", c->output, FILE_WRITE};
    int rc = cli_files(c, file, (size_t)n + 1, e);
    mem_free(file);
    return rc;
}

static int
check_options(const struct cli *c, const struct options *o, struct err *e)
{
    if (o->motifs.count == 0 && o->features.specs.count == 0 && o->features.bits == NULL)
        return err_set(e, ERR_USAGE, "nothing to count: give --motif or --feature");
    if (o->occurrences && o->motifs.count == 0)
        return err_set(e, ERR_USAGE, "--occurrences goes with --motif");
    return check_files(c, e);
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
read_files(const struct cli *c, struct text_statistics *t, struct err *e)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < data_files(c); i++) {
        struct input *in = input_open(cli_operand(c, i), e);
        rc = in == NULL ? e->code : text_statistics_read(t, in, e);
        input_close(in);
    }
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
    static const char *const columns[] = {"feature", "mean", "se", NULL};
    report_table(r, "features", columns);
    for (size_t i = 0; i < feature_set_count(f); i++) {
        struct text_statistics_feature v = text_statistics_feature_result(t, i);
        report_cell_text(r, feature_set_name(f, i));
        report_cell_f64(r, v.mean);
        report_cell_f64(r, v.se);
    }
    report_table_end(r);
}

static int
report_all(const struct cli *c, const struct options *o, const struct feature_set *f,
           const struct text_statistics *t, struct output *out, struct err *e)
{
    struct report r;
    if (text_statistics_strings(t) == 0)
        cli_warn(c, "there are no strings");
    report_begin(&r, out, c->json, e);
    if (o->motifs.count > 0)
        report_motifs(&r, o, t);
    if (feature_set_count(f) > 0)
        report_features(&r, f, t);
    return report_end(&r);
}

static int
run(const struct cli *c, const struct options *o, struct output **out, struct err *e)
{
    struct alphabet a;
    struct feature_set *f = NULL;
    struct pool *pool = NULL;
    struct text_statistics *t = NULL;
    int rc = check_options(c, o, e);
    if (rc == 0 && (rc = alphabet_init(&a, o->alphabet, e)) < 0)
        err_prefix(e, "--alphabet");
    if (rc == 0 &&
        (f = feature_options_build(&o->features, &a, o->motifs.word, o->motifs.count, e)) != NULL &&
        (pool = pool_new(c->threads, e)) != NULL && (t = make_tally(o, f, pool, e)) != NULL &&
        read_files(c, t, e) == 0) {
        if (o->features.max_length == 0)
            feature_set_set_max_length(f, text_statistics_max_length(t));
        *out = cli_output(c, false, e);
        if (*out != NULL)
            report_all(c, o, f, t, *out, e);
    }
    text_statistics_free(t);
    pool_free(pool);
    feature_set_free(f);
    return e->code;
}

int
main(int argc, char **argv)
{
    struct options o = {.alphabet = "01"};
    struct cli c;
    struct err e = {0};
    struct output *out = NULL;
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status < 0) {
        run(&c, &o, &out, &e);
        status = cli_finish(&c, out, EXIT_DONE, &e);
    }
    feature_options_clear(&o.features);
    text_list_clear(&o.motifs);
    return status;
}

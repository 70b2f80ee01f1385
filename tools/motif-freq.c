/* SPDX-License-Identifier: MIT
 * motif-freq: how often motifs occur in strings, and the means of features. */
#include <string.h>

#include "cli.h"
#include "feature.h"
#include "in.h"
#include "mem.h"
#include "num.h"
#include "out.h"
#include "pool.h"
#include "report.h"
#include "tally.h"

struct options {
    const char *alphabet, *bits;
    const char **motif, **feature; /* [motifs], [features], in the order given */
    size_t motifs, motif_capacity, features, feature_capacity;
    uint64_t max_length; /* 0: from the data */
    bool occurrences;
};

enum { OPT_FEATURE = 256, OPT_FT, OPT_MAX_LENGTH, OPT_OCCURRENCES };

static const struct cli_option options[] = {
    {'a', "alphabet", "CHARS", "the symbols strings are made of [01]", 0},
    {OPT_FEATURE, "feature", "SPEC",
     "report the mean of this feature, see gamut-features(7);\nmay be repeated", 0},
    {OPT_FT, "ft", "BITS",
     "the same for those of m, m+0, m/2, d0, d1, d2, d3 of the\n"
     "motif whose bit is 1 (alphabet 01, one motif)",
     0},
    {OPT_MAX_LENGTH, "max-length", "N",
     "the L of features that are relative to it [the length if\n"
     "all strings have the same, else 2 x longest + 1]",
     0},
    {'m', "motif", "S", "count the strings that contain S; may be repeated", 0},
    {OPT_OCCURRENCES, "occurrences", NULL, "also count occurrences, overlapping ones included", 0},
    {0, NULL, NULL, NULL, 0}};

static int
append(const char ***list, size_t *count, size_t *capacity, const char *value, struct err *e)
{
    const char **grown = mem_grow(*list, capacity, *count + 1, sizeof *grown, e);
    if (grown == NULL)
        return ERR_NOMEM;
    *list = grown;
    grown[(*count)++] = value;
    return 0;
}

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    switch (key) {
    case 'a':
        o->alphabet = value;
        return 0;
    case 'm':
        return append(&o->motif, &o->motifs, &o->motif_capacity, value, e);
    case OPT_FEATURE:
        return append(&o->feature, &o->features, &o->feature_capacity, value, e);
    case OPT_FT:
        o->bits = value;
        return 0;
    case OPT_MAX_LENGTH:
        return num_u64(value, 1, UINT32_MAX, &o->max_length, e);
    default:
        o->occurrences = true;
        return 0;
    }
}

static const struct cli_tool tool = {
    .name = "motif-freq",
    .operands = "[DATA]...",
    .summary = "Counts the strings that contain motifs, and averages features of strings.",
    .details = "Strings come one a line, plain or gzip; all files together make one table.",
    .examples = "  motif-freq -m 10001011111000 D\n"
                "  gam-sample -n 2000 pi.lstm | motif-freq -m 10001011111000 --ft 1001111",
    .options = options,
    .flags = CLI_REPORT,
    .max_operands = -1,
    .set = set_option,
};

/* ---- what to count ------------------------------------------------------------ */

static int
check_options(const struct cli *c, const struct options *o, struct err *e)
{
    int stdins = 0;
    for (int i = 0; i < c->operand_count; i++)
        stdins += strcmp(c->operands[i], "-") == 0;
    if (stdins > 1)
        return err_set(e, ERR_USAGE, "the standard input can only be read once");
    if (o->motifs == 0 && o->features == 0 && o->bits == NULL)
        return err_set(e, ERR_USAGE, "nothing to count: give --motif or --feature");
    if (o->bits != NULL && o->motifs != 1)
        return err_set(e, ERR_USAGE, "--ft needs one --motif, not %zu", o->motifs);
    if (o->occurrences && o->motifs == 0)
        return err_set(e, ERR_USAGE, "--occurrences goes with --motif");
    return 0;
}

/* The features of --ft and --feature; may be none.  NULL on failure. */
static struct features *
make_features(const struct options *o, const struct alphabet *a, struct err *e)
{
    struct features *f = features_new(a, e);
    int rc = f == NULL ? ERR_NOMEM : 0;
    if (rc == 0 && o->bits != NULL && (rc = features_add_paper(f, o->motif[0], o->bits, e)) < 0)
        err_prefix(e, "--ft");
    for (size_t i = 0; rc == 0 && i < o->features; i++)
        if ((rc = features_add(f, o->feature[i], e)) < 0)
            err_prefix(e, "--feature");
    if (rc == 0)
        return f;
    features_free(f);
    return NULL;
}

static struct tally *
make_tally(const struct options *o, const struct features *f, struct pool *pool, struct err *e)
{
    struct tally *t = tally_new(f, pool, e);
    int rc = t == NULL ? ERR_NOMEM : 0;
    for (size_t i = 0; rc == 0 && i < o->motifs; i++)
        if ((rc = tally_add_motif(t, o->motif[i], e)) < 0)
            err_prefix(e, "--motif");
    if (rc == 0)
        rc = tally_compile(t, e);
    if (rc == 0)
        return t;
    tally_free(t);
    return NULL;
}

static int
read_files(const struct cli *c, struct tally *t, struct err *e)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < (c->operand_count > 0 ? c->operand_count : 1); i++) {
        struct in *in = in_open(cli_operand(c, i), e);
        rc = in == NULL ? e->code : tally_read(t, in, e);
        in_close(in);
    }
    return rc;
}

/* ---- the report ------------------------------------------------------------------ */

static void
report_motifs(struct report *r, const struct options *o, const struct tally *t)
{
    static const char *const columns[] = {"motif", "strings", "with", "freq", "lo95", "hi95", NULL};
    static const char *const more[] = {"motif", "strings",     "with",       "freq", "lo95",
                                       "hi95",  "occurrences", "per_string", NULL};
    report_table(r, "motifs", o->occurrences ? more : columns);
    for (size_t i = 0; i < o->motifs; i++) {
        struct tally_motif m = tally_motif_result(t, i);
        report_cell_text(r, o->motif[i]);
        report_cell_u64(r, tally_strings(t));
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
report_features(struct report *r, const struct features *f, const struct tally *t)
{
    static const char *const columns[] = {"feature", "mean", "se", NULL};
    report_table(r, "features", columns);
    for (size_t i = 0; i < features_count(f); i++) {
        struct tally_feature v = tally_feature_result(t, i);
        report_cell_text(r, features_name(f, i));
        report_cell_f64(r, v.mean);
        report_cell_f64(r, v.se);
    }
    report_table_end(r);
}

static int
report_all(const struct cli *c, const struct options *o, const struct features *f,
           const struct tally *t, struct out *out, struct err *e)
{
    struct report r;
    report_begin(&r, out, c->json, e);
    if (o->motifs > 0)
        report_motifs(&r, o, t);
    if (features_count(f) > 0)
        report_features(&r, f, t);
    return report_end(&r);
}

static int
run(const struct cli *c, const struct options *o, struct out **out, struct err *e)
{
    struct alphabet a;
    struct features *f = NULL;
    struct pool *pool = NULL;
    struct tally *t = NULL;
    int rc = check_options(c, o, e);
    if (rc == 0 && (rc = alphabet_init(&a, o->alphabet, e)) < 0)
        err_prefix(e, "--alphabet");
    if (rc == 0 && (f = make_features(o, &a, e)) != NULL &&
        (pool = pool_new(c->threads, e)) != NULL && (t = make_tally(o, f, pool, e)) != NULL &&
        read_files(c, t, e) == 0) {
        features_set_max_length(f, o->max_length > 0 ? o->max_length : tally_max_length(t));
        *out = cli_output(c, false, e);
        if (*out != NULL)
            report_all(c, o, f, t, *out, e);
    }
    tally_free(t);
    pool_free(pool);
    features_free(f);
    return e->code;
}

int
main(int argc, char **argv)
{
    struct options o = {.alphabet = "01"};
    struct cli c;
    struct err e = {0};
    struct out *out = NULL;
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status < 0) {
        run(&c, &o, &out, &e);
        status = cli_finish(&c, out, EXIT_DONE, &e);
    }
    mem_free(o.motif);
    mem_free(o.feature);
    return status;
}

/* SPDX-License-Identifier: MIT
 * gam-features: features that set strings apart from a background. */
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "core/num.h"
#include "core/pool.h"
#include "discover/discovery.h"
#include "discover/tilted_chain.h"
#include "discover/word_search.h"
#include "io/report.h"
#include "model/model.h"
#include "text/alphabet.h"
#include "text/strings.h"

struct options {
    struct string_options strings;
    struct alphabet alphabet; /* of -a; empty: from the data */
    const char *background;   /* "chain:K", or the file of a model */
    const char *against;
    unsigned kinds; /* bits by place in kind_names; 0: by the background */
    struct discovery_options discovery;
};

/* ---- options */

/* What --kinds names.  The first three are words. */
enum {
    KIND_MOTIF,
    KIND_PREFIX,
    KIND_SUFFIX,
    KIND_ABSENT,
    KIND_LENGTH,
    KIND_COUNT,
    KIND_CLASS,
    KIND_AT,
    KIND_WITHIN,
    KIND_EDIT
};
static const char *const kind_names[] = {"motif", "prefix", "suffix", "absent", "length", "count",
                                         "class", "at",     "within", "edit",   NULL};
enum {
    KINDS_WORDS = 1 << KIND_MOTIF | 1 << KIND_PREFIX | 1 << KIND_SUFFIX,
    KINDS_CHAIN = KINDS_WORDS | 1 << KIND_ABSENT, /* of a chain, and of others */
    KINDS_OTHER = KINDS_CHAIN | 1 << KIND_LENGTH | 1 << KIND_COUNT
};

static int
set_kinds(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    unsigned kinds = 0;
    (void)o;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        char name[16] = "";
        int place;
        if (n < sizeof name)
            memcpy(name, at, n);
        if (choose_name(kind_names, n < sizeof name ? name : at, &place, e) != 0)
            return e->code;
        kinds |= 1u << place;
        at += n;
        if (*at == '\0')
            break;
    }
    *(unsigned *)member = kinds;
    return 0;
}

static const struct cli_option options[] = {
    CLI_HEADING("Data"),
    ALPHABET_OPTION(struct options, strings, ALPHABET_HELP " [default: 01]"),
    STRING_OPTIONS(struct options, strings),
    CLI_HEADING("Background"),
    {0, "background", "chain:K|MODEL",
     "compare with a chain of order K that has the lengths of DATA, or with the model in a file "
     "[default: chain:1]",
     CLI_TEXT(struct options, background)},
    {0, "against", "FILE", "compare with the strings in FILE",
     CLI_FILE(struct options, against, FILE_READ)},
    {0, "samples", "M",
     "strings of the background [default: 50 per string of DATA, from 20000 to 50000; for more "
     "than 5000 strings, 10 per string]",
     CLI_U64(struct options, discovery.samples, 100, 100000000)},
    {0, "null", "R", "null sets for each p-value [default: 40]",
     CLI_U64(struct options, discovery.nulls, 19, 100000)},
    CLI_HEADING("Features"),
    {0, "kinds", "LIST",
     "kinds of features, separated by commas: motif, prefix, suffix, absent, length, count, class, "
     "at, within, edit [default: the first four; the first six with MODEL or --against]",
     CLI_SET(set_kinds, struct options, kinds)},
    {0, "alpha", "P", "largest p-value of a discovery [default: 0.05]",
     CLI_F64(struct options, discovery.alpha, 0, 1)},
    {0, "min-gain", "X", "least gain of a feature, in nats per string [default: 0]",
     CLI_F64(struct options, discovery.min_gain, 0, 1e6)},
    {0, "max-features", "N", "maximum number of features [default: 20]",
     CLI_U64(struct options, discovery.max_features, 1, 1000)},
    {0, "max-word", "N", "maximum number of symbols in a word [default: 24]",
     CLI_U64(struct options, discovery.max_word, 1, WORD_SEARCH_LENGTH_MAX)},
    CLI_END};

static const char chain_name[] = "chain:";

static bool
is_chain(const struct options *o)
{
    return strncmp(o->background, chain_name, strlen(chain_name)) == 0;
}

/* The kinds to search: the requested ones, or all that the background can distinguish. */
static void
choose_kinds(struct options *o)
{
    struct discovery_options *d = &o->discovery;
    bool chain = is_chain(o) && o->against == NULL;
    unsigned kinds = o->kinds != 0 ? o->kinds : chain ? KINDS_CHAIN : KINDS_OTHER;
    d->lengths = (kinds & 1 << KIND_LENGTH) != 0;
    d->counts = (kinds & 1 << KIND_COUNT) != 0;
    d->classes = (kinds & 1 << KIND_CLASS) != 0;
    d->positions = (kinds & 1 << KIND_AT) != 0;
    d->windows = (kinds & 1 << KIND_WITHIN) != 0;
    d->edits = (kinds & 1 << KIND_EDIT) != 0;
    d->kinds = kinds & KINDS_WORDS;
    if ((kinds & 1 << KIND_ABSENT) != 0)
        d->absent = d->kinds != 0 ? d->kinds : WORD_MOTIF;
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    struct err why = {0};
    uint64_t order = 0;
    (void)c;
    if (string_options_alphabet(&o->strings, &o->alphabet, e) != 0)
        return e->code;
    if (o->against != NULL && o->background[0] != '\0')
        return err_set(e, ERR_USAGE, "--background cannot be combined with --against");
    if (o->background[0] == '\0')
        o->background = "chain:1";
    if (is_chain(o) && num_parse_u64(o->background + strlen(chain_name), 0, TILTED_CHAIN_ORDER_MAX,
                                     &order, &why) != 0)
        return err_set(e, ERR_USAGE, "--background: '%s' is not chain:K with K from 0 to %d",
                       o->background, TILTED_CHAIN_ORDER_MAX);
    o->discovery.background.order = (unsigned)order;
    choose_kinds(o);
    if (o->discovery.lengths && is_chain(o) && o->against == NULL)
        return err_set(e, ERR_USAGE,
                       "--kinds: length requires --background MODEL or --against; a chain has the "
                       "lengths of DATA");
    return 0;
}

/* ---- the table */

static int
print_feature(void *arg, const struct discovered *d, struct err *e)
{
    struct report *r = arg;
    report_cell_text(r, d->spec);
    report_cell_f64(r, d->gain);
    report_cell_f64(r, d->data);
    report_cell_f64(r, d->background);
    report_cell_f64(r, d->model);
    report_cell_f64(r, d->score);
    report_cell_f64(r, d->p);
    report_cell_f64(r, d->q);
    report_cell_text(r, d->note);
    return e->code;
}

static void
note_end(const struct cli *c, const struct options *o, const struct discovery_outcome *end)
{
    const struct discovery_options *d = &o->discovery;
    const char *more = end->features > 0 ? "further " : "", *plural = end->features == 1 ? "" : "s";
    switch (end->stop) {
    case DISCOVERY_NO_CANDIDATE:
        cli_note(c, "no %sfeature is a candidate", more);
        break;
    case DISCOVERY_NOT_SIGNIFICANT:
        cli_note(c, "the next best is %s, with p = %.3g", end->spec, end->p);
        break;
    case DISCOVERY_LITTLE_GAIN:
        cli_note(c, "the next best is %s, which gains less than --min-gain", end->spec);
        break;
    case DISCOVERY_ENOUGH:
        cli_warn(c, "stopped after %zu feature%s: there may be more; raise --max-features",
                 end->features, plural);
        break;
    case DISCOVERY_TOO_LARGE:
        cli_warn(c,
                 "stopped after %zu feature%s: the model with %s is too large to continue; use a "
                 "lower order or --max-word",
                 end->features, plural, end->spec);
        break;
    case DISCOVERY_TOO_RARE:
        cli_warn(c,
                 "stopped after %zu feature%s: strings with all features are too rare in the "
                 "background; fit a model with them and use it as --background",
                 end->features, plural);
    }
    if (end->features == 0)
        cli_warn(c, "no feature sets the strings apart from the background at p <= %g", d->alpha);
}

/* What a run needs. */
struct job {
    struct cli *cli;
    struct options *options;
    struct strings data, others;
    struct model *model;
    struct pool *pool;
};

static int
discover(struct job *j, struct err *e)
{
    static const char *const columns[] = {"feature", "gain", "data", "background", "model",
                                          "score",   "p",    "q",    "note",       NULL};
    struct cli *c = j->cli;
    struct discovery_outcome end;
    struct report r;
    if (cli_output(c, false, e) == NULL)
        return e->code;
    if (j->options->against != NULL && j->options->discovery.samples > 0)
        cli_warn(c, "--samples is ignored with --against");
    report_begin(&r, c->out, c->json, e);
    report_table(&r, "features", columns);
    if (discovery_run(&j->data, &j->options->alphabet, &j->options->discovery, j->pool,
                      print_feature, &r, &end, e) == 0)
        note_end(c, j->options, &end);
    report_table_end(&r);
    return report_end(&r);
}

static int
load_model(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    j->model = model_load(o->background, e);
    if (j->model == NULL)
        return e->code;
    if (!alphabet_equal(&j->model->alphabet, &o->alphabet))
        return err_advise(e, ERR_DATA, REMEDY_SET_ALPHABET,
                          "%s: the alphabet of the model is '%s', that of DATA is '%s'",
                          o->background, j->model->alphabet.text, o->alphabet.text);
    return 0;
}

/* Reads DATA and the strings of --against, which fill the alphabet together. */
static int
load_strings(struct job *j, struct err *e)
{
    struct options *o = j->options;
    const struct string_format f = string_options_format(&o->strings, &o->alphabet);
    uint8_t map[ALPHABET_MAX];
    uint64_t hash;
    int rc = strings_load(&j->data, cli_operand(j->cli, 0), &o->alphabet, &f, &hash, e);
    if (rc == 0 && o->against != NULL)
        rc = strings_load(&j->others, o->against, &o->alphabet, &f, &hash, e);
    if (rc == 0 && f.grow != NULL) {
        alphabet_sort(&o->alphabet, map);
        strings_map(&j->data, map);
        strings_map(&j->others, map);
    }
    if (rc == 0)
        string_options_report(j->cli, j->data.skipped + j->others.skipped, f.grow);
    return rc;
}

static int
load(struct job *j, struct err *e)
{
    struct options *o = j->options;
    struct background_options *b = &o->discovery.background;
    int rc = load_strings(j, e);
    if (rc == 0 && o->against == NULL && !is_chain(o))
        rc = load_model(j, e);
    b->seed = j->cli->seed;
    b->others = o->against != NULL ? &j->others : NULL;
    b->model = j->model;
    b->model_name = o->background;
    if (rc == 0)
        j->pool = pool_new(j->cli->threads, e);
    return e->code;
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    if (load(&j, e) == 0)
        discover(&j, e);
    pool_free(j.pool);
    model_free(j.model);
    strings_clear(&j.others);
    strings_clear(&j.data);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "gam-features",
    .operands = "[DATA]",
    .summary = "Find features that set strings apart from a background.",
    .details = "Prints one feature per line, in order of discovery, with its gain, its share in\n"
               "DATA and in the background, and p- and q-values. gam-fit --features reads it.",
    .examples = "  gam-features D >features\n"
                "  gam-features D | gam-fit --base r.lstm --features - D >g.gam",
    .options = options,
    .flags = CLI_REPORT,
    .max_operands = 1,
    .operand = {{"DATA", FILE_READ}},
    .check = check_options,
    .run = run,
    .remedy = {ALPHABET_REMEDIES},
};

int
main(int argc, char **argv)
{
    struct options o = {
        .background = "",
        .discovery = {.alpha = 0.05, .max_word = 24, .max_features = 20, .nulls = 40}};
    return cli_main(&tool, &o, argc, argv);
}

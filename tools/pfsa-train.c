/* SPDX-License-Identifier: MIT
 * pfsa-train: learns an automaton from strings. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "core/num.h"
#include "model/meta.h"
#include "model/model.h"
#include "ngram/merging.h"
#include "ngram/ngram.h"
#include "ngram/positional.h"
#include "pfsa/pfsa.h"
#include "text/line_reader.h"
#include "text/strings.h"
#include "train/training_data.h"

struct options {
    struct string_options strings;
    struct alphabet alphabet; /* of -a; empty: from the data */
    int order;                /* NGRAM_CHOOSE: by leave-one-out */
    int smoothing;            /* place in `smoothings` */
    bool order_given, smoothing_given, positional, merge;
};

/* The names of NGRAM_CHOOSE, NGRAM_WB and NGRAM_KN, in this order. */
static const char *const smoothings[] = {"auto", "wb", "kn", NULL};

static int
set_order(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    struct err why = {0};
    uint64_t order;
    if (strcmp(value, "auto") == 0) {
        *(int *)member = NGRAM_CHOOSE;
        return 0;
    }
    if (num_parse_u64(value, o->min, o->max, &order, &why) != 0)
        return err_set(e, ERR_USAGE, "'%s' is neither auto nor a whole number from %d to %d", value,
                       (int)o->min, (int)o->max);
    *(int *)member = (int)order;
    return 0;
}

static const struct cli_option options[] = {
    CLI_HEADING("Data"),
    ALPHABET_OPTION(struct options, strings, ALPHABET_HELP " [default: 01]"),
    STRING_OPTIONS(struct options, strings),
    CLI_HEADING("Model"),
    {0, "order", "N",
     "symbols of context, or auto: the best of 0 to 4 by leave-one-out [default: auto]",
     CLI_SET(set_order, struct options, order), .min = 0, .max = LINE_SYMBOLS_MAX,
     CLI_GIVEN(struct options, order_given)},
    {0, "smoothing", "NAME",
     "kn (Kneser-Ney), wb (Witten-Bell), or auto: the better one by leave-one-out [default: auto]",
     CLI_NAME(struct options, smoothing, smoothings), CLI_GIVEN(struct options, smoothing_given)},
    {0, "positional", NULL,
     "separate probabilities for each position; requires strings of one length and order 0 or 1",
     CLI_FLAG(struct options, positional)},
    {0, "merge", NULL, "merge states that behave alike; requires strings of several lengths",
     CLI_FLAG(struct options, merge)},
    CLI_END};

static int
check_options(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    (void)c;
    if (string_options_alphabet(&o->strings, &o->alphabet, e) != 0)
        return e->code;
    if (o->merge && (o->positional || o->order_given || o->smoothing_given))
        return err_set(e, ERR_USAGE, "--merge cannot be combined with --%s",
                       o->positional    ? "positional"
                       : o->order_given ? "order"
                                        : "smoothing");
    if (o->positional && o->smoothing_given)
        return err_set(e, ERR_USAGE, "--smoothing cannot be combined with --positional");
    if (o->positional && o->order >= POSITIONAL_ORDERS)
        return err_set(e, ERR_USAGE, "--order: with --positional, the order is 0 or 1, not %d",
                       o->order);
    return 0;
}

/* ---- n-grams */

static int
note_ngram(const struct cli *c, const struct ngram_choice *choice, struct meta *meta, struct err *e)
{
    const struct ngram_candidate *best = &choice->candidate[choice->best];
    for (size_t i = 0; i < choice->count; i++)
        cli_note(c, "order %u, %s: %.6f nats per character by leave-one-out",
                 choice->candidate[i].order, smoothings[choice->candidate[i].smoothing + 1],
                 choice->candidate[i].loo_ce);
    int rc = meta_set(meta, "order", e, "%u", best->order);
    if (rc == 0)
        rc = meta_set(meta, "smoothing", e, "%s", smoothings[best->smoothing + 1]);
    return rc == 0 ? meta_set_number(meta, "loo_ce", best->loo_ce, e) : rc;
}

static struct pfsa *
train_ngram(const struct cli *c, const struct options *o, const struct strings *s,
            struct meta *meta, struct err *e)
{
    struct ngram_choice choice;
    const struct ngram_candidate *best = choice.candidate;
    if (ngram_choose(s, &o->alphabet, o->order, o->smoothing - 1, &choice, e) != 0 ||
        note_ngram(c, &choice, meta, e) != 0)
        return NULL;
    best += choice.best;
    return ngram_build(s, &o->alphabet, best->order, best->smoothing, e);
}

/* ---- position-specific symbols */

static int
note_positional(const struct cli *c, const struct options *o, const struct positional *m,
                struct meta *meta, struct err *e)
{
    static const char *const key[] = {"pseudo_count", "pair_pseudo_count"};
    unsigned tried = o->order == POSITIONAL_CHOOSE ? 1 : (unsigned)o->order;
    for (unsigned i = 0; i <= tried; i++)
        cli_note(c, "order %u, pseudo-count %g: %.6f nats per character by leave-one-out", i,
                 m->pseudo_count[i], m->loo_ce[i]);
    int rc = meta_set(meta, "order", e, "%u", m->order);
    for (unsigned i = 0; rc == 0 && i <= m->order; i++)
        rc = meta_set_number(meta, key[i], m->pseudo_count[i], e);
    return rc == 0 ? meta_set_number(meta, "loo_ce", m->loo_ce[m->order], e) : rc;
}

static struct pfsa *
train_positional(const struct cli *c, const struct options *o, const struct strings *s,
                 struct meta *meta, struct err *e)
{
    struct positional m;
    if (positional_choose(s, &o->alphabet, o->order, &m, e) != 0) {
        err_prefix(e, "--positional");
        return NULL;
    }
    return note_positional(c, o, &m, meta, e) == 0 ? positional_build(s, &o->alphabet, &m, e)
                                                   : NULL;
}

/* ---- merged states */

static struct pfsa *
train_merging(const struct cli *c, const struct options *o, const struct strings *s,
              struct meta *meta, struct err *e)
{
    struct merging_choice m;
    if (merging_choose(s, &o->alphabet, &m, e) != 0) {
        err_prefix(e, "--merge");
        return NULL;
    }
    for (int i = 0; !isnan(m.ce) && i < MERGING_TRIED; i++)
        cli_note(c, "threshold %g: %.6f nats per character, held out", m.tried[i], m.tried_ce[i]);
    int rc = meta_set_number(meta, "threshold", m.threshold, e);
    if (rc == 0 && !isnan(m.ce))
        rc = meta_set_number(meta, "held_out_ce", m.ce, e);
    return rc != 0 ? NULL : merging_build(s, &o->alphabet, m.threshold, e);
}

static struct pfsa *
train(const struct cli *c, const struct options *o, const struct strings *s, struct meta *meta,
      struct err *e)
{
    if (o->merge)
        return train_merging(c, o, s, meta, e);
    return o->positional ? train_positional(c, o, s, meta, e) : train_ngram(c, o, s, meta, e);
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct options *o = self;
    struct training_data data = {0};
    struct pfsa *p = NULL;
    struct meta *meta = cli_meta(c, e);
    const struct string_format f = string_options_format(&o->strings, &o->alphabet);
    if (meta != NULL &&
        training_data_load(&data, &o->alphabet, &f, cli_operand(c, 0), NULL, meta, e) == 0) {
        string_options_report(c, data.strings.skipped, f.grow);
        p = train(c, o, &data.strings, meta, e);
    }
    if (p != NULL && cli_output(c, true, e) != NULL)
        model_write(&p->model, meta, c->out, e);
    pfsa_free(p);
    training_data_clear(&data);
    meta_free(meta);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "pfsa-train",
    .operands = "[TRAIN]",
    .summary = "Learn an automaton from strings.",
    .details = "The automaton predicts each symbol, and the end, from the last N symbols, from\n"
               "the position, or from states that it finds. Order and smoothing are chosen by\n"
               "leave-one-out: each string is predicted from all others.",
    .examples = "  pfsa-train -a abcdefghijklmnopqrstuvwxyz words >words.pfsa\n"
                "  pfsa-train -a ACGT --positional sites -o sites.pfsa",
    .options = options,
    .max_operands = 1,
    .operand = {{"TRAIN", FILE_READ}},
    .writes_model = true,
    .check = check_options,
    .run = run,
    .remedy = {ALPHABET_REMEDIES},
};

int
main(int argc, char **argv)
{
    struct options o = {.order = NGRAM_CHOOSE};
    return cli_main(&tool, &o, argc, argv);
}

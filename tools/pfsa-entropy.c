/* SPDX-License-Identifier: MIT
 * pfsa-entropy: exact entropy and other numbers of a process or an automaton. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "core/dmath.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/constraint.h"
#include "gam/exact_moments.h"
#include "io/report.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"

struct options {
    struct process_options process;
    struct constraint_options constraints;
    struct feature_options features;
    const char *relative_to;
    bool bits;
};

static const struct cli_option options[] = {
    CLI_HEADING("Report"),
    {0, "bits", NULL, "print entropies in bits [default: nats]", CLI_FLAG(struct options, bits)},
    {0, "relative-to", "MODEL",
     "also print the cross-entropy and the divergence relative to the automaton MODEL",
     CLI_FILE(struct options, relative_to, FILE_READ_MODEL)},
    CLI_HEADING("Features"),
    FEATURE_OPTIONS(struct options, features, "print the exact mean of feature",
                    "divide lengths and counts by N [default: length of the longest string]"),
    PROCESS_OPTIONS(struct options, process),
    CONSTRAINT_OPTIONS(struct options, constraints),
    CLI_END};

/* With `counted` also the logarithm of the number of strings. */
static void
report_stats(struct report *r, const struct pfsa *p, const struct pfsa_stats *s, double unit,
             bool counted)
{
    report_f64(r, "entropy", s->entropy / unit);
    report_f64(r, "entropy_per_char", s->entropy / unit / (s->mean_length + 1));
    report_f64(r, "mean_length", s->mean_length);
    report_f64(r, "partition", dm_exp(p->log_partition));
    report_f64(r, "log_partition", p->log_partition);
    if (s->support_exact != 0)
        report_u64(r, "support", s->support_exact);
    else
        report_f64(r, "support", s->support);
    if (counted)
        report_f64(r, "log_support", s->log_support);
    report_u64(r, "states", p->states);
    report_u64(r, "transitions", p->arcs);
}

static int
report_relative(struct report *r, const struct pfsa *p, const char *path, double unit,
                struct err *e)
{
    struct pfsa_relative relative;
    struct pfsa *model = pfsa_load(path, e);
    int status = model == NULL ? e->code : pfsa_stats_relative(p, model, &relative, e);
    if (status == 0) {
        report_f64(r, "cross_entropy", relative.cross_entropy / unit);
        report_f64(r, "kl", relative.kl / unit);
    } else
        err_prefix(e, "--relative-to");
    pfsa_free(model);
    return status;
}

static int
report_moments(struct report *r, const struct pfsa *p, const struct feature_set *f, struct err *e)
{
    size_t n = feature_set_count(f);
    double *mean = mem_array(n, sizeof *mean, e);
    int status = mean == NULL ? ERR_NOMEM
                              : exact_means(p, f, MODEL_UNBOUNDED, EXACT_MEANS_SIZE_MAX, mean, e);
    for (size_t i = 0; status == 0 && i < n; i++) {
        const char *feature = feature_set_name(f, i);
        size_t room = strlen(feature) + sizeof "moment:";
        char *name = mem_array(room, 1, e);
        if (name != NULL) {
            snprintf(name, room, "moment:%s", feature);
            report_f64(r, name, mean[i]);
        } else
            status = ERR_NOMEM;
        mem_free(name);
    }
    mem_free(mean);
    return status;
}

static int
report_all(const struct cli *c, const struct options *o, const struct pfsa *p,
           const struct feature_set *f, struct err *e)
{
    double unit = o->bits ? DM_LN2 : 1;
    struct pfsa_stats s;
    struct report r;
    if (pfsa_stats(p, &s, e) != 0)
        return e->code;
    report_begin(&r, c->out, c->json, e);
    report_stats(&r, p, &s, unit, constraint_options_given(&o->constraints));
    if (o->relative_to != NULL)
        report_relative(&r, p, o->relative_to, unit, e);
    report_moments(&r, p, f, e);
    return report_end(&r);
}

static struct pfsa *
find_source(const struct options *o, const char *path, struct err *e)
{
    struct pfsa *p = process_options_model(&o->process, path, e);
    return constraint_automaton(
        p, p != NULL ? constraint_options_build(&o->constraints, &p->model.alphabet, e) : NULL, e);
}

static int
run(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    struct pfsa *p = find_source(o, cli_operand(c, 0), e);
    struct feature_set *f =
        p == NULL ? NULL : process_options_features(&o->process, &o->features, p, e);
    if (f != NULL && cli_output(c, false, e) != NULL)
        report_all(c, o, p, f, e);
    if (cli_operand(c, 0) != NULL && e->remedy == REMEDY_SET_ALPHABET)
        err_remedy(e, REMEDY_NONE); /* the alphabet of a model cannot be changed */
    feature_set_free(f);
    pfsa_free(p);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "pfsa-entropy",
    .operands = "[MODEL]",
    .summary = "Print the exact entropy and moments of a source or an automaton.",
    .details = "Describe the source with the options of pfsa-gen, or name MODEL, an automaton\n"
               "('-' is stdin). Nothing is sampled.",
    .examples = "  pfsa-entropy -l 30 -m 10001011111000\n"
                "  pfsa-entropy -l 30 -m 10001011111000 --mix 0.9 --bits\n"
                "  pfsa-entropy -a ACGT -l 60 --forbid site:GAATTC --require run@..5",
    .options = options,
    .flags = CLI_REPORT | CLI_OPTIONAL_OPERAND,
    .max_operands = 1,
    .operand = {{"MODEL", FILE_READ_MODEL}},
    .run = run,
    .remedy = {[REMEDY_SET_ALPHABET] = "set the alphabet with -a"},
};

int
main(int argc, char **argv)
{
    struct options o = {0};
    return cli_main(&tool, &o, argc, argv);
}

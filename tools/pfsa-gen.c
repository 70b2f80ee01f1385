/* SPDX-License-Identifier: MIT
 * pfsa-gen: random strings from a process, or the process as an automaton. */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "core/pool.h"
#include "feature/feature_set.h"
#include "gam/constraint.h"
#include "model/meta.h"
#include "pfsa/alias_sampler.h"
#include "pfsa/pfsa.h"

struct options {
    struct process_options process;
    struct constraint_options constraints;
    struct feature_options features;
    uint64_t count;
    struct shard_options shard;
    bool has_count, build;
    int fasta; /* place in string_output_names */
};

static const struct cli_option options[] = {
    CLI_HEADING("Strings and model"),
    {'n', "count", "N", "number of strings to draw [default: 1]",
     CLI_U64(struct options, count, 0, INT64_MAX), CLI_GIVEN(struct options, has_count)},
    SHARD_OPTION(struct options, shard),
    STRING_OUTPUT_OPTION(struct options, fasta),
    {'b', "build", NULL, "write the automaton as a model instead of strings",
     CLI_FLAG(struct options, build)},
    CLI_HEADING("Features"),
    FEATURE_OPTIONS(struct options, features, "print before each string the value of feature",
                    "divide lengths and counts by N [default: length of the longest string]"),
    PROCESS_OPTIONS(struct options, process),
    CONSTRAINT_OPTIONS(struct options, constraints),
    CLI_END};

static void
show_progress(void *arg, uint64_t done)
{
    progress_update(arg, done);
}

static int
draw(const struct cli *c, const struct pfsa *p, const struct feature_set *f,
     const struct options *o, struct err *e)
{
    struct progress progress;
    uint64_t count = shard_count(&o->shard, o->count);
    struct alias_sampler_request request = {.seed = c->seed,
                                            .purpose = "pfsa-gen/strings",
                                            .part = shard_part(&o->shard),
                                            .count = count,
                                            .first = shard_first(&o->shard, o->count),
                                            .out = c->out,
                                            .progress = show_progress,
                                            .arg = &progress};
    struct pool *pool = pool_new(c->threads, e);
    struct alias_sampler_format format = {.fasta = o->fasta != 0,
                                          .values = feature_set_count(f) > 0 ? f : NULL};
    struct alias_sampler *s = pool == NULL ? NULL : alias_sampler_new(p, format, e);
    if (s != NULL) {
        progress_begin(&progress, c->progress, "strings", count);
        alias_sampler_write(s, pool, &request, NULL, e);
        progress_end(&progress);
    }
    alias_sampler_free(s);
    pool_free(pool);
    return e->code;
}

static int
build(const struct cli *c, const struct pfsa *p, struct err *e)
{
    struct meta *meta = cli_meta(c, e);
    if (meta != NULL)
        model_write(&p->model, meta, c->out, e);
    meta_free(meta);
    return e->code;
}

static struct pfsa *
find_source(const struct options *o, const char *path, struct err *e)
{
    struct pfsa *p = process_options_model(&o->process, path, e);
    return constraint_automaton(
        p, p != NULL ? constraint_options_build(&o->constraints, &p->model.alphabet, e) : NULL, e);
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    const char *path = cli_operand(c, 0);
    if (o->build && o->has_count)
        return err_set(e, ERR_USAGE, "--build cannot be combined with --count");
    if (o->build && o->shard.of > 0)
        return err_set(e, ERR_USAGE, "--build cannot be combined with --shard");
    if (o->build && o->fasta != 0)
        return err_set(e, ERR_USAGE, "--build cannot be combined with --format fasta");
    if (o->build && feature_options_given(&o->features))
        return err_set(e, ERR_USAGE, "features cannot be combined with --build");
    if (o->fasta != 0 && feature_options_given(&o->features))
        return err_set(e, ERR_USAGE, "features cannot be combined with --format fasta");
    if (o->build && path != NULL)
        return err_set(e, ERR_USAGE, "--build cannot be combined with the model '%s'", path);
    return 0;
}

static int
run(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    struct pfsa *p = find_source(o, cli_operand(c, 0), e);
    struct feature_set *f =
        p == NULL ? NULL : process_options_features(&o->process, &o->features, p, e);
    if (f != NULL && cli_output(c, o->build, e) != NULL) {
        if (o->build)
            build(c, p, e);
        else
            draw(c, p, f, o, e);
    }
    if (cli_operand(c, 0) != NULL && e->remedy == REMEDY_SET_ALPHABET)
        err_remedy(e, REMEDY_NONE); /* the alphabet of a model cannot be changed */
    feature_set_free(f);
    pfsa_free(p);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "pfsa-gen",
    .operands = "[MODEL]",
    .summary = "Draw random strings from a known source.",
    .details = "The source draws i.i.d. symbols for a fixed or a geometric length, under the\n"
               "condition that motifs occur or do not occur; or it is MODEL, an automaton\n"
               "written by --build or model-convert ('-' is stdin). --require and --forbid add\n"
               "hard constraints to either.",
    .examples = "  pfsa-gen -l 30 -m 10001011111000 -n 500 >D\n"
                "  pfsa-gen -s 2 -l 30 -m 10001011111000 -n 5000 >T\n"
                "  pfsa-gen -l 30 -m 10001011111000 --mix 0.9 --build >mixture.pfsa\n"
                "  pfsa-gen -a ACGT -l 60 --forbid site:GAATTC --require run@..5 -n 10",
    .options = options,
    .max_operands = 1,
    .flags = CLI_OPTIONAL_OPERAND,
    .operand = {{"MODEL", FILE_READ_MODEL}},
    .check = check_options,
    .run = run,
    .remedy = {[REMEDY_SET_ALPHABET] = "set the alphabet with -a",
               [REMEDY_SET_FORMAT] =
                   "use --format lines, or --forbid length:0 against empty strings",
               [REMEDY_LOWER_MAX_LENGTH] = "use gam-sample with --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {.count = 1};
    return cli_main(&tool, &o, argc, argv);
}

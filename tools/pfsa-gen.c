/* SPDX-License-Identifier: MIT
 * pfsa-gen: random strings from a process, or the process as an automaton. */
#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "core/num.h"
#include "core/pool.h"
#include "model/meta.h"
#include "pfsa/alias_sampler.h"
#include "pfsa/pfsa.h"

struct options {
    struct process_options process;
    uint64_t count;
    bool has_count, build;
};

static const struct cli_option options[] = {
    {0, NULL, NULL, "Strings and model", CLI_HEADING},
    {'n', "count", "N", "number of strings to draw [default: 1]", 0},
    {'b', "build", NULL, "write the automaton as a model instead of strings", 0},
    PROCESS_OPTIONS,
    {0, NULL, NULL, NULL, 0}};

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    int status = process_options_set(&o->process, key, value, e);
    if (status != 0)
        return status < 0 ? status : 0;
    if (key == 'b') {
        o->build = true;
        return 0;
    }
    o->has_count = true;
    return num_parse_u64(value, 0, INT64_MAX, &o->count, e);
}

static const struct cli_tool tool = {
    .name = "pfsa-gen",
    .operands = "[MODEL]",
    .summary = "Draw random strings from a known source.",
    .details = "The source draws i.i.d. symbols for a fixed or a geometric length, under the\n"
               "condition that motifs occur or do not occur; or it is MODEL, an automaton\n"
               "written by --build or model-convert ('-' is stdin).",
    .examples = "  pfsa-gen -l 30 -m 10001011111000 -n 500 >D\n"
                "  pfsa-gen -s 2 -l 30 -m 10001011111000 -n 5000 >T\n"
                "  pfsa-gen -l 30 -m 10001011111000 --mix 0.9 --build >mixture.pfsa",
    .options = options,
    .max_operands = 1,
    .set = set_option,
    .remedy = {[REMEDY_LOWER_MAX_LENGTH] = "gam-sample --max-length leaves out long ones"},
};

static void
show_progress(void *arg, uint64_t done)
{
    progress_update(arg, done);
}

static int
draw(const struct cli *c, const struct pfsa *p, uint64_t count, struct output *out, struct err *e)
{
    struct progress progress;
    struct pool *pool = pool_new(c->threads, e);
    struct alias_sampler *s = pool == NULL ? NULL : alias_sampler_new(p, e);
    if (s != NULL) {
        progress_begin(&progress, c->progress, "strings", count);
        alias_sampler_write(s, c->seed, count, pool, out, show_progress, &progress, e);
        progress_end(&progress);
    }
    alias_sampler_free(s);
    pool_free(pool);
    return e->code;
}

static int
build(const struct cli *c, const struct pfsa *p, struct output *out, struct err *e)
{
    struct meta *meta = cli_meta(c, e);
    if (meta != NULL)
        model_write(&p->model, meta, out, e);
    meta_free(meta);
    return e->code;
}

/* The automaton that the operand or the options name. */
static struct pfsa *
find_automaton(const struct cli *c, const struct options *o, struct err *e)
{
    const char *path = c->operand_count > 0 ? cli_operand(c, 0) : NULL;
    const struct file_entry files[] = {{"MODEL", path, FILE_READ_MODEL},
                                       {"--output", c->output, FILE_WRITE}};
    if (o->build && o->has_count)
        err_set(e, ERR_USAGE, "--build and --count exclude each other");
    else if (o->build && path != NULL)
        err_set(e, ERR_USAGE, "--build and the model '%s' exclude each other", path);
    else if (cli_files(c, files, sizeof files / sizeof *files, e) == 0)
        return process_options_model(&o->process, path, e);
    return NULL;
}

int
main(int argc, char **argv)
{
    struct options o = {.count = 1};
    struct cli c;
    struct err e = {0};
    struct output *out = NULL;
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status < 0) {
        struct pfsa *p = find_automaton(&c, &o, &e);
        if (p != NULL && (out = cli_output(&c, o.build, &e)) != NULL) {
            if (o.build)
                build(&c, p, out, &e);
            else
                draw(&c, p, o.count, out, &e);
        }
        pfsa_free(p);
        status = cli_finish(&c, out, EXIT_DONE, &e);
    }
    process_options_clear(&o.process);
    return status;
}

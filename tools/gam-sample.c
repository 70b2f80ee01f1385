/* SPDX-License-Identifier: MIT
 * gam-sample: draws strings from a model. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/seconds.h"
#include "gam/gam.h"
#include "gam/weight_bound.h"
#include "io/output.h"
#include "io/report.h"
#include "model/model.h"
#include "model/sampler.h"
#include "text/alphabet.h"

/* Proposals for each string wanted, unless --max-proposals says otherwise.  The
 * strings are what one is after, so they may cost much: this is only for a run
 * without hope to end by itself. */
#define PROPOSALS_EACH UINT64_C(1000000)

struct options {
    uint64_t count;
    uint64_t max_length;    /* 0 with !has_max_length: the model's */
    uint64_t max_proposals; /* 0: PROPOSALS_EACH times the count */
    bool has_max_length;
    bool plain;
    const char *stats; /* a file, or NULL */
};

enum { OPT_MAX_LENGTH = 256, OPT_MAX_PROPOSALS, OPT_PLAIN, OPT_STATS };

static const struct cli_option options[] = {
    {'n', "count", "N", "strings to draw [1]", 0},
    {OPT_MAX_LENGTH, "max-length", "N",
     "longest string; longer ones are drawn again\n[the model's]", 0},
    {OPT_MAX_PROPOSALS, "max-proposals", "N",
     "give up after N strings begun, with exit\nstatus 3 [a million for each string]", 0},
    {OPT_PLAIN, "plain", NULL, "the textbook loop, one string at a time", 0},
    {OPT_STATS, "stats", "FILE", "write how it went to FILE", CLI_NO_TRACE},
    {0, NULL, NULL, NULL, 0}};

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    switch (key) {
    case 'n':
        return num_parse_u64(value, 0, INT64_MAX, &o->count, e);
    case OPT_MAX_LENGTH:
        o->has_max_length = true;
        return num_parse_u64(value, 0, INT64_MAX, &o->max_length, e);
    case OPT_MAX_PROPOSALS:
        return num_parse_u64(value, 1, INT64_MAX, &o->max_proposals, e);
    case OPT_PLAIN:
        o->plain = true;
        return 0;
    default:
        o->stats = value;
        return 0;
    }
}

static const struct cli_tool tool = {
    .name = "gam-sample",
    .operands = "[MODEL]",
    .summary = "Draws strings from a model, in random order.",
    .details = "Strings that begin alike share their work; the distribution is exact.",
    .examples = "  gam-sample -n 20000 g.gam | lstm-train >pi.lstm\n"
                "  gam-sample -n 2000 pi.lstm | motif-freq -m 10001011111000\n"
                "  gam-sample -n 100000000 --stats s.tsv m.pfsa | gzip >big.gz",
    .options = options,
    .max_operands = 1,
    .set = set_option,
};

struct job {
    const struct cli *cli;
    const struct options *options;
    struct model *model;
    const struct gam *gam;      /* that it is, or NULL */
    struct weight_bound *reach; /* of the GAM */
    struct sampler_bound bound; /* from it */
    struct pool *pool;
    struct output *out;
    struct progress progress;
    char *line;
    size_t line_room;
    struct sampler_stats stats;
    double seconds;
};

static int
write_string(void *arg, const uint8_t *codes, size_t length, struct err *e)
{
    struct job *j = arg;
    if (mem_reserve(&j->line, &j->line_room, length + 1, 1, e) != 0)
        return ERR_NOMEM;
    alphabet_decode(&j->model->alphabet, codes, length, j->line);
    j->line[length] = '\n';
    return output_write(j->out, j->line, length + 1, e);
}

static void
show_progress(void *arg, uint64_t done)
{
    struct job *j = arg;
    progress_update(&j->progress, done);
}

static uint64_t
proposal_budget(const struct options *o)
{
    if (o->max_proposals > 0)
        return o->max_proposals;
    return o->count < INT64_MAX / PROPOSALS_EACH ? o->count * PROPOSALS_EACH : INT64_MAX;
}

/* L: a GAM's own cannot be exceeded. */
static uint64_t
max_length(const struct job *j)
{
    uint64_t own = j->model->max_length;
    if (!j->options->has_max_length || (j->gam != NULL && own < j->options->max_length))
        return own;
    return j->options->max_length;
}

/* The bound that both ways of sampling reject with. */
static int
find_bound(struct job *j, struct err *e)
{
    if (j->gam == NULL)
        return 0;
    j->reach = weight_bound_new(j->gam->features, max_length(j), REACH_PAIRS_MAX, e);
    if (j->reach == NULL || weight_bound_set_lambda(j->reach, j->gam->lambda, e) != 0)
        return e->code;
    j->bound = weight_bound_bound(j->reach);
    if (!weight_bound_tight(j->reach))
        cli_note(j->cli, "too many states for the tight bound; acceptance will be lower");
    return 0;
}

static int
draw_tree(struct job *j, const struct sampler_options *so, const struct sampler_request *goal,
          struct err *e)
{
    struct sampler *s = sampler_new(model_proposal(j->model), j->pool, so, e);
    if (s == NULL)
        return e->code;
    int status = sampler_run(s, goal, e);
    sampler_get_stats(s, &j->stats);
    sampler_free(s);
    return status;
}

static int
draw(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    struct sampler_options so = {
        .seed = j->cli->seed,
        .purpose = tool.name,
        .max_length = max_length(j),
        .bound = j->gam != NULL ? &j->bound : NULL,
    };
    struct sampler_request goal = {
        .count = o->count,
        .max_proposals = proposal_budget(o),
        .string = write_string,
        .progress = show_progress,
        .arg = j,
    };
    double start = seconds_now();
    int status = model_check_sampling(j->model, so.max_length, e);
    if (status != 0)
        return status;
    progress_begin(&j->progress, j->cli->progress, "strings", o->count);
    if (o->plain)
        status = sampler_plain(model_proposal(j->model), j->pool, &so, &goal, &j->stats, e);
    else
        status = draw_tree(j, &so, &goal, e);
    progress_end(&j->progress);
    j->seconds = seconds_now() - start;
    return status;
}

static double
acceptance_rate(const struct sampler_stats *s)
{
    return (double)s->accepted / (double)s->proposals;
}

static int
write_stats(const struct job *j, struct err *e)
{
    const struct sampler_stats *s = &j->stats;
    struct report r;
    if (j->options->stats == NULL)
        return 0;
    struct output *out = output_open(j->options->stats, e);
    if (out == NULL)
        return e->code;
    report_begin(&r, out, false, e);
    report_u64(&r, "strings", s->written);
    report_u64(&r, "proposals", s->proposals);
    report_u64(&r, "accepted", s->accepted);
    report_f64(&r, "acceptance_rate", acceptance_rate(s));
    report_u64(&r, "dropped", s->too_long);
    report_u64(&r, "model_steps", s->model_steps);
    report_f64(&r, "seconds", j->seconds);
    report_end(&r);
    return output_close(out, e);
}

static int
check_files(const struct cli *c, const struct options *o, struct err *e)
{
    const struct file_entry files[] = {{"MODEL", cli_operand(c, 0), FILE_READ_MODEL},
                                       {"--output", c->output, FILE_WRITE},
                                       {"--stats", o->stats, FILE_WRITE}};
    return cli_files(c, files, sizeof files / sizeof *files, e);
}

static int
run(struct job *j, struct err *e)
{
    j->model = model_load(cli_operand(j->cli, 0), e);
    j->gam = gam_of(j->model);
    if (j->model != NULL && find_bound(j, e) == 0)
        j->pool = pool_new(j->cli->threads, e);
    j->out = j->pool != NULL ? cli_output(j->cli, false, e) : NULL;
    if (j->out == NULL || draw(j, e) != 0)
        return e->code;
    return write_stats(j, e);
}

int
main(int argc, char **argv)
{
    struct options o = {.count = 1};
    struct cli c;
    struct err e = {0};
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status >= 0)
        return status;
    struct job j = {.cli = &c, .options = &o};
    status = EXIT_DONE;
    if (check_files(&c, &o, &e) == 0 && run(&j, &e) == 0 && j.stats.written < o.count)
        status =
            cli_unmet(&c,
                      "%llu proposals gave %llu of %llu strings, an acceptance rate of %g; "
                      "raise --max-proposals",
                      (unsigned long long)j.stats.proposals, (unsigned long long)j.stats.written,
                      (unsigned long long)o.count, acceptance_rate(&j.stats));
    mem_free(j.line);
    weight_bound_free(j.reach);
    model_free(j.model);
    pool_free(j.pool);
    return cli_finish(&c, j.out, status, &e);
}

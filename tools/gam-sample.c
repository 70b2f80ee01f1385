/* SPDX-License-Identifier: MIT
 * gam-sample: draws strings from a model. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/seconds.h"
#include "gam/gam.h"
#include "gam/gam_sampler.h"
#include "io/output.h"
#include "io/report.h"
#include "model/model.h"
#include "text/alphabet.h"

/* Budget of rejection, unless --max-proposals states one: model steps for each string
 * wanted and at least in all.  A run without hope ends within minutes. */
#define STEPS_EACH UINT64_C(20000)
#define STEPS_ALL  UINT64_C(20000000)

struct options {
    uint64_t count;
    uint64_t max_length;    /* 0 with !has_max_length: the model's */
    uint64_t max_proposals; /* 0: by STEPS_EACH and STEPS_ALL */
    bool has_max_length;
    bool weighted;
    int method; /* enum gam_sampler_choice */
    double tvd;
    const char *stats; /* a file, or NULL */
};

static const struct cli_option options[] = {
    CLI_HEADING("Sampling"),
    {'n', "count", "N", "number of strings to draw [default: 1]",
     CLI_U64(struct options, count, 0, INT64_MAX)},
    {0, "max-length", "N",
     "maximum length; longer strings are dropped and drawn again [default: that of the model]",
     CLI_U64(struct options, max_length, 0, INT64_MAX), CLI_GIVEN(struct options, has_max_length)},
    CLI_HEADING("Method, for a GAM"),
    {0, "method", "METHOD",
     "auto, exact (rejection with a proven bound), guided (look-ahead and importance weights) or "
     "plain (the textbook algorithm) [default: auto]",
     CLI_NAME(struct options, method, gam_sampler_choices)},
    {0, "plain", NULL, "same as --method plain", CLI_CHOICE(struct options, method, SAMPLE_PLAIN)},
    {0, "tvd", "X",
     "guided: allowed total variation distance to the GAM, by estimate [default: 0.01]",
     CLI_F64(struct options, tvd, 1e-4, 1)},
    {0, "weighted", NULL,
     "guided: print 'log w<TAB>string', strings with their importance weights; none is rejected",
     CLI_FLAG(struct options, weighted)},
    {0, "max-proposals", "N",
     "stop after N proposals, with exit status 3 if they do not suffice [default: by a budget of "
     "model steps]",
     CLI_U64(struct options, max_proposals, 1, INT64_MAX)},
    CLI_HEADING("Report"),
    {0, "stats", "FILE", "write sampling statistics to FILE",
     CLI_FILE(struct options, stats, FILE_WRITE)},
    CLI_END};

struct job {
    struct cli *cli;
    const struct options *options;
    struct model *model;
    const struct gam *gam; /* that it is, or NULL */
    struct pool *pool;
    struct output *out;
    struct progress progress;
    char *line;
    size_t line_capacity;
    struct gam_sampler_outcome outcome;
    double seconds;
};

static int
write_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct job *j = arg;
    if (mem_reserve(&j->line, &j->line_capacity, length + 1, 1, e) != 0)
        return ERR_NOMEM;
    alphabet_decode(&j->model->alphabet, symbols, length, j->line);
    j->line[length] = '\n';
    return output_write(j->out, j->line, length + 1, e);
}

static int
write_weighted(void *arg, const uint8_t *symbols, size_t length, double log_w, struct err *e)
{
    struct job *j = arg;
    char number[NUM_TEXT_MAX];
    num_text(log_w, number);
    output_write(j->out, number, strlen(number), e);
    output_write(j->out, "\t", 1, e);
    return write_string(j, symbols, length, e);
}

static void
show_progress(void *arg, uint64_t done)
{
    struct job *j = arg;
    progress_update(&j->progress, done);
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

static uint64_t
step_budget(uint64_t count)
{
    uint64_t most = count < INT64_MAX / STEPS_EACH ? count * STEPS_EACH : INT64_MAX;
    return most > STEPS_ALL ? most : STEPS_ALL;
}

static int
draw(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    struct gam_sampler_options so = {
        .seed = j->cli->seed,
        .purpose = j->cli->tool->name,
        .max_length = max_length(j),
        .choice = o->method,
        .tvd = o->tvd,
    };
    struct sampler_request request = {
        .count = o->count,
        .max_proposals = o->max_proposals > 0 ? o->max_proposals : INT64_MAX,
        .max_steps = o->max_proposals > 0 || j->gam == NULL ? 0 : step_budget(o->count),
        .string = write_string,
        .progress = show_progress,
        .arg = j,
    };
    if (o->weighted)
        return gam_sampler_run_weighted(j->gam, j->pool, &so, o->count, write_weighted, j,
                                        &j->outcome, e);
    return gam_sampler_run(j->model, j->pool, &so, &request, &j->outcome, e);
}

static int
timed_draw(struct job *j, struct err *e)
{
    double start = seconds_now();
    progress_begin(&j->progress, j->cli->progress, "strings", j->options->count);
    int rc = draw(j, e);
    progress_end(&j->progress);
    j->seconds = seconds_now() - start;
    if (j->outcome.too_large)
        cli_warn(j->cli, "the GAM as an automaton is too large to draw from it; used '%s' instead",
                 j->outcome.method);
    if (j->outcome.wide_bound)
        cli_note(j->cli, "too many states for the tight bound; acceptance will be lower");
    return rc;
}

static double
acceptance_rate(const struct sampler_stats *s)
{
    return (double)s->accepted / (double)s->proposals;
}

static int
write_stats(const struct job *j, struct err *e)
{
    const struct sampler_stats *s = &j->outcome.stats;
    const struct guided_sampler_quality *q = &j->outcome.quality;
    bool guided = strcmp(j->outcome.method, "guided") == 0;
    struct report r;
    if (j->options->stats == NULL)
        return 0;
    struct output *out = output_open(j->options->stats, e);
    if (out == NULL)
        return e->code;
    report_begin(&r, out, false, e);
    report_text(&r, "method", j->outcome.method);
    report_u64(&r, "strings", s->written);
    report_u64(&r, "proposals", s->proposals);
    report_u64(&r, "accepted", s->accepted);
    report_f64(&r, "acceptance_rate", acceptance_rate(s));
    report_u64(&r, "dropped", s->too_long);
    report_u64(&r, "model_steps", s->model_steps);
    report_f64(&r, "ess", guided ? q->ess * (double)s->proposals : (double)s->accepted);
    report_f64(&r, "tvd", guided ? q->tvd : 0);
    report_f64(&r, "tvd_hi95", guided ? q->tvd_hi95 : 0);
    report_f64(&r, "seconds", j->seconds);
    report_end(&r);
    return output_close(out, e);
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    (void)c;
    if (o->weighted && (o->method == SAMPLE_EXACT || o->method == SAMPLE_PLAIN))
        return err_set(e, ERR_USAGE, "--weighted cannot be combined with --method %s",
                       gam_sampler_choices[o->method]);
    return 0;
}

static int
load(struct job *j, struct err *e)
{
    const char *path = cli_operand(j->cli, 0);
    j->model = model_load(path, e);
    if (j->model == NULL)
        return e->code;
    j->gam = gam_of(j->model);
    if (j->options->weighted && j->gam == NULL)
        return err_set(e, ERR_USAGE, "--weighted requires a GAM, and '%s' has no features", path);
    j->pool = pool_new(j->cli->threads, e);
    return e->code;
}

static int
sample(struct job *j, struct err *e)
{
    if (load(j, e) == 0)
        j->out = cli_output(j->cli, false, e);
    if (j->out == NULL || timed_draw(j, e) != 0)
        return e->code;
    return write_stats(j, e);
}

/* The exit status, and why there are fewer strings than wanted. */
static int
judge(const struct job *j)
{
    const struct sampler_stats *s = &j->outcome.stats;
    uint64_t count = j->options->count;
    if (j->outcome.quality.refused)
        return cli_unmet(j->cli,
                         "%s: the guided proposal has an effective sample size of %.3g per "
                         "draw, less than %g; the model's own strings hardly ever have these "
                         "features",
                         s->written > 0 ? "unreliable weights" : "no strings",
                         j->outcome.quality.ess, GUIDED_ESS_MIN);
    if (s->written >= count)
        return EXIT_DONE;
    return cli_unmet(j->cli, "%llu proposals gave %llu of %llu strings, an acceptance rate of %g%s",
                     (unsigned long long)s->proposals, (unsigned long long)s->written,
                     (unsigned long long)count, acceptance_rate(s),
                     j->options->max_proposals > 0 ? "; raise --max-proposals" : "");
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    int status = sample(&j, e) == 0 ? judge(&j) : EXIT_FAILED;
    mem_free(j.line);
    model_free(j.model);
    pool_free(j.pool);
    return status;
}

static const struct cli_tool tool = {
    .name = "gam-sample",
    .operands = "[MODEL]",
    .summary = "Draw strings from a model, in random order.",
    .details = "Samples from automata, from LSTMs and from GAMs over automata are exact. For a\n"
               "GAM over an LSTM, a pilot run selects the method; --stats names it.",
    .examples = "  gam-sample -n 20000 g.gam | lstm-train >pi.lstm\n"
                "  gam-sample -n 2000 pi.lstm | motif-freq -m 10001011111000\n"
                "  gam-sample -n 100000000 --stats s.tsv m.pfsa | gzip >big.gz",
    .options = options,
    .max_operands = 1,
    .operand = {{"MODEL", FILE_READ_MODEL}},
    .check = check_options,
    .run = run,
    .remedy = {[REMEDY_SET_MAX_LENGTH] = "give --max-length",
               [REMEDY_LOWER_MAX_LENGTH] = "give a smaller --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {.count = 1, .method = SAMPLE_AUTO, .tvd = 0.01};
    return cli_main(&tool, &o, argc, argv);
}

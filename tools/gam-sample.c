/* SPDX-License-Identifier: MIT
 * gam-sample: draws strings from a model. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/pool.h"
#include "core/seconds.h"
#include "feature/feature_set.h"
#include "gam/constraint.h"
#include "gam/gam.h"
#include "gam/gam_sampler.h"
#include "io/output.h"
#include "io/report.h"
#include "model/model.h"
#include "text/alphabet.h"
#include "text/string_writer.h"

/* Budget of rejection, unless --max-proposals gives one: model steps per string wanted, and
 * a minimum in all.  A hopeless run ends within minutes. */
#define STEPS_EACH UINT64_C(20000)
#define STEPS_ALL  UINT64_C(20000000)

/* Strings of a round with --keep-partial: what a signal can cost. */
enum { PARTIAL_ROUND = 10000 };

#define PROBABILITY_ERROR 0.01 /* relative, of the probability of constraints */

struct options {
    uint64_t count;
    uint64_t max_length;    /* 0 with !has_max_length: the model's */
    uint64_t max_proposals; /* 0: by STEPS_EACH and STEPS_ALL */
    bool has_max_length;
    bool weighted;
    bool keep_partial;
    int method; /* enum gam_sampler_choice */
    double tvd;
    struct constraint_options constraints;
    const char *stats; /* a file, or NULL */
    struct shard_options shard;
    int fasta; /* place in string_output_names */
};

static const struct cli_option options[] = {
    CLI_HEADING("Sampling"),
    {'n', "count", "N", "number of strings to draw [default: 1]",
     CLI_U64(struct options, count, 0, INT64_MAX)},
    SHARD_OPTION(struct options, shard),
    STRING_OUTPUT_OPTION(struct options, fasta),
    {0, "max-length", "N",
     "maximum length; longer strings are dropped and drawn again [default: that of the model]",
     CLI_U64(struct options, max_length, 0, INT64_MAX), CLI_GIVEN(struct options, has_max_length)},
    CONSTRAINT_OPTIONS(struct options, constraints),
    CLI_HEADING("Method, for a GAM or with constraints"),
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
    {0, "keep-partial", NULL,
     "if a signal asks to stop, write the strings drawn so far as complete output",
     CLI_FLAG(struct options, keep_partial)},
    CLI_HEADING("Report"),
    {0, "stats", "FILE", "write sampling statistics to FILE",
     CLI_FILE(struct options, stats, FILE_WRITE)},
    CLI_END};

struct job {
    struct cli *cli;
    const struct options *options;
    uint64_t count; /* strings to draw here */
    struct model *model;
    const struct gam *gam;          /* that it is, or NULL */
    struct constrained constrained; /* with constraints: it owns the model */
    struct pool *pool;
    struct output *out;
    const volatile sig_atomic_t *stop; /* NULL: a signal ends the process */
    struct progress progress;
    struct string_writer writer; /* of one string */
    struct gam_sampler_outcome outcome;
    struct constraint_probability probability; /* of the constraints */
    double seconds;
};

static int
write_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct job *j = arg;
    j->writer.used = 0;
    int rc = string_writer_add(&j->writer, symbols, length, e);
    return rc == 0 ? output_write(j->out, j->writer.text, j->writer.used, e) : rc;
}

static int
write_weighted(void *arg, const uint8_t *symbols, size_t length, double log_w, struct err *e)
{
    struct job *j = arg;
    char number[NUM_TEXT_MAX];
    if (j->stop != NULL && *j->stop != 0)
        return err_set(e, ERR_STOPPED, "stopped by a signal");
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

/* L: the maximum length of a GAM cannot be exceeded. */
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
        .part = shard_part(&o->shard),
        .total = o->count,
        .max_length = max_length(j),
        .choice = o->method,
        .tvd = o->tvd,
    };
    struct sampler_request request = {
        .count = j->count,
        .max_proposals = o->max_proposals > 0 ? o->max_proposals : INT64_MAX,
        .max_steps = o->max_proposals > 0 || j->gam == NULL ? 0 : step_budget(j->count),
        .string = write_string,
        .text = j->out,
        .fasta = o->fasta != 0,
        .first = shard_first(&o->shard, o->count),
        .progress = show_progress,
        .arg = j,
        .max_round = o->keep_partial ? PARTIAL_ROUND : 0,
        .stop = j->stop,
    };
    if (o->weighted)
        return gam_sampler_run_weighted(j->gam, j->pool, &so, j->count, write_weighted, j,
                                        &j->outcome, e);
    return gam_sampler_run(j->model, j->pool, &so, &request, &j->outcome, e);
}

static int
timed_draw(struct job *j, struct err *e)
{
    double start = seconds_now();
    j->stop = j->options->keep_partial ? signals_catch_stop() : NULL;
    progress_begin(&j->progress, j->cli->progress, "strings", j->count);
    int rc = draw(j, e);
    if (rc == ERR_STOPPED) {
        *e = (struct err){0};
        rc = 0;
    }
    progress_end(&j->progress);
    j->seconds = seconds_now() - start;
    if (j->outcome.too_large)
        cli_warn(j->cli, "product of automaton and features is too large; sampling by '%s' instead",
                 j->outcome.method);
    if (j->outcome.wide_bound)
        cli_note(j->cli, "too many states for a joint bound; the acceptance rate will be lower");
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
    if (j->constrained.gam != NULL) {
        report_f64(&r, "constraint_probability", j->probability.value);
        report_f64(&r, "constraint_probability_se", j->probability.se);
    }
    report_f64(&r, "seconds", j->seconds);
    report_end(&r);
    return output_close(out, e);
}

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    (void)c;
    if (o->weighted && o->fasta != 0)
        return err_set(e, ERR_USAGE, "--weighted cannot be combined with --format fasta");
    if (o->weighted && (o->method == SAMPLE_EXACT || o->method == SAMPLE_PLAIN))
        return err_set(e, ERR_USAGE, "--weighted cannot be combined with --method %s",
                       gam_sampler_choices[o->method]);
    return 0;
}

/* Makes the model a GAM with the constraints. */
static int
constrain(struct job *j, struct err *e)
{
    if (!constraint_options_given(&j->options->constraints))
        return 0;
    struct feature_set *c =
        constraint_options_build(&j->options->constraints, &j->model->alphabet, e);
    if (c == NULL)
        return e->code;
    uint64_t most = max_length(j);
    struct model *m = j->model;
    j->model = NULL;
    int rc = constrained_init(&j->constrained, m, c, most, e);
    feature_set_free(c);
    j->gam = j->constrained.gam;
    j->model = rc == 0 ? &j->constrained.gam->model : NULL;
    return rc;
}

static int
load(struct job *j, struct err *e)
{
    const char *path = cli_operand(j->cli, 0);
    j->model = model_load(path, e);
    if (j->model == NULL)
        return e->code;
    j->gam = gam_of(j->model);
    if (constrain(j, e) != 0)
        return e->code;
    j->writer.alphabet = &j->model->alphabet;
    j->writer.fasta = j->options->fasta != 0;
    j->writer.number = shard_first(&j->options->shard, j->options->count);
    if (j->options->weighted && j->gam == NULL)
        return err_set(e, ERR_USAGE, "--weighted requires a GAM, but '%s' has no features", path);
    j->pool = pool_new(j->cli->threads, e);
    return e->code;
}

static int
find_probability(struct job *j, struct err *e)
{
    if (j->options->stats == NULL || j->constrained.gam == NULL)
        return 0;
    return constraint_probability(&j->constrained, j->pool, j->cli->seed, PROBABILITY_ERROR,
                                  &j->probability, e);
}

static int
sample(struct job *j, struct err *e)
{
    if (load(j, e) == 0)
        j->out = cli_output(j->cli, false, e);
    if (j->out == NULL || timed_draw(j, e) != 0)
        return constraint_explain(j->gam, e);
    if (find_probability(j, e) != 0)
        return e->code;
    return write_stats(j, e);
}

/* The exit status where guided draws cannot be trusted. */
static int
refuse(const struct job *j)
{
    const struct guided_sampler_quality *q = &j->outcome.quality;
    const char *what = j->outcome.stats.written > 0 ? "unreliable weights" : "no strings";
    if (q->ess < GUIDED_ESS_MIN)
        return cli_unmet(j->cli,
                         "%s: the guided proposal has an effective sample size of %.3g per draw, "
                         "less than %g; the model's own strings hardly ever have these features",
                         what, q->ess, GUIDED_ESS_MIN);
    if (q->gap.wide)
        return cli_unmet(j->cli,
                         "%s: guided draws disagree about log Z by %.3g (standard error %.2g): the "
                         "guide misses a part of the GAM",
                         what, fabs(q->gap.log_z), q->gap.se);
    return cli_unmet(j->cli, "%s: the guide misses %.2g of the GAM, where --tvd allows %g", what,
                     q->missed, j->options->tvd);
}

/* The exit status, and the reason for fewer strings than requested. */
static int
judge(const struct job *j)
{
    const struct sampler_stats *s = &j->outcome.stats;
    uint64_t count = j->count;
    if (s->written < count && j->stop != NULL && *j->stop != 0)
        return cli_unmet(j->cli, "stopped by a signal after %llu of %llu strings",
                         (unsigned long long)s->written, (unsigned long long)count);
    if (j->outcome.quality.refused)
        return refuse(j);
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
    const struct options *o = self;
    struct job j = {.cli = c, .options = o, .count = shard_count(&o->shard, o->count)};
    int status = sample(&j, e) == 0 ? judge(&j) : EXIT_FAILED;
    string_writer_clear(&j.writer);
    if (j.constrained.gam != NULL)
        constrained_clear(&j.constrained);
    else
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
    .examples = "  gam-sample -n 20000 g.gam | lstm-train --recipe distil --init r.lstm >pi.lstm\n"
                "  gam-sample -n 2000 pi.lstm | motif-freq -m 10001011111000\n"
                "  gam-sample -n 100000000 --stats s.tsv -o big.gz m.pfsa\n"
                "  gam-sample -n 100 --require 'regex:^0+1' --forbid motif:111 r.lstm",
    .options = options,
    .max_operands = 1,
    .operand = {{"MODEL", FILE_READ_MODEL}},
    .check = check_options,
    .run = run,
    .remedy = {[REMEDY_SET_FORMAT] =
                   "use --format lines, or --forbid length:0 against empty strings",
               [REMEDY_SET_MAX_LENGTH] = "set --max-length",
               [REMEDY_LOWER_MAX_LENGTH] = "limit the length with --max-length"},
};

int
main(int argc, char **argv)
{
    struct options o = {.count = 1, .method = SAMPLE_AUTO, .tvd = 0.01};
    int status = cli_main(&tool, &o, argc, argv);
    signals_raise_caught();
    return status;
}

/* SPDX-License-Identifier: MIT
 * lstm-train: fits an LSTM to strings. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "checkpoint.h"
#include "cli.h"
#include "corpus.h"
#include "lstm.h"
#include "mdl.h"
#include "mem.h"
#include "meta.h"
#include "num.h"
#include "out.h"
#include "pool.h"
#include "progress.h"
#include "recipe.h"
#include "stopwatch.h"
#include "train.h"
#include "train_log.h"

enum {
    OPT_VALID = 256,
    OPT_VALID_FRACTION,
    OPT_STEPS,
    OPT_MAX_LENGTH,
    OPT_INIT,
    OPT_CHECKPOINT,
    OPT_RESUME,
    OPT_LOG,
    OPT_RECIPE,
    OPT_SETTING /* and RECIPE_SETTINGS - 1 more */
};

static const struct cli_option options[] = {
    {0, NULL, NULL, "Data", CLI_HEADING},
    {'a', "alphabet", "CHARS", "characters of the strings [01]", 0},
    {OPT_VALID, "valid", "FILE", "strings that decide when to stop", CLI_NO_TRACE},
    {OPT_VALID_FRACTION, "valid-fraction", "F", "or hold back this part of the data [0.2]", 0},
    {OPT_MAX_LENGTH, "max-length", "N",
     "longest string of the model [their length if\nit is the same for all, else 2 x longest + 1]",
     0},
    {0, NULL, NULL, "Network and optimiser", CLI_HEADING},
    {OPT_RECIPE, "recipe", "NAME", "default or paper: all of the following\n[default]", 0},
    {OPT_SETTING + RECIPE_HIDDEN, "hidden", "N", "units in a layer [64; paper 200]", 0},
    {OPT_SETTING + RECIPE_LAYERS, "layers", "N", "layers [1; paper 2]", 0},
    {OPT_SETTING + RECIPE_DROPOUT, "dropout", "P", "dropout of a layer's output [0.2]", 0},
    {OPT_SETTING + RECIPE_BATCH, "batch", "N", "strings an update [5; paper 500]", 0},
    {OPT_SETTING + RECIPE_LR, "lr", "X", "learning rate [0.004; paper 0.001]", 0},
    {OPT_SETTING + RECIPE_CLIP, "clip", "X",
     "largest norm of a gradient, 0 for any\n[1; paper 0.25]", 0},
    {0, NULL, NULL, "Course", CLI_HEADING},
    {OPT_SETTING + RECIPE_EPOCHS, "epochs", "N", "at most so many passes [2000; paper 130]", 0},
    {OPT_SETTING + RECIPE_PATIENCE, "patience", "N",
     "epochs to wait for a better one, 0 for ever\n[20, fewer if an epoch has more than\n500 "
     "updates; paper 10 in total]",
     0},
    {OPT_STEPS, "steps", "N", "exactly N updates, without validation", 0},
    {OPT_INIT, "init", "MODEL", "go on from this model", CLI_NO_TRACE},
    {OPT_CHECKPOINT, "checkpoint", "FILE", "keep what it takes to go on in FILE", CLI_NO_TRACE},
    {OPT_RESUME, "resume", NULL, "go on from the checkpoint, if there is one", CLI_NO_TRACE},
    {OPT_LOG, "log", "FILE", "a row for each epoch", CLI_NO_TRACE},
    {0, NULL, NULL, NULL, 0}};

struct options {
    struct alphabet alphabet;
    bool alphabet_given;
    const char *valid, *init, *checkpoint, *log; /* files, or NULL */
    double fraction;
    bool fraction_given;
    struct recipe_choice settings;
    uint64_t steps, max_length;
    bool steps_given, max_length_given, resume;
};

static int
set_option(void *self, int key, const char *value, struct err *e)
{
    struct options *o = self;
    switch (key) {
    case 'a':
        o->alphabet_given = true;
        return alphabet_init(&o->alphabet, value, e);
    case OPT_VALID:
        o->valid = value;
        return 0;
    case OPT_VALID_FRACTION:
        o->fraction_given = true;
        return num_f64(value, 0, 0.99, &o->fraction, e);
    case OPT_STEPS:
        o->steps_given = true;
        return num_u64(value, 1, INT64_MAX, &o->steps, e);
    case OPT_MAX_LENGTH:
        o->max_length_given = true;
        return num_u64(value, 0, INT64_MAX, &o->max_length, e);
    case OPT_INIT:
        o->init = value;
        return 0;
    case OPT_CHECKPOINT:
        o->checkpoint = value;
        return 0;
    case OPT_RESUME:
        o->resume = true;
        return 0;
    case OPT_LOG:
        o->log = value;
        return 0;
    case OPT_RECIPE:
        return recipe_choose(&o->settings, value, e);
    default:
        return recipe_set(&o->settings, (enum recipe_setting)(key - OPT_SETTING), value, e);
    }
}

static const struct cli_tool tool = {
    .name = "lstm-train",
    .operands = "[TRAIN]",
    .summary = "Fits an LSTM to strings and writes the model.",
    .details = "Training ends when the validation strings no longer gain; the best weights\n"
               "are kept.  The same data, options and seed give the same model, whatever\n"
               "the number of threads, also if the run was interrupted and resumed.",
    .examples = "  lstm-train --valid V D >r.lstm\n"
                "  gam-sample -n 20000 g.gam | lstm-train --log pi.tsv -o pi.lstm",
    .options = options,
    .max_operands = 1,
    .set = set_option,
};

struct job {
    const struct cli *cli;
    const struct options *options;
    struct recipe_choice recipe; /* of the options, for so many strings as there are */
    struct train_options settings;
    struct alphabet alphabet;
    struct corpus *data, *valid; /* valid may be NULL */
    struct lstm *model;
    struct meta *meta;
    uint64_t identity; /* of data and settings, for the checkpoint */
    struct pool *pool;
    struct train *train;
    struct out *out;
    struct train_log *log;
    struct progress progress;
    double saved; /* when the last checkpoint was written; 0: none yet */
};

static volatile sig_atomic_t caught; /* the signal that asked to stop */

static void
on_signal(int number)
{
    caught = number;
}

/* The first signal asks, the second ends the process at once.  One that is
 * ignored, as SIGINT is by a job in the background, stays so. */
static void
watch_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, was;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &ours, NULL);
}

static int
check_files(const struct cli *c, const struct options *o, struct err *e)
{
    const struct files_entry files[] = {
        {"TRAIN", cli_operand(c, 0), FILES_READ}, {"--valid", o->valid, FILES_READ},
        {"--init", o->init, FILES_READ_MODEL},    {"--output", c->output, FILES_WRITE_MODEL},
        {"--log", o->log, FILES_WRITE},           {"--checkpoint", o->checkpoint, FILES_WRITE}};
    if (o->resume && o->checkpoint == NULL)
        return err_set(e, ERR_USAGE, "--resume: give the file to go on from with --checkpoint");
    if (o->checkpoint != NULL && strcmp(o->checkpoint, "-") == 0)
        return err_set(e, ERR_USAGE, "--checkpoint: needs a file that can be replaced");
    return cli_files(c, files, sizeof files / sizeof *files, e);
}

static int
check_options(const struct cli *c, const struct options *o, struct err *e)
{
    if (o->valid != NULL && o->fraction_given)
        return err_set(e, ERR_USAGE, "--valid and --valid-fraction exclude each other");
    if (o->steps_given && (o->valid != NULL || o->fraction_given))
        return err_set(e, ERR_USAGE, "--steps trains without validation: leave out --valid%s",
                       o->valid != NULL ? "" : "-fraction");
    if (o->steps_given && (o->settings.given[RECIPE_EPOCHS] || o->settings.given[RECIPE_PATIENCE]))
        return err_set(e, ERR_USAGE, "--steps and --%s exclude each other",
                       o->settings.given[RECIPE_EPOCHS] ? "epochs" : "patience");
    if (o->init != NULL && (o->settings.given[RECIPE_HIDDEN] || o->settings.given[RECIPE_LAYERS]))
        return err_set(e, ERR_USAGE, "--%s: the model given with --init has its own",
                       o->settings.given[RECIPE_HIDDEN] ? "hidden" : "layers");
    return check_files(c, o, e);
}

/* ---- data and model */

static int
load_init(struct job *j, uint64_t *hash, struct err *e)
{
    struct mdl *mdl = mdl_load(j->options->init, hash, e);
    j->model = mdl == NULL ? NULL : lstm_from_mdl(mdl, e);
    mdl_free(mdl);
    if (j->model == NULL)
        return e->code;
    if (j->options->alphabet_given && !alphabet_equal(&j->alphabet, &j->model->model.alphabet))
        return err_set(e, ERR_USAGE, "%s: its alphabet is '%s', not '%s'", j->options->init,
                       j->model->model.alphabet.chars, j->alphabet.chars);
    j->alphabet = j->model->model.alphabet;
    return 0;
}

static int
load_strings(struct job *j, const char *path, struct corpus **to, const char *key, struct err *e)
{
    uint64_t hash;
    *to = corpus_new(&j->alphabet, e);
    if (*to == NULL || corpus_load(*to, path, &hash, e) != 0)
        return e->code;
    if (corpus_count(*to) == 0)
        return err_set(e, ERR_DATA, "'%s' holds no strings",
                       strcmp(path, "-") == 0 ? "standard input" : path);
    return meta_set_hash(j->meta, key, hash, e);
}

static int
split(struct job *j, struct err *e)
{
    struct corpus *all = j->data;
    double fraction = j->options->fraction;
    if (j->options->valid != NULL || j->options->steps > 0 || fraction == 0)
        return 0;
    j->data = NULL;
    int rc = train_split(all, fraction, j->cli->seed, &j->data, &j->valid, e);
    corpus_free(all);
    if (rc == 0 && j->valid == NULL)
        cli_warn(j->cli, "one string cannot be divided: training without validation");
    return rc;
}

static int
load_data(struct job *j, struct err *e)
{
    int rc = load_strings(j, cli_operand(j->cli, 0), &j->data, "input", e);
    if (rc == 0 && j->options->valid != NULL)
        rc = load_strings(j, j->options->valid, &j->valid, "input.valid", e);
    return rc == 0 ? split(j, e) : rc;
}

/* Of the strings that the model is to make: the common length, or room for
 * longer ones than were seen. */
static int
choose_length(const struct job *j, uint64_t *length, struct err *e)
{
    uint64_t longest = corpus_longest(j->data), shortest = corpus_shortest(j->data);
    if (j->valid != NULL && corpus_longest(j->valid) > longest)
        longest = corpus_longest(j->valid);
    if (j->valid != NULL && corpus_shortest(j->valid) < shortest)
        shortest = corpus_shortest(j->valid);
    if (j->options->max_length_given)
        *length = j->options->max_length;
    else if (j->model != NULL)
        *length = j->model->model.max_length > longest ? j->model->model.max_length : longest;
    else
        *length = shortest == longest && !j->recipe.recipe->paper ? longest : 2 * longest + 1;
    if (*length < longest)
        return err_set(e, ERR_USAGE, "--max-length: %llu is less than the longest string's %llu",
                       (unsigned long long)*length, (unsigned long long)longest);
    return 0;
}

static int
make_model(struct job *j, struct err *e)
{
    const struct recipe_choice *r = &j->recipe;
    uint64_t length;
    int rc = choose_length(j, &length, e);
    if (rc != 0)
        return rc;
    if (j->model == NULL) {
        j->model = lstm_new(&j->alphabet, (unsigned)recipe_value(r, RECIPE_HIDDEN),
                            (unsigned)recipe_value(r, RECIPE_LAYERS), length, e);
        if (j->model == NULL)
            return e->code;
        lstm_init(j->model, j->cli->seed);
    }
    j->model->model.max_length = length;
    return 0;
}

/* How the model is being made, besides what can be seen from the model. */
static int
describe(struct job *j, struct err *e)
{
    static const char *const names[RECIPE_SETTINGS] = {NULL, NULL,   "dropout", "batch",
                                                       "lr", "clip", "epochs",  "patience"};
    const struct recipe_choice *r = &j->recipe;
    int rc = meta_set(j->meta, "recipe", e, "%s", r->recipe->name);
    for (int i = 0; rc == 0 && i < RECIPE_SETTINGS; i++) {
        bool unused = j->options->steps > 0 && (i == RECIPE_EPOCHS || i == RECIPE_PATIENCE);
        if (names[i] != NULL && !unused)
            rc = meta_set_number(j->meta, names[i], recipe_value(r, (enum recipe_setting)i), e);
    }
    if (rc == 0 && j->options->steps > 0)
        rc = meta_set_number(j->meta, "steps", (double)j->options->steps, e);
    if (rc == 0)
        rc = meta_set_number(j->meta, "strings", (double)corpus_count(j->data), e);
    if (rc == 0 && j->valid != NULL)
        rc = meta_set_number(j->meta, "valid_strings", (double)corpus_count(j->valid), e);
    return rc;
}

static void
mix(uint64_t *hash, const void *data, size_t size)
{
    *hash = XXH3_64bits_withSeed(data, size, *hash);
}

/* Two runs with the same identity give the same model.  The command line is
 * left out, since it can say the same in many ways. */
static uint64_t
identify(const struct job *j)
{
    const struct lstm *m = j->model;
    const uint64_t shape[] = {m->layout.hidden, m->layout.layers, m->model.max_length};
    uint64_t hash = 0;
    mix(&hash, shape, sizeof shape);
    mix(&hash, m->model.alphabet.chars, m->model.alphabet.size);
    for (size_t i = 0; i < meta_count(j->meta); i++) {
        const char *key = meta_key(j->meta, i), *text = meta_value(j->meta, i);
        if (strcmp(key, "command") != 0) {
            mix(&hash, key, strlen(key));
            mix(&hash, text, strlen(text));
        }
    }
    return hash;
}

static int
prepare(struct job *j, struct err *e)
{
    uint64_t hash = 0;
    j->alphabet = j->options->alphabet;
    j->recipe = j->options->settings;
    j->meta = cli_meta(j->cli, e);
    if (j->meta == NULL)
        return e->code;
    if (j->options->init != NULL) {
        if (load_init(j, &hash, e) != 0 || meta_set_hash(j->meta, "input.init", hash, e) != 0)
            return e->code;
    }
    if (load_data(j, e) != 0)
        return e->code;
    recipe_for_strings(&j->recipe, corpus_count(j->data));
    j->settings = (struct train_options){.seed = j->cli->seed, .steps = j->options->steps};
    recipe_apply(&j->recipe, &j->settings);
    if (make_model(j, e) != 0 || describe(j, e) != 0)
        return e->code;
    j->identity = identify(j);
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool == NULL)
        return e->code;
    j->train = train_new(j->model, j->data, j->valid, &j->settings, j->pool, e);
    return j->train != NULL ? 0 : e->code;
}

/* ---- log and checkpoint */

static int
open_log(struct job *j, struct err *e)
{
    if (j->options->log != NULL)
        j->log = train_log_open(j->options->log, j->train, e);
    return e->code;
}

static int
save_checkpoint(struct job *j, struct err *e)
{
    if (j->options->checkpoint == NULL)
        return 0;
    int rc = checkpoint_save(j->options->checkpoint, j->train, j->model, j->meta, j->identity, e);
    if (rc == 0)
        j->saved = stopwatch_now();
    return rc;
}

static int
restore_checkpoint(struct job *j, struct err *e)
{
    const char *path = j->options->checkpoint;
    if (!j->options->resume)
        return 0;
    int rc = checkpoint_restore(path, j->train, j->identity, e);
    if (rc == 0)
        cli_note(j->cli, "there is no '%s' yet: starting from the beginning", path);
    return rc < 0 ? rc : 0;
}

/* ---- the course */

/* Epochs of small runs take milliseconds: checkpoints keep a second apart. */
static int
after_epoch(void *arg, const struct train_row *row, struct err *e)
{
    struct job *j = arg;
    snprintf(j->progress.note, sizeof j->progress.note, "epoch %llu train %.4f valid %.4f",
             (unsigned long long)row->epoch, row->train_ce, row->valid_ce);
    cli_note(j->cli, "epoch %llu, %llu updates: train %.6f, valid %.6f",
             (unsigned long long)row->epoch, (unsigned long long)row->steps, row->train_ce,
             row->valid_ce);
    int rc = j->log != NULL ? train_log_row(j->log, row, e) : 0;
    if (rc == 0 && (j->saved == 0 || stopwatch_now() - j->saved >= 1))
        rc = save_checkpoint(j, e);
    return rc;
}

static void
after_update(void *arg, uint64_t strings)
{
    struct job *j = arg;
    progress_update(&j->progress, strings);
}

static uint64_t
strings_at_most(const struct job *j)
{
    double n = (double)corpus_count(j->data), batch = (double)j->settings.batch;
    double total = j->settings.steps > 0 ? fmin(batch, n) * (double)j->settings.steps
                                         : n * (double)j->settings.epochs;
    return total < 1e18 ? (uint64_t)total : 0;
}

static int
run_training(struct job *j, struct err *e)
{
    struct train_watch watch = {
        .arg = j, .epoch = after_epoch, .update = after_update, .stop = &caught};
    watch_signals();
    progress_begin(&j->progress, j->cli->progress, "strings", strings_at_most(j));
    int rc = train_run(j->train, &watch, e);
    progress_end(&j->progress);
    if (rc == ERR_NUMERIC && j->saved > 0)
        err_prefix(e, "'%s' keeps the last good state", j->options->checkpoint);
    return rc == 0 ? save_checkpoint(j, e) : rc;
}

static int
write_model(struct job *j, const struct train_outcome *r, struct err *e)
{
    int rc = meta_set(j->meta, "end", e, "%s", train_end_name(r->end));
    if (rc == 0)
        rc = meta_set_number(j->meta, "epochs_run", (double)r->epochs, e);
    if (rc == 0)
        rc = meta_set_number(j->meta, "steps_run", (double)r->steps, e);
    if (rc == 0 && r->best_epoch > 0)
        rc = meta_set_number(j->meta, "best_epoch", (double)r->best_epoch, e);
    if (rc == 0)
        rc = meta_set_number(j->meta, "train_ce", r->train_ce, e);
    if (rc == 0 && r->best_epoch > 0)
        rc = meta_set_number(j->meta, "valid_ce", r->valid_ce, e);
    return rc == 0 ? lstm_save(j->model, j->meta, j->out, e) : rc;
}

static int
run(struct job *j, struct err *e)
{
    struct train_outcome outcome;
    if (prepare(j, e) != 0 || restore_checkpoint(j, e) != 0 || open_log(j, e) != 0)
        return e->code;
    j->out = cli_output(j->cli, true, e);
    if (j->out == NULL || run_training(j, e) != 0)
        return e->code;
    train_get_outcome(j->train, &outcome);
    if (outcome.end == TRAIN_RUNNING) {
        const char *to = j->options->checkpoint;
        cli_warn(j->cli, "stopped after %llu updates; %s%s%s", (unsigned long long)outcome.steps,
                 to != NULL ? "'" : "", to != NULL ? to : "nothing was kept",
                 to != NULL ? "' keeps the state, --resume goes on" : "");
        return err_set(e, ERR_IO, "interrupted");
    }
    return write_model(j, &outcome, e);
}

static void
job_clear(struct job *j)
{
    train_log_close(j->log);
    train_free(j->train);
    lstm_free(j->model);
    corpus_free(j->data);
    corpus_free(j->valid);
    meta_free(j->meta);
    pool_free(j->pool);
}

int
main(int argc, char **argv)
{
    struct options o = {.fraction = 0.2};
    struct cli c;
    struct err e = {0};
    recipe_choice_init(&o.settings);
    alphabet_init(&o.alphabet, "01", &e);
    int status = cli_parse(&c, &tool, &o, argc, argv);
    if (status >= 0)
        return status;
    struct job j = {.cli = &c, .options = &o};
    if (check_options(&c, &o, &e) == 0)
        run(&j, &e);
    job_clear(&j);
    status = cli_finish(&c, j.out, EXIT_DONE, &e);
    if (caught != 0)
        raise(caught);
    return status;
}

/* SPDX-License-Identifier: MIT
 * lstm-train: fits an LSTM to strings. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/pool.h"
#include "io/file_path.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "model/model.h"
#include "text/strings.h"
#include "train/checkpoint.h"
#include "train/recipe.h"
#include "train/training.h"
#include "train/training_data.h"
#include "train/training_record.h"

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
set_alphabet(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)o;
    return alphabet_init(member, value, e);
}

static int
set_recipe(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)o;
    return recipe_choose(member, value, e);
}

/* One setting of the recipe, by its number. */
static int
set_setting(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    return recipe_set(member, (enum recipe_setting)o->number, value, e);
}

#define SETTING(n) CLI_SET(set_setting, struct options, settings), .number = (n)

static const struct cli_option options[] = {
    CLI_HEADING("Data"),
    {'a', "alphabet", "CHARS", "the symbols [default: those of --init, or 01]",
     CLI_SET(set_alphabet, struct options, alphabet), CLI_GIVEN(struct options, alphabet_given)},
    {0, "valid", "FILE", "read the validation set from FILE",
     CLI_FILE(struct options, valid, FILE_READ)},
    {0, "valid-fraction", "F", "hold back this fraction of TRAIN for validation [default: 0.2]",
     CLI_F64(struct options, fraction, 0, 0.99), CLI_GIVEN(struct options, fraction_given)},
    {0, "max-length", "N",
     "maximum length of the model [default: the common length of all strings, or 2 x longest + 1]",
     CLI_U64(struct options, max_length, 0, INT64_MAX),
     CLI_GIVEN(struct options, max_length_given)},
    CLI_HEADING("Network and optimizer"),
    {0, "recipe", "NAME",
     "default values of the options below: default or paper [default: default]",
     CLI_SET(set_recipe, struct options, settings)},
    {0, "hidden", "N", "units per layer [default: 64; paper: 200]", SETTING(RECIPE_HIDDEN)},
    {0, "layers", "N", "number of layers [default: 1; paper: 2]", SETTING(RECIPE_LAYERS)},
    {0, "dropout", "P", "dropout probability of layer outputs [default: 0.3; paper: 0.2]",
     SETTING(RECIPE_DROPOUT)},
    {0, "batch", "N", "strings per update [default: 5; paper: 500]", SETTING(RECIPE_BATCH)},
    {0, "lr", "X", "learning rate of Adam [default: 0.004; paper: 0.001]", SETTING(RECIPE_LR)},
    {0, "clip", "X", "maximum norm of the gradient, 0 means none [default: 1; paper: 0.25]",
     SETTING(RECIPE_CLIP)},
    {0, "average", "B",
     "decay of the average of the parameters, 0 means none [default: 0.999; paper: 0]",
     SETTING(RECIPE_AVERAGE)},
    CLI_HEADING("Duration"),
    {0, "epochs", "N", "maximum number of epochs [default: 2000; paper: 130]",
     SETTING(RECIPE_EPOCHS)},
    {0, "patience", "N",
     "stop after N epochs without a lower validation loss, 0 means never [default: 20, adjusted to "
     "600 to 10,000 updates and at least 5 epochs; paper: 10 in total]",
     SETTING(RECIPE_PATIENCE)},
    {0, "steps", "N", "make exactly N updates, without validation",
     CLI_U64(struct options, steps, 1, INT64_MAX), CLI_GIVEN(struct options, steps_given)},
    {0, "init", "MODEL", "start from MODEL instead of random parameters",
     CLI_FILE(struct options, init, FILE_READ_MODEL)},
    CLI_HEADING("Checkpoints and log"),
    {0, "checkpoint", "FILE", "save the state of the run in FILE",
     CLI_FILE(struct options, checkpoint, FILE_WRITE)},
    {0, "resume", NULL, "resume from the checkpoint if it exists", .no_trace = true,
     CLI_FLAG(struct options, resume)},
    {0, "log", "FILE", "write a row per epoch to FILE", CLI_FILE(struct options, log, FILE_WRITE)},
    CLI_END};

static int
check_options(struct cli *c, void *self, struct err *e)
{
    const struct options *o = self;
    (void)c;
    if (o->valid != NULL && o->fraction_given)
        return err_set(e, ERR_USAGE, "--valid and --valid-fraction exclude each other");
    if (o->steps_given && (o->valid != NULL || o->fraction_given))
        return err_set(e, ERR_USAGE, "--steps trains without validation: leave out --valid%s",
                       o->valid != NULL ? "" : "-fraction");
    for (enum recipe_setting i = 0; o->steps_given && i < RECIPE_SETTINGS; i++)
        if (o->settings.given[i] && recipe_without_steps(i))
            return err_set(e, ERR_USAGE, "--steps and --%s exclude each other", recipe_name(i));
    for (enum recipe_setting i = RECIPE_HIDDEN; o->init != NULL && i <= RECIPE_LAYERS; i++)
        if (o->settings.given[i])
            return err_set(e, ERR_USAGE, "--%s: the model given with --init has its own",
                           recipe_name(i));
    if (o->resume && o->checkpoint == NULL)
        return err_set(e, ERR_USAGE, "--resume: give the file to go on from with --checkpoint");
    if (o->checkpoint != NULL && !file_path_replaceable(o->checkpoint))
        return err_set(e, ERR_USAGE, "--checkpoint: needs a file that can be replaced");
    return 0;
}

struct job {
    struct cli *cli;
    const struct options *options;
    struct alphabet alphabet;
    struct training_data data;
    struct recipe_choice recipe; /* of the options, for so many strings as there are */
    struct lstm *model;
    struct meta *meta;
    struct pool *pool;
    struct training_options settings;
    struct training *train;
    struct checkpoint checkpoint;
    struct training_log *log; /* NULL: none */
    struct progress progress;
};

/* ---- data and model */

static int
load_init(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    uint64_t hash;
    j->model = lstm_of(model_load_kind(o->init, &lstm_kind, &hash, e));
    if (j->model == NULL)
        return e->code;
    if (o->alphabet_given && !alphabet_equal(&j->alphabet, &j->model->model.alphabet))
        return err_set(e, ERR_USAGE, "%s: its alphabet is '%s', not '%s'", o->init,
                       j->model->model.alphabet.chars, j->alphabet.chars);
    j->alphabet = j->model->model.alphabet;
    return meta_set_hash(j->meta, "input.init", hash, e);
}

static int
load_strings(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    const char *path = cli_operand(j->cli, 0);
    int rc = training_data_load(&j->data, &j->alphabet, path, o->valid, j->meta, e);
    if (rc != 0 || o->valid != NULL || o->steps > 0 || o->fraction == 0)
        return rc;
    rc = training_data_split(&j->data, o->fraction, j->cli->seed, e);
    if (rc == 0 && j->data.valid.count == 0)
        cli_warn(j->cli, "one string cannot be divided: training without validation");
    return rc;
}

/* Of the strings that the model is to make; the paper's always has room for
 * longer ones than were seen. */
static int
choose_length(const struct job *j, uint64_t *length, struct err *e)
{
    const struct strings *s = &j->data.strings;
    uint64_t longest = s->longest;
    if (j->options->max_length_given)
        *length = j->options->max_length;
    else if (j->model != NULL)
        *length = j->model->model.max_length > longest ? j->model->model.max_length : longest;
    else if (j->recipe.recipe->paper)
        *length = 2 * longest + 1;
    else
        *length = strings_default_max_length(s->shortest, longest);
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

static int
prepare(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    j->alphabet = o->alphabet;
    j->meta = cli_meta(j->cli, e);
    if (j->meta == NULL || (o->init != NULL && load_init(j, e) != 0) || load_strings(j, e) != 0)
        return e->code;
    j->recipe = o->settings;
    recipe_for_strings(&j->recipe, j->data.train.count);
    if (make_model(j, e) != 0 ||
        training_meta_settings(j->meta, &j->recipe, o->steps, &j->data, e) != 0)
        return e->code;
    j->settings = (struct training_options){.seed = j->cli->seed, .steps = o->steps};
    recipe_apply(&j->recipe, &j->settings);
    j->pool = pool_new(j->cli->threads, e);
    if (j->pool != NULL)
        j->train = training_new(j->model, &j->data, &j->settings, j->pool, e);
    return e->code;
}

/* ---- the course */

/* Before the log is opened, which shows the epochs of before the interruption too. */
static int
restore(struct job *j, struct err *e)
{
    j->checkpoint = (struct checkpoint){.path = j->options->checkpoint,
                                        .train = j->train,
                                        .model = j->model,
                                        .meta = j->meta,
                                        .identity = training_meta_identity(j->meta, j->model)};
    if (j->options->resume && checkpoint_restore(&j->checkpoint, e) == 0)
        cli_note(j->cli, "there is no '%s' yet: starting from the beginning", j->checkpoint.path);
    if (e->code == ERR_NONE && j->options->log != NULL)
        j->log = training_log_open(j->options->log, j->train, e);
    return e->code;
}

static int
after_epoch(void *arg, const struct epoch_row *row, struct err *e)
{
    struct job *j = arg;
    snprintf(j->progress.note, sizeof j->progress.note, "epoch %llu train %.4f valid %.4f",
             (unsigned long long)row->epoch, row->train_ce, row->valid_ce);
    cli_note(j->cli, "epoch %llu, %llu updates: train %.6f, valid %.6f",
             (unsigned long long)row->epoch, (unsigned long long)row->steps, row->train_ce,
             row->valid_ce);
    int rc = j->log != NULL ? training_log_row(j->log, row, e) : 0;
    return rc == 0 ? checkpoint_save_if_due(&j->checkpoint, e) : rc;
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
    double n = (double)j->recipe.strings, batch = (double)j->settings.batch;
    double total = j->settings.steps > 0 ? fmin(batch, n) * (double)j->settings.steps
                                         : n * (double)j->settings.epochs;
    return total < 1e18 ? (uint64_t)total : 0;
}

static int
train(struct job *j, struct err *e)
{
    struct training_callbacks watch = {
        .arg = j, .epoch = after_epoch, .update = after_update, .stop = signals_catch_stop()};
    progress_begin(&j->progress, j->cli->progress, "strings", strings_at_most(j));
    j->progress.before = training_strings(j->train);
    int rc = training_run(j->train, &watch, e);
    progress_end(&j->progress);
    if (rc == ERR_NUMERIC && j->checkpoint.saved > 0)
        err_prefix(e, "'%s' keeps the last good state", j->checkpoint.path);
    return rc;
}

/* Keeps the state, if there is a checkpoint; an error in any case. */
static int
interrupted(struct job *j, uint64_t updates, struct err *e)
{
    const char *path = j->checkpoint.path;
    unsigned long long n = updates;
    if (checkpoint_save(&j->checkpoint, e) != 0)
        return e->code;
    if (path != NULL)
        return err_set(e, ERR_IO,
                       "stopped after %llu updates; '%s' keeps the state, --resume goes on", n,
                       path);
    return err_set(e, ERR_IO,
                   "stopped after %llu updates; nothing was written, with --checkpoint FILE "
                   "the work would have been kept",
                   n);
}

/* The model, unless training was interrupted.  The checkpoint of a run that has ended was
 * written after its last epoch. */
static int
conclude(struct job *j, struct err *e)
{
    struct training_outcome outcome;
    training_get_outcome(j->train, &outcome);
    if (outcome.end == TRAINING_RUNNING)
        return interrupted(j, outcome.steps, e);
    int rc = training_meta_outcome(j->meta, &outcome, e);
    return rc == 0 ? model_write(&j->model->model, j->meta, j->cli->out, e) : rc;
}

static int
run(struct cli *c, void *self, struct err *e)
{
    struct job j = {.cli = c, .options = self};
    if (prepare(&j, e) == 0 && restore(&j, e) == 0 && cli_output(c, true, e) != NULL &&
        train(&j, e) == 0)
        conclude(&j, e);
    training_log_close(j.log);
    training_free(j.train);
    lstm_free(j.model);
    training_data_clear(&j.data);
    meta_free(j.meta);
    pool_free(j.pool);
    return EXIT_DONE;
}

static const struct cli_tool tool = {
    .name = "lstm-train",
    .operands = "[TRAIN]",
    .summary = "Train an LSTM on strings.",
    .details = "Training stops when the validation loss stops improving, and the parameters of\n"
               "the best epoch are written. The same data, options and seed give the same\n"
               "model, for any number of threads, also after an interruption.",
    .examples = "  lstm-train --valid V D >r.lstm\n"
                "  gam-sample -n 20000 g.gam | lstm-train --log pi.tsv -o pi.lstm",
    .options = options,
    .max_operands = 1,
    .operand = {{"TRAIN", FILE_READ}},
    .writes_model = true,
    .check = check_options,
    .run = run,
    .remedy = {[REMEDY_LOWER_RATE] = "try a smaller --lr"},
};

int
main(int argc, char **argv)
{
    struct options o = {.fraction = 0.2};
    struct err e = {0};
    recipe_choice_init(&o.settings);
    alphabet_init(&o.alphabet, "01", &e);
    int status = cli_main(&tool, &o, argc, argv);
    signals_raise_caught();
    return status;
}

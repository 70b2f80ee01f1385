/* SPDX-License-Identifier: MIT
 * lstm-train: fits an LSTM to strings. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/num.h"
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
    {'a', "alphabet", "CHARS", "the symbols [default: those of --init, or 01]", 0},
    {OPT_VALID, "valid", "FILE", "read the validation set from FILE", CLI_NO_TRACE},
    {OPT_VALID_FRACTION, "valid-fraction", "F",
     "hold back this fraction of TRAIN for validation [default: 0.2]", 0},
    {OPT_MAX_LENGTH, "max-length", "N",
     "maximum length of the model [default: the common length of all strings, or 2 x longest + 1]",
     0},
    {0, NULL, NULL, "Network and optimizer", CLI_HEADING},
    {OPT_RECIPE, "recipe", "NAME",
     "default values of the options below: default or paper [default: default]", 0},
    {OPT_SETTING + RECIPE_HIDDEN, "hidden", "N", "units per layer [default: 64; paper: 200]", 0},
    {OPT_SETTING + RECIPE_LAYERS, "layers", "N", "number of layers [default: 1; paper: 2]", 0},
    {OPT_SETTING + RECIPE_DROPOUT, "dropout", "P",
     "dropout probability of layer outputs [default: 0.3; paper: 0.2]", 0},
    {OPT_SETTING + RECIPE_BATCH, "batch", "N", "strings per update [default: 5; paper: 500]", 0},
    {OPT_SETTING + RECIPE_LR, "lr", "X", "learning rate of Adam [default: 0.004; paper: 0.001]", 0},
    {OPT_SETTING + RECIPE_CLIP, "clip", "X",
     "maximum norm of the gradient, 0 means none [default: 1; paper: 0.25]", 0},
    {OPT_SETTING + RECIPE_AVERAGE, "average", "B",
     "decay of the average of the parameters, 0 means none [default: 0.999; paper: 0]", 0},
    {0, NULL, NULL, "Duration", CLI_HEADING},
    {OPT_SETTING + RECIPE_EPOCHS, "epochs", "N",
     "maximum number of epochs [default: 2000; paper: 130]", 0},
    {OPT_SETTING + RECIPE_PATIENCE, "patience", "N",
     "stop after N epochs without a lower validation loss, 0 means never [default: 20, adjusted to "
     "600 to 10,000 updates and at least 5 epochs; paper: 10 in total]",
     0},
    {OPT_STEPS, "steps", "N", "make exactly N updates, without validation", 0},
    {OPT_INIT, "init", "MODEL", "start from MODEL instead of random parameters", CLI_NO_TRACE},
    {0, NULL, NULL, "Checkpoints and log", CLI_HEADING},
    {OPT_CHECKPOINT, "checkpoint", "FILE", "save the state of the run in FILE", CLI_NO_TRACE},
    {OPT_RESUME, "resume", NULL, "resume from the checkpoint if it exists", CLI_NO_TRACE},
    {OPT_LOG, "log", "FILE", "write a row per epoch to FILE", CLI_NO_TRACE},
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
        return num_parse_f64(value, 0, 0.99, &o->fraction, e);
    case OPT_STEPS:
        o->steps_given = true;
        return num_parse_u64(value, 1, INT64_MAX, &o->steps, e);
    case OPT_MAX_LENGTH:
        o->max_length_given = true;
        return num_parse_u64(value, 0, INT64_MAX, &o->max_length, e);
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
    .summary = "Train an LSTM on strings.",
    .details = "Training stops when the validation loss stops improving, and the parameters of\n"
               "the best epoch are written. The same data, options and seed give the same\n"
               "model, for any number of threads, also after an interruption.",
    .examples = "  lstm-train --valid V D >r.lstm\n"
                "  gam-sample -n 20000 g.gam | lstm-train --log pi.tsv -o pi.lstm",
    .options = options,
    .max_operands = 1,
    .set = set_option,
    .remedy = {[REMEDY_LOWER_RATE] = "try a smaller --lr"},
};

static int
check_files(const struct cli *c, const struct options *o, struct err *e)
{
    const struct file_entry files[] = {
        {"TRAIN", cli_operand(c, 0), FILE_READ}, {"--valid", o->valid, FILE_READ},
        {"--init", o->init, FILE_READ_MODEL},    {"--output", c->output, FILE_WRITE_MODEL},
        {"--log", o->log, FILE_WRITE},           {"--checkpoint", o->checkpoint, FILE_WRITE}};
    if (o->resume && o->checkpoint == NULL)
        return err_set(e, ERR_USAGE, "--resume: give the file to go on from with --checkpoint");
    if (o->checkpoint != NULL && !file_path_replaceable(o->checkpoint))
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
    for (enum recipe_setting i = 0; o->steps_given && i < RECIPE_SETTINGS; i++)
        if (o->settings.given[i] && recipe_without_steps(i))
            return err_set(e, ERR_USAGE, "--steps and --%s exclude each other", recipe_name(i));
    for (enum recipe_setting i = RECIPE_HIDDEN; o->init != NULL && i <= RECIPE_LAYERS; i++)
        if (o->settings.given[i])
            return err_set(e, ERR_USAGE, "--%s: the model given with --init has its own",
                           recipe_name(i));
    return check_files(c, o, e);
}

struct job {
    const struct cli *cli;
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
    struct output *out;
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
    return rc == 0 ? model_write(&j->model->model, j->meta, j->out, e) : rc;
}

static int
run(struct job *j, struct err *e)
{
    if (prepare(j, e) == 0 && restore(j, e) == 0)
        j->out = cli_output(j->cli, true, e);
    return j->out != NULL && train(j, e) == 0 ? conclude(j, e) : e->code;
}

static void
job_clear(struct job *j)
{
    training_log_close(j->log);
    training_free(j->train);
    lstm_free(j->model);
    training_data_clear(&j->data);
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
    signals_raise_caught();
    return status;
}

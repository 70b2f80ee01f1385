/* SPDX-License-Identifier: MIT
 * lstm-train: fits an LSTM to strings. */
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/pool.h"
#include "io/file_path.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "text/strings.h"
#include "train/head_start.h"
#include "train/recipe.h"
#include "train/training.h"
#include "train/training_checkpoint.h"
#include "train/training_data.h"
#include "train/training_record.h"

struct options {
    struct string_options strings;
    struct alphabet alphabet;                    /* of -a; empty: from the data */
    const char *valid, *init, *checkpoint, *log; /* files, or NULL */
    double fraction;
    bool fraction_given;
    struct recipe_choice settings;
    uint64_t steps, max_length;
    bool steps_given, max_length_given, free_length, tune, resume;
};

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
    ALPHABET_OPTION(struct options, strings, ALPHABET_HELP " [default: those of --init, or 01]"),
    STRING_OPTIONS(struct options, strings),
    {0, "valid", "FILE", "read the validation set from FILE",
     CLI_FILE(struct options, valid, FILE_READ)},
    {0, "valid-fraction", "F",
     "hold back this fraction of TRAIN for validation [default: 0.2; distil: 0.05]",
     CLI_F64(struct options, fraction, 0, 0.99), CLI_GIVEN(struct options, fraction_given)},
    {0, "max-length", "N",
     "maximum length of the model [default: the common length of all strings, or 2 x longest + 1]",
     CLI_U64(struct options, max_length, 0, INT64_MAX),
     CLI_GIVEN(struct options, max_length_given)},
    {0, "free-length", NULL,
     "learn where strings end even if all have one length [default: the model generates only "
     "that length]",
     CLI_FLAG(struct options, free_length)},
    CLI_HEADING("Network and optimizer"),
    {0, "recipe", "NAME",
     "default values of the options below: default, distil or paper [default: default]",
     CLI_SET(set_recipe, struct options, settings)},
    {0, "hidden", "N", "units per layer [default: 64; paper: 200]", SETTING(RECIPE_HIDDEN)},
    {0, "layers", "N", "number of layers [default: 1; paper: 2]", SETTING(RECIPE_LAYERS)},
    {0, "dropout", "P",
     "dropout probability of layer outputs [default: 0.3; distil: 0; paper: 0.2]",
     SETTING(RECIPE_DROPOUT)},
    {0, "batch", "N", "strings per update [default: 5; paper: 500]", SETTING(RECIPE_BATCH)},
    {0, "lr", "X", "learning rate of Adam [default: 0.004; paper: 0.001]", SETTING(RECIPE_LR)},
    {0, "clip", "X", "maximum norm of the gradient, 0 means none [default: 1; paper: 0.25]",
     SETTING(RECIPE_CLIP)},
    {0, "average", "B",
     "decay of the average of the parameters, 0 means none "
     "[default: 0.999; distil: 0.9998; paper: 0]",
     SETTING(RECIPE_AVERAGE)},
    {0, "tune", NULL, "choose learning rate, dropout, units and averaging by the validation loss",
     CLI_FLAG(struct options, tune)},
    CLI_HEADING("Duration"),
    {0, "epochs", "N", "maximum number of epochs [default: 2000; distil: 12; paper: 130]",
     SETTING(RECIPE_EPOCHS)},
    {0, "patience", "N",
     "stop after N epochs without a lower validation loss, 0 means never [default: 20, adjusted to "
     "600 to 10,000 updates and at least 5 epochs; distil: 3; paper: 10 in total]",
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
    struct options *o = self;
    (void)c;
    if (string_options_alphabet(&o->strings, &o->alphabet, e) != 0)
        return e->code;
    if (o->valid != NULL && o->fraction_given)
        return err_set(e, ERR_USAGE, "--valid cannot be combined with --valid-fraction");
    if (o->steps_given && (o->valid != NULL || o->fraction_given))
        return err_set(e, ERR_USAGE, "--steps cannot be combined with --valid%s",
                       o->valid != NULL ? "" : "-fraction");
    for (enum recipe_setting i = 0; o->steps_given && i < RECIPE_SETTINGS; i++)
        if (o->settings.given[i] && recipe_without_steps(i))
            return err_set(e, ERR_USAGE, "--steps cannot be combined with --%s", recipe_name(i));
    for (enum recipe_setting i = RECIPE_HIDDEN; o->init != NULL && i <= RECIPE_LAYERS; i++)
        if (o->settings.given[i])
            return err_set(e, ERR_USAGE, "--%s cannot be combined with --init", recipe_name(i));
    if (o->tune && (o->steps_given || o->init != NULL || o->settings.recipe->paper))
        return err_set(e, ERR_USAGE, "--tune cannot be combined with --%s",
                       o->steps_given    ? "steps"
                       : o->init != NULL ? "init"
                                         : "recipe paper");
    if (o->tune && o->fraction_given && o->fraction == 0)
        return err_set(e, ERR_USAGE, "--tune requires validation; raise --valid-fraction");
    if (o->settings.recipe->continues && o->init == NULL)
        return err_set(e, ERR_USAGE, "--recipe distil requires --init MODEL, the base model");
    if (o->resume && o->checkpoint == NULL)
        return err_set(e, ERR_USAGE, "--resume requires --checkpoint FILE");
    if (o->checkpoint != NULL && !file_path_replaceable(o->checkpoint))
        return err_set(e, ERR_USAGE, "--checkpoint requires a regular file");
    return 0;
}

struct job {
    struct cli *cli;
    const struct options *options;
    struct alphabet alphabet;
    struct training_data data;
    struct recipe_choice recipe; /* from the options, for this number of strings */
    struct lstm *model;
    struct meta *meta;
    struct pool *pool;
    struct training_options settings;
    struct training *train;
    struct pfsa *automaton; /* of the training set; NULL: not known */
    const char *command;    /* that learns it */
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
    if (o->strings.alphabet != NULL && j->alphabet.size > 0 &&
        !alphabet_equal(&j->alphabet, &j->model->model.alphabet))
        return err_set(e, ERR_USAGE, "%s: alphabet is '%s', not '%s'; omit -a", o->init,
                       j->model->model.alphabet.text, j->alphabet.text);
    if (string_options_check(&o->strings, &j->model->model.alphabet, e) != 0)
        return e->code;
    j->alphabet = j->model->model.alphabet;
    return meta_set_hash(j->meta, "input.init", hash, e);
}

static int
load_strings(struct job *j, struct err *e)
{
    const struct options *o = j->options;
    const char *path = cli_operand(j->cli, 0);
    const struct string_format format = string_options_format(&o->strings, &j->alphabet);
    int rc = training_data_load(&j->data, &j->alphabet, &format, path, o->valid, j->meta, e);
    if (rc == 0)
        string_options_report(j->cli, j->data.strings.skipped, format.grow);
    double fraction = !o->fraction_given && o->settings.recipe->continues ? 0.05 : o->fraction;
    if (rc != 0 || o->valid != NULL || o->steps > 0 || fraction == 0)
        return rc;
    rc = training_data_split(&j->data, fraction, j->cli->seed, e);
    if (rc == 0 && j->data.valid.count == 0 && o->tune)
        return err_set(e, ERR_DATA, "only one string; --tune requires strings for validation");
    if (rc == 0 && j->data.valid.count == 0)
        cli_warn(j->cli, "only one string; training without validation");
    return rc;
}

/* L from the strings that the model is trained on; the paper's recipe always allows longer
 * strings than the observed ones. */
static int
choose_length(const struct job *j, uint64_t *length, struct err *e)
{
    const struct strings *s = &j->data.strings;
    uint64_t longest = s->longest;
    if (j->options->max_length_given)
        *length = j->options->max_length;
    else if (j->model != NULL && !j->model->fixed_length)
        *length = j->model->model.max_length > longest ? j->model->model.max_length : longest;
    else if (j->recipe.recipe->paper)
        *length = 2 * longest + 1;
    else
        *length = strings_default_max_length(s->shortest, longest);
    if (*length < longest)
        return err_set(e, ERR_USAGE,
                       "--max-length: %llu is less than %llu, the length of the longest string",
                       (unsigned long long)*length, (unsigned long long)longest);
    return 0;
}

/* Whether all strings of the data have `length` symbols, so that the model generates no other
 * length. */
static bool
is_fixed(const struct job *j, uint64_t length)
{
    const struct strings *s = &j->data.strings;
    return s->shortest == length && s->longest == length && !j->options->free_length &&
           !j->recipe.recipe->paper;
}

static void
set_length(struct job *j, uint64_t length)
{
    bool fixed = is_fixed(j, length);
    if (fixed)
        cli_note(j->cli, "all strings have %llu symbols; the model generates no other length",
                 (unsigned long long)length);
    else if (j->model->fixed_length)
        cli_warn(j->cli,
                 "the model '%s' generates strings of %llu symbols only; the end of string is "
                 "learned anew",
                 j->options->init, (unsigned long long)j->model->model.max_length);
    lstm_set_length(j->model, length, fixed);
}

/* A network of the recipe, with random parameters. */
static struct lstm *
new_network(const struct job *j, const struct recipe_choice *r, uint64_t length, struct err *e)
{
    struct lstm *m = lstm_new(&j->alphabet, (unsigned)recipe_value(r, RECIPE_HIDDEN),
                              (unsigned)recipe_value(r, RECIPE_LAYERS), length, e);
    if (m != NULL)
        lstm_init(m, j->cli->seed);
    return m;
}

static int
make_model(struct job *j, struct err *e)
{
    uint64_t length;
    int rc = choose_length(j, &length, e);
    if (rc != 0)
        return rc;
    if (j->model == NULL && (j->model = new_network(j, &j->recipe, length, e)) == NULL)
        return e->code;
    set_length(j, length);
    return 0;
}

/* A validation set that was copied from the training set cannot tell when to stop. */
static int
warn_of_leakage(const struct job *j, struct err *e)
{
    struct leakage l;
    int rc = leakage_find(&j->data, &l, e);
    if (rc == 0 && l.log_p < LEAKAGE_LOG_P)
        cli_warn(j->cli,
                 "%zu of %zu strings of '%s' are also in the training set, more than chance "
                 "explains; use other strings, such as those of another seed (-s)",
                 l.shared, j->data.valid.count, j->options->valid);
    return rc;
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
    if (j->train != NULL && o->valid != NULL)
        warn_of_leakage(j, e);
    return e->code;
}

/* ---- the run */

/* Restores before the log is opened, since the log also shows the epochs before the
 * interruption. */
static int
restore(struct job *j, struct err *e)
{
    j->checkpoint = (struct checkpoint){.path = j->options->checkpoint,
                                        .train = j->train,
                                        .model = j->model,
                                        .meta = j->meta,
                                        .identity = training_meta_identity(j->meta, j->model)};
    if (j->options->resume && checkpoint_restore(&j->checkpoint, e) == 0)
        cli_note(j->cli, "'%s' does not exist; starting from the beginning", j->checkpoint.path);
    if (e->code == ERR_NONE && j->options->log != NULL)
        j->log = training_log_open(j->options->log, j->train, e);
    return e->code;
}

static int
after_epoch(void *arg, const struct epoch_row *row, struct err *e)
{
    struct job *j = arg;
    progress_note(&j->progress, "epoch %llu train %.4f valid %.4f", (unsigned long long)row->epoch,
                  row->train_ce, row->valid_ce);
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
    progress_skip(&j->progress, training_strings(j->train));
    int rc = training_run(j->train, &watch, e);
    progress_end(&j->progress);
    if (rc == ERR_NUMERIC && j->checkpoint.saved > 0)
        err_prefix(e, "the last good state is in '%s'", j->checkpoint.path);
    return rc;
}

/* ---- other attempts, judged by the validation set */

enum {
    FEW_STRINGS = 5000,       /* below this, the LSTM gets a head start by default */
    COMPARED_STRINGS = 100000 /* up to this, the LSTM is compared with the automaton */
};

/* The most samples of a head start, and of one that is to replace the training set. */
enum { HEAD_START_MOST = 20000, IMITATION_MOST = 400000 };

/* After a head start, the learning rate is divided by HEAD_START_RATE: a higher one forgets it.
 * Of many samples, a half is trained on at a rate divided by SLOWER. */
enum { HEAD_START_RATE = 4, SLOWER = 8 };

/* An automaton this close to the LSTM, relative to its cross-entropy, is worth a head start. */
static const double CLOSE = 1.02;

/* One more model in training, which replaces that of the job if it is better. */
struct attempt {
    struct recipe_choice recipe;
    struct training_options settings;
    struct lstm *model;
    struct training *train;
};

static double
valid_ce(const struct training *t)
{
    struct training_outcome outcome;
    training_get_outcome(t, &outcome);
    return outcome.valid_ce;
}

static bool
is_running(const struct training *t)
{
    struct training_outcome outcome;
    training_get_outcome(t, &outcome);
    return outcome.end == TRAINING_RUNNING;
}

static int
log_epoch(void *arg, const struct epoch_row *row, struct err *e)
{
    struct job *j = arg;
    return j->log != NULL ? training_log_row(j->log, row, e) : 0;
}

/* Trains on samples of the automaton.  Very many of them determine the parameters to more than
 * the rate allows; so others follow at a lower rate. */
static int
train_on_samples(struct job *j, struct attempt *a, uint64_t samples,
                 const volatile sig_atomic_t *stop, struct err *e)
{
    struct training_options slow = a->settings;
    int rc = head_start_train(a->model, j->automaton, samples, &a->settings, j->pool, stop, e);
    if (rc != 0 || samples <= HEAD_START_MOST)
        return rc;
    slow.rate /= SLOWER;
    slow.seed++;
    return head_start_train(a->model, j->automaton, samples / 2, &slow, j->pool, stop, e);
}

/* Trains with the settings of `a->recipe`, first on `head_start` samples of the automaton. */
static int
run_attempt(struct job *j, struct attempt *a, uint64_t head_start, struct err *e)
{
    struct training_callbacks watch = {.arg = j, .epoch = log_epoch, .stop = signals_catch_stop()};
    a->settings = (struct training_options){.seed = j->cli->seed};
    recipe_apply(&a->recipe, &a->settings);
    a->model = new_network(j, &a->recipe, j->model->model.max_length, e);
    if (a->model == NULL)
        return e->code;
    lstm_set_length(a->model, j->model->model.max_length, j->model->fixed_length);
    if (head_start > 0) {
        if (train_on_samples(j, a, head_start, watch.stop, e) != 0)
            return e->code;
        a->settings.rate /= HEAD_START_RATE;
        a->settings.start_counts = true;
    }
    a->train = training_new(a->model, &j->data, &a->settings, j->pool, e);
    return a->train != NULL ? training_run(a->train, &watch, e) : e->code;
}

/* Keeps the better one of the job's model and another one; `better` says which it is.  An
 * interruption leaves a run that has not ended. */
static int
try_recipe(struct job *j, const struct recipe_choice *r, uint64_t head_start, bool *better,
           struct err *e)
{
    struct attempt a = {.recipe = *r};
    int rc = run_attempt(j, &a, head_start, e);
    *better = rc == 0 && (is_running(a.train) || valid_ce(a.train) < valid_ce(j->train));
    if (*better) {
        struct attempt old = {j->recipe, j->settings, j->model, j->train};
        j->recipe = a.recipe;
        j->settings = a.settings;
        j->model = a.model;
        j->train = a.train;
        a = old;
    }
    training_free(a.train);
    lstm_free(a.model);
    return rc;
}

/* The automaton of the training set, unless there are too many strings or states. */
static int
learn_automaton(struct job *j, struct err *e)
{
    struct err why = {0};
    if (j->data.valid.count == 0 || j->data.strings.count > COMPARED_STRINGS)
        return 0;
    j->automaton = head_start_automaton(&j->data, &j->alphabet, &j->command, &why);
    return why.code == ERR_LIMIT ? 0 : err_pass(e, &why);
}

/* Whether the user has left all settings to the recipe. */
static bool
is_default(const struct job *j)
{
    const struct recipe_choice *r = &j->options->settings;
    bool given = j->options->steps > 0 || j->options->init != NULL || r->recipe->paper;
    for (enum recipe_setting i = 0; i < RECIPE_SETTINGS; i++)
        given = given || r->given[i];
    return !given;
}

/* A head start, if the automaton is about as good as the LSTM and there are few strings; *used
 * becomes the number of samples, 0 if it is not better. */
static int
try_head_start(struct job *j, uint64_t *used, struct err *e)
{
    bool better, few = j->data.strings.count < FEW_STRINGS;
    double automaton = head_start_valid_ce(j->automaton, &j->data), lstm = valid_ce(j->train);
    if (!(j->options->tune || (few && is_default(j))) || automaton > CLOSE * lstm)
        return 0;
    cli_note(j->cli, "valid %.6f, automaton %.6f: trying a head start", lstm, automaton);
    uint64_t samples = head_start_strings(&j->data, 1e6, HEAD_START_MOST);
    int rc = try_recipe(j, &j->recipe, samples, &better, e);
    if (rc != 0 || !better)
        return rc;
    *used = samples;
    return meta_set_number(j->meta, "head_start", (double)samples, e);
}

/* A longer head start of a larger LSTM, if the automaton is better and there are many strings. */
static int
try_imitation(struct job *j, struct err *e)
{
    static const struct {
        enum recipe_setting setting;
        double least;
        const char *text;
    } larger[] = {{RECIPE_HIDDEN, 128, "128"}, {RECIPE_AVERAGE, 0.9998, "0.9998"}};
    uint64_t samples = head_start_strings(&j->data, 4e6, IMITATION_MOST);
    double automaton = head_start_valid_ce(j->automaton, &j->data), lstm = valid_ce(j->train);
    struct recipe_choice r = j->recipe;
    bool better;
    if (!(j->options->tune || is_default(j)) || j->data.strings.count < FEW_STRINGS ||
        automaton >= lstm)
        return 0;
    cli_note(j->cli, "valid %.6f, automaton %.6f: training on its samples", lstm, automaton);
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        if (!j->options->settings.given[larger[i].setting] &&
            recipe_value(&r, larger[i].setting) < larger[i].least &&
            recipe_set(&r, larger[i].setting, larger[i].text, e) != 0)
            return e->code;
    int rc = try_recipe(j, &r, samples, &better, e);
    if (rc == 0 && better)
        rc = meta_set_number(j->meta, "head_start", (double)samples, e);
    if (rc == 0 && better)
        rc = training_meta_settings(j->meta, &j->recipe, 0, &j->data, e);
    return rc;
}

/* Settings that --tune tries, one after another, beside the best ones so far. */
static const struct {
    enum recipe_setting setting;
    const char *value;
} tried[] = {{RECIPE_LR, "0.002"},      {RECIPE_LR, "0.001"},   {RECIPE_DROPOUT, "0.1"},
             {RECIPE_DROPOUT, "0.5"},   {RECIPE_HIDDEN, "128"}, {RECIPE_HIDDEN, "256"},
             {RECIPE_AVERAGE, "0.9998"}};

static int
tune(struct job *j, uint64_t head_start, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof tried / sizeof *tried && !is_running(j->train); i++) {
        struct recipe_choice r = j->recipe;
        bool better;
        if (j->options->settings.given[tried[i].setting])
            continue;
        rc = recipe_set(&r, tried[i].setting, tried[i].value, e);
        if (rc == 0)
            rc = try_recipe(j, &r, head_start, &better, e);
        if (rc == 0)
            cli_note(j->cli, "--%s %s: %s", recipe_name(tried[i].setting), tried[i].value,
                     better ? "better" : "not better");
    }
    return rc == 0 ? training_meta_settings(j->meta, &j->recipe, 0, &j->data, e) : rc;
}

/* Looks for a better model than that of the first run, and warns if an automaton is better. */
static int
improve(struct job *j, struct err *e)
{
    struct training_outcome outcome;
    uint64_t head_start = 0;
    training_get_outcome(j->train, &outcome);
    bool tuning = j->options->tune && outcome.end == TRAINING_EPOCHS;
    if ((outcome.end != TRAINING_PATIENCE && !tuning) || learn_automaton(j, e) != 0)
        return e->code;
    if (j->automaton != NULL && try_head_start(j, &head_start, e) != 0)
        return e->code;
    if (j->options->tune && !is_running(j->train) && tune(j, head_start, e) != 0)
        return e->code;
    if (j->automaton == NULL || is_running(j->train) || try_imitation(j, e) != 0 ||
        is_running(j->train))
        return e->code;
    double automaton = head_start_valid_ce(j->automaton, &j->data);
    if (automaton < valid_ce(j->train))
        cli_warn(j->cli, "an automaton has a lower validation loss, %.4f instead of %.4f; try %s",
                 automaton, valid_ce(j->train), j->command);
    return 0;
}

/* Writes the checkpoint, if there is one; returns an error in either case. */
static int
interrupted(struct job *j, uint64_t updates, struct err *e)
{
    const char *path = j->checkpoint.path;
    unsigned long long n = updates;
    if (j->train == j->checkpoint.train && checkpoint_save(&j->checkpoint, e) != 0)
        return e->code;
    if (path != NULL)
        return err_set(e, ERR_IO, "stopped after %llu updates; use --resume to continue from '%s'",
                       n, path);
    return err_set(
        e, ERR_IO,
        "stopped after %llu updates; nothing was saved, use --checkpoint FILE to save the state",
        n);
}

/* Writes the model, unless training was interrupted.  The checkpoint of a run that has ended
 * was written after its last epoch. */
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
        train(&j, e) == 0 && improve(&j, e) == 0)
        conclude(&j, e);
    if (j.options->init != NULL && e->remedy == REMEDY_BAD_SYMBOL)
        err_remedy(e, REMEDY_SKIP_BAD); /* the alphabet of a model cannot be changed */
    training_log_close(j.log);
    training_free(j.train);
    lstm_free(j.model);
    pfsa_free(j.automaton);
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
                "  gam-sample -n 20000 g.gam | lstm-train --recipe distil --init r.lstm >pi.lstm",
    .options = options,
    .max_operands = 1,
    .operand = {{"TRAIN", FILE_READ}},
    .writes_model = true,
    .check = check_options,
    .run = run,
    .remedy = {ALPHABET_REMEDIES, [REMEDY_LOWER_RATE] = "try a lower --lr"},
};

int
main(int argc, char **argv)
{
    struct options o = {.fraction = 0.2};
    recipe_choice_init(&o.settings);
    int status = cli_main(&tool, &o, argc, argv);
    signals_raise_caught();
    return status;
}

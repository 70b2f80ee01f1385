/* SPDX-License-Identifier: MIT
 *
 * train: fits an LSTM to strings by Adam on shuffled batches, stops when the
 * validation strings no longer gain, and gives back the best weights.
 *
 * Adam's weights tremble around where they are going, the more the smaller the
 * batches.  So the weights that are validated and given back can be an average
 * of those after the latest updates (Polyak and Juditsky 1992), with weights
 * that fade by the factor `average` an update: it gains what a smaller learning
 * rate at the end would, and no updates are spent on it.
 *
 * A batch is cut into slices of lexicographically neighbouring strings, and
 * each slice is worked off as a prefix tree by one thread: a prefix that
 * strings share is computed once, with one set of dropout factors.  The cuts
 * depend on the sizes of batch and model only, and the slices' gradients are
 * added in order, so the number of threads does not matter.
 *
 * All that the next update depends on can be written into a model file and
 * read back (train_put, train_restore): a run that was interrupted goes on as
 * if it had not been.
 */
#ifndef GAMUT_TRAINING_H
#define GAMUT_TRAINING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct corpus;
struct err;
struct lstm;
struct mdl;
struct mdl_writer;
struct pool;

struct train_options {
    uint64_t seed;
    size_t batch;           /* strings an update */
    double rate;            /* Adam's learning rate */
    double clip;            /* largest global norm of a gradient; 0: any */
    double dropout;         /* of each layer's output */
    double input_dropout;   /* of the input symbol */
    double average;         /* memory of the average of the weights, in [0, 1); 0: none */
    uint64_t epochs;        /* at most; 0: no limit */
    uint64_t patience;      /* epochs without a better validation; 0: no limit */
    bool patience_in_total; /* a better epoch does not begin the count anew */
    bool mean_of_strings;   /* each string's loss per character, averaged over strings */
    uint64_t steps;         /* updates; 0: as epochs and patience say */
};

/* One epoch, as --log shows it; CE in nats per character. */
struct train_row {
    uint64_t epoch, steps;     /* updates so far */
    double train_ce, valid_ce; /* train with dropout, mean over the epoch; NaN if there is none */
    double rate;               /* training strings a second */
    double seconds;            /* since the beginning, interruptions not counted */
};

/* What the caller is told, and how it may interrupt. */
struct train_watch {
    void *arg;
    /* After each epoch: 0, or an error that ends the run. */
    int (*epoch)(void *arg, const struct train_row *row, struct err *e);
    /* After each update: strings worked off in all, as train_strings says. */
    void (*update)(void *arg, uint64_t strings);
    const volatile sig_atomic_t *stop; /* stop after this update when not 0 */
};

enum train_end {
    TRAIN_RUNNING,  /* interrupted, can go on */
    TRAIN_PATIENCE, /* the validation set did not gain any more */
    TRAIN_EPOCHS,   /* the last epoch allowed */
    TRAIN_STEPS     /* the number of updates asked for */
};
const char *train_end_name(enum train_end end); /* "patience", .. */

struct train_outcome {
    enum train_end end;
    uint64_t epochs, steps, best_epoch;
    double train_ce, valid_ce; /* of the best epoch if there is validation, else the last */
};

struct train;

/* Trains `m` in place on the strings of `data`, and validates with `valid`
 * (NULL: not at all).  Both corpora are copied; m and pool must outlive it. */
struct train *train_new(struct lstm *m, const struct corpus *data, const struct corpus *valid,
                        const struct train_options *o, struct pool *pool, struct err *e);
void train_free(struct train *t); /* NULL is fine */

/* Trains to the end, or until `stop`: then the outcome's end is TRAIN_RUNNING.
 * At the end m holds the best weights.  ERR_NUMERIC when loss or gradient is
 * no longer finite; the text says at which update. */
int train_run(struct train *t, const struct train_watch *watch, struct err *e);

void train_get_outcome(const struct train *t, struct train_outcome *o);

/* Strings worked off so far, before an interruption too. */
uint64_t train_strings(const struct train *t);

/* The rows of all epochs so far. */
size_t train_rows(const struct train *t, const struct train_row **rows);

/* Sections for a checkpoint, beside those of lstm_put.  `identity` names data
 * and settings; restoring under another is ERR_USAGE. */
int train_put(const struct train *t, uint64_t identity, struct mdl_writer *w, struct err *e);
int train_restore(struct train *t, uint64_t identity, struct mdl *m, struct err *e);

#endif

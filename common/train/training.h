/* SPDX-License-Identifier: MIT
 *
 * training: fits an LSTM to strings by Adam on shuffled batches, stops when the
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
 * read back (training_put, training_restore): a run that was interrupted goes on as
 * if it had not been.
 */
#ifndef GAMUT_TRAINING_H
#define GAMUT_TRAINING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct container;
struct container_writer;
struct err;
struct lstm;
struct pool;
struct training_data;

struct training_options {
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
struct epoch_row {
    uint64_t epoch, steps;     /* updates so far */
    double train_ce, valid_ce; /* train with dropout, mean over the epoch; NaN if there is none */
    double rate;               /* training strings a second */
    double seconds;            /* since the beginning, interruptions not counted */
};

/* What the caller is told, and how it may interrupt. */
struct training_callbacks {
    void *arg;
    /* After each epoch: 0, or an error that ends the run. */
    int (*epoch)(void *arg, const struct epoch_row *row, struct err *e);
    /* After each update: strings worked off in all, as training_strings says. */
    void (*update)(void *arg, uint64_t strings);
    const volatile sig_atomic_t *stop; /* stop after this update when not 0 */
};

enum training_end {
    TRAINING_RUNNING,  /* interrupted, can go on */
    TRAINING_PATIENCE, /* the validation set did not gain any more */
    TRAINING_EPOCHS,   /* the last epoch allowed */
    TRAINING_STEPS     /* the number of updates asked for */
};
const char *training_end_name(enum training_end end); /* "patience", .. */

struct training_outcome {
    enum training_end end;
    uint64_t epochs, steps, best_epoch;
    double train_ce, valid_ce; /* of the best epoch if there is validation, else the last */
};

struct training;

/* Trains `m` in place on the training set, and validates unless the validation
 * set is empty.  Sorts `data`; all arguments but `o` must outlive the result. */
struct training *training_new(struct lstm *m, struct training_data *data,
                              const struct training_options *o, struct pool *pool, struct err *e);
void training_free(struct training *t); /* NULL is fine */

/* Trains to the end, or until `stop`: then the outcome's end is TRAINING_RUNNING.
 * At the end m holds the best weights.  ERR_NUMERIC when loss or gradient is
 * no longer finite; the text says at which update. */
int training_run(struct training *t, const struct training_callbacks *watch, struct err *e);

void training_get_outcome(const struct training *t, struct training_outcome *o);

/* Strings worked off so far, before an interruption too. */
uint64_t training_strings(const struct training *t);

/* The rows of all epochs so far. */
size_t training_rows(const struct training *t, const struct epoch_row **rows);

/* Sections for a checkpoint, beside those of lstm_put.  `identity` names data
 * and settings; restoring under another is ERR_USAGE.  `epochs` may be another, but not
 * less than have been begun, and `patience` may be larger: a run that had ended goes on
 * then.  A checkpoint to go on from is written while training_run calls back: at the end,
 * it gives the model its best weights. */
int training_put(const struct training *t, uint64_t identity, struct container_writer *w,
                 struct err *e);
int training_restore(struct training *t, uint64_t identity, struct container *m, struct err *e);

#endif

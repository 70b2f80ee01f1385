/* SPDX-License-Identifier: MIT
 *
 * training: fits an LSTM to strings by Adam on shuffled batches, stops when
 * validation loss stops improving, and returns the best parameters.
 *
 * Small batches make Adam's parameters noisy.  So the parameters that are
 * validated and returned can be an exponential average over the latest updates
 * (Polyak and Juditsky 1992), with the factor `average` per update: it gains
 * what a smaller learning rate at the end would, and costs no updates.
 *
 * A batch is cut into slices of lexicographic neighbors, and one thread computes
 * each slice as a prefix tree (batch_gradient.h).  The result does not depend on
 * the number of threads.
 *
 * All that the next update depends on can be written into a model file and read
 * back (training_checkpoint.h): an interrupted run that is resumed ends with the same
 * bytes as one that was not interrupted.
 */
#ifndef GAMUT_TRAINING_H
#define GAMUT_TRAINING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct lstm;
struct pool;
struct training_data;

struct training_options {
    uint64_t seed;
    size_t batch;           /* strings per update */
    double rate;            /* Adam's learning rate */
    double clip;            /* largest global norm of a gradient; 0: any */
    double dropout;         /* of each layer's output */
    double input_dropout;   /* of the input symbol */
    double average;         /* factor of the exponential average, in [0, 1); 0: none */
    uint64_t epochs;        /* at most; 0: no limit */
    uint64_t patience;      /* epochs without a better validation; 0: no limit */
    bool patience_in_total; /* a better epoch does not reset the count */
    bool mean_of_strings;   /* each string's loss per character, averaged over strings */
    uint64_t steps;         /* updates; 0: as epochs and patience say */
    bool start_counts;      /* the initial parameters compete with the epochs, as epoch 0 */
};

/* One epoch, as --log shows it; CE in nats per character. */
struct epoch_row {
    uint64_t epoch, steps;     /* updates so far */
    double train_ce, valid_ce; /* train with dropout, mean over the epoch; NaN if there is none */
    double rate;               /* training strings per second */
    double seconds;            /* since the beginning, interruptions not counted */
};

/* How the caller follows the run, and how it can interrupt it. */
struct training_callbacks {
    void *arg;
    /* After each epoch: 0, or an error that ends the run. */
    int (*epoch)(void *arg, const struct epoch_row *row, struct err *e);
    /* After each update, with training_strings. */
    void (*update)(void *arg, uint64_t strings);
    const volatile sig_atomic_t *stop; /* stop after this update when not 0 */
};

enum training_end {
    TRAINING_RUNNING,  /* interrupted, can be resumed */
    TRAINING_PATIENCE, /* validation loss stopped improving */
    TRAINING_EPOCHS,   /* the last epoch allowed */
    TRAINING_STEPS     /* the number of updates asked for */
};
const char *training_end_name(enum training_end end); /* "patience", ... */

struct training_outcome {
    enum training_end end;
    uint64_t epochs, steps, best_epoch;
    double train_ce, valid_ce; /* of the best epoch if there is validation, else the last;
                                * epoch 0 has no train_ce: NaN */
};

struct training;

/* Trains `m` in place on the training set, and validates unless the validation set is empty.
 * Sorts `data`; all arguments except `o` must outlive the result. */
struct training *training_new(struct lstm *m, struct training_data *data,
                              const struct training_options *o, struct pool *pool, struct err *e);
void training_free(struct training *t); /* NULL is fine */

/* Trains to the end, or until `stop`: then the end of the outcome is TRAINING_RUNNING.  At
 * the end m holds the best weights.  ERR_NUMERIC when loss or gradient is no longer finite;
 * the text names the update. */
int training_run(struct training *t, const struct training_callbacks *watch, struct err *e);

void training_get_outcome(const struct training *t, struct training_outcome *o);

/* Strings processed so far, those before an interruption included. */
uint64_t training_strings(const struct training *t);

/* The rows of all epochs so far. */
size_t training_rows(const struct training *t, const struct epoch_row **rows);

#endif

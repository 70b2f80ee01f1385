/* SPDX-License-Identifier: MIT
 *
 * training_internal: the state of a training run, for training.c, which advances
 * it, and training_checkpoint.c, which writes it to a file and reads it back.
 */
#ifndef GAMUT_TRAINING_INTERNAL_H
#define GAMUT_TRAINING_INTERNAL_H

#include "train/training.h"

struct batch_gradient;
struct packed_weights;
struct training_data;

/* The progress of a run, besides the parameters.  checkpoint_put writes these two structs
 * unchanged: their order is that of the file, gamut-model(5). */
struct training_state {
    uint64_t end;        /* enum training_end */
    uint64_t epoch;      /* complete epochs */
    uint64_t in_epoch;   /* updates in the current epoch */
    uint64_t steps;      /* updates in all */
    uint64_t best_epoch; /* 0: none yet */
    uint64_t failures;   /* epochs that count toward the patience */
};

struct training_totals {
    double loss, weight;  /* of the current epoch */
    double best_loss;     /* of the validation set; infinite: none yet */
    double seconds;       /* of work, before this process began */
    double epoch_seconds; /* of the current epoch */
};

_Static_assert(sizeof(struct training_state) == 6 * sizeof(uint64_t), "as gamut-model(5) says");
_Static_assert(sizeof(struct training_totals) == 5 * sizeof(double), "as gamut-model(5) says");

struct training {
    struct lstm *model, *best; /* best is NULL without validation */
    struct training_options o;
    struct pool *pool;
    struct packed_weights *net;
    struct batch_gradient *gradient;
    const struct training_data *data; /* sorted */
    double mean_weight;               /* of a training string in the loss */
    uint32_t *order;                  /* [train.count]: this epoch's order of the training set */
    uint32_t *batch;                  /* [o.batch]: numbers of strings */
    float *grad;                      /* [layout.count] */
    float *average;                   /* [layout.count] of the weights; NULL: none is wanted */
    struct training_state state;
    struct training_totals totals;
    double clock, epoch_clock; /* start of the run in this process, start of the epoch */
    struct epoch_row *rows;
    size_t rows_capacity;
};

/* Whether the run has ended, by its epochs or its patience; not for a run of `o.steps`. */
void training_set_end(struct training *t);

/* Updates per epoch. */
size_t training_updates(const struct training *t);

#endif

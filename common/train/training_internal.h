/* SPDX-License-Identifier: MIT
 *
 * train_state: a training run from within, for train.c, which goes on with it,
 * and train_file.c, which writes it to a checkpoint and reads it back.
 */
#ifndef GAMUT_TRAINING_INTERNAL_H
#define GAMUT_TRAINING_INTERNAL_H

#include "text/sorted.h"
#include "train/training.h"

struct lstm_net;
struct slices;

/* What a run has come to, besides the weights.  train_put writes these two as they
 * are: their order is that of the file, gamut-model(5). */
struct train_state {
    uint64_t end;        /* enum train_end */
    uint64_t epoch;      /* complete epochs */
    uint64_t in_epoch;   /* updates in the epoch under way */
    uint64_t steps;      /* updates in all */
    uint64_t best_epoch; /* 0: none yet */
    uint64_t failures;   /* epochs that count against the patience */
};

struct train_sums {
    double loss, weight; /* of the epoch under way */
    double best_ce;
    double seconds;       /* of work, before this process began */
    double epoch_seconds; /* .. of the epoch under way */
};

_Static_assert(sizeof(struct train_state) == 6 * sizeof(uint64_t), "as gamut-model(5) says");
_Static_assert(sizeof(struct train_sums) == 5 * sizeof(double), "as gamut-model(5) says");

struct train {
    struct lstm *model, *best; /* best is NULL without validation */
    struct train_options o;
    struct pool *pool;
    struct lstm_net *net;
    struct slices *slices;
    struct sorted data, valid;
    double mean_weight;         /* of a string of `data` in the loss */
    uint32_t *order;            /* [data.count]: this epoch's order of the strings */
    struct ptree_string *batch; /* [o.batch] */
    float *grad;                /* [layout.count] */
    float *average;             /* [layout.count] of the weights; NULL: none is wanted */
    struct train_state state;
    struct train_sums sums;
    double clock, epoch_clock; /* when this process began the run, the epoch */
    struct train_row *rows;
    size_t rows_capacity;
};

/* Updates that make an epoch. */
size_t train_updates(const struct train *t);

#endif

/* SPDX-License-Identifier: MIT
 *
 * training_checkpoint: the state of a training run in a file, to resume from.
 *
 * It is a model file with more sections, so it can be evaluated as it is.  An
 * interrupted run that is resumed ends with the same bytes as one that was not
 * interrupted.  A run that has ended can be resumed with higher limits.
 *
 * Tested by tests/unit/test_training.c.
 */
#ifndef GAMUT_TRAINING_CHECKPOINT_H
#define GAMUT_TRAINING_CHECKPOINT_H

#include <stdint.h>

struct container;
struct container_writer;
struct err;
struct lstm;
struct meta;
struct training;

/* A run and the file that keeps it.  A plain value that owns nothing. */
struct checkpoint {
    const char *path; /* NULL: nothing is kept */
    struct training *train;
    const struct lstm *model; /* that is being trained */
    const struct meta *meta;
    uint64_t identity; /* of data and settings */
    double saved;      /* when it was last written or read (seconds.h); 0: not yet */
};

/* Replaces the file, atomically. */
int checkpoint_save(struct checkpoint *c, struct err *e);

/* The same, but at most once per second, unless the run has ended: called after each epoch,
 * which takes milliseconds in a small run. */
int checkpoint_save_if_due(struct checkpoint *c, struct err *e);

/* 1 if the run was restored, 0 if there is no such file yet, or an error: ERR_USAGE if the
 * file belongs to another run, or to this one with higher limits (see checkpoint_get). */
int checkpoint_restore(struct checkpoint *c, struct err *e);

/* The sections of a checkpoint, besides those of the model.  `identity` identifies data and
 * settings; getting them under another one is ERR_USAGE.  `epochs` may differ, but must not be
 * less than the epochs begun, and `patience` may be larger: then a run that had ended continues.
 * A checkpoint to resume from is written while training_run calls back: at the end, the model
 * gets its best weights. */
int checkpoint_put(const struct training *t, uint64_t identity, struct container_writer *w,
                   struct err *e);
int checkpoint_get(struct training *t, uint64_t identity, struct container *m, struct err *e);

#endif

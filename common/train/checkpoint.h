/* SPDX-License-Identifier: MIT
 *
 * checkpoint: the state of a training run in a file, to resume from.
 *
 * It is a model file with more sections, so it can be evaluated as it is.  An
 * interrupted run that is resumed ends with the same bytes as one that was not
 * interrupted.  A run that has ended can be resumed with higher limits.
 *
 * Tested by tests/unit/test_training.c.
 */
#ifndef GAMUT_CHECKPOINT_H
#define GAMUT_CHECKPOINT_H

#include <stdint.h>

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
 * file belongs to another run, or to this one with higher limits (see training_restore). */
int checkpoint_restore(struct checkpoint *c, struct err *e);

#endif

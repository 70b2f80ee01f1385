/* SPDX-License-Identifier: MIT
 *
 * checkpoint: a training run in a file, to go on from exactly there.
 *
 * It is a model file with more sections, so it can be evaluated as it is.  An
 * interrupted run that is restored ends with the same bytes as one that was
 * not interrupted.
 */
#ifndef GAMUT_CHECKPOINT_H
#define GAMUT_CHECKPOINT_H

#include <stdint.h>

struct err;
struct lstm;
struct meta;
struct train;

/* Replaces the file, atomically.  `identity` names data and settings. */
int checkpoint_save(const char *path, const struct train *t, const struct lstm *m,
                    const struct meta *meta, uint64_t identity, struct err *e);

/* 1 if the run was restored, 0 if there is no such file yet, or an error:
 * ERR_USAGE if the file belongs to another run. */
int checkpoint_restore(const char *path, struct train *t, uint64_t identity, struct err *e);

#endif

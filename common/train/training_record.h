/* SPDX-License-Identifier: MIT
 *
 * training_record: what a training run records: a table with a row per epoch,
 * written while the run lasts, and rows of the model's metadata.
 *
 * Tested by tests/unit/test_training_data.c.
 */

#ifndef GAMUT_TRAINING_RECORD_H
#define GAMUT_TRAINING_RECORD_H

#include <stdint.h>

struct err;
struct training;
struct training_log;
struct epoch_row;
struct lstm;
struct meta;
struct recipe_choice;
struct training_outcome;
struct training_data;

/* A new file, or stdout for "-", with the header and the epochs that `t` already has (none
 * unless it was restored).  NULL on failure. */
struct training_log *training_log_open(const char *path, const struct training *t, struct err *e);
void training_log_close(struct training_log *l); /* NULL is fine */

/* Each row is in the file when the call returns; 0 or ERR_IO. */
int training_log_row(struct training_log *l, const struct epoch_row *row, struct err *e);

/* ---- metadata: settings come first, the outcome last.  Without the outcome, the metadata
 * and the initial model determine the result, so their hash tells whether a checkpoint
 * belongs to the run. */

/* The settings that the model does not contain: "recipe", "dropout" and so on.  `steps` is
 * that of struct training_options. */
int training_meta_settings(struct meta *m, const struct recipe_choice *r, uint64_t steps,
                           const struct training_data *d, struct err *e);

/* Runs with the same identity have the same parameters after each update, and may end after
 * different updates: limits are left out.  So is the command line, since different ones can
 * mean the same. */
uint64_t training_meta_identity(const struct meta *m, const struct lstm *model);

/* The outcome: "end", "epochs_run" and so on. */
int training_meta_outcome(struct meta *m, const struct training_outcome *r, struct err *e);

#endif

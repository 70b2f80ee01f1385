/* SPDX-License-Identifier: MIT
 *
 * training_record: a table with a row for each epoch, to be watched while it grows.
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

/* A new file, or stdout for "-", with the header and the epochs that `t`
 * already has, which is none unless it was restored.  NULL on failure. */
struct training_log *training_log_open(const char *path, const struct training *t, struct err *e);
void training_log_close(struct training_log *l); /* NULL is fine */

/* Each row is in the file when the call returns; 0 or ERR_IO. */
int training_log_row(struct training_log *l, const struct epoch_row *row, struct err *e);

/* training_meta: what a training run writes down about itself.
 *
 * The settings come first and the outcome last.  Between the two, the rows say
 * all that the model will depend on, besides the model as it was initialised,
 * so that a hash of them tells whether a checkpoint belongs to the run.
 */

/* How the model is being made, besides what can be seen from the model:
 * "recipe", "dropout" and so on.  `steps` is that of struct training_options. */
int training_meta_settings(struct meta *m, const struct recipe_choice *r, uint64_t steps,
                           const struct training_data *d, struct err *e);

/* Two runs with the same identity go through the same weights, and may end at different
 * moments: how long they go on is left out.  So is the command line, since it can say
 * the same in many ways. */
uint64_t training_meta_identity(const struct meta *m, const struct lstm *model);

/* What came out: "end", "epochs_run" and so on. */
int training_meta_outcome(struct meta *m, const struct training_outcome *r, struct err *e);

#endif

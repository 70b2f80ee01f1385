/* SPDX-License-Identifier: MIT
 *
 * train_log: a table with a row for each epoch, to be watched while it grows.
 */

#ifndef GAMUT_TRAINING_RECORD_H
#define GAMUT_TRAINING_RECORD_H

#include <stdint.h>

struct err;
struct train;
struct train_log;
struct train_row;
struct lstm;
struct meta;
struct recipe_choice;
struct train_outcome;
struct train_set;

/* A new file, or stdout for "-", with the header and the epochs that `t`
 * already has, which is none unless it was restored.  NULL on failure. */
struct train_log *train_log_open(const char *path, const struct train *t, struct err *e);
void train_log_close(struct train_log *l); /* NULL is fine */

/* Each row is in the file when the call returns; 0 or ERR_IO. */
int train_log_row(struct train_log *l, const struct train_row *row, struct err *e);

/* train_meta: what a training run writes down about itself.
 *
 * The settings come first and the outcome last.  Between the two, the rows say
 * all that the model will depend on, besides the model as it was initialised,
 * so that a hash of them tells whether a checkpoint belongs to the run.
 */

/* How the model is being made, besides what can be seen from the model:
 * "recipe", "dropout" and so on.  `steps` is that of struct train_options. */
int train_meta_settings(struct meta *m, const struct recipe_choice *r, uint64_t steps,
                        const struct train_set *s, struct err *e);

/* Two runs with the same identity give the same model.  The command line is
 * left out, since it can say the same in many ways. */
uint64_t train_meta_identity(const struct meta *m, const struct lstm *model);

/* What came out: "end", "epochs_run" and so on. */
int train_meta_outcome(struct meta *m, const struct train_outcome *r, struct err *e);

#endif

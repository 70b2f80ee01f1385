/* SPDX-License-Identifier: MIT
 *
 * train_log: a table with a row for each epoch, to be watched while it grows.
 */
#ifndef GAMUT_TRAINING_RECORD_H
#define GAMUT_TRAINING_RECORD_H

struct err;
struct train;
struct train_log;
struct train_row;

/* A new file, or stdout for "-", with the header and the epochs that `t`
 * already has, which is none unless it was restored.  NULL on failure. */
struct train_log *train_log_open(const char *path, const struct train *t, struct err *e);
void train_log_close(struct train_log *l); /* NULL is fine */

/* Each row is in the file when the call returns; 0 or ERR_IO. */
int train_log_row(struct train_log *l, const struct train_row *row, struct err *e);

#endif

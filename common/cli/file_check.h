/* SPDX-License-Identifier: MIT
 *
 * file_check: checks the files that a command line names, before any is opened.
 *
 * Standard input and pipes are read only once, each output has its own file, and no input is
 * overwritten.  Only a model may replace the model from which it was made.
 */
#ifndef GAMUT_FILE_CHECK_H
#define GAMUT_FILE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct err;

enum file_use {
    FILE_NONE,
    FILE_READ,
    FILE_READ_MODEL,
    FILE_WRITE,
    FILE_WRITE_MODEL /* may replace a FILE_READ_MODEL */
};

struct file_entry {
    const char *name; /* as messages call it: "TRAIN", "--valid" */
    const char *path; /* "-": standard input or output; NULL: not given */
    enum file_use use;
};

/* 0, or ERR_USAGE naming the two uses that conflict. */
int file_check(const struct file_entry *entry, size_t count, struct err *e);

/* Whether one of them is standard input. */
bool file_check_reads_stdin(const struct file_entry *entry, size_t count);

#endif

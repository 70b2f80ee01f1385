/* SPDX-License-Identifier: MIT
 *
 * file_check: the files that a command line names, checked before any is opened.
 *
 * Standard input and pipes are read once, each output has a place of its own, whatever its
 * name, and nothing that is read is written over; only a model may take the place
 * of the one that it was made from.
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
    FILE_WRITE_MODEL /* may replace what is FILE_READ_MODEL */
};

struct file_entry {
    const char *name; /* as messages call it: "TRAIN", "--valid" */
    const char *path; /* "-": standard input or output; NULL: not given */
    enum file_use use;
};

/* 0, or ERR_USAGE naming the two that get into each other's way. */
int file_check(const struct file_entry *entry, size_t count, struct err *e);

/* Whether one of them is standard input. */
bool file_check_reads_stdin(const struct file_entry *entry, size_t count);

#endif

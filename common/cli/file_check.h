/* SPDX-License-Identifier: MIT
 *
 * files: the files that a command line names, checked before any is opened.
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

enum files_use {
    FILES_READ,
    FILES_READ_MODEL,
    FILES_WRITE,
    FILES_WRITE_MODEL /* may replace what is FILES_READ_MODEL */
};

struct files_entry {
    const char *name; /* as messages call it: "TRAIN", "--valid" */
    const char *path; /* "-": standard input or output; NULL: not given */
    enum files_use use;
};

/* 0, or ERR_USAGE naming the two that get into each other's way. */
int files_check(const struct files_entry *entry, size_t count, struct err *e);

/* Whether one of them is standard input. */
bool files_read_stdin(const struct files_entry *entry, size_t count);

#endif

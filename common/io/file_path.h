/* SPDX-License-Identifier: MIT
 *
 * file_path: where a path leads, looked at before it is opened to be written.
 *
 * A file is replaced whole, which must not happen to what is behind a
 * descriptor that is open already, nor to a link.
 *
 * Tested by tests/unit/test_file_check.c.
 */
#ifndef GAMUT_FILE_PATH_H
#define GAMUT_FILE_PATH_H

#include <stdbool.h>

struct err;

/* The descriptor of this process that a path names, also by way of links:
 * 1 for "/dev/stdout" and "/dev/fd/1"; -1 if it names none. */
int file_path_descriptor(const char *path);

/* The path with the links at its end followed, also to a file that is not there
 * yet: that is where the kernel would create it.  `real` has PATH_MAX bytes. */
int file_path_follow(const char *path, char *real, struct err *e);

/* Whether a file can be put there, and another in its place: not where something
 * else is, nor for "-" or the name of a descriptor. */
bool file_path_replaceable(const char *path);

#endif

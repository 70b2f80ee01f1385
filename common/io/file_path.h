/* SPDX-License-Identifier: MIT
 *
 * file_path: finds out what a path refers to, before it is opened for writing.
 *
 * An output file is replaced as a whole.  This must not happen to a file behind a descriptor
 * that is already open, nor to a link.
 *
 * Tested by tests/unit/test_file_check.c.
 */
#ifndef GAMUT_FILE_PATH_H
#define GAMUT_FILE_PATH_H

#include <stdbool.h>

struct err;

/* The descriptor of this process that a path names, directly or through links: 1 for
 * "/dev/stdout" and "/dev/fd/1"; -1 if it names none. */
int file_path_descriptor(const char *path);

/* The path with links at its end resolved, also for a file that does not exist yet: that is
 * where the kernel would create it.  `real` has PATH_MAX bytes. */
int file_path_follow(const char *path, char *real, struct err *e);

/* Whether the path can be created or replaced as a regular file: not if it is something
 * else, "-", or the name of a descriptor. */
bool file_path_replaceable(const char *path);

#endif

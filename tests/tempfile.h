/* SPDX-License-Identifier: MIT
 *
 * tempfile: a file for what is tested by its path.
 */
#ifndef GAMUT_TEMPFILE_H
#define GAMUT_TEMPFILE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMPFILE_MAX = 32 };

/* Makes a new, empty file and puts its name into `path`; unlink ends it. */
static inline void
tempfile_new(char path[TEMPFILE_MAX])
{
    strcpy(path, "/tmp/gamut-test.XXXXXX"); /* mkstemp(3) puts letters for the X */
    close(mkstemp(path));
}

#endif

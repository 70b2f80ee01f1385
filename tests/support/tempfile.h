/* SPDX-License-Identifier: MIT
 *
 * tempfile: a file for functions that take a path.
 */
#ifndef GAMUT_TEMPFILE_H
#define GAMUT_TEMPFILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMPFILE_MAX = 32 };

/* Makes a new, empty file and puts its name into `path`; the caller unlinks it. */
static inline void
tempfile_new(char path[TEMPFILE_MAX])
{
    enum { LETTERS = 6 }; /* that mkstemp(3) puts in the place of as many X */
    int n = snprintf(path, TEMPFILE_MAX, "/tmp/gamut-test.");
    memset(path + n, 'X', LETTERS);
    path[n + LETTERS] = '\0';
    close(mkstemp(path));
}

#endif

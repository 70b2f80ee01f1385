/* SPDX-License-Identifier: MIT
 *
 * fault: failures to order, so that tests can see each of them once.
 *
 * In a build with GAMUT_FAULTS, the environment variable GAMUT_FAULT_READ=N
 * makes the N-th read of the process fail with EIO, and likewise for the other
 * points below; if GAMUT_FAULT_LOG names a file, its name is written there when
 * it happens.  With GAMUT_FAULT_LASTING set all that follow fail too, and a disk
 * stays full: ENOSPC.  In other builds all of this compiles to nothing.
 *
 * Tested by tests/cli/faults.t.
 */
#ifndef GAMUT_FAULT_H
#define GAMUT_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum fault_point {
    FAULT_ALLOC,
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_FSYNC,
    FAULT_LINK,
    FAULT_CLOSE,
    FAULT_RENAME,
    FAULT_THREAD,  /* the start of one */
    FAULT_TMPFILE, /* a file system without O_TMPFILE */
    FAULT_SHORT,   /* a read or a write of a few bytes only */
    FAULT_POINTS
};

#ifdef GAMUT_FAULTS
/* Counts this call; true, with errno set, if it is the one to fail. */
bool fault_due(enum fault_point p);
#else
static inline bool
fault_due(enum fault_point p)
{
    (void)p;
    return false;
}
#endif

/* How many of `size` bytes to read or write at once. */
static inline size_t
fault_part(size_t size)
{
    return size > 7 && fault_due(FAULT_SHORT) ? 7 : size;
}

#endif

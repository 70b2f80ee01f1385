/* SPDX-License-Identifier: MIT
 *
 * fault: fault injection.  The N-th call of a kind fails, so that tests reach every error path.
 *
 * In a build with GAMUT_FAULTS, the environment variable GAMUT_FAULT_READ=N makes the N-th read
 * of the process fail with EIO, and likewise for the other kinds below.  If GAMUT_FAULT_LOG
 * names a file, the name of the fault is written to it.  If GAMUT_FAULT_LASTING is set, all
 * later calls of the kind fail too, and the error of a write is ENOSPC.  In other builds all of
 * this compiles to nothing.
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
    FAULT_THREAD,  /* start of a thread */
    FAULT_TMPFILE, /* a file system without O_TMPFILE */
    FAULT_SHORT,   /* reads and writes transfer a few bytes only */
    FAULT_POINTS
};

#ifdef GAMUT_FAULTS
/* Counts this call.  True, with errno set, if it must fail. */
bool fault_due(enum fault_point p);
#else
static inline bool
fault_due(enum fault_point p)
{
    (void)p;
    return false;
}
#endif

/* The number of bytes, at most `size`, to read or write at once. */
static inline size_t
fault_part(size_t size)
{
    return size > 7 && fault_due(FAULT_SHORT) ? 7 : size;
}

#endif

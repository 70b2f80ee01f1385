/* SPDX-License-Identifier: MIT */
#include "core/fault.h"

#ifdef GAMUT_FAULTS
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[FAULT_POINTS] = {
    [FAULT_ALLOC] = "GAMUT_FAULT_ALLOC",   [FAULT_OPEN] = "GAMUT_FAULT_OPEN",
    [FAULT_READ] = "GAMUT_FAULT_READ",     [FAULT_WRITE] = "GAMUT_FAULT_WRITE",
    [FAULT_FSYNC] = "GAMUT_FAULT_FSYNC",   [FAULT_LINK] = "GAMUT_FAULT_LINK",
    [FAULT_CLOSE] = "GAMUT_FAULT_CLOSE",   [FAULT_RENAME] = "GAMUT_FAULT_RENAME",
    [FAULT_THREAD] = "GAMUT_FAULT_THREAD", [FAULT_TMPFILE] = "GAMUT_FAULT_TMPFILE",
    [FAULT_SHORT] = "GAMUT_FAULT_SHORT",
};

static void
note(const char *variable)
{
    const char *path = getenv("GAMUT_FAULT_LOG");
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        (void)!write(fd, variable, strlen(variable));
        close(fd);
    }
}

static int
reason(enum fault_point p, bool lasting)
{
    if (p == FAULT_TMPFILE)
        return EOPNOTSUPP;
    return lasting && (p == FAULT_WRITE || p == FAULT_FSYNC) ? ENOSPC : EIO;
}

bool
fault_due(enum fault_point p)
{
    static atomic_ulong calls[FAULT_POINTS];
    const char *nth = getenv(variables[p]);
    if (nth == NULL)
        return false;
    bool lasting = getenv("GAMUT_FAULT_LASTING") != NULL;
    unsigned long call = atomic_fetch_add(&calls[p], 1) + 1, first = strtoul(nth, NULL, 10);
    if (lasting ? call < first : call != first)
        return false;
    if (call == first)
        note(variables[p]);
    errno = reason(p, lasting);
    return true;
}
#endif

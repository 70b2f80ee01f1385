/* SPDX-License-Identifier: MIT */
#include "io/file_path.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/err.h"

enum { LINKS_MAX = 40 /* as many as Linux follows */ };

/* Replaces the path by the target of the link; false, with errno, if it is not a link or the
 * new path would be too long.  `link` has PATH_MAX bytes. */
static bool
next_link(char *link)
{
    char target[PATH_MAX], dir[PATH_MAX];
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n < 0)
        return false;
    target[n] = '\0';
    memcpy(dir, link, sizeof dir);
    int length = target[0] == '/' ? snprintf(link, PATH_MAX, "%s", target)
                                  : snprintf(link, PATH_MAX, "%s/%s", dirname(dir), target);
    if (length < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* The number of the path in the directory of descriptors `own`, or -1. */
static int
number_in(const char *own, const char *path)
{
    char copy[PATH_MAX], dir[PATH_MAX], *end;
    snprintf(copy, sizeof copy, "%s", path);
    if (realpath(dirname(copy), dir) == NULL || strcmp(dir, own) != 0)
        return -1;
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    long number = strtol(base, &end, 10);
    return *end == '\0' && end > base && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

int
file_path_descriptor(const char *path)
{
    char own[PATH_MAX], link[PATH_MAX];
    if (realpath("/proc/self/fd", own) == NULL || strlen(path) >= sizeof link)
        return -1;
    snprintf(link, sizeof link, "%s", path);
    int fd = number_in(own, link);
    for (int i = 0; fd < 0 && i < LINKS_MAX && next_link(link); i++)
        fd = number_in(own, link);
    return fd;
}

int
file_path_follow(const char *path, char *real, struct err *e)
{
    char link[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof link) {
        errno = ENAMETOOLONG;
        return err_errno(e, "cannot write '%s'", path);
    }
    memcpy(link, path, length + 1);
    while (realpath(link, real) == NULL) {
        if (errno != ENOENT) /* stops at a cycle of links */
            return err_errno(e, "cannot write '%s'", path);
        if (next_link(link))
            continue;
        if (errno == ENAMETOOLONG)
            return err_errno(e, "cannot write '%s'", path);
        memcpy(real, link, sizeof link);
        return 0;
    }
    return 0;
}

bool
file_path_replaceable(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || file_path_descriptor(path) >= 0)
        return false;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

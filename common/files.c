/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"

/* Whether both are there and are one and the same. */
static bool
same_file(const char *a, const char *b, mode_t type)
{
    struct stat s, t;
    return stat(a, &s) == 0 && stat(b, &t) == 0 && (s.st_mode & S_IFMT) == type &&
           s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* Whether files that are not there yet will be one: the same name in one directory. */
static bool
same_new_file(const char *a, const char *b)
{
    char path_a[PATH_MAX], path_b[PATH_MAX];
    if (access(a, F_OK) == 0 || access(b, F_OK) == 0)
        return false;
    snprintf(path_a, sizeof path_a, "%s", a);
    snprintf(path_b, sizeof path_b, "%s", b);
    /* basename cuts slashes at the end at most, so dirname comes after it */
    return strcmp(basename(path_a), basename(path_b)) == 0 &&
           same_file(dirname(path_a), dirname(path_b), S_IFDIR);
}

/* Whether two paths, NULL for none, lead to the same place. */
static bool
same_place(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return false;
    return strcmp(a, b) == 0 || same_file(a, b, S_IFREG) || same_new_file(a, b);
}

static bool
is_read(const struct files_entry *f)
{
    return f->path != NULL && f->use <= FILES_READ_MODEL;
}

/* The first of the entries that is read from standard input, or `end`. */
static const struct files_entry *
find_stdin(const struct files_entry *entry, const struct files_entry *end)
{
    while (entry < end && (!is_read(entry) || strcmp(entry->path, "-") != 0))
        entry++;
    return entry;
}

bool
files_read_stdin(const struct files_entry *entry, size_t count)
{
    return find_stdin(entry, entry + count) < entry + count;
}

static int
check_stdin(const struct files_entry *entry, size_t count, struct err *e)
{
    const struct files_entry *end = entry + count, *first = find_stdin(entry, end);
    const struct files_entry *second = first < end ? find_stdin(first + 1, end) : end;
    if (second == end)
        return 0;
    return err_set(e, ERR_USAGE, "%s and %s cannot both be standard input; name a file",
                   first->name, second->name);
}

/* Whether `out` may be written although `other` is there too. */
static int
check_output(const struct files_entry *out, const struct files_entry *other, struct err *e)
{
    if (!same_place(out->path, other->path))
        return 0;
    if (!is_read(other))
        return err_set(e, ERR_USAGE, "%s and %s cannot both go to '%s'", other->name, out->name,
                       out->path);
    if (strcmp(out->path, "-") == 0 ||
        (out->use == FILES_WRITE_MODEL && other->use == FILES_READ_MODEL))
        return 0;
    return err_set(e, ERR_USAGE, "%s: '%s' is read from; name another file", out->name, out->path);
}

int
files_check(const struct files_entry *entry, size_t count, struct err *e)
{
    int rc = check_stdin(entry, count, e);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; rc == 0 && !is_read(&entry[i]) && k < count; k++)
            if (k < i || is_read(&entry[k]))
                rc = check_output(&entry[i], &entry[k], e);
    return rc;
}

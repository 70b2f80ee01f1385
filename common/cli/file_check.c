/* SPDX-License-Identifier: MIT */
#include "cli/file_check.h"

#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/err.h"
#include "io/file_path.h"

static bool
is_read(const struct file_entry *f)
{
    return f->path != NULL && f->use <= FILE_READ_MODEL;
}

/* The descriptor that the path names, or -1 if the file is yet to be opened. */
static int
descriptor(const struct file_entry *f)
{
    if (strcmp(f->path, "-") == 0)
        return is_read(f) ? STDIN_FILENO : STDOUT_FILENO;
    return file_path_descriptor(f->path);
}

/* Whether the file exists. */
static bool
look(const struct file_entry *f, int fd, struct stat *st)
{
    return (fd >= 0 ? fstat(fd, st) : stat(f->path, st)) == 0;
}

/* Whether two files that do not exist yet are the same: equal names in one directory. */
static bool
same_new_file(const char *a, const char *b)
{
    char path_a[PATH_MAX], path_b[PATH_MAX];
    struct stat s, t;
    struct err why = {0}; /* opening the file will report it */
    if (file_path_follow(a, path_a, &why) != 0 || file_path_follow(b, path_b, &why) != 0)
        return false;
    /* basename removes only trailing slashes, so dirname comes after it */
    return strcmp(basename(path_a), basename(path_b)) == 0 && stat(dirname(path_a), &s) == 0 &&
           stat(dirname(path_b), &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* Whether output there cannot affect other files: /dev/null discards it, a terminal displays
 * it, a socket sends it to its other end.  Such a path may be named any number of times. */
static bool
keeps_nothing(const struct stat *st)
{
    return S_ISCHR(st->st_mode) || S_ISSOCK(st->st_mode);
}

/* Whether two paths refer to the same file. */
static bool
same_place(const struct file_entry *a, const struct file_entry *b)
{
    struct stat s, t;
    int fd_a = descriptor(a), fd_b = descriptor(b);
    if (fd_a >= 0 && fd_a == fd_b)
        return true;
    bool there_a = look(a, fd_a, &s), there_b = look(b, fd_b, &t);
    if (!there_a && !there_b)
        return same_new_file(a->path, b->path);
    return there_a && there_b && s.st_dev == t.st_dev && s.st_ino == t.st_ino && !keeps_nothing(&s);
}

bool
file_check_reads_stdin(const struct file_entry *entry, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_read(&entry[i]) && descriptor(&entry[i]) == STDIN_FILENO)
            return true;
    return false;
}

/* Whether the file can be read only once: a descriptor or a pipe. */
static bool
can_be_read_once(const struct file_entry *f)
{
    struct stat st;
    return is_read(f) && (descriptor(f) >= 0 || (stat(f->path, &st) == 0 && S_ISFIFO(st.st_mode)));
}

/* Whether `b`, which can be read once, can be read in addition to `a`. */
static int
check_inputs(const struct file_entry *a, const struct file_entry *b, struct err *e)
{
    if (!is_read(a) || !same_place(a, b))
        return 0;
    if (descriptor(a) == STDIN_FILENO)
        return err_set(e, ERR_USAGE, "%s and %s cannot both be stdin; name a file", a->name,
                       b->name);
    return err_set(e, ERR_USAGE, "%s and %s cannot both be read from '%s'", a->name, b->name,
                   b->path);
}

/* The path for a message about two uses of the same file: the more informative one. */
static const char *
telling(const struct file_entry *a, const struct file_entry *b)
{
    return strcmp(a->path, "-") != 0 ? a->path : b->path;
}

/* Whether `out` may be written although `other` is used too. */
static int
check_output(const struct file_entry *out, const struct file_entry *other, struct err *e)
{
    if (out->path == NULL || other->path == NULL || !same_place(out, other))
        return 0;
    if (!is_read(other))
        return err_set(e, ERR_USAGE, "%s and %s cannot both be written to '%s'; name another file",
                       other->name, out->name, telling(out, other));
    if (out->use == FILE_WRITE_MODEL && other->use == FILE_READ_MODEL && descriptor(out) < 0)
        return 0;
    const char *path = telling(out, other);
    if (strcmp(path, "-") == 0)
        return err_set(e, ERR_USAGE, "%s: stdout is the input file of %s; name another file",
                       out->name, other->name);
    return err_set(e, ERR_USAGE, "%s: '%s' is also an input; name another file", out->name, path);
}

int
file_check(const struct file_entry *entry, size_t count, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; rc == 0 && k < i && can_be_read_once(&entry[i]); k++)
            rc = check_inputs(&entry[k], &entry[i], e);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; rc == 0 && !is_read(&entry[i]) && k < count; k++)
            if (k < i || is_read(&entry[k]))
                rc = check_output(&entry[i], &entry[k], e);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"
#include "fault.h"
#include "mem.h"
#include "place.h"

enum { BUFFER_SIZE = 1 << 16, WRITERS_MAX = 16 /* of one target, where files need names */ };

enum out_kind {
    TO_DESCRIPTOR, /* stdout, a device, a FIFO: bytes go straight there */
    TO_NAMELESS,   /* an O_TMPFILE, linked to `temp` on commit */
    TO_TEMP,       /* a file called `temp` until commit */
    TO_MEMORY
};

struct out {
    enum out_kind kind;
    int fd;
    int lock;     /* another descriptor of a TO_TEMP, so that it stays locked until renamed */
    char *name;   /* for messages */
    char *target; /* the final path, symbolic links resolved */
    char *temp;   /* "DIR/.NAME.tmp"; where that is in use, "DIR/.NAME.1.tmp", .. */
    unsigned char *buffer;
    size_t used, capacity;
};

static struct out *
out_new(const char *name, size_t capacity, struct err *e)
{
    struct out *o = mem_zero(1, sizeof *o, e);
    if (o == NULL)
        return NULL;
    o->fd = o->lock = -1;
    o->capacity = capacity;
    o->name = mem_string(name, strlen(name), e);
    o->buffer = mem_array(capacity, 1, e);
    if (o->name == NULL || o->buffer == NULL) {
        out_abort(o);
        return NULL;
    }
    return o;
}

/* Sets `temp`, a hidden name beside the target, no longer than a name may be. */
static int
name_temp(struct out *o, const char *mark, struct err *e)
{
    char base[PATH_MAX], dir[PATH_MAX], temp[PATH_MAX + 64];
    snprintf(base, sizeof base, "%s", o->target);
    snprintf(dir, sizeof dir, "%s", o->target);
    int n = snprintf(temp, sizeof temp, "%s/.%.200s%s.tmp", dirname(dir), basename(base), mark);
    mem_free(o->temp);
    o->temp = mem_string(temp, (size_t)n, e);
    return o->temp != NULL ? 0 : ERR_NOMEM;
}

/* Sets `target` and `temp` for a path; a link is followed, so that the file
 * it points to is replaced and not the link. */
static int
name_files(struct out *o, const char *path, struct err *e)
{
    char real[PATH_MAX];
    int status = place_follow(path, real, e);
    if (status != 0)
        return status;
    o->target = mem_string(real, strlen(real), e);
    return o->target != NULL ? name_temp(o, "", e) : ERR_NOMEM;
}

/* Takes away a temporary file whose writer was killed: one that is being written
 * is locked.  With its lock in hand, nobody else can have put another one there. */
static void
remove_stale(const struct out *o)
{
    struct stat opened, named;
    int fd = open(o->temp, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 &&
        stat(o->temp, &named) == 0 && opened.st_dev == named.st_dev &&
        opened.st_ino == named.st_ino)
        unlink(o->temp);
    close(fd);
}

/* A new file called `temp`, locked; -1 if another writer has it, or is just about
 * to take it away. */
static int
create_locked(const struct out *o, mode_t mode)
{
    int fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return fd; /* there are file systems without locks */
    close(fd);
    return -1;
}

/* Sets `temp` to the k-th name that writers of the same target may have. */
static int
number_temp(struct out *o, int k, struct err *e)
{
    char mark[16] = "";
    if (k > 0)
        snprintf(mark, sizeof mark, ".%d", k);
    return name_temp(o, mark, e);
}

/* For file systems where a file needs a name from the start: the first that no
 * other process is writing.  There are few, so those that killed writers left
 * are found and taken away, and do not pile up. */
static int
open_named(struct out *o, mode_t mode, struct err *e)
{
    int status = 0;
    for (int k = 0; k < WRITERS_MAX && status == 0; k++) {
        status = number_temp(o, k, e);
        if (status == 0)
            remove_stale(o);
    }
    for (int k = 0; k < WRITERS_MAX && status == 0 && o->fd < 0; k++) {
        status = number_temp(o, k, e);
        if (status == 0)
            o->fd = create_locked(o, mode);
    }
    if (status != 0)
        return status;
    o->kind = o->fd >= 0 ? TO_TEMP : o->kind;
    o->lock = o->fd >= 0 ? fcntl(o->fd, F_DUPFD_CLOEXEC, 3) : -1;
    return o->lock >= 0 ? 0 : err_errno(e, "cannot write '%s'", o->name);
}

static int
open_file(struct out *o, mode_t mode, struct err *e)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%s", o->target);
    bool linkable = access("/proc/self/fd", F_OK) == 0; /* how it gets its name */
    o->kind = TO_NAMELESS;
    bool fails = !linkable || fault_due(FAULT_OPEN) || fault_due(FAULT_TMPFILE);
    o->fd = fails ? -1 : open(dirname(dir), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (!linkable || (o->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)))
        return open_named(o, mode, e);
    return o->fd >= 0 ? 0 : err_errno(e, "cannot write '%s'", o->name);
}

/* A copy of a descriptor, which has its place in the file in common with the
 * original: what a shell's other commands write there comes before and after.
 * A device or a FIFO is opened. */
static int
open_as_it_is(struct out *o, int original, const char *path, struct err *e)
{
    if (original >= 0)
        o->fd = fcntl(original, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
    return o->fd >= 0 ? 0 : err_errno(e, "cannot write '%s'", path);
}

/* What is there decides how to write: nothing or a file is replaced, keeping
 * its permissions; a device, a FIFO or an open descriptor is written to. */
static int
open_path(struct out *o, const char *path, struct err *e)
{
    struct stat st;
    int original = place_descriptor(path);
    bool exists = stat(path, &st) == 0;
    if (original < 0 && exists && S_ISDIR(st.st_mode))
        return err_set(e, ERR_IO, "cannot write '%s': it is a directory", path);
    if (original >= 0 || (exists && !S_ISREG(st.st_mode)))
        return open_as_it_is(o, original, path, e);
    if (exists && access(path, W_OK) != 0)
        return err_errno(e, "cannot write '%s'", path);
    int status = name_files(o, path, e);
    if (status == 0)
        status = open_file(o, exists ? st.st_mode & 0777 : 0666, e);
    if (status == 0 && exists && fchmod(o->fd, st.st_mode & 0777) != 0)
        status = err_errno(e, "cannot write '%s'", path);
    return status;
}

struct out *
out_open(const char *path, struct err *e)
{
    bool std = strcmp(path, "-") == 0;
    struct out *o = out_new(std ? "standard output" : path, BUFFER_SIZE, e);
    if (o == NULL)
        return NULL;
    if (std)
        o->fd = STDOUT_FILENO;
    else if (open_path(o, path, e) != 0) {
        out_abort(o);
        return NULL;
    }
    return o;
}

struct out *
out_memory(struct err *e)
{
    struct out *o = out_new("memory", BUFFER_SIZE, e);
    if (o != NULL)
        o->kind = TO_MEMORY;
    return o;
}

const void *
out_bytes(const struct out *o, size_t *size)
{
    *size = o->used;
    return o->buffer;
}

static int
write_all(struct out *o, const unsigned char *data, size_t size, struct err *e)
{
    while (size > 0) {
        ssize_t n = fault_due(FAULT_WRITE) ? -1 : write(o->fd, data, fault_part(size));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(e, "cannot write '%s'", o->name);
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

int
out_flush(struct out *o, struct err *e)
{
    if (o->kind == TO_MEMORY)
        return 0;
    int status = write_all(o, o->buffer, o->used, e);
    o->used = 0;
    return status;
}

static int
append_memory(struct out *o, const void *data, size_t size, struct err *e)
{
    if (mem_reserve(&o->buffer, &o->capacity, o->used + size, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(o->buffer + o->used, data, size);
    o->used += size;
    return 0;
}

int
out_write(struct out *o, const void *data, size_t size, struct err *e)
{
    if (size == 0) /* then `data` may be NULL, which memcpy does not allow */
        return 0;
    if (o->kind == TO_MEMORY)
        return append_memory(o, data, size, e);
    if (size > o->capacity - o->used) {
        int status = out_flush(o, e);
        if (status != 0)
            return status;
    }
    if (size >= o->capacity)
        return write_all(o, data, size, e);
    memcpy(o->buffer + o->used, data, size);
    o->used += size;
    return 0;
}

int
out_printf(struct out *o, struct err *e, const char *format, ...)
{
    size_t length;
    va_list ap;
    va_start(ap, format);
    char *text = mem_format(&length, e, format, ap);
    va_end(ap);
    if (text == NULL)
        return ERR_NOMEM;
    int status = out_write(o, text, length, e);
    mem_free(text);
    return status;
}

bool
out_is_terminal(const struct out *o)
{
    return o->fd >= 0 && isatty(o->fd) != 0;
}

const char *
out_temporary(const struct out *o)
{
    return o->kind == TO_TEMP ? o->temp : NULL;
}

/* The rename must survive a power cut too: sync the directory. */
static void
sync_directory(const char *path)
{
    char dir[PATH_MAX];
    snprintf(dir, sizeof dir, "%s", path);
    int fd = open(dirname(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd); /* some file systems cannot; the data itself is synced */
        close(fd);
    }
}

/* A file without a name gets its temporary one, for the moment until it is
 * renamed.  All writers of a target use the same, so that one left by a process
 * that was killed in that moment is taken away by the next. */
static int
link_temp(struct out *o, struct err *e)
{
    char link[64];
    int failed;
    snprintf(link, sizeof link, "/proc/self/fd/%d", o->fd);
    do {
        unlink(o->temp);
        failed = fault_due(FAULT_LINK) ||
                 linkat(AT_FDCWD, link, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW) != 0;
    } while (failed && errno == EEXIST);
    if (failed)
        return err_errno(e, "cannot write '%s'", o->name);
    o->kind = TO_TEMP;
    return 0;
}

static int
close_file(struct out *o, struct err *e)
{
    int fd = o->fd;
    o->fd = -1;
    if (close(fd) != 0 || fault_due(FAULT_CLOSE))
        return err_errno(e, "cannot write '%s'", o->name);
    return 0;
}

/* Whether another writer of the same target, a moment later, has taken our
 * temporary name away and put its own complete file there. */
static bool
overtaken(const struct out *o)
{
    int saved = errno;
    bool gone = saved == ENOENT && access(o->temp, F_OK) != 0 && access(o->target, F_OK) == 0;
    errno = saved;
    return gone;
}

/* The name comes last, when nothing can fail any more that has to do with what
 * is in the file. */
static int
give_name(struct out *o, struct err *e)
{
    if (fault_due(FAULT_FSYNC) || fsync(o->fd) != 0)
        return err_errno(e, "cannot write '%s'", o->name);
    int status = o->kind == TO_NAMELESS ? link_temp(o, e) : 0;
    if (status == 0)
        status = close_file(o, e);
    if (status != 0)
        return status;
    if (fault_due(FAULT_RENAME) || (rename(o->temp, o->target) != 0 && !overtaken(o)))
        return err_errno(e, "cannot write '%s'", o->name);
    o->kind = TO_DESCRIPTOR; /* nothing left for out_abort to remove */
    sync_directory(o->target);
    return 0;
}

int
out_commit(struct out *o, struct err *e)
{
    int status = out_flush(o, e);
    if (status == 0 && (o->kind == TO_NAMELESS || o->kind == TO_TEMP))
        status = give_name(o, e);
    if (status == 0 && o->fd >= 0)
        status = close_file(o, e);
    out_abort(o);
    return status;
}

void
out_abort(struct out *o)
{
    if (o == NULL)
        return;
    if (o->kind == TO_TEMP)
        unlink(o->temp);
    if (o->fd > STDERR_FILENO)
        close(o->fd);
    if (o->lock >= 0)
        close(o->lock);
    mem_free(o->buffer);
    mem_free(o->temp);
    mem_free(o->target);
    mem_free(o->name);
    mem_free(o);
}

int
out_finish(struct out *o, struct err *e)
{
    if (e->code != ERR_NONE)
        out_abort(o);
    else if (o != NULL)
        out_commit(o, e);
    return e->code;
}

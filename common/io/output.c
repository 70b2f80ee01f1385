/* SPDX-License-Identifier: MIT */
#include "io/output.h"

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

#include "core/err.h"
#include "core/fault.h"
#include "core/mem.h"
#include "io/deflate.h"
#include "io/file_path.h"

enum {
    BUFFER_SIZE = 1 << 16,
    WRITERS_MAX = 64 /* temporary names per target */
};

enum out_kind {
    TO_DESCRIPTOR, /* stdout, a device, a FIFO: bytes are written directly */
    TO_NAMELESS,   /* an O_TMPFILE, linked to `temp` on commit */
    TO_TEMP,       /* a file called `temp` until commit */
    TO_MEMORY
};

struct output {
    enum out_kind kind;
    int fd;
    int lock; /* a second descriptor, which keeps the lock after the file is closed and until it is
                 renamed */
    mode_t mode;              /* mode of a new file */
    char *name;               /* for messages */
    char *target;             /* the final path, symbolic links resolved */
    char temp[PATH_MAX + 64]; /* "DIR/.NAME.gamut-0.tmp"; if that is in use, -1, -2, ... */
    unsigned char *buffer;
    size_t used, capacity;
    struct gzip *gzip; /* NULL: bytes are written as they are */
};

/* One gzip member. */
struct gzip {
    z_stream z;
    gz_header header;
    unsigned char packed[BUFFER_SIZE];
};

static struct output *
out_new(const char *name, size_t capacity, struct err *e)
{
    struct output *o = mem_zero(1, sizeof *o, e);
    if (o == NULL)
        return NULL;
    o->fd = o->lock = -1;
    o->capacity = capacity;
    o->name = mem_string(name, strlen(name), e);
    o->buffer = mem_array(capacity, 1, e);
    if (o->name == NULL || o->buffer == NULL) {
        output_abort(o);
        return NULL;
    }
    return o;
}

/* Sets `temp` to the k-th temporary name for the target: hidden, in the same directory, not
 * longer than a name may be, and unlikely to be chosen by a user. */
static void
name_temp(struct output *o, int k)
{
    char base[PATH_MAX], dir[PATH_MAX];
    snprintf(base, sizeof base, "%s", o->target);
    snprintf(dir, sizeof dir, "%s", o->target);
    snprintf(o->temp, sizeof o->temp, "%s/.%.200s.gamut-%d.tmp", dirname(dir), basename(base), k);
}

/* Follows a link, so that the file it points to is replaced and not the link. */
static int
set_target(struct output *o, const char *path, struct err *e)
{
    char real[PATH_MAX];
    int rc = file_path_follow(path, real, e);
    if (rc != 0)
        return rc;
    o->target = mem_string(real, strlen(real), e);
    return o->target != NULL ? 0 : ERR_NOMEM;
}

/* Whether the open file is the one called `temp`. */
static bool
is_named(const struct output *o, int fd)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(o->temp, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Whether this user may have created it. */
static bool
is_ours(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

/* False if another process has the lock.  On file systems without locks, no file is removed. */
static bool
lock_file(const struct output *o)
{
    return flock(o->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Removes a temporary file whose writer was killed: a file that is being written is locked.
 * While we hold the lock, no other process can have replaced the file. */
static void
remove_stale(const struct output *o)
{
    int fd = open(o->temp, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_ours(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(o, fd))
        unlink(o->temp);
    close(fd);
}

/* Gives the file the first free temporary name, by `take`, which fails with EEXIST if the
 * name is in use.  There are few names, so files that killed writers left behind are found
 * and removed, and do not accumulate. */
static bool
take_name(struct output *o, bool (*take)(struct output *))
{
    for (int k = 0; k < WRITERS_MAX; k++) {
        name_temp(o, k);
        remove_stale(o);
    }
    bool taken = false;
    errno = EEXIST;
    for (int k = 0; k < WRITERS_MAX && !taken && errno == EEXIST; k++) {
        name_temp(o, k);
        taken = take(o);
    }
    if (taken)
        o->kind = TO_TEMP;
    return taken;
}

/* A new locked file called `temp`; EEXIST if another writer has that name, or has removed
 * the new file as stale in the moment before it was locked. */
static bool
create_temp(struct output *o)
{
    o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, o->mode);
    if (o->fd < 0 || (lock_file(o) && is_named(o, o->fd)))
        return o->fd >= 0;
    close(o->fd);
    o->fd = -1;
    errno = EEXIST;
    return false;
}

/* Links a file without a name to `temp`. */
static bool
link_temp(struct output *o)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", o->fd);
    return !fault_due(FAULT_LINK) &&
           linkat(AT_FDCWD, link, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW) == 0;
}

/* Reports by errno why no file could be created beside the target.  If the target exists and
 * is writable, the message needs more explanation. */
static int
refuse_directory(const struct output *o, const char *dir, bool exists, struct err *e)
{
    if (exists && (errno == EACCES || errno == EPERM || errno == EROFS))
        return err_errno(
            e, "cannot write '%s': it is replaced, not changed, which needs a new file in '%s'",
            o->name, dir);
    return err_errno(e, "cannot write '%s'", o->name);
}

/* On file systems without O_TMPFILE, a file needs a name from the start. */
static int
open_file(struct output *o, bool exists, struct err *e)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", o->target);
    const char *dir = dirname(copy);
    bool linkable = access("/proc/self/fd", F_OK) == 0; /* how it gets its name */
    o->kind = TO_NAMELESS;
    bool fails = !linkable || fault_due(FAULT_OPEN) || fault_due(FAULT_TMPFILE);
    o->fd = fails ? -1 : open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, o->mode);
    if (!linkable || (o->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)))
        take_name(o, create_temp);
    return o->fd >= 0 ? 0 : refuse_directory(o, dir, exists, e);
}

/* A copy of a descriptor, which shares its file offset with the original: output of other
 * commands of a shell script comes before and after ours.  A device or a FIFO is opened. */
static int
open_as_it_is(struct output *o, int original, const char *path, struct err *e)
{
    if (original >= 0)
        o->fd = fcntl(original, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
    return o->fd >= 0 ? 0 : err_errno(e, "cannot write '%s'", path);
}

/* A header without name and time, and the same system everywhere: the same data give the same
 * bytes. */
static int
start_gzip(struct output *o, struct err *e)
{
    enum { UNKNOWN_SYSTEM = 255, GZIP = 16 /* instead of a zlib header */ };
    struct gzip *g = mem_zero(1, sizeof *g, e);
    if (g == NULL)
        return ERR_NOMEM;
    g->z = deflate_stream();
    g->header.os = UNKNOWN_SYSTEM;
    if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL - 1,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(g);
        return err_set(e, ERR_NOMEM, "out of memory");
    }
    deflateSetHeader(&g->z, &g->header);
    o->gzip = g;
    return 0;
}

/* The type of the target decides how to write: a missing or regular file is replaced,
 * keeping its permissions; a device, a FIFO or an open descriptor is written to. */
static int
open_path(struct output *o, const char *path, struct err *e)
{
    struct stat st;
    int original = file_path_descriptor(path);
    bool exists = stat(path, &st) == 0;
    if (original < 0 && exists && S_ISDIR(st.st_mode))
        return err_set(e, ERR_IO, "cannot write '%s': is a directory", path);
    if (original >= 0 || (exists && !S_ISREG(st.st_mode)))
        return open_as_it_is(o, original, path, e);
    if (exists && access(path, W_OK) != 0)
        return err_errno(e, "cannot write '%s'", path);
    o->mode = exists ? st.st_mode & 0777 : 0666;
    int rc = set_target(o, path, e);
    if (rc == 0)
        rc = open_file(o, exists, e);
    if (rc == 0 && exists && fchmod(o->fd, o->mode) != 0)
        rc = err_errno(e, "cannot write '%s'", path);
    return rc;
}

static bool
is_gzip_name(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

struct output *
output_open(const char *path, struct err *e)
{
    bool std = strcmp(path, "-") == 0;
    struct output *o = out_new(std ? "standard output" : path, BUFFER_SIZE, e);
    if (o == NULL)
        return NULL;
    if (std)
        o->fd = STDOUT_FILENO;
    else if (open_path(o, path, e) != 0 || (is_gzip_name(path) && start_gzip(o, e) != 0)) {
        output_abort(o);
        return NULL;
    }
    return o;
}

struct output *
output_to_memory(struct err *e)
{
    struct output *o = out_new("memory", BUFFER_SIZE, e);
    if (o != NULL)
        o->kind = TO_MEMORY;
    return o;
}

const void *
output_bytes(const struct output *o, size_t *size)
{
    *size = o->used;
    return o->buffer;
}

static int
write_all(struct output *o, const unsigned char *data, size_t size, struct err *e)
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

/* Compresses what is in the buffer and writes it; `flush` is Z_FINISH at the end.  deflate
 * itself cannot fail here: it has memory, and room for its output. */
static int
write_gzip(struct output *o, int flush, struct err *e)
{
    struct gzip *g = o->gzip;
    int rc = 0;
    g->z.next_in = o->buffer;
    g->z.avail_in = (unsigned)o->used;
    do {
        g->z.next_out = g->packed;
        g->z.avail_out = BUFFER_SIZE;
        deflate(&g->z, flush);
        rc = write_all(o, g->packed, BUFFER_SIZE - g->z.avail_out, e);
    } while (rc == 0 && g->z.avail_out == 0);
    return rc;
}

/* Writes what is in the buffer; `flush` says what gzip does with pending data. */
static int
empty_buffer(struct output *o, int flush, struct err *e)
{
    if (o->kind == TO_MEMORY)
        return 0;
    int rc = o->gzip != NULL ? write_gzip(o, flush, e) : write_all(o, o->buffer, o->used, e);
    o->used = 0;
    return rc;
}

int
output_flush(struct output *o, struct err *e)
{
    return empty_buffer(o, Z_SYNC_FLUSH, e);
}

static int
append_memory(struct output *o, const void *data, size_t size, struct err *e)
{
    if (mem_reserve(&o->buffer, &o->capacity, o->used + size, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(o->buffer + o->used, data, size);
    o->used += size;
    return 0;
}

/* Compresses full buffers only: which pieces zlib gets does not depend on the sizes of the
 * writes, and so the result does not either. */
static int
append_gzip(struct output *o, const unsigned char *data, size_t size, struct err *e)
{
    int rc = 0;
    while (rc == 0 && size > 0) {
        size_t room = o->capacity - o->used, n = size < room ? size : room;
        memcpy(o->buffer + o->used, data, n);
        o->used += n;
        data += n;
        size -= n;
        if (o->used == o->capacity)
            rc = empty_buffer(o, Z_NO_FLUSH, e);
    }
    return rc;
}

int
output_write(struct output *o, const void *data, size_t size, struct err *e)
{
    if (size == 0) /* then `data` may be NULL, which memcpy does not allow */
        return 0;
    if (o->kind == TO_MEMORY)
        return append_memory(o, data, size, e);
    if (o->gzip != NULL)
        return append_gzip(o, data, size, e);
    if (size > o->capacity - o->used) {
        int rc = empty_buffer(o, Z_NO_FLUSH, e);
        if (rc != 0)
            return rc;
    }
    if (size >= o->capacity)
        return write_all(o, data, size, e);
    memcpy(o->buffer + o->used, data, size);
    o->used += size;
    return 0;
}

int
output_printf(struct output *o, struct err *e, const char *format, ...)
{
    size_t length;
    va_list ap;
    va_start(ap, format);
    char *text = mem_format(&length, e, format, ap);
    va_end(ap);
    if (text == NULL)
        return ERR_NOMEM;
    int rc = output_write(o, text, length, e);
    mem_free(text);
    return rc;
}

bool
output_is_terminal(const struct output *o)
{
    return o->fd >= 0 && isatty(o->fd) != 0;
}

const char *
output_temporary(const struct output *o)
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

static int
close_file(struct output *o, struct err *e)
{
    int fd = o->fd;
    o->fd = -1;
    if (close(fd) != 0 || fault_due(FAULT_CLOSE))
        return err_errno(e, "cannot write '%s'", o->name);
    return 0;
}

/* A file without a name gets a temporary name, until it is renamed.  It is locked first, so
 * that no other writer takes it for stale. */
static int
prepare_rename(struct output *o, struct err *e)
{
    bool named = o->kind == TO_TEMP || (lock_file(o) && take_name(o, link_temp));
    if (named)
        o->lock = fcntl(o->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return o->lock >= 0 ? close_file(o, e) : err_errno(e, "cannot write '%s'", o->name);
}

/* The rename comes last, when no error in the contents is possible any more. */
static int
give_name(struct output *o, struct err *e)
{
    if (fault_due(FAULT_FSYNC) || fsync(o->fd) != 0)
        return err_errno(e, "cannot write '%s'", o->name);
    int rc = prepare_rename(o, e);
    if (rc != 0)
        return rc;
    if (fault_due(FAULT_RENAME) || rename(o->temp, o->target) != 0)
        return err_errno(e, "cannot write '%s'", o->name);
    o->kind = TO_DESCRIPTOR; /* nothing left for output_abort to remove */
    sync_directory(o->target);
    return 0;
}

int
output_commit(struct output *o, struct err *e)
{
    int rc = empty_buffer(o, Z_FINISH, e);
    if (rc == 0 && (o->kind == TO_NAMELESS || o->kind == TO_TEMP))
        rc = give_name(o, e);
    if (rc == 0 && o->fd >= 0)
        rc = close_file(o, e);
    output_abort(o);
    return rc;
}

void
output_abort(struct output *o)
{
    if (o == NULL)
        return;
    if (o->kind == TO_TEMP)
        unlink(o->temp);
    if (o->fd > STDERR_FILENO)
        close(o->fd);
    if (o->lock >= 0)
        close(o->lock);
    if (o->gzip != NULL)
        deflateEnd(&o->gzip->z);
    mem_free(o->gzip);
    mem_free(o->buffer);
    mem_free(o->target);
    mem_free(o->name);
    mem_free(o);
}

int
output_close(struct output *o, struct err *e)
{
    if (e->code != ERR_NONE)
        output_abort(o);
    else if (o != NULL)
        output_commit(o, e);
    return e->code;
}

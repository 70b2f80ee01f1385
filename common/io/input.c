/* SPDX-License-Identifier: MIT */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "core/err.h"
#include "core/fault.h"
#include "core/mem.h"
#include "io/deflate.h"

enum { RAW_SIZE = 1 << 16 };

enum { MARK_SIZE = 3 }; /* of a byte order mark of UTF-8 */

enum gzip_state {
    NOT_GZIP,
    IN_MEMBER, /* inside compressed data */
    BETWEEN,   /* a member has ended; another one, padding or the end follows */
    PADDING    /* zero bytes up to the end, as on a tape; gzip(1) ignores them, too */
};

struct input {
    char *name;
    int fd; /* -1: memory */
    enum gzip_state gzip;
    z_stream z;               /* set up unless gzip is NOT_GZIP */
    const unsigned char *raw; /* bytes as stored that are not used yet */
    size_t raw_left;
    unsigned char *buffer; /* [RAW_SIZE], where `raw` points for files */
    bool raw_end;          /* read(2) has returned 0 */
    uint64_t stored;       /* bytes that were read, or are in memory */
    XXH3_state_t *hash;
    uint64_t bytes;           /* that were returned and hashed */
    struct input_mark *marks; /* [mark_count] of the caller */
    size_t mark_count;
    size_t ahead_count; /* bytes that were read early */
    unsigned char ahead[MARK_SIZE];
    bool keep;  /* copy all bytes that are returned ... */
    char *kept; /* ... to this buffer */
    size_t kept_size, kept_capacity;
};

static ssize_t
read_fd(struct input *in, void *buf, size_t size, struct err *e)
{
    ssize_t n;
    do
        n = fault_due(FAULT_READ) ? -1 : read(in->fd, buf, fault_part(size));
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_errno(e, "cannot read '%s'", in->name);
    in->raw_end = n == 0;
    in->stored += (uint64_t)n;
    return n;
}

/* Refills `raw` when it is empty; returns fewer bytes than requested only at the end. */
static int
refill(struct input *in, struct err *e)
{
    if (in->raw_left > 0 || in->raw_end || in->fd < 0)
        return 0;
    ssize_t n = read_fd(in, in->buffer, RAW_SIZE, e);
    if (n < 0)
        return (int)n;
    in->raw = in->buffer;
    in->raw_left = (size_t)n;
    return 0;
}

/* Looks at the first two bytes; a pipe may deliver them one at a time. */
static int
detect_gzip(struct input *in, struct err *e)
{
    size_t have = 0;
    while (have < 2 && !in->raw_end) {
        ssize_t n = read_fd(in, in->buffer + have, RAW_SIZE - have, e);
        if (n < 0)
            return (int)n;
        have += (size_t)n;
    }
    in->raw = in->buffer;
    in->raw_left = have;
    if (have < 2 || in->buffer[0] != 0x1f || in->buffer[1] != 0x8b)
        return 0;
    in->z = deflate_stream();
    if (inflateInit2(&in->z, 16 + MAX_WBITS) != Z_OK)
        return err_nomem(e, sizeof in->z);
    in->gzip = IN_MEMBER;
    return 0;
}

static struct input *
in_new(const char *name, struct err *e)
{
    struct input *in = mem_zero(1, sizeof *in, e);
    if (in == NULL)
        return NULL;
    in->fd = -1;
    in->name = mem_string(name, strlen(name), e);
    in->hash = fault_due(FAULT_ALLOC) ? NULL : XXH3_createState();
    if (in->name == NULL || in->hash == NULL) {
        err_nomem(e, sizeof *in);
        input_close(in);
        return NULL;
    }
    XXH3_64bits_reset(in->hash);
    return in;
}

struct input *
input_open(const char *path, struct err *e)
{
    bool std = strcmp(path, "-") == 0;
    struct input *in = in_new(std ? "standard input" : path, e);
    if (in == NULL)
        return NULL;
    if (std)
        in->fd = STDIN_FILENO;
    else
        in->fd = fault_due(FAULT_OPEN) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0) {
        err_errno(e, "cannot open '%s'", path);
        goto fail;
    }
    in->buffer = mem_array(RAW_SIZE, 1, e);
    if (in->buffer == NULL || detect_gzip(in, e) != 0)
        goto fail;
    return in;
fail:
    input_close(in);
    return NULL;
}

struct input *
input_from_memory(const void *data, size_t size, const char *name, struct err *e)
{
    struct input *in = in_new(name, e);
    if (in == NULL)
        return NULL;
    in->raw = data;
    in->raw_left = size;
    in->raw_end = true;
    in->stored = size;
    return in;
}

static ssize_t
read_plain(struct input *in, unsigned char *buf, size_t size, struct err *e)
{
    if (in->raw_left == 0)
        return in->raw_end ? 0 : read_fd(in, buf, size, e);
    size_t n = in->raw_left < size ? in->raw_left : size;
    memcpy(buf, in->raw, n);
    in->raw += n;
    in->raw_left -= n;
    return (ssize_t)n;
}

/* One call of inflate on the bytes in `raw`; gives the bytes produced. */
static ssize_t
inflate_some(struct input *in, unsigned char *buf, size_t size, struct err *e)
{
    enum { MOST = 1 << 30 }; /* zlib counts in unsigned int */
    in->z.next_in = (unsigned char *)(uintptr_t)in->raw;
    in->z.avail_in = (unsigned)in->raw_left;
    in->z.next_out = buf;
    in->z.avail_out = size < MOST ? (unsigned)size : MOST;
    unsigned room = in->z.avail_out;
    int z = inflate(&in->z, Z_NO_FLUSH);
    in->raw += in->raw_left - in->z.avail_in;
    in->raw_left = in->z.avail_in;
    if (z == Z_STREAM_END)
        in->gzip = BETWEEN;
    else if (z == Z_MEM_ERROR)
        return err_nomem(e, RAW_SIZE);
    else if (z != Z_OK && z != Z_BUF_ERROR)
        return err_set(e, ERR_DATA, "'%s' is a damaged gzip file", in->name);
    return (ssize_t)(room - in->z.avail_out);
}

/* Drops the zero bytes in `raw`; nothing else may follow them. */
static int
skip_padding(struct input *in, struct err *e)
{
    for (; in->raw_left > 0; in->raw++, in->raw_left--)
        if (*in->raw != 0)
            return err_set(e, ERR_DATA, "'%s' is a damaged gzip file", in->name);
    return 0;
}

/* Handles the bytes after a gzip member; there is at least one in `raw`. */
static void
begin_next(struct input *in)
{
    if (*in->raw == 0) {
        in->gzip = PADDING;
        return;
    }
    inflateReset(&in->z);
    in->gzip = IN_MEMBER;
}

/* Some decompressed bytes, or 0 at the end of the last member. */
static ssize_t
read_gzip(struct input *in, unsigned char *buf, size_t size, struct err *e)
{
    for (;;) {
        int rc = refill(in, e);
        if (rc != 0)
            return rc;
        if (in->raw_left == 0)
            return in->gzip != IN_MEMBER
                       ? 0
                       : err_set(e, ERR_DATA, "'%s' is a truncated gzip file", in->name);
        if (in->gzip == BETWEEN)
            begin_next(in);
        ssize_t n = in->gzip == PADDING ? skip_padding(in, e) : inflate_some(in, buf, size, e);
        if (n != 0)
            return n;
    }
}

static int
keep(struct input *in, const void *bytes, size_t size, struct err *e)
{
    if (mem_reserve(&in->kept, &in->kept_capacity, in->kept_size + size, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(in->kept + in->kept_size, bytes, size);
    in->kept_size += size;
    return 0;
}

/* Hashes bytes that are returned, and stops at each mark to look at the hash. */
static void
hash_bytes(struct input *in, const unsigned char *p, size_t size)
{
    while (size > 0) {
        size_t n = size;
        for (size_t i = 0; i < in->mark_count; i++)
            if (in->marks[i].bytes > in->bytes && in->marks[i].bytes - in->bytes < n)
                n = (size_t)(in->marks[i].bytes - in->bytes);
        XXH3_64bits_update(in->hash, p, n);
        in->bytes += n;
        for (size_t i = 0; i < in->mark_count; i++)
            if (in->marks[i].bytes == in->bytes)
                in->marks[i].found = in->marks[i].hash == input_hash(in);
        p += n;
        size -= n;
    }
}

static ssize_t
read_some(struct input *in, unsigned char *buf, size_t size, struct err *e)
{
    return in->gzip != NOT_GZIP ? read_gzip(in, buf, size, e) : read_plain(in, buf, size, e);
}

/* Up to `count` bytes ahead. */
static int
look_ahead(struct input *in, size_t count, struct err *e)
{
    ssize_t n = 1;
    while (n > 0 && in->ahead_count < count) {
        n = read_some(in, in->ahead + in->ahead_count, count - in->ahead_count, e);
        in->ahead_count += n > 0 ? (size_t)n : 0;
    }
    return n < 0 ? (int)n : 0;
}

int
input_peek(struct input *in, struct err *e)
{
    int rc = look_ahead(in, 1, e);
    return rc < 0 ? rc : in->ahead_count > 0 ? in->ahead[0] : INPUT_END;
}

int
input_skip_mark(struct input *in, struct err *e)
{
    int rc = look_ahead(in, MARK_SIZE, e);
    if (in->ahead_count == MARK_SIZE && memcmp(in->ahead, "\xef\xbb\xbf", MARK_SIZE) == 0)
        in->ahead_count = 0;
    return rc;
}

ssize_t
input_read(struct input *in, void *buf, size_t size, struct err *e)
{
    unsigned char *p = buf;
    size_t done = in->ahead_count < size ? in->ahead_count : size;
    memcpy(p, in->ahead, done);
    in->ahead_count -= done;
    memmove(in->ahead, in->ahead + done, in->ahead_count);
    while (done < size) {
        ssize_t n = read_some(in, p + done, size - done, e);
        if (n < 0)
            return n;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    hash_bytes(in, buf, done);
    int rc = in->keep ? keep(in, buf, done, e) : 0;
    return rc == 0 ? (ssize_t)done : rc;
}

void
input_keep(struct input *in)
{
    in->keep = true;
}

char *
input_take(struct input *in, size_t *size)
{
    char *kept = in->kept;
    *size = in->kept_size;
    in->kept = NULL;
    return kept;
}

char *
input_read_all(struct input *in, size_t most, size_t *size, struct err *e)
{
    char *data = NULL;
    size_t capacity = 0;
    ssize_t n;
    *size = 0;
    do {
        n = mem_reserve(&data, &capacity, *size + RAW_SIZE, 1, e);
        size_t room = capacity < most ? capacity : most;
        n = n == 0 ? input_read(in, data + *size, room - *size, e) : n;
        *size += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    if (n == 0)
        return data;
    mem_free(data);
    return NULL;
}

uint64_t
input_stored(const struct input *in)
{
    return in->stored;
}

uint64_t
input_size(const struct input *in)
{
    struct stat s;
    if (in->fd < 0)
        return in->stored;
    return fstat(in->fd, &s) == 0 && S_ISREG(s.st_mode) ? (uint64_t)s.st_size : 0;
}

const char *
input_name(const struct input *in)
{
    return in->name;
}

uint64_t
input_hash(const struct input *in)
{
    return XXH3_64bits_digest(in->hash);
}

uint64_t
input_bytes(const struct input *in)
{
    return in->bytes;
}

void
input_watch(struct input *in, struct input_mark *marks, size_t count)
{
    in->marks = marks;
    in->mark_count = count;
}

void
input_close(struct input *in)
{
    if (in == NULL)
        return;
    if (in->gzip != NOT_GZIP)
        inflateEnd(&in->z);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    XXH3_freeState(in->hash);
    mem_free(in->kept);
    mem_free(in->buffer);
    mem_free(in->name);
    mem_free(in);
}

/* SPDX-License-Identifier: MIT */
#include "io/deflate.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/mem.h"

enum { LEVEL = 6, PIECE = 1 << 30 /* zlib counts in unsigned int */ };

static void *
allocate(void *self, unsigned count, unsigned size)
{
    struct err why = {0}; /* discarded: zlib reports failed allocations itself */
    (void)self;
    return mem_array(count, size, &why);
}

static void
release(void *self, void *memory)
{
    (void)self;
    mem_free(memory);
}

z_stream
deflate_stream(void)
{
    return (z_stream){.zalloc = allocate, .zfree = release};
}

size_t
deflate_bound(size_t size)
{
    return compressBound(size);
}

/* The bytes that remain to be read and written. */
struct job {
    const unsigned char *in;
    unsigned char *out;
    size_t in_left, out_left;
};

/* Calls deflate or inflate, piece by piece, until it has ended (Z_STREAM_END), cannot
 * continue (Z_BUF_ERROR) or fails. */
static int
drive(z_stream *z, struct job *j, bool inflating)
{
    int rc;
    do {
        unsigned give = j->in_left < PIECE ? (unsigned)j->in_left : PIECE;
        unsigned take = j->out_left < PIECE ? (unsigned)j->out_left : PIECE;
        z->next_in = (unsigned char *)(uintptr_t)j->in; /* zlib does not write there */
        z->avail_in = give;
        z->next_out = j->out;
        z->avail_out = take;
        rc = inflating ? inflate(z, Z_NO_FLUSH)
                       : deflate(z, give == j->in_left ? Z_FINISH : Z_NO_FLUSH);
        j->in += give - z->avail_in;
        j->in_left -= give - z->avail_in;
        j->out += take - z->avail_out;
        j->out_left -= take - z->avail_out;
    } while (rc == Z_OK);
    return rc;
}

int
deflate_compress(const void *data, size_t size, void *packed, size_t *used, struct err *e)
{
    struct job j = {data, packed, size, deflate_bound(size)};
    z_stream z = deflate_stream();
    if (deflateInit(&z, LEVEL) != Z_OK)
        return err_nomem(e, 1 << 18); /* zconf.h: what deflate needs */
    int rc = drive(&z, &j, false);
    *used = z.total_out;
    deflateEnd(&z);
    assert(rc == Z_STREAM_END); /* there is room, and no more memory is allocated */
    (void)rc;
    return 0;
}

int
deflate_expand(const void *packed, size_t used, void *data, size_t size, struct err *e)
{
    struct job j = {packed, data, used, size};
    z_stream z = deflate_stream();
    if (inflateInit(&z) != Z_OK)
        return err_nomem(e, 1 << 15); /* the window */
    int rc = drive(&z, &j, true);
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR)
        return err_nomem(e, 1 << 15);
    return rc == Z_STREAM_END && j.in_left == 0 && j.out_left == 0 ? 0 : ERR_DATA;
}

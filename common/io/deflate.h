/* SPDX-License-Identifier: MIT
 *
 * deflate: zlib, with its memory from mem.h.
 *
 * So that running out of memory is told apart from damaged data, and can be
 * tested as everywhere else.
 */
#ifndef GAMUT_DEFLATE_H
#define GAMUT_DEFLATE_H

#include <stddef.h>
#include <zlib.h>

struct err;

/* A stream that is all zero but for its allocator, for inflateInit2 and the like. */
z_stream deflate_stream(void);

/* Bytes that deflate_compress may need for `size` of them. */
size_t deflate_bound(size_t size);

/* Compresses `size` bytes into `packed`, which has room for deflate_bound(size);
 * gives the bytes used.  0 or ERR_NOMEM. */
int deflate_compress(const void *data, size_t size, void *packed, size_t *used, struct err *e)
    __attribute__((warn_unused_result));

/* Expands to exactly `size` bytes.  0, ERR_NOMEM, or ERR_DATA, without a text,
 * if the packed bytes are anything else. */
int deflate_expand(const void *packed, size_t used, void *data, size_t size, struct err *e)
    __attribute__((warn_unused_result));

#endif

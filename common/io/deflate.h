/* SPDX-License-Identifier: MIT
 *
 * deflate: zlib with memory from mem.h.
 *
 * With our own allocator, running out of memory can be distinguished from damaged data, and can
 * be tested as everywhere else.
 */
#ifndef GAMUT_DEFLATE_H
#define GAMUT_DEFLATE_H

#include <stddef.h>
#include <zlib.h>

struct err;

/* A stream that is zero except for its allocator, for inflateInit2 and similar functions. */
z_stream deflate_stream(void);

/* The maximum number of bytes that deflate_compress needs for `size` bytes. */
size_t deflate_bound(size_t size);

/* Compresses `size` bytes into `packed`, which has room for deflate_bound(size);
 * gives the bytes used.  0 or ERR_NOMEM. */
int deflate_compress(const void *data, size_t size, void *packed, size_t *used, struct err *e)
    __attribute__((warn_unused_result));

/* Expands to exactly `size` bytes.  0, ERR_NOMEM, or ERR_DATA (without a text) if the packed
 * bytes expand to anything else. */
int deflate_expand(const void *packed, size_t used, void *data, size_t size, struct err *e)
    __attribute__((warn_unused_result));

#endif

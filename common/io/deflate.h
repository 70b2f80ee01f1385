/* SPDX-License-Identifier: MIT
 *
 * flate: zlib, with its memory from mem.h.
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
z_stream flate_stream(void);

/* Bytes that flate_pack may need for `size` of them. */
size_t flate_bound(size_t size);

/* Compresses `size` bytes into `packed`, which has room for flate_bound(size);
 * gives the bytes used.  0 or ERR_NOMEM. */
int flate_pack(const void *data, size_t size, void *packed, size_t *used, struct err *e)
    __attribute__((warn_unused_result));

/* Expands to exactly `size` bytes.  0, ERR_NOMEM, or ERR_DATA, without a text,
 * if the packed bytes are anything else. */
int flate_unpack(const void *packed, size_t used, void *data, size_t size, struct err *e)
    __attribute__((warn_unused_result));

#endif

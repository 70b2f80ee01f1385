/* SPDX-License-Identifier: MIT
 *
 * blocks: line-delimited text in large pieces of whole lines, worked on by all
 * threads of a pool while the next pieces are being read.
 *
 * For work that is too fast to look at one line at a time.  The rules for lines
 * are those of lines.h, and so are the messages: the work only says where the
 * first byte stands that it cannot accept.  Memory is two buffers of
 * BLOCKS_BUFFER bytes, whatever the size of the input.
 */
#ifndef GAMUT_BLOCKS_H
#define GAMUT_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct in;
struct pool;

enum { BLOCKS_BUFFER = 1 << 22, BLOCKS_SIZE = 1 << 17 };

/* One block: lines that all end with a newline (one is added to a last line
 * without).  Returns `size` and the number of lines, or the offset of the first
 * byte that does not belong into a line.  Blocks come in any order; no two at a
 * time have the same `worker`, 0 .. pool_threads - 1. */
typedef size_t blocks_work(void *arg, const char *text, size_t size, uint64_t *lines, int worker);

/* Works through all of `in`.  0, or the error of the first bad line, or what
 * reading failed with. */
int blocks_run(struct in *in, const struct alphabet *a, struct pool *pool, blocks_work *work,
               void *arg, struct err *e);

#endif

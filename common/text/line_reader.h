/* SPDX-License-Identifier: MIT
 *
 * lines: strings from line-delimited text, one at a time.
 *
 * A line is a string; a blank line is the empty string.  The last line may
 * lack its newline, and a carriage return before a newline is dropped.  Bytes
 * outside the alphabet (NUL included) and lines of more than LINES_MAX
 * characters are errors that name file and line.
 */

#ifndef GAMUT_LINE_READER_H
#define GAMUT_LINE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct in;
struct lines;
struct pool;

enum { LINES_MAX = 1 << 20 }; /* symbols in a line */

/* Reads from `in`, which stays the caller's and must outlive the result.  The
 * alphabet may be NULL when only lines_text is called. */
struct lines *lines_new(struct in *in, const struct alphabet *a, struct err *e);
void lines_free(struct lines *l); /* NULL is fine */

/* The next string as codes, valid until the next call.  1, 0 at the end, or a
 * negative error. */
int lines_next(struct lines *l, const uint8_t **codes, size_t *length, struct err *e);

/* The same line by line for text that is not made of strings: any bytes, not
 * NUL-terminated, without the newline. */
int lines_text(struct lines *l, const char **text, size_t *length, struct err *e);

/* The number of the line last returned, from 1. */
uint64_t lines_number(const struct lines *l);

/* The error of a line that cannot be a string, for readers that find out by
 * themselves: `line` has n characters, newline and carriage return left out. */
int lines_refuse(const struct alphabet *a, const char *file, uint64_t number, const char *line,
                 size_t n, struct err *e);

/* blocks: line-delimited text in large pieces of whole lines, worked on by all
 * threads of a pool while the next pieces are being read.
 *
 * For work that is too fast to look at one line at a time.  The rules for lines
 * are those of lines.h, and so are the messages: the work only says where the
 * first byte stands that it cannot accept.  Memory is two buffers of
 * BLOCKS_BUFFER bytes, whatever the size of the input.
 */

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

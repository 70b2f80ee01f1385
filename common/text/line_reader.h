/* SPDX-License-Identifier: MIT
 *
 * line_reader: strings from line-delimited text, one at a time.
 *
 * A line is a string; a blank line is the empty string.  The last line may
 * lack its newline, and a carriage return before a newline is dropped.  Bytes
 * outside the alphabet (NUL included) and lines of more than LINE_SYMBOLS_MAX
 * characters are errors that name file and line.
 *
 * Tested by tests/unit/test_strings.c and test_word_counter.c.
 */

#ifndef GAMUT_LINE_READER_H
#define GAMUT_LINE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct input;
struct line_reader;
struct pool;

enum { LINE_SYMBOLS_MAX = 1 << 20 }; /* symbols in a line */

/* Reads from `in`, which the caller owns and which must outlive the result.  The alphabet
 * may be NULL if only line_reader_text is called. */
struct line_reader *line_reader_new(struct input *in, const struct alphabet *a, struct err *e);
void line_reader_free(struct line_reader *l); /* NULL is fine */

/* The next string as symbols, valid until the next call.  1; 0 at the end; or a negative
 * error. */
int line_reader_next(struct line_reader *l, const uint8_t **symbols, size_t *length, struct err *e);

/* The next line as text: any bytes, not NUL-terminated, without the newline. */
int line_reader_text(struct line_reader *l, const char **text, size_t *length, struct err *e);

/* The number of the line returned last, from 1. */
uint64_t line_reader_number(const struct line_reader *l);

/* Sets the error of an invalid line, for callers that read lines themselves: `line` has n
 * characters, without newline and carriage return. */
int line_reader_refuse(const struct alphabet *a, const char *file, uint64_t number,
                       const char *line, size_t n, struct err *e);

/* line_blocks: the same text in blocks of many lines.  All threads of a pool
 * process blocks while the next ones are read, which is faster than one line at
 * a time.  Lines follow the rules above, with the same messages: the callback
 * only returns the offset of the first byte that it cannot accept.  Memory is two
 * buffers of LINE_BLOCKS_BUFFER bytes for any size of the input. */

enum { LINE_BLOCKS_BUFFER = 1 << 22, LINE_BLOCKS_SIZE = 1 << 17 };

/* Processes one block: lines that all end with a newline (one is added to a last
 * line without).  Returns `size`, with *lines set, or the offset of the first byte
 * that cannot be in a line.  Blocks come in any order; concurrent calls have
 * different `worker` numbers, 0 .. pool_threads - 1. */
typedef size_t line_blocks_work(void *arg, const char *text, size_t size, uint64_t *lines,
                                int worker);

/* Processes all of `in`.  0, or the error of the first bad line or of reading. */
int line_blocks_run(struct input *in, const struct alphabet *a, struct pool *pool,
                    line_blocks_work *work, void *arg, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * line_reader: text line by line, or in blocks of lines.
 *
 * The last line may lack its newline, and a carriage return before a newline is dropped.  Lines
 * of more than LINE_SYMBOLS_MAX bytes are errors that name file and line, unless a caller needs
 * longer ones.  string_reader makes strings of the lines.
 *
 * Tested by tests/unit/test_strings.c and test_word_counter.c.
 */

#ifndef GAMUT_LINE_READER_H
#define GAMUT_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct input;
struct line_reader;
struct pool;

enum { LINE_SYMBOLS_MAX = 1 << 20 }; /* symbols in a line */

/* Reads from `in`, which the caller owns and which must outlive the result. */
struct line_reader *line_reader_new(struct input *in, struct err *e);
void line_reader_free(struct line_reader *l); /* NULL is fine */

/* Allows lines of up to `most` bytes. */
void line_reader_allow(struct line_reader *l, size_t most);

/* The next line as text: any bytes, not NUL-terminated, without the newline; valid until the
 * next call.  1; 0 at the end; or a negative error. */
int line_reader_next(struct line_reader *l, const char **text, size_t *length, struct err *e);

/* The text follows `lines` others, which count in line_reader_number. */
void line_reader_start_at(struct line_reader *l, uint64_t lines);

/* The number of the line returned last, from 1. */
uint64_t line_reader_number(const struct line_reader *l);

/* ---- the same text in blocks of many lines.  All threads of a pool
 * process blocks while the next ones are read, which is faster than one line at
 * a time.  Lines follow the rules above, and the messages are those of string_reader: the
 * callback only returns the offset of the first byte that it cannot accept.  Memory is two
 * buffers of LINE_BLOCKS_BUFFER bytes for any size of the input. */

enum { LINE_BLOCKS_BUFFER = 1 << 22, LINE_BLOCKS_SIZE = 1 << 17 };

/* Processes one block: lines that all end with a newline (one is added to a last
 * line without).  Returns `size`, with *lines set, or the offset of the first byte
 * that cannot be in a line.  Blocks come in any order; concurrent calls have
 * different `worker` numbers, 0 .. pool_threads - 1. */
typedef size_t line_blocks_work(void *arg, const char *text, size_t size, uint64_t *lines,
                                int worker);

/* Processes all of `in`.  0, or the error of the first bad line or of reading.  `detected`: nobody
 * stated the format, and a bad line that begins with '>' shows that a part of it is FASTA. */
int line_blocks_run(struct input *in, const struct alphabet *a, bool detected, struct pool *pool,
                    line_blocks_work *work, void *arg, struct err *e);

#endif

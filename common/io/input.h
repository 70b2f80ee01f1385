/* SPDX-License-Identifier: MIT
 *
 * input: bytes from a file, from stdin or from memory, gunzipped on the way.
 *
 * "-" is stdin.  A gzip header is recognized by its bytes, not by the file name, so it also
 * works in pipes.  All bytes returned are hashed, so that a model can record which data it was
 * made from, whatever the name of the file.
 *
 * Tested by tests/unit/test_io.c.
 */
#ifndef GAMUT_INPUT_H
#define GAMUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct input;

/* NULL on failure, with a text that names the file. */
struct input *input_open(const char *path, struct err *e);

/* Reads from `size` bytes at `data`, which must outlive the result.  `name` is
 * used in messages.  No gunzipping. */
struct input *input_from_memory(const void *data, size_t size, const char *name, struct err *e);

/* Up to `size` bytes; fewer only at the end.  0 at the end; negative (enum err_code) on
 * error, also for a truncated or damaged gzip stream. */
ssize_t input_read(struct input *in, void *buf, size_t size, struct err *e);

/* The next byte, which stays unread; INPUT_END at the end; negative on error. */
enum { INPUT_END = 256 };
int input_peek(struct input *in, struct err *e);

/* Skips a byte order mark of UTF-8 at the beginning of text; to be called before the first
 * input_read.  0 or an error. */
int input_skip_mark(struct input *in, struct err *e);

/* All remaining bytes but at most `most`, in memory that the caller frees with mem_free;
 * NULL on failure.  To detect that there is more, ask for one byte more than allowed: a
 * small gzip file can hold gigabytes. */
char *input_read_all(struct input *in, size_t most, size_t *size, struct err *e);

/* From now on, keeps a copy of the bytes that input_read returns, for callers that must
 * check them first.  input_take transfers the copy, once (mem_free). */
void input_keep(struct input *in);
char *input_take(struct input *in, size_t *size);

/* Bytes of the file read so far, and its size, before decompression.  The size is 0 if it is
 * unknown, as for a pipe. */
uint64_t input_stored(const struct input *in);
uint64_t input_size(const struct input *in);

/* The path as messages should show it; "standard input" for "-". */
const char *input_name(const struct input *in);

/* XXH3-64 and number of all bytes read so far. */
uint64_t input_hash(const struct input *in);
uint64_t input_bytes(const struct input *in);

/* A number of bytes and a hash: whether the first bytes of an input have that hash. */
struct input_mark {
    uint64_t bytes, hash;
    bool found; /* the input begins with them */
};

/* From now on, sets `found` of these marks, which must outlive `in`; to be called before the
 * first input_read. */
void input_watch(struct input *in, struct input_mark *marks, size_t count);

void input_close(struct input *in); /* NULL is fine */

#endif

/* SPDX-License-Identifier: MIT
 *
 * input: bytes from a file, from stdin or from memory, gunzipped on the way.
 *
 * "-" is stdin.  A gzip header is recognised by its bytes, not by the name, so
 * it works in pipes too.  What is handed out is hashed, so that a model can
 * say which data it was made from, whatever the file was called.
 *
 * Tested by tests/unit/test_io.c.
 */
#ifndef GAMUT_INPUT_H
#define GAMUT_INPUT_H

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

/* Up to `size` bytes; fewer only at the end.  0 is the end, negative an error
 * (enum err_code), also for a truncated or damaged gzip stream. */
ssize_t input_read(struct input *in, void *buf, size_t size, struct err *e);

/* All that is left but no more than `most` bytes, in memory that grows with it
 * and is freed by the caller with mem_free; NULL on failure.  To see that there
 * is more, ask for a byte more than may be: a small gzip file can hold
 * gigabytes. */
char *input_read_all(struct input *in, size_t most, size_t *size, struct err *e);

/* From now on, keeps a copy of what input_read hands out, for who has to know that
 * it makes sense before keeping it.  input_take gives it away, once (mem_free). */
void input_keep(struct input *in);
char *input_take(struct input *in, size_t *size);

/* Bytes of the file that were read so far, as they are stored there. */
uint64_t input_stored(const struct input *in);

/* The path as messages should show it; "standard input" for "-". */
const char *input_name(const struct input *in);

/* XXH3-64 of all bytes read so far. */
uint64_t input_hash(const struct input *in);

void input_close(struct input *in); /* NULL is fine */

#endif

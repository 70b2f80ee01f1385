/* SPDX-License-Identifier: MIT
 *
 * in: bytes from a file, from stdin or from memory, gunzipped on the way.
 *
 * "-" is stdin.  A gzip header is recognised by its bytes, not by the name, so
 * it works in pipes too.  What is handed out is hashed, so that a model can
 * say which data it was made from, whatever the file was called.
 */
#ifndef GAMUT_INPUT_H
#define GAMUT_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct in;

/* NULL on failure, with a text that names the file. */
struct in *in_open(const char *path, struct err *e);

/* Reads from `size` bytes at `data`, which must outlive the result.  `name` is
 * used in messages.  No gunzipping. */
struct in *in_memory(const void *data, size_t size, const char *name, struct err *e);

/* Up to `size` bytes; fewer only at the end.  0 is the end, negative an error
 * (enum err_code), also for a truncated or damaged gzip stream. */
ssize_t in_read(struct in *in, void *buf, size_t size, struct err *e);

/* All that is left but no more than `most` bytes, in memory that grows with it
 * and is freed by the caller with mem_free; NULL on failure.  To see that there
 * is more, ask for a byte more than may be: a small gzip file can hold
 * gigabytes. */
char *in_read_all(struct in *in, size_t most, size_t *size, struct err *e);

/* From now on, keeps a copy of what in_read hands out, for who has to know that
 * it makes sense before keeping it.  in_take gives it away, once (mem_free). */
void in_keep(struct in *in);
char *in_take(struct in *in, size_t *size);

/* Bytes of the file that were read so far, as they are stored there. */
uint64_t in_stored(const struct in *in);

/* The path as messages should show it; "standard input" for "-". */
const char *in_name(const struct in *in);

/* XXH3-64 of all bytes read so far. */
uint64_t in_hash(const struct in *in);

void in_close(struct in *in); /* NULL is fine */

#endif

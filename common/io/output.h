/* SPDX-License-Identifier: MIT
 *
 * output: bytes to stdout, or to a file that appears complete or not at all.
 *
 * "-" is stdout.  A regular file is written without a name (O_TMPFILE) or, on file systems that
 * do not support that, under a temporary name in the same directory.  It takes its final name
 * only in output_commit, after fsync.  output_abort, a failure, a signal or a power cut leaves
 * the old file unchanged.  Devices, FIFOs and open descriptors ("/dev/stdout", "/dev/fd/3") are
 * written directly.
 *
 * If the name ends in ".gz", the bytes are compressed as gzip(1) does.  The compressed bytes
 * depend on the data and on the version of zlib only: the header has neither name nor time.
 *
 * Tested by tests/unit/test_io.c.
 */
#ifndef GAMUT_OUTPUT_H
#define GAMUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct output;

/* NULL on failure, with a text that names the file. */
struct output *output_open(const char *path, struct err *e);

/* Writes to a buffer that grows; see output_bytes.  For data whose size must be known before
 * they are written: the features of a GAM, a safetensors header. */
struct output *output_to_memory(struct err *e);

/* The bytes collected by output_to_memory; valid until the next write or output_abort. */
const void *output_bytes(const struct output *o, size_t *size);

int output_write(struct output *o, const void *data, size_t size, struct err *e);
int output_printf(struct output *o, struct err *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int output_flush(struct output *o, struct err *e);

bool output_is_terminal(const struct output *o);

/* The temporary file that a signal would leave behind, or NULL; see cli_output. */
const char *output_temporary(const struct output *o);

/* Flushes, syncs, gives the file its name and frees `o`, also on failure; then the file
 * under the final name is unchanged. */
int output_commit(struct output *o, struct err *e);

/* output_commit, or output_abort if `e` already has an error; `o` may be NULL.  0 or the
 * error. */
int output_close(struct output *o, struct err *e);

/* Discards what was written (for stdout, what is still in the buffer) and frees. */
void output_abort(struct output *o); /* NULL is fine */

#endif

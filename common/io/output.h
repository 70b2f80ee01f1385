/* SPDX-License-Identifier: MIT
 *
 * output: bytes to stdout or to a file that appears complete or not at all.
 *
 * "-" is stdout.  A regular file is written without a name (O_TMPFILE) or, on
 * file systems that cannot do that, under a temporary one beside the target,
 * and takes its final name only in output_commit, after fsync.  output_abort, a
 * failure, a signal or a power cut leave the old file as it was.  Devices, FIFOs
 * and descriptors that are open ("/dev/stdout", "/dev/fd/3") are written as they
 * are.
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

/* Bytes into a buffer that grows; see output_bytes.  For what must be known whole
 * before it is written: a GAM's features, a safetensors header. */
struct output *output_to_memory(struct err *e);

/* What output_to_memory has collected; valid until the next write or output_abort. */
const void *output_bytes(const struct output *o, size_t *size);

int output_write(struct output *o, const void *data, size_t size, struct err *e);
int output_printf(struct output *o, struct err *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int output_flush(struct output *o, struct err *e);

bool output_is_terminal(const struct output *o);

/* The temporary file that a signal would leave behind, or NULL; see cli_output. */
const char *output_temporary(const struct output *o);

/* Flushes, syncs, gives the file its name and frees `o`, also when it fails;
 * then nothing is left under the final name that was not there before. */
int output_commit(struct output *o, struct err *e);

/* output_commit, or output_abort if there is an error already; NULL is fine.  0 or
 * the error. */
int output_close(struct output *o, struct err *e);

/* Drops what was written (stdout: what is still in the buffer) and frees. */
void output_abort(struct output *o); /* NULL is fine */

#endif

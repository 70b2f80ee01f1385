/* SPDX-License-Identifier: MIT
 *
 * out: bytes to stdout or to a file that appears complete or not at all.
 *
 * "-" is stdout.  A regular file is written without a name (O_TMPFILE) or, on
 * file systems that cannot do that, under a temporary one beside the target,
 * and takes its final name only in out_commit, after fsync.  out_abort, a
 * failure, a signal or a power cut leave the old file as it was.  Devices, FIFOs
 * and descriptors that are open ("/dev/stdout", "/dev/fd/3") are written as they
 * are.
 */
#ifndef GAMUT_OUTPUT_H
#define GAMUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct out;

/* NULL on failure, with a text that names the file. */
struct out *out_open(const char *path, struct err *e);

/* Bytes into a buffer that grows; see out_bytes.  For what must be known whole
 * before it is written: a GAM's features, a safetensors header. */
struct out *out_memory(struct err *e);

/* What out_memory has collected; valid until the next write or out_abort. */
const void *out_bytes(const struct out *o, size_t *size);

int out_write(struct out *o, const void *data, size_t size, struct err *e);
int out_printf(struct out *o, struct err *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int out_flush(struct out *o, struct err *e);

bool out_is_terminal(const struct out *o);

/* The temporary file that a signal would leave behind, or NULL; see cli_output. */
const char *out_temporary(const struct out *o);

/* Flushes, syncs, gives the file its name and frees `o`, also when it fails;
 * then nothing is left under the final name that was not there before. */
int out_commit(struct out *o, struct err *e);

/* out_commit, or out_abort if there is an error already; NULL is fine.  0 or
 * the error. */
int out_finish(struct out *o, struct err *e);

/* Drops what was written (stdout: what is still in the buffer) and frees. */
void out_abort(struct out *o); /* NULL is fine */

#endif

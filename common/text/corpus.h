/* SPDX-License-Identifier: MIT
 *
 * corpus: many strings, packed.
 *
 * Symbols take ceil(log2(alphabet)) bits each and lengths one byte (more for
 * strings of 128 symbols and over), with a pair of offsets every 64 strings:
 * ten million strings of 30 bits need about 50 MB.  Any string can be fetched
 * by its index, to be dealt to training and validation; training itself takes
 * them unpacked and in order (sorted.h).
 */
#ifndef GAMUT_CORPUS_H
#define GAMUT_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct input;
struct corpus;

struct corpus *corpus_new(const struct alphabet *a, struct err *e);
void corpus_free(struct corpus *c); /* NULL is fine */

/* Appends one string of codes; 0 or ERR_NOMEM. */
int corpus_add(struct corpus *c, const uint8_t *codes, size_t length, struct err *e);

/* Appends every line of `in` (see lines.h). */
int corpus_read(struct corpus *c, struct input *in, struct err *e);

/* Opens, reads and closes one file; `hash` (may be NULL) gets input_hash. */
int corpus_load(struct corpus *c, const char *path, uint64_t *hash, struct err *e);

const struct alphabet *corpus_alphabet(const struct corpus *c);
size_t corpus_count(const struct corpus *c);
uint64_t corpus_symbols(const struct corpus *c); /* without end-of-string */
size_t corpus_longest(const struct corpus *c);   /* 0 if empty */
size_t corpus_shortest(const struct corpus *c);  /* 0 if empty */

/* Length of string i, and its codes into `codes`, which must have room for
 * corpus_longest.  `codes` may be NULL when only the length matters. */
size_t corpus_get(const struct corpus *c, size_t i, uint8_t *codes);

/* Bytes of heap in use: what the tests hold it to. */
size_t corpus_memory(const struct corpus *c);

#endif

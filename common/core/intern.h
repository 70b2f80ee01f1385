/* SPDX-License-Identifier: MIT
 *
 * intern: numbers for records of bytes.
 *
 * Equal records have the same number.  Numbers count from 0 in the order in which records are
 * first added.
 */
#ifndef GAMUT_INTERN_H
#define GAMUT_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct intern;

#define INTERN_NONE UINT32_MAX

/* Records have `bytes` bytes, which may be 0.  There can be at most `most` of them, which is
 * less than INTERN_NONE. */
struct intern *intern_new(size_t bytes, uint32_t most, struct err *e);

/* How many records fit into a memory `budget` if the caller needs `each` bytes per record
 * besides; at most `most`. */
uint32_t intern_most(size_t each, size_t budget, uint32_t most);
void intern_free(struct intern *t); /* NULL is fine */

/* The number of a record, which is added if it is new: 0, ERR_NOMEM, or ERR_LIMIT when there
 * are too many. */
int intern_add(struct intern *t, const void *record, uint32_t *number, struct err *e);

/* The number of a record, or INTERN_NONE if it was never added. */
uint32_t intern_find(const struct intern *t, const void *record);

uint32_t intern_count(const struct intern *t);

/* Memory taken by the records and the table. */
size_t intern_bytes(const struct intern *t);

/* The record with this number, aligned to 4 if `bytes` is a multiple of 4, to 8 if it is a
 * multiple of 8.  Valid until the next intern_add. */
const void *intern_get(const struct intern *t, uint32_t number);

#endif

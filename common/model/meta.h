/* SPDX-License-Identifier: MIT
 *
 * meta: an ordered list of keys and values inside a model that records how it was made.  Keys
 * consist of [a-z0-9_.:-]; values are one line of printable UTF-8, with other bytes replaced by
 * blanks.  Setting a key again replaces its value in place.
 *
 * A list that exceeds the limits is refused, when it is written and when it is read: searching
 * for a key takes time proportional to the length of the list.
 *
 * Tested by tests/unit/test_container.c.
 */
#ifndef GAMUT_META_H
#define GAMUT_META_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct meta;

enum { META_LINES_MAX = 1000, META_BYTES_MAX = 1 << 20 };

struct meta *meta_new(struct err *e);
void meta_free(struct meta *m); /* NULL is fine */

/* 0, ERR_NOMEM or ERR_LIMIT. */
int meta_set(struct meta *m, const char *key, struct err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A number that reads back as the same double; a hash as 16 hexadecimal digits. */
int meta_set_number(struct meta *m, const char *key, double value, struct err *e);
int meta_set_hash(struct meta *m, const char *key, uint64_t hash, struct err *e);

/* The value, or NULL if there is no such key. */
const char *meta_get(const struct meta *m, const char *key);

size_t meta_count(const struct meta *m);
const char *meta_key(const struct meta *m, size_t i);
const char *meta_value(const struct meta *m, size_t i);

enum meta_type { META_TEXT, META_WHOLE, META_REAL };

/* The type of value i.  A non-negative integer is in *whole, another number in *real.  Only
 * texts in the form that this program writes are numbers; the version and checksums are
 * always texts. */
enum meta_type meta_number(const struct meta *m, size_t i, uint64_t *whole, double *real);

/* "key\tvalue\n" lines, and back.  meta_text's result is freed with mem_free.
 * meta_parse gives ERR_FORMAT or ERR_LIMIT for anything else. */
char *meta_text(const struct meta *m, size_t *length, struct err *e);
struct meta *meta_parse(const char *text, size_t length, struct err *e);
struct meta *meta_copy(const struct meta *m, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * prefix_store: many growing strings that share their beginnings.
 *
 * A prefix is the number of its last node.  A node holds a few symbols, its parent, and a
 * reference count; when the count becomes 0, it goes to a free list.  So memory is that of the
 * tree of live prefixes, and extending a prefix takes constant time.  The limit is one
 * gigabyte.
 */
#ifndef GAMUT_PREFIX_STORE_H
#define GAMUT_PREFIX_STORE_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct prefix_node;

/* All zero holds only the empty prefix. */
struct prefix_store {
    struct prefix_node *node;
    size_t capacity;
    uint32_t used; /* nodes ever taken from the array */
    uint32_t free; /* first of the free list, 0 if none */
};

enum { PREFIX_EMPTY = 0 };

void prefix_store_clear(struct prefix_store *s);

/* A new prefix: `prefix` followed by `symbol`; 0, ERR_NOMEM or ERR_LIMIT.  Both prefixes
 * exist until they are released. */
int prefix_extend(struct prefix_store *s, uint32_t prefix, uint8_t symbol, uint32_t *child,
                  struct err *e);

/* prefix_extend, then prefix_release of the old prefix; a prefix with one reference grows in
 * place. */
int prefix_append(struct prefix_store *s, uint32_t *prefix, uint8_t symbol, struct err *e);

void prefix_release(struct prefix_store *s, uint32_t prefix);

/* Copies the symbols of a prefix of known length. */
void prefix_copy(const struct prefix_store *s, uint32_t prefix, uint8_t *symbols, size_t length);

#endif

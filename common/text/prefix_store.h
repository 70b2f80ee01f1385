/* SPDX-License-Identifier: MIT
 *
 * prefix_store: many growing strings that share their beginnings.
 *
 * A prefix is the number of its last node.  A node holds a few symbols, its
 * parent, and a reference count; it goes to a free list when the count is 0.  So
 * memory is that of the tree of the live prefixes, and extending one costs the
 * same at any length.  The limit is a gigabyte.
 */
#ifndef GAMUT_PREFIX_STORE_H
#define GAMUT_PREFIX_STORE_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct prefix_node;

/* All zero holds the empty prefix only. */
struct prefix_store {
    struct prefix_node *node;
    size_t capacity;
    uint32_t used; /* nodes ever taken from the array */
    uint32_t free; /* first of the free list, 0 if none */
};

enum { PREFIX_EMPTY = 0 };

void prefix_store_clear(struct prefix_store *s);

/* A new prefix: `prefix` followed by `symbol`; 0, ERR_NOMEM or ERR_LIMIT.  Both
 * live until released. */
int prefix_extend(struct prefix_store *s, uint32_t prefix, uint8_t symbol, uint32_t *child,
                  struct err *e);

/* prefix_extend, then prefix_release of the old one; a prefix with one reference
 * grows in place. */
int prefix_append(struct prefix_store *s, uint32_t *prefix, uint8_t symbol, struct err *e);

void prefix_release(struct prefix_store *s, uint32_t prefix);

/* The symbols of a prefix of known length. */
void prefix_copy(const struct prefix_store *s, uint32_t prefix, uint8_t *symbols, size_t length);

#endif

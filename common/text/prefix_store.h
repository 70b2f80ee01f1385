/* SPDX-License-Identifier: MIT
 *
 * prefix_store: many growing strings that share their beginnings.
 *
 * A path is the number of its last node; a node holds a few symbols in a row,
 * knows its parent and how many others need it, and goes back to a free list
 * when none does.  So the memory is that of the prefix tree of the live paths,
 * and extending one costs the same at any length.  It ends at a gigabyte.
 */
#ifndef GAMUT_PREFIX_STORE_H
#define GAMUT_PREFIX_STORE_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct prefix_node;

/* All zero is a set with nothing but the empty path. */
struct prefix_store {
    struct prefix_node *node;
    size_t capacity;
    uint32_t used; /* nodes ever taken from the array */
    uint32_t free; /* first of the free list, 0 if none */
};

enum { PREFIX_EMPTY = 0 };

void prefix_store_clear(struct prefix_store *s);

/* A new path: `path` followed by `symbol`; 0, ERR_NOMEM or ERR_LIMIT.  Both
 * paths live until dropped. */
int prefix_extend(struct prefix_store *s, uint32_t path, uint8_t symbol, uint32_t *child,
                  struct err *e);

/* Appends to a path that is not needed any more without the symbol: the same
 * as prefix_extend and prefix_release, but a lonely path grows in place. */
int prefix_append(struct prefix_store *s, uint32_t *path, uint8_t symbol, struct err *e);

void prefix_release(struct prefix_store *s, uint32_t path);

/* The symbols of a path of known length. */
void prefix_copy(const struct prefix_store *s, uint32_t path, uint8_t *symbols, size_t length);

#endif

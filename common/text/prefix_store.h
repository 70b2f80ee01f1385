/* SPDX-License-Identifier: MIT
 *
 * path: many growing strings that share their beginnings.
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
struct path_node;

/* All zero is a set with nothing but the empty path. */
struct path_set {
    struct path_node *node;
    size_t capacity;
    uint32_t used; /* nodes ever taken from the array */
    uint32_t free; /* first of the free list, 0 if none */
};

enum { PATH_EMPTY = 0 };

void path_clear(struct path_set *s);

/* A new path: `path` followed by `symbol`; 0, ERR_NOMEM or ERR_LIMIT.  Both
 * paths live until dropped. */
int path_extend(struct path_set *s, uint32_t path, uint8_t symbol, uint32_t *child, struct err *e);

/* Appends to a path that is not needed any more without the symbol: the same
 * as path_extend and path_drop, but a lonely path grows in place. */
int path_append(struct path_set *s, uint32_t *path, uint8_t symbol, struct err *e);

void path_drop(struct path_set *s, uint32_t path);

/* The symbols of a path of known length. */
void path_copy(const struct path_set *s, uint32_t path, uint8_t *codes, size_t length);

#endif

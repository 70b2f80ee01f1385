/* SPDX-License-Identifier: MIT
 *
 * least: items 0 .. n-1, each with a small whole number as its key, of which
 * one with the least key is wanted again and again while keys change.
 *
 * There is a list of items for each key, so setting a key costs nothing to
 * speak of, and finding the least one what the keys have sunk in between.
 * Of items with the same key, the one comes first whose key was set last.
 */
#ifndef GAMUT_BUCKET_QUEUE_H
#define GAMUT_BUCKET_QUEUE_H

#include <stdint.h>

struct err;
struct least;

/* No item is in it yet.  Keys are below `keys`; NULL on failure. */
struct least *least_new(uint32_t n, uint32_t keys, struct err *e);
void least_free(struct least *l); /* NULL is fine */

/* Puts an item in, or changes its key; too large a key counts as the largest. */
void least_set(struct least *l, uint32_t item, uint64_t key);

#define LEAST_NONE UINT32_MAX

/* Takes out an item with the least key; LEAST_NONE if none is left. */
uint32_t least_take(struct least *l);

#endif

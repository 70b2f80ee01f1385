/* SPDX-License-Identifier: MIT
 *
 * bucket_queue: items 0 .. n-1, each with a small whole number as its key, of which
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
struct bucket_queue;

/* No item is in it yet.  Keys are below `keys`; NULL on failure. */
struct bucket_queue *bucket_queue_new(uint32_t n, uint32_t keys, struct err *e);
void bucket_queue_free(struct bucket_queue *l); /* NULL is fine */

/* Puts an item in, or changes its key; too large a key counts as the largest. */
void bucket_queue_put(struct bucket_queue *l, uint32_t item, uint64_t key);

#define BUCKET_QUEUE_NONE UINT32_MAX

/* Takes out an item with the least key; BUCKET_QUEUE_NONE if none is left. */
uint32_t bucket_queue_pop(struct bucket_queue *l);

#endif

/* SPDX-License-Identifier: MIT
 *
 * bucket_queue: a priority queue of items 0 .. n-1 with small integer keys.  It finds an item
 * with the smallest key while keys change.
 *
 * There is one list of items per key.  Setting a key takes constant time.  Finding the smallest
 * key takes time proportional to how much keys have decreased since the last search.  Among
 * items with equal keys, the one whose key was set last comes first.
 */
#ifndef GAMUT_BUCKET_QUEUE_H
#define GAMUT_BUCKET_QUEUE_H

#include <stdint.h>

struct err;
struct bucket_queue;

/* An empty queue for keys below `keys`; NULL on failure. */
struct bucket_queue *bucket_queue_new(uint32_t n, uint32_t keys, struct err *e);
void bucket_queue_free(struct bucket_queue *l); /* NULL is fine */

/* Inserts an item, or changes its key.  A key that is too large is reduced to the largest. */
void bucket_queue_put(struct bucket_queue *l, uint32_t item, uint64_t key);

#define BUCKET_QUEUE_NONE UINT32_MAX

/* Removes an item with the smallest key; BUCKET_QUEUE_NONE if the queue is empty. */
uint32_t bucket_queue_pop(struct bucket_queue *l);

#endif

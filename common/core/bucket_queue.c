/* SPDX-License-Identifier: MIT */
#include "core/bucket_queue.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

#define NONE BUCKET_QUEUE_NONE

struct bucket_queue {
    uint32_t keys;
    uint32_t low;     /* no item has a smaller key */
    uint32_t *head;   /* [keys] first item of each list */
    uint32_t *key;    /* [n] NONE for an item that is not in the queue */
    uint32_t *next;   /* [n] in the same list */
    uint32_t *before; /* [n] likewise, NONE for the first */
};

struct bucket_queue *
bucket_queue_new(uint32_t n, uint32_t keys, struct err *e)
{
    struct bucket_queue *l = mem_zero(1, sizeof *l, e);
    if (l == NULL)
        return NULL;
    l->keys = l->low = keys;
    l->head = mem_array(keys, sizeof *l->head, e);
    l->key = mem_array(n, sizeof *l->key, e);
    l->next = mem_array(n, sizeof *l->next, e);
    l->before = mem_array(n, sizeof *l->before, e);
    if (l->head == NULL || l->key == NULL || l->next == NULL || l->before == NULL) {
        bucket_queue_free(l);
        return NULL;
    }
    memset(l->head, 0xFF, keys * sizeof *l->head);
    memset(l->key, 0xFF, n * sizeof *l->key);
    return l;
}

void
bucket_queue_free(struct bucket_queue *l)
{
    if (l == NULL)
        return;
    mem_free(l->head);
    mem_free(l->key);
    mem_free(l->next);
    mem_free(l->before);
    mem_free(l);
}

static void
take_out(struct bucket_queue *l, uint32_t item)
{
    uint32_t before = l->before[item], next = l->next[item];
    if (before != NONE)
        l->next[before] = next;
    else
        l->head[l->key[item]] = next;
    if (next != NONE)
        l->before[next] = before;
    l->key[item] = NONE;
}

void
bucket_queue_put(struct bucket_queue *l, uint32_t item, uint64_t key)
{
    uint32_t k = key < l->keys ? (uint32_t)key : l->keys - 1;
    if (l->key[item] != NONE)
        take_out(l, item);
    l->key[item] = k;
    l->before[item] = NONE;
    l->next[item] = l->head[k];
    if (l->head[k] != NONE)
        l->before[l->head[k]] = item;
    l->head[k] = item;
    l->low = k < l->low ? k : l->low;
}

uint32_t
bucket_queue_pop(struct bucket_queue *l)
{
    while (l->low < l->keys && l->head[l->low] == NONE)
        l->low++;
    if (l->low == l->keys)
        return NONE;
    uint32_t item = l->head[l->low];
    take_out(l, item);
    return item;
}

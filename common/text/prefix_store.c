/* SPDX-License-Identifier: MIT */
#include "text/prefix_store.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

enum { CHUNK = 10, NODES_MAX = 1 << 26 };

/* A sequence of symbols; only the last one can have several children. */
struct prefix_node {
    uint32_t parent; /* on the free list: the next free node */
    uint8_t users;   /* children, plus one for the owner; at most 65 */
    uint8_t count;   /* symbols */
    uint8_t symbol[CHUNK];
};

void
prefix_store_clear(struct prefix_store *s)
{
    mem_free(s->node);
    *s = (struct prefix_store){0};
}

/* Node 0 is the empty prefix and is never freed. */
static int
take_node(struct prefix_store *s, uint32_t *node, struct err *e)
{
    if (s->free != 0) {
        *node = s->free;
        s->free = s->node[*node].parent;
        return 0;
    }
    if (s->used == NODES_MAX)
        return err_advise(e, ERR_LIMIT, REMEDY_LOWER_MAX_LENGTH,
                          "unfinished strings take more than one gigabyte");
    if (mem_reserve(&s->node, &s->capacity, (size_t)s->used + 2, sizeof *s->node, e) != 0)
        return ERR_NOMEM;
    *node = ++s->used;
    return 0;
}

int
prefix_extend(struct prefix_store *s, uint32_t prefix, uint8_t symbol, uint32_t *child,
              struct err *e)
{
    int rc = take_node(s, child, e);
    if (rc != 0)
        return rc;
    s->node[*child] = (struct prefix_node){.parent = prefix, .users = 1, .count = 1};
    s->node[*child].symbol[0] = symbol;
    if (prefix != PREFIX_EMPTY)
        s->node[prefix].users++;
    return 0;
}

int
prefix_append(struct prefix_store *s, uint32_t *prefix, uint8_t symbol, struct err *e)
{
    struct prefix_node *node = *prefix != PREFIX_EMPTY ? s->node + *prefix : NULL;
    if (node != NULL && node->users == 1 && node->count < CHUNK) {
        node->symbol[node->count++] = symbol;
        return 0;
    }
    uint32_t old = *prefix;
    int rc = prefix_extend(s, old, symbol, prefix, e);
    if (rc == 0)
        prefix_release(s, old);
    return rc;
}

void
prefix_release(struct prefix_store *s, uint32_t prefix)
{
    while (prefix != PREFIX_EMPTY && --s->node[prefix].users == 0) {
        uint32_t parent = s->node[prefix].parent;
        s->node[prefix].parent = s->free;
        s->free = prefix;
        prefix = parent;
    }
}

void
prefix_copy(const struct prefix_store *s, uint32_t prefix, uint8_t *symbols, size_t length)
{
    while (length > 0) {
        const struct prefix_node *node = s->node + prefix;
        length -= node->count;
        memcpy(symbols + length, node->symbol, node->count);
        prefix = node->parent;
    }
}

/* SPDX-License-Identifier: MIT */
#include "path.h"

#include "err.h"
#include "mem.h"

struct path_node {
    uint32_t parent; /* on the free list: the next free node */
    uint8_t symbol;
    uint8_t users; /* children, and one for the owner; at most 65 */
};

void
path_clear(struct path_set *s)
{
    mem_free(s->node);
    *s = (struct path_set){0};
}

/* Node 0 is the empty path, which is never freed. */
static int
take_node(struct path_set *s, uint32_t *node, struct err *e)
{
    if (s->free != 0) {
        *node = s->free;
        s->free = s->node[*node].parent;
        return 0;
    }
    if (s->used == UINT32_MAX - 1)
        return err_set(e, ERR_LIMIT, "more than 2^32 prefixes at a time");
    void *grown = mem_grow(s->node, &s->capacity, (size_t)s->used + 2, sizeof *s->node, e);
    if (grown == NULL)
        return ERR_NOMEM;
    s->node = grown;
    *node = ++s->used;
    return 0;
}

int
path_extend(struct path_set *s, uint32_t path, uint8_t symbol, uint32_t *child, struct err *e)
{
    int status = take_node(s, child, e);
    if (status != 0)
        return status;
    s->node[*child] = (struct path_node){.parent = path, .symbol = symbol, .users = 1};
    if (path != PATH_EMPTY)
        s->node[path].users++;
    return 0;
}

void
path_drop(struct path_set *s, uint32_t path)
{
    while (path != PATH_EMPTY && --s->node[path].users == 0) {
        uint32_t parent = s->node[path].parent;
        s->node[path].parent = s->free;
        s->free = path;
        path = parent;
    }
}

void
path_copy(const struct path_set *s, uint32_t path, uint8_t *codes, size_t length)
{
    for (; length > 0; path = s->node[path].parent)
        codes[--length] = s->node[path].symbol;
}

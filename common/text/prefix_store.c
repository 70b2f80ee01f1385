/* SPDX-License-Identifier: MIT */
#include "text/prefix_store.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

enum { CHUNK = 10, NODES_MAX = 1 << 26 };

/* Some symbols in a row; only the last can have several children. */
struct path_node {
    uint32_t parent; /* on the free list: the next free node */
    uint8_t users;   /* children, and one for the owner; at most 65 */
    uint8_t count;   /* symbols */
    uint8_t symbol[CHUNK];
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
    if (s->used == NODES_MAX)
        return err_set(e, ERR_LIMIT,
                       "strings that have not ended take more than a gigabyte; "
                       "give a smaller --max-length");
    if (mem_reserve(&s->node, &s->capacity, (size_t)s->used + 2, sizeof *s->node, e) != 0)
        return ERR_NOMEM;
    *node = ++s->used;
    return 0;
}

int
path_extend(struct path_set *s, uint32_t path, uint8_t symbol, uint32_t *child, struct err *e)
{
    int status = take_node(s, child, e);
    if (status != 0)
        return status;
    s->node[*child] = (struct path_node){.parent = path, .users = 1, .count = 1};
    s->node[*child].symbol[0] = symbol;
    if (path != PATH_EMPTY)
        s->node[path].users++;
    return 0;
}

int
path_append(struct path_set *s, uint32_t *path, uint8_t symbol, struct err *e)
{
    struct path_node *node = *path != PATH_EMPTY ? s->node + *path : NULL;
    if (node != NULL && node->users == 1 && node->count < CHUNK) {
        node->symbol[node->count++] = symbol;
        return 0;
    }
    uint32_t old = *path;
    int status = path_extend(s, old, symbol, path, e);
    if (status == 0)
        path_drop(s, old);
    return status;
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
    while (length > 0) {
        const struct path_node *node = s->node + path;
        length -= node->count;
        memcpy(codes + length, node->symbol, node->count);
        path = node->parent;
    }
}

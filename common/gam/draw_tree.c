/* SPDX-License-Identifier: MIT */
#include "gam/draw_tree.h"

#include "core/err.h"
#include "core/mem.h"

void
draw_tree_clear(struct draw_tree *t)
{
    mem_free(t->node);
    mem_free(t->row);
    mem_free(t->leaf);
    *t = (struct draw_tree){0};
}

void
draw_tree_string(const struct draw_tree *t, const struct draw_leaf *leaf, uint8_t *symbols)
{
    const struct draw_node *n = &t->node[leaf->node];
    for (uint32_t i = n->length; i-- > 0; n = &t->node[n->parent])
        symbols[i] = n->symbol;
}

double
draw_tree_log_r(const struct draw_tree *t, const struct draw_leaf *leaf)
{
    size_t end = leaf->node * (t->symbols + 1u) + t->symbols;
    return t->node[leaf->node].log_r + (double)t->row[end];
}

int
draw_tree_add_node(struct draw_tree *t, const struct draw_node *n, const double *logp,
                   struct err *e)
{
    size_t width = t->symbols + 1u, i = t->nodes;
    if ((i + 1) * (width * sizeof *t->row + sizeof *t->node) > DRAW_TREE_BYTES_MAX)
        return err_set(e, ERR_LIMIT, "strings drawn at once take more than %d MB",
                       DRAW_TREE_BYTES_MAX >> 20);
    if (mem_reserve(&t->node, &t->node_capacity, i + 1, sizeof *t->node, e) != 0 ||
        mem_reserve(&t->row, &t->row_capacity, i + 1, width * sizeof *t->row, e) != 0)
        return ERR_NOMEM;
    t->node[i] = *n;
    for (size_t a = 0; a < width; a++)
        t->row[i * width + a] = (float)logp[a];
    t->nodes++;
    return 0;
}

int
draw_tree_add_leaf(struct draw_tree *t, uint32_t node, uint64_t count, struct err *e)
{
    if (mem_reserve(&t->leaf, &t->leaf_capacity, t->leaves + 1, sizeof *t->leaf, e) != 0)
        return ERR_NOMEM;
    t->leaf[t->leaves++] = (struct draw_leaf){.count = count, .node = node};
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include "text/prefix_tree.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "text/strings.h"

#define NODES_MAX (UINT32_C(1) << 31)

void
weighted_string_gather(struct weighted_string *to, const struct strings *s, const uint32_t *at,
                       size_t count, bool by_length)
{
    for (size_t i = 0; i < count; i++) {
        size_t length;
        to[i].symbols = strings_get(s, at[i], &length);
        to[i].length = (uint32_t)length;
        to[i].weight = by_length ? 1 / (float)(length + 1) : 1;
    }
}

void
prefix_tree_clear(struct prefix_tree *t)
{
    mem_free(t->first);
    mem_free(t->parent);
    mem_free(t->symbol);
    mem_free(t->next_weight);
    mem_free(t->at);
    memset(t, 0, sizeof *t);
}

/* Makes room for at most `more` nodes and one level. */
static int
reserve_level(struct prefix_tree *t, size_t more, struct err *e)
{
    size_t need = t->nodes + more;
    if (need > NODES_MAX)
        return err_set(e, ERR_LIMIT, "more than %u distinct prefixes", NODES_MAX);
    if (mem_reserve(&t->first, &t->first_capacity, t->levels + 2, sizeof *t->first, e) != 0 ||
        mem_reserve(&t->parent, &t->parent_capacity, need, sizeof *t->parent, e) != 0 ||
        mem_reserve(&t->symbol, &t->symbol_capacity, need, 1, e) != 0)
        return ERR_NOMEM;
    return mem_reserve(&t->next_weight, &t->next_weight_capacity, need * t->symbol_count,
                       sizeof *t->next_weight, e);
}

static uint32_t
new_node(struct prefix_tree *t, uint32_t parent, unsigned symbol)
{
    uint32_t node = t->nodes++;
    t->parent[node] = parent;
    t->symbol[node] = (uint8_t)symbol;
    for (size_t s = 0; s < t->symbol_count; s++)
        t->next_weight[(size_t)node * t->symbol_count + s] = 0;
    return node;
}

/* Adds the weight of every string to its next symbol, and builds the next level.  Returns
 * the number of strings that reach it. */
static size_t
extend(struct prefix_tree *t, const struct weighted_string *strings, size_t count)
{
    uint32_t depth = t->levels - 1, last_parent = UINT32_MAX;
    unsigned eos = t->symbol_count - 1, last_symbol = 0;
    size_t alive = 0;
    for (size_t i = 0; i < count; i++) {
        if (strings[i].length < depth)
            continue;
        uint32_t node = t->at[i];
        unsigned s = strings[i].length == depth ? eos : strings[i].symbols[depth];
        t->next_weight[(size_t)node * t->symbol_count + s] += strings[i].weight;
        if (s == eos)
            continue;
        alive++;
        if (node != last_parent || s != last_symbol)
            new_node(t, node, s);
        last_parent = node;
        last_symbol = s;
        t->at[i] = t->nodes - 1;
    }
    return alive;
}

int
prefix_tree_build(struct prefix_tree *t, const struct weighted_string *strings, size_t count,
                  unsigned symbol_count, struct err *e)
{
    t->symbol_count = symbol_count;
    t->levels = 0;
    t->nodes = 0;
    if (mem_reserve(&t->at, &t->at_capacity, count, sizeof *t->at, e) != 0)
        return ERR_NOMEM;
    memset(t->at, 0, count * sizeof *t->at);
    int rc = reserve_level(t, 1, e);
    if (rc != 0)
        return rc;
    new_node(t, 0, symbol_count);
    t->first[0] = 0;
    for (size_t alive = count; alive > 0;) {
        t->first[++t->levels] = t->nodes;
        rc = reserve_level(t, alive, e);
        if (rc != 0)
            return rc;
        alive = extend(t, strings, count);
    }
    return 0;
}

/* The length of the longest prefix that two strings share. */
static uint32_t
shared(const struct weighted_string *a, const struct weighted_string *b)
{
    uint32_t n = 0, most = a->length < b->length ? a->length : b->length;
    while (n < most && a->symbols[n] == b->symbols[n])
        n++;
    return n;
}

/* Each string adds the nodes that it does not share with the string before it. */
size_t
prefix_tree_count(const struct weighted_string *strings, size_t count)
{
    size_t nodes = 1;
    for (size_t i = 0; i < count; i++)
        nodes += strings[i].length - (i > 0 ? shared(&strings[i - 1], &strings[i]) : 0);
    return nodes;
}

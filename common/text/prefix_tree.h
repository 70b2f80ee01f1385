/* SPDX-License-Identifier: MIT
 *
 * prefix_tree: the distinct prefixes of a set of strings, as a tree.
 *
 * The state of an autoregressive model depends on the prefix alone, so a
 * computation per node serves all strings that share the node.  Nodes are
 * numbered level by level (level t holds the prefixes of length t; node 0 is
 * the empty one), and within a level in lexicographic order, so that children
 * of one parent are neighbors.  Each node has, for each next symbol, the total
 * weight of the strings that continue with it.
 *
 * Tested by tests/unit/test_training.c.
 */
#ifndef GAMUT_PREFIX_TREE_H
#define GAMUT_PREFIX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strings;

/* One string; the caller owns its symbols. */
struct weighted_string {
    const uint8_t *symbols;
    uint32_t length;
    float weight; /* weight of each of its length + 1 characters */
};

/* String number at[0 .. count-1]; each has weight 1, or with `by_length` 1 / (length + 1). */
void weighted_string_gather(struct weighted_string *to, const struct strings *s, const uint32_t *at,
                            size_t count, bool by_length);

struct prefix_tree {
    unsigned symbol_count; /* V: alphabet + end-of-string */
    uint32_t levels;       /* longest string + 1 */
    uint32_t nodes;
    uint32_t *first;    /* [levels + 1]: level t is first[t] .. first[t+1]-1 */
    uint32_t *parent;   /* [nodes]; 0 for the root */
    uint8_t *symbol;    /* [nodes]: the prefix's last symbol; V for the root */
    float *next_weight; /* [nodes][V]: weight of strings that continue with a symbol */
    size_t first_capacity, parent_capacity, symbol_capacity, next_weight_capacity;
    uint32_t *at; /* [strings]: scratch, each string's node at this level */
    size_t at_capacity;
};

/* Builds the tree of `count` strings (at least one), which are in lexicographic order
 * (strings_compare).  `t` is zeroed or an earlier tree, whose memory is reused.  0,
 * ERR_NOMEM, or ERR_LIMIT for more than 2^31 nodes. */
int prefix_tree_build(struct prefix_tree *t, const struct weighted_string *strings, size_t count,
                      unsigned symbol_count, struct err *e);
void prefix_tree_clear(struct prefix_tree *t);

/* The number of nodes that the tree would have. */
size_t prefix_tree_count(const struct weighted_string *strings, size_t count);

#endif

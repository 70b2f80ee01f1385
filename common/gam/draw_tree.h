/* SPDX-License-Identifier: MIT
 *
 * draw_tree: strings drawn from a proposal q, with the probabilities of r along the way.
 *
 * Drawing n strings visits each distinct prefix once (prefix_walk.h); the tree keeps the
 * next-symbol log-probabilities of r for each of them.  So the density of the same strings
 * under any other guide, at any weights, needs no model step.
 *
 * Tested by tests/unit/test_guide.c.
 */
#ifndef GAMUT_DRAW_TREE_H
#define GAMUT_DRAW_TREE_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct draw_node {
    uint64_t count;  /* draws that have this prefix */
    double log_r;    /* log r of the prefix */
    uint32_t parent; /* of node 0, the empty prefix: 0 */
    uint32_t length; /* symbols */
    uint8_t symbol;  /* the last one; of node 0: the size of the alphabet */
};

struct draw_leaf {
    uint64_t count; /* draws that are this string */
    uint32_t node;
};

/* All zero is an empty tree. */
struct draw_tree {
    unsigned symbols; /* A */
    struct draw_node *node;
    float *row; /* [nodes][A+1]: log r(next symbol | prefix), end of string last */
    size_t nodes, node_capacity, row_capacity;
    struct draw_leaf *leaf; /* distinct strings */
    size_t leaves, leaf_capacity;
    uint64_t draws;   /* proposals */
    uint64_t dropped; /* of those, longer than L, or ended without a string */
};

void draw_tree_clear(struct draw_tree *t);

/* Appends a prefix with the log-probabilities of the next symbol under r, logp[A+1], after
 * its parent; or a string that ends at a node.  0, ERR_NOMEM, or ERR_LIMIT beyond
 * DRAW_TREE_BYTES_MAX. */
enum { DRAW_TREE_BYTES_MAX = 1 << 26 };
int draw_tree_add_node(struct draw_tree *t, const struct draw_node *n, const double *logp,
                       struct err *e);
int draw_tree_add_leaf(struct draw_tree *t, uint32_t node, uint64_t count, struct err *e);

/* Copies the symbols of the string at a leaf into symbols[length]. */
void draw_tree_string(const struct draw_tree *t, const struct draw_leaf *leaf, uint8_t *symbols);

/* log r of the string at a leaf, including its end. */
double draw_tree_log_r(const struct draw_tree *t, const struct draw_leaf *leaf);

#endif

/* SPDX-License-Identifier: MIT
 *
 * tree_drawer: draws strings from r, or from a guided proposal, into a tree (draw_tree.h).
 *
 * N draws are a count N at the empty prefix, split among the next symbols by an exact
 * multinomial draw: one model step per distinct prefix, as in sampler.h.
 *
 * Tested by tests/unit/test_guided.c.
 */
#ifndef GAMUT_TREE_DRAWER_H
#define GAMUT_TREE_DRAWER_H

#include <stddef.h>
#include <stdint.h>

struct draw_tree;
struct err;
struct guide;
struct model;
struct pool;
struct strings;
struct tree_drawer;

/* Draws strings of at most `max_length` symbols.  Model and pool must outlive it; NULL on
 * failure. */
struct tree_drawer *tree_drawer_new(const struct model *r, struct pool *pool, uint64_t max_length,
                                    size_t parts_max, uint64_t seed, const char *purpose,
                                    struct err *e);
void tree_drawer_free(struct tree_drawer *d); /* NULL is fine */

/* Replaces the tree by `draws` strings of the guide's proposal, or of r if it is NULL.
 * `round` is part of the key of the random numbers.  The guide has at most `parts_max`
 * parts.  ERR_LIMIT if the tree gets too large; see tree_drawer_most. */
int tree_drawer_run(struct tree_drawer *d, const struct guide *g, uint64_t round, uint64_t draws,
                    struct draw_tree *t, struct err *e);

/* Replaces the tree by the given strings of at most the maximum length, one draw each; those of
 * probability 0 under r are dropped. */
int tree_drawer_follow(struct tree_drawer *d, const struct strings *given, struct draw_tree *t,
                       struct err *e);

/* The number of draws that a tree can hold, estimated from earlier ones. */
uint64_t tree_drawer_most(const struct tree_drawer *d);

/* Prefixes evaluated so far. */
uint64_t tree_drawer_steps(const struct tree_drawer *d);

#endif

/* SPDX-License-Identifier: MIT
 *
 * prefix_walk: walks down a tree of prefixes with a model, one step per prefix.
 *
 * The visitor keeps its own data about a prefix in a *node* of fixed size, such as the number
 * of samples that share the prefix, or the range of strings that begin with it.  For each
 * prefix the visitor gets the log-probabilities of the next symbol and chooses the symbols with
 * which the walk continues.
 *
 * Prefixes are evaluated in batches that keep the model busy.  Children that do not fit into
 * the next batch wait on a stack, so the walk is depth-first over batches, and its memory grows
 * with the depth of the tree, not with its size.  The order of all calls depends on the tree
 * alone, never on the number of threads.
 *
 * Tested by tests/unit/test_scorer.c and test_sampler.c.
 */
#ifndef GAMUT_PREFIX_WALK_H
#define GAMUT_PREFIX_WALK_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct model;
struct pool;
struct prefix_walk;

/* A set of symbols: bit a % 64 of word a / 64.  It has as many words as the alphabet needs. */
static inline void
symbol_set_add(uint64_t *set, unsigned a)
{
    set[a / 64] |= UINT64_C(1) << a % 64;
}

static inline unsigned
symbol_set_words(unsigned symbols)
{
    return (symbols + 63) / 64;
}

struct prefix_walk_visitor {
    size_t node_bytes; /* a multiple of 8 */

    /* Handles one prefix.  Adds the symbols with which the walk continues to the empty set
     * `mask`; children[a] (node_bytes each) is then the node of the child of symbol a.  Called
     * from several threads at a time. */
    void (*expand)(void *self, void *node, const double *logp, uint64_t *mask, void *children);

    /* Called again for the same prefix, from the calling thread alone and in the order of
     * the walk, before its children are evaluated; it may complete them.  A negative result
     * ends the walk.  NULL: nothing to do. */
    int (*commit)(void *self, void *node, const double *logp, const uint64_t *mask, void *children,
                  struct err *e);
};

/* Model and pool must outlive the walk; NULL on failure. */
struct prefix_walk *prefix_walk_new(const struct model *m, struct pool *pool,
                                    const struct prefix_walk_visitor *visitor, void *self,
                                    struct err *e);
void prefix_walk_free(struct prefix_walk *w); /* NULL is fine */

/* Walks from the empty prefix, whose node is `root`, to the end; 0 or the first error.  Can
 * be called again. */
int prefix_walk_run(struct prefix_walk *w, const void *root, struct err *e);

/* Prefixes evaluated so far. */
uint64_t prefix_walk_steps(const struct prefix_walk *w);

#endif

/* SPDX-License-Identifier: MIT */
#include "gam/tree_drawer.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "gam/draw_tree.h"
#include "gam/guide.h"
#include "model/model.h"
#include "model/prefix_walk.h"
#include "text/strings.h"

/* The node of a prefix in the walk; the states of the guide follow it in memory. */
struct walk_node {
    uint64_t count; /* draws that have this prefix */
    uint64_t key;   /* key of the prefix's random numbers */
    uint64_t ended; /* draws that end here */
    uint64_t lost;  /* draws that exceed the maximum length, or cannot continue */
    double log_r;
    uint32_t parent; /* in the tree */
    uint32_t length;
    uint32_t symbol;
    uint32_t unused;
};

struct tree_drawer {
    unsigned symbols; /* A */
    uint64_t max_length;
    struct prefix_walk_visitor visitor;
    struct prefix_walk *walk;
    struct walk_node *root;
    struct rng random; /* reindexed for each prefix */
    const struct guide *guide;
    const struct strings *given; /* NULL: strings are drawn */
    struct string_order sorted;  /* of the given strings */
    struct draw_tree *tree;
    double nodes_per_draw; /* of the last tree; the maximum before the first one */
};

static uint32_t *
states_of(struct walk_node *n)
{
    return (uint32_t *)(n + 1);
}

static struct walk_node *
child_at(const struct tree_drawer *d, void *children, unsigned a)
{
    return (struct walk_node *)((char *)children + a * d->visitor.node_bytes);
}

/* Weights of the next symbols under the proposal, scaled to a maximum of 1; false if all are
 * 0. */
static bool
proposal(const struct tree_drawer *d, struct walk_node *n, const double *logp, double *weight)
{
    unsigned end = d->symbols;
    double tilt[DRAW_KINDS_MAX], most = -INFINITY;
    memset(tilt, 0, (end + 1) * sizeof *tilt);
    if (d->guide != NULL)
        guide_tilt(d->guide, states_of(n), n->length, tilt);
    for (unsigned a = 0; a <= end; a++) {
        weight[a] = logp[a] + tilt[a];
        most = fmax(most, weight[a]);
    }
    if (most == -INFINITY)
        return false;
    for (unsigned a = 0; a <= end; a++)
        weight[a] -= most;
    dm_exp_all(weight, end + 1, weight);
    return true;
}

static void
add_child(const struct tree_drawer *d, struct walk_node *n, const double *logp, unsigned a,
          uint64_t count, uint64_t key, void *children)
{
    struct walk_node *c = child_at(d, children, a);
    *c = (struct walk_node){.count = count,
                            .key = key,
                            .log_r = n->log_r + logp[a],
                            .length = n->length + 1,
                            .symbol = a};
    if (d->guide != NULL)
        guide_step(d->guide, states_of(n), a, states_of(c));
}

/* The given strings with a prefix lie together; the key is the place of the first one.  Those
 * that end there come first. */
static void
follow(const struct tree_drawer *d, struct walk_node *n, const double *logp, uint64_t *mask,
       void *children)
{
    size_t place = (size_t)n->key, end = place + (size_t)n->count, length;
    n->ended = n->lost = 0;
    while (place < end) {
        const uint8_t *x = string_order_get(&d->sorted, d->given, place, &length);
        size_t first = place++;
        unsigned a = length > n->length ? x[n->length] : d->symbols;
        while (a < d->symbols && place < end &&
               string_order_get(&d->sorted, d->given, place, &length)[n->length] == a)
            place++;
        if (logp[a] == -INFINITY) {
            n->lost += place - first;
        } else if (a == d->symbols) {
            n->ended++;
        } else {
            add_child(d, n, logp, a, place - first, first, children);
            symbol_set_add(mask, a);
        }
    }
}

static void
expand(void *self, void *node, const double *logp, uint64_t *mask, void *children)
{
    struct tree_drawer *d = self;
    struct walk_node *n = node;
    double weight[DRAW_KINDS_MAX];
    uint64_t count[DRAW_KINDS_MAX];
    struct rng r = d->random;
    if (d->given != NULL) {
        follow(d, n, logp, mask, children);
        return;
    }
    n->ended = n->lost = 0;
    if (!proposal(d, n, logp, weight)) {
        n->lost = n->count;
        return;
    }
    rng_reindex(&r, n->key);
    rng_multinomial(&r, n->count, weight, d->symbols + 1, count);
    n->ended = count[d->symbols];
    for (unsigned a = 0; a < d->symbols; a++) {
        if (count[a] > 0 && n->length == d->max_length)
            n->lost += count[a];
        if (count[a] == 0 || n->length == d->max_length)
            continue;
        add_child(d, n, logp, a, count[a], rng_child_key(n->key, a), children);
        symbol_set_add(mask, a);
    }
}

static int
commit(void *self, void *node, const double *logp, const uint64_t *mask, void *children,
       struct err *e)
{
    struct tree_drawer *d = self;
    struct draw_tree *t = d->tree;
    const struct walk_node *n = node;
    const struct draw_node kept = {.count = n->count,
                                   .log_r = n->log_r,
                                   .parent = n->parent,
                                   .length = n->length,
                                   .symbol = (uint8_t)n->symbol};
    uint32_t index = (uint32_t)t->nodes;
    int rc = draw_tree_add_node(t, &kept, logp, e);
    t->dropped += n->lost;
    if (rc == 0 && n->ended > 0)
        rc = draw_tree_add_leaf(t, index, n->ended, e);
    for (unsigned w = 0; w < symbol_set_words(d->symbols); w++)
        for (uint64_t rest = mask[w]; rest != 0; rest &= rest - 1)
            child_at(d, children, 64 * w + (unsigned)__builtin_ctzll(rest))->parent = index;
    return rc;
}

struct tree_drawer *
tree_drawer_new(const struct model *r, struct pool *pool, uint64_t max_length, size_t parts_max,
                uint64_t seed, const char *purpose, struct err *e)
{
    struct tree_drawer *d = mem_zero(1, sizeof *d, e);
    if (d == NULL)
        return NULL;
    d->symbols = r->alphabet.size;
    d->max_length = max_length;
    d->nodes_per_draw = (double)max_length + 1;
    d->visitor.node_bytes = sizeof(struct walk_node) + (parts_max + 1) / 2 * 2 * sizeof(uint32_t);
    d->visitor.expand = expand;
    d->visitor.commit = commit;
    rng_init(&d->random, seed, purpose, 0);
    d->root = mem_zero(1, d->visitor.node_bytes, e);
    d->walk = prefix_walk_new(r, pool, &d->visitor, d, e);
    if (d->root == NULL || d->walk == NULL) {
        tree_drawer_free(d);
        return NULL;
    }
    return d;
}

void
tree_drawer_free(struct tree_drawer *d)
{
    if (d == NULL)
        return;
    prefix_walk_free(d->walk);
    string_order_clear(&d->sorted);
    mem_free(d->root);
    mem_free(d);
}

static int
run(struct tree_drawer *d, uint64_t key, uint64_t draws, struct draw_tree *t, struct err *e)
{
    t->symbols = d->symbols;
    t->nodes = t->leaves = 0;
    t->draws = draws;
    t->dropped = 0;
    d->tree = t;
    *d->root = (struct walk_node){.count = draws, .key = key, .symbol = d->symbols};
    return draws > 0 ? prefix_walk_run(d->walk, d->root, e) : 0;
}

int
tree_drawer_run(struct tree_drawer *d, const struct guide *g, uint64_t round, uint64_t draws,
                struct draw_tree *t, struct err *e)
{
    d->guide = g;
    int rc = run(d, rng_child_key(0, round), draws, t, e);
    if (rc == 0 && draws > 0)
        d->nodes_per_draw = (double)t->nodes / (double)draws;
    return rc;
}

int
tree_drawer_follow(struct tree_drawer *d, const struct strings *given, struct draw_tree *t,
                   struct err *e)
{
    string_order_reset(&d->sorted);
    int rc = string_order_add_range(&d->sorted, 0, given->count, e);
    if (rc == 0)
        rc = string_order_sort(&d->sorted, given, e);
    if (rc != 0)
        return rc;
    d->guide = NULL;
    d->given = given;
    rc = run(d, 0, given->count, t, e);
    d->given = NULL;
    return rc;
}

uint64_t
tree_drawer_most(const struct tree_drawer *d)
{
    double each = (double)sizeof(struct draw_node) + (d->symbols + 1.0) * sizeof(float);
    return (uint64_t)fmax(1, DRAW_TREE_BYTES_MAX / 2 / (each * d->nodes_per_draw));
}

uint64_t
tree_drawer_steps(const struct tree_drawer *d)
{
    return prefix_walk_steps(d->walk);
}

/* SPDX-License-Identifier: MIT
 *
 * guidetest: the tree of all strings of a small base, in the form of draw_tree.h, and the
 * weights of guided draws from it, by enumeration.
 */
#ifndef GAMUT_GUIDETEST_H
#define GAMUT_GUIDETEST_H

#include "gam/draw_pool.h"
#include "gam/draw_tree.h"
#include "support/gamtest.h"

/* Log-probabilities of the next symbol after every possible prefix of the base. */
struct guidetest_rows {
    unsigned symbols;
    double *logp;  /* [space.count][symbols + 1] */
    double *log_r; /* [space.count] of the prefix; -inf if it is impossible */
};

static inline struct guidetest_rows
guidetest_rows_of(const struct gamtest_space *sp, const struct model *base, struct pool *pool)
{
    size_t width = base->alphabet.size + 1u, bytes = model_state_bytes(base);
    struct guidetest_rows rows = {.symbols = base->alphabet.size,
                                  .logp = calloc(sp->count, width * sizeof(double)),
                                  .log_r = calloc(sp->count, sizeof(double))};
    char *states = calloc(sp->count, bytes);
    uint8_t symbols[20];
    const uint32_t none = 0;
    struct model_run *run = model_begin(base, pool, 1, IGNORE_ERR);
    model_root(run, states, rows.logp);
    for (size_t x = 1; x < sp->count; x++) {
        size_t length = space_string(&sp->all, x, symbols);
        size_t parent = space_number(&sp->all, symbols, length - 1);
        uint8_t last = symbols[length - 1];
        rows.log_r[x] = rows.log_r[parent] + rows.logp[parent * width + last];
        if (rows.log_r[x] > -INFINITY)
            model_step(run, 1, states + parent * bytes, &none, &last, states + x * bytes,
                       rows.logp + x * width);
    }
    model_end(run);
    free(states);
    return rows;
}

static inline void
guidetest_rows_clear(struct guidetest_rows *rows)
{
    free(rows->logp);
    free(rows->log_r);
}

/* All possible prefixes of the base, each visited `visits` times, and each string drawn
 * `visits` times; number[leaf] is the number of the string in the space.  The tree counts no
 * draws: in a pool it adds nothing to the density, and gets that of all others. */
static inline void
guidetest_tree(const struct gamtest_space *sp, const struct guidetest_rows *rows, uint64_t visits,
               struct draw_tree *t, size_t *number)
{
    size_t width = rows->symbols + 1u;
    uint32_t *node = calloc(sp->count, sizeof *node);
    uint8_t symbols[20];
    *t = (struct draw_tree){.symbols = rows->symbols};
    for (size_t x = 0; x < sp->count; x++) {
        if (rows->log_r[x] == -INFINITY)
            continue;
        size_t length = space_string(&sp->all, x, symbols);
        struct draw_node n = {.count = visits,
                              .log_r = rows->log_r[x],
                              .length = (uint32_t)length,
                              .symbol = (uint8_t)rows->symbols};
        if (length > 0) {
            n.parent = node[space_number(&sp->all, symbols, length - 1)];
            n.symbol = symbols[length - 1];
        }
        node[x] = (uint32_t)t->nodes;
        draw_tree_add_node(t, &n, rows->logp + x * width, IGNORE_ERR);
        if (rows->logp[x * width + rows->symbols] > -INFINITY) {
            number[t->leaves] = x;
            draw_tree_add_leaf(t, node[x], visits, IGNORE_ERR);
        }
    }
    free(node);
}

/* The weights P(x) / q(x) of all strings under the mixture of proposals that a pool was
 * drawn from, and the mixture itself: log_w and q, [space.count] each; q is 0 where the base
 * has no string.  Adds the strings to the pool. */
static inline void
guidetest_weights(const struct gamtest_space *sp, const struct guidetest_rows *rows,
                  const double *lambda, struct draw_pool *p, double *log_w, double *q)
{
    struct draw_tree all;
    size_t *number = calloc(sp->count, sizeof *number), first = p->strings;
    guidetest_tree(sp, rows, 0, &all, number);
    size_t leaves = all.leaves;
    draw_pool_add(p, NULL, &all, IGNORE_ERR);
    for (size_t x = 0; x < sp->count; x++) {
        log_w[x] = -INFINITY;
        q[x] = 0;
    }
    for (size_t i = 0; i < leaves; i++) {
        log_w[number[i]] = draw_pool_log_weight(p, lambda, first + i);
        q[number[i]] = exp(p->log_density[first + i] - log(p->draws));
    }
    free(number);
}

#endif

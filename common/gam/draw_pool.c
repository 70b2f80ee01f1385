/* SPDX-License-Identifier: MIT */
#include "gam/draw_pool.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/gam.h"
#include "gam/guide.h"
#include "gam/importance.h"

struct pool_member {
    struct guide *guide; /* NULL: r */
    struct draw_tree tree;
    size_t first; /* of its strings */
};

void
draw_pool_clear(struct draw_pool *p)
{
    for (size_t k = 0; k < p->members; k++) {
        guide_free(p->member[k].guide);
        draw_tree_clear(&p->member[k].tree);
    }
    mem_free(p->member);
    mem_free(p->count);
    mem_free(p->log_r);
    mem_free(p->log_density);
    mem_free(p->phi);
    *p = (struct draw_pool){.gam = p->gam};
}

static int
reserve(struct draw_pool *p, size_t more, struct err *e)
{
    size_t need = p->strings + more, n = feature_set_count(p->gam->features);
    if (mem_reserve(&p->count, &p->count_capacity, need, sizeof *p->count, e) != 0 ||
        mem_reserve(&p->log_r, &p->r_capacity, need, sizeof *p->log_r, e) != 0 ||
        mem_reserve(&p->log_density, &p->density_capacity, need, sizeof *p->log_density, e) != 0)
        return ERR_NOMEM;
    return mem_reserve(&p->phi, &p->phi_capacity, need, n * sizeof *p->phi, e);
}

/* Counts, log r and features of the strings of a member. */
static int
describe_strings(struct draw_pool *p, const struct pool_member *m, struct err *e)
{
    const struct feature_set *f = p->gam->features;
    size_t n = feature_set_count(f), capacity = 0;
    uint8_t *symbols = NULL;
    void *record = mem_array(1, feature_set_state_bytes(f), e);
    int rc = record != NULL ? reserve(p, m->tree.leaves, e) : ERR_NOMEM;
    for (size_t i = 0; i < m->tree.leaves && rc == 0; i++) {
        const struct draw_leaf *leaf = &m->tree.leaf[i];
        size_t length = m->tree.node[leaf->node].length, at = m->first + i;
        rc = mem_reserve(&symbols, &capacity, length + 1, 1, e);
        if (rc != 0)
            break;
        draw_tree_string(&m->tree, leaf, symbols);
        feature_set_run(f, record, symbols, length);
        feature_set_values(f, record, p->phi + at * n);
        p->count[at] = leaf->count;
        p->log_r[at] = draw_tree_log_r(&m->tree, leaf);
        p->log_density[at] = -INFINITY;
        p->strings++;
    }
    mem_free(symbols);
    mem_free(record);
    return rc;
}

/* Adds n_j q_j of one member to the density[strings] of another's strings, which are in `p`. */
static int
add_density(const struct draw_pool *p, const struct pool_member *from, const struct pool_member *to,
            double *density, struct err *e)
{
    double log_n = dm_log((double)from->tree.draws);
    double *log_q = mem_array(to->tree.leaves, sizeof *log_q, e);
    int rc = log_q != NULL ? 0 : ERR_NOMEM;
    if (rc == 0 && from->guide != NULL)
        rc = guide_log_q(from->guide, &to->tree, log_q, e);
    for (size_t i = 0; i < to->tree.leaves && rc == 0; i++) {
        size_t at = to->first + i;
        double q = from->guide != NULL ? log_q[i] : p->log_r[at];
        density[at] = dm_log_add_exp(density[at], log_n + q);
    }
    mem_free(log_q);
    return rc;
}

int
draw_pool_add(struct draw_pool *p, struct guide *g, struct draw_tree *t, struct err *e)
{
    int rc = mem_reserve(&p->member, &p->member_capacity, p->members + 1, sizeof *p->member, e);
    if (rc != 0) {
        guide_free(g);
        draw_tree_clear(t);
        return rc;
    }
    struct pool_member *fresh = &p->member[p->members++];
    *fresh = (struct pool_member){.guide = g, .tree = *t, .first = p->strings};
    *t = (struct draw_tree){0};
    p->draws += (double)fresh->tree.draws;
    rc = describe_strings(p, fresh, e);
    for (size_t k = 0; k < p->members && rc == 0; k++) {
        rc = add_density(p, &p->member[k], fresh, p->log_density, e);
        if (rc == 0 && &p->member[k] != fresh)
            rc = add_density(p, fresh, &p->member[k], p->log_density, e);
    }
    return rc;
}

int
draw_pool_join(struct draw_pool *p, struct draw_pool *from, struct err *e)
{
    int rc = 0;
    for (size_t k = 0; k < from->members && rc == 0; k++) {
        struct guide *g = from->member[k].guide;
        from->member[k].guide = NULL;
        rc = draw_pool_add(p, g, &from->member[k].tree, e);
    }
    draw_pool_clear(from);
    return rc;
}

int
draw_pool_string(const struct draw_pool *p, size_t i, uint8_t **symbols, size_t *capacity,
                 size_t *length, struct err *e)
{
    const struct pool_member *m = p->member;
    while (i >= m->first + m->tree.leaves)
        m++;
    const struct draw_leaf *leaf = &m->tree.leaf[i - m->first];
    *length = m->tree.node[leaf->node].length;
    if (mem_reserve(symbols, capacity, *length + 1, 1, e) != 0)
        return ERR_NOMEM;
    draw_tree_string(&m->tree, leaf, *symbols);
    return 0;
}

/* log P of string i. */
static double
log_mass(const struct draw_pool *p, const double *lambda, size_t i)
{
    const struct feature_set *f = p->gam->features;
    return p->log_r[i] + feature_set_dot(f, lambda, p->phi + i * feature_set_count(f));
}

double
draw_pool_log_weight(const struct draw_pool *p, const double *lambda, size_t i)
{
    return log_mass(p, lambda, i) - p->log_density[i] + dm_log(p->draws);
}

int
draw_pool_cross_weights(const struct draw_pool *p, const struct draw_pool *of, const double *lambda,
                        double *log_w, struct err *e)
{
    double *density = mem_array(p->strings, sizeof *density, e);
    int rc = density != NULL ? 0 : ERR_NOMEM;
    for (size_t i = 0; i < p->strings && rc == 0; i++)
        density[i] = -INFINITY;
    for (size_t k = 0; k < of->members && rc == 0; k++)
        for (size_t to = 0; to < p->members && rc == 0; to++)
            rc = add_density(p, &of->member[k], &p->member[to], density, e);
    for (size_t i = 0; i < p->strings && rc == 0; i++)
        log_w[i] = log_mass(p, lambda, i) - density[i] + dm_log(of->draws);
    mem_free(density);
    return rc;
}

void
weight_sums_add(struct weight_sums *s, double log_w, uint64_t count)
{
    double c = dm_log((double)count);
    s->log_sum = dm_log_add_exp(s->log_sum, c + log_w);
    s->log_square = dm_log_add_exp(s->log_square, c + 2 * log_w);
}

struct draw_estimate
weight_sums_estimate(const struct weight_sums *s)
{
    double n = s->draws;
    struct draw_estimate d = {.draws = n, .log_z = -INFINITY, .log_z_se = INFINITY};
    if (s->log_sum == -INFINITY)
        return d;
    d.log_z = s->log_sum - dm_log(n);
    d.ess = dm_exp(2 * s->log_sum - s->log_square);
    d.log_z_se = importance_log_z_se(d.ess, n);
    return d;
}

void
draw_pool_sum(const struct draw_pool *p, const double *lambda, struct weight_sums *s)
{
    for (size_t i = 0; i < p->strings; i++)
        weight_sums_add(s, draw_pool_log_weight(p, lambda, i), p->count[i]);
    s->draws += p->draws;
}

struct draw_estimate
draw_pool_estimate(const struct draw_pool *p, const double *lambda)
{
    struct weight_sums s = WEIGHT_SUMS_NONE;
    draw_pool_sum(p, lambda, &s);
    return weight_sums_estimate(&s);
}

int
draw_pool_importance(const struct draw_pool *p, struct importance *t, struct err *e)
{
    int rc = importance_allocate(t, p->gam->features, p->strings, e);
    if (rc != 0)
        return rc;
    memcpy(t->phi, p->phi, p->strings * t->n * sizeof *t->phi);
    for (size_t i = 0; i < p->strings; i++) {
        t->seen[i] = (double)p->count[i];
        t->log_r[i] = dm_log(t->seen[i]) + p->log_r[i] - p->log_density[i];
    }
    return 0;
}

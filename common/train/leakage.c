/* SPDX-License-Identifier: MIT */
#include "train/leakage.h"

#include <stdbool.h>
#include <stdint.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "train/training_data.h"

enum { SMALL = 64 };

/* How many groups of equal strings there are by size. */
struct groups {
    uint64_t small[SMALL]; /* groups of this size */
    uint64_t *large;       /* [count] the size of each other group */
    size_t count, capacity;
};

static int
add_group(struct groups *g, uint64_t size, struct err *e)
{
    if (size < SMALL) {
        g->small[size]++;
        return 0;
    }
    if (mem_reserve(&g->large, &g->capacity, g->count + 1, sizeof *g->large, e) != 0)
        return ERR_NOMEM;
    g->large[g->count++] = size;
    return 0;
}

/* The place after the strings that are equal to the one at place i. */
static size_t
end_of_equal(const struct string_order *o, const struct strings *s, size_t i)
{
    size_t length, other;
    const uint8_t *first = string_order_get(o, s, i, &length);
    do {
        if (++i == o->count)
            return i;
        const uint8_t *next = string_order_get(o, s, i, &other);
        if (strings_compare(first, length, next, other) != 0)
            return i;
    } while (true);
}

/* Which of the next strings comes first: < 0 that of the training set, 0 they are equal. */
static int
compare_next(const struct training_data *d, size_t i, size_t k)
{
    size_t a_length, b_length;
    if (i == d->train.count || k == d->valid.count)
        return i == d->train.count ? 1 : -1;
    const uint8_t *a = string_order_get(&d->train, &d->strings, i, &a_length);
    const uint8_t *b = string_order_get(&d->valid, &d->strings, k, &b_length);
    return strings_compare(a, a_length, b, b_length);
}

/* Merges both sets. */
static int
find_groups(const struct training_data *d, struct groups *g, size_t *shared, struct err *e)
{
    size_t i = 0, k = 0;
    int rc = 0;
    *shared = 0;
    while (rc == 0 && (i < d->train.count || k < d->valid.count)) {
        int order = compare_next(d, i, k);
        size_t i_end = order <= 0 ? end_of_equal(&d->train, &d->strings, i) : i;
        size_t k_end = order >= 0 ? end_of_equal(&d->valid, &d->strings, k) : k;
        *shared += order == 0 ? k_end - k : 0;
        rc = add_group(g, (i_end - i) + (k_end - k), e);
        i = i_end;
        k = k_end;
    }
    return rc;
}

/* log E exp(t X) of the shared strings X of a group of c > 1:
 * (1 - q + q e^t)^c - q^c (e^(tc) - 1). */
static double
log_moment(double c, double q, double t)
{
    double all = c * dm_log(1 - q + q * dm_exp(t));
    double none_trained = c * (dm_log(q) + t) + dm_log1p(-dm_exp(-t * c));
    return all + dm_log1p(-dm_exp(none_trained - all));
}

/* Chernoff's bound at t: log E exp(t X) - t x. */
static double
log_bound(const struct groups *g, double q, double t, double x)
{
    double sum = -t * x;
    for (int c = 2; c < SMALL; c++)
        if (g->small[c] > 0)
            sum += (double)g->small[c] * log_moment(c, q, t);
    for (size_t i = 0; i < g->count; i++)
        sum += log_moment((double)g->large[i], q, t);
    return sum;
}

/* The least bound; log_bound is convex in t, and 0 at 0. */
static double
least_bound(const struct groups *g, double q, double x)
{
    enum { STEPS = 60 };
    double low = 0, high = 30;
    for (int i = 0; i < STEPS; i++) {
        double third = (high - low) / 3;
        if (log_bound(g, q, low + third, x) < log_bound(g, q, high - third, x))
            high -= third;
        else
            low += third;
    }
    return fmin(0, log_bound(g, q, high, x));
}

int
leakage_find(const struct training_data *d, struct leakage *l, struct err *e)
{
    struct groups g = {0};
    double n = (double)d->train.count, m = (double)d->valid.count;
    int rc = find_groups(d, &g, &l->shared, e);
    l->log_p = rc == 0 && l->shared > 0 ? least_bound(&g, m / (n + m), (double)l->shared) : 0;
    mem_free(g.large);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "train/training_data.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "model/meta.h"
#include "text/string_reader.h"

static int
load(struct training_data *d, struct string_order *set, const struct alphabet *a,
     const struct string_format *f, const char *path, const char *key, struct meta *meta,
     struct err *e)
{
    uint64_t hash;
    size_t before = d->strings.count;
    uint64_t bytes = d->strings.bytes;
    int rc = strings_load(&d->strings, path, a, f, &hash, e);
    if (rc == 0 && d->strings.count == before)
        rc = err_set(e, ERR_DATA, "'%s' contains no strings",
                     strcmp(path, "-") == 0 ? "standard input" : path);
    if (rc == 0)
        rc = string_order_add_range(set, before, d->strings.count, e);
    if (rc == 0)
        rc = meta_set_hash(meta, key, hash, e);
    if (rc == 0 && strcmp(key, "input") == 0)
        rc = meta_set(meta, "input_bytes", e, "%" PRIu64, d->strings.bytes - bytes);
    return rc;
}

int
training_data_load(struct training_data *d, const struct alphabet *a, const struct string_format *f,
                   const char *train, const char *valid, struct meta *meta, struct err *e)
{
    int rc = load(d, &d->train, a, f, train, "input", meta, e);
    if (rc == 0 && valid != NULL)
        rc = load(d, &d->valid, a, f, valid, "input.valid", meta, e);
    if (rc == 0 && f->grow != NULL)
        rc = strings_settle_alphabet(&d->strings, f->grow, e);
    return rc;
}

void
training_data_clear(struct training_data *d)
{
    strings_clear(&d->strings);
    string_order_clear(&d->train);
    string_order_clear(&d->valid);
}

int
training_data_split(struct training_data *d, double fraction, uint64_t seed, struct err *e)
{
    struct string_order *train = &d->train, *valid = &d->valid;
    const size_t n = train->count, part = (size_t)(fraction * (double)n),
                 held = part > 0 ? part : 1;
    struct rng rng;
    if (n < 2)
        return 0;
    rng_init(&rng, seed, "lstm-train/split", 0);
    rng_permutation(&rng, train->at, n);
    int rc = string_order_append(valid, train->at, held, e);
    if (rc != 0)
        return rc;
    memmove(train->at, train->at + held, (n - held) * sizeof *train->at);
    train->count = n - held;
    return 0;
}

int
training_data_sort(struct training_data *d, struct err *e)
{
    int rc = string_order_sort(&d->train, &d->strings, e);
    return rc == 0 ? string_order_sort(&d->valid, &d->strings, e) : rc;
}

/* ---- leakage ------------------------------------------------------------------------ */

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

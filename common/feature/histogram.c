/* SPDX-License-Identifier: MIT */
#include "feature/histogram.h"

#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"

struct histogram {
    const struct feature_set *features;
    struct intern *vectors;
    double *weight; /* [vectors] */
    size_t capacity;
};

struct histogram *
histogram_new(const struct feature_set *f, struct err *e)
{
    struct histogram *h = mem_zero(1, sizeof *h, e);
    if (h == NULL)
        return NULL;
    h->features = f;
    h->vectors = intern_new(feature_set_count(f) * sizeof(uint64_t), INTERN_NONE - 1, e);
    if (h->vectors != NULL)
        return h;
    histogram_free(h);
    return NULL;
}

void
histogram_free(struct histogram *h)
{
    if (h == NULL)
        return;
    intern_free(h->vectors);
    mem_free(h->weight);
    mem_free(h);
}

int
histogram_add(struct histogram *h, const uint64_t *whole, double weight, struct err *e)
{
    uint32_t before = intern_count(h->vectors), i;
    int rc = intern_add(h->vectors, whole, &i, e);
    if (rc < 0)
        return rc;
    if (i == before) {
        if (mem_reserve(&h->weight, &h->capacity, (size_t)i + 1, sizeof *h->weight, e) != 0)
            return ERR_NOMEM;
        h->weight[i] = 0;
    }
    h->weight[i] += weight;
    return 0;
}

int
histogram_merge(struct histogram *h, const struct histogram *other, double factor, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < histogram_count(other); i++)
        rc = histogram_add(h, histogram_numerators(other, i), factor * histogram_weight(other, i),
                           e);
    return rc;
}

size_t
histogram_count(const struct histogram *h)
{
    return intern_count(h->vectors);
}

const uint64_t *
histogram_numerators(const struct histogram *h, size_t i)
{
    return intern_get(h->vectors, (uint32_t)i);
}

void
histogram_values(const struct histogram *h, size_t i, double *phi)
{
    const uint64_t *whole = histogram_numerators(h, i);
    for (size_t k = 0; k < feature_set_count(h->features); k++)
        phi[k] = (double)whole[k] / feature_set_denominator(h->features, k);
}

double
histogram_weight(const struct histogram *h, size_t i)
{
    return h->weight[i];
}

double
histogram_total(const struct histogram *h)
{
    double sum = 0;
    for (size_t i = 0; i < histogram_count(h); i++)
        sum += h->weight[i];
    return sum;
}

void
histogram_mean(const struct histogram *h, double *mean)
{
    size_t n = feature_set_count(h->features);
    double total = histogram_total(h);
    memset(mean, 0, n * sizeof *mean);
    for (size_t v = 0; v < histogram_count(h); v++)
        for (size_t i = 0; i < n; i++)
            mean[i] += histogram_weight(h, v) * (double)histogram_numerators(h, v)[i];
    for (size_t i = 0; i < n; i++)
        mean[i] = mean[i] / total / feature_set_denominator(h->features, i);
}

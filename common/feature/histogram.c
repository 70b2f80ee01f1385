/* SPDX-License-Identifier: MIT */
#include "feature/histogram.h"

#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"

struct hist {
    const struct features *features;
    struct intern *vectors;
    double *weight; /* [vectors] */
    size_t capacity;
};

struct hist *
hist_new(const struct features *f, struct err *e)
{
    struct hist *h = mem_zero(1, sizeof *h, e);
    if (h == NULL)
        return NULL;
    h->features = f;
    h->vectors = intern_new(features_count(f) * sizeof(uint64_t), INTERN_NONE - 1, e);
    if (h->vectors != NULL)
        return h;
    hist_free(h);
    return NULL;
}

void
hist_free(struct hist *h)
{
    if (h == NULL)
        return;
    intern_free(h->vectors);
    mem_free(h->weight);
    mem_free(h);
}

int
hist_add(struct hist *h, const uint64_t *whole, double weight, struct err *e)
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
hist_merge(struct hist *h, const struct hist *other, double factor, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < hist_count(other); i++)
        rc = hist_add(h, hist_whole(other, i), factor * hist_weight(other, i), e);
    return rc;
}

size_t
hist_count(const struct hist *h)
{
    return intern_count(h->vectors);
}

const uint64_t *
hist_whole(const struct hist *h, size_t i)
{
    return intern_get(h->vectors, (uint32_t)i);
}

void
hist_values(const struct hist *h, size_t i, double *phi)
{
    const uint64_t *whole = hist_whole(h, i);
    for (size_t k = 0; k < features_count(h->features); k++)
        phi[k] = (double)whole[k] / features_divisor(h->features, k);
}

double
hist_weight(const struct hist *h, size_t i)
{
    return h->weight[i];
}

double
hist_total(const struct hist *h)
{
    double sum = 0;
    for (size_t i = 0; i < hist_count(h); i++)
        sum += h->weight[i];
    return sum;
}

void
hist_mean(const struct hist *h, double *mean)
{
    size_t n = features_count(h->features);
    double total = hist_total(h);
    memset(mean, 0, n * sizeof *mean);
    for (size_t v = 0; v < hist_count(h); v++)
        for (size_t i = 0; i < n; i++)
            mean[i] += hist_weight(h, v) * (double)hist_whole(h, v)[i];
    for (size_t i = 0; i < n; i++)
        mean[i] = mean[i] / total / features_divisor(h->features, i);
}

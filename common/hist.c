/* SPDX-License-Identifier: MIT */
#include "hist.h"

#include "err.h"
#include "feature.h"
#include "intern.h"
#include "mem.h"

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
        double *grown = mem_grow(h->weight, &h->capacity, (size_t)i + 1, sizeof *grown, e);
        if (grown == NULL)
            return ERR_NOMEM;
        h->weight = grown;
        h->weight[i] = 0;
    }
    h->weight[i] += weight;
    return 0;
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

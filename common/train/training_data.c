/* SPDX-License-Identifier: MIT */
#include "train/training_data.h"

#include <inttypes.h>
#include <string.h>

#include "core/err.h"
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

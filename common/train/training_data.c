/* SPDX-License-Identifier: MIT */
#include "train/training_data.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "model/meta.h"
#include "text/corpus.h"

static int
load(struct corpus **c, const struct alphabet *a, const char *path, const char *key,
     struct meta *meta, struct err *e)
{
    uint64_t hash;
    *c = corpus_new(a, e);
    if (*c == NULL || corpus_load(*c, path, &hash, e) != 0)
        return e->code;
    if (corpus_count(*c) == 0)
        return err_set(e, ERR_DATA, "'%s' holds no strings",
                       strcmp(path, "-") == 0 ? "standard input" : path);
    return meta_set_hash(meta, key, hash, e);
}

int
training_data_load(struct training_data *s, const struct alphabet *a, const char *data,
                   const char *valid, struct meta *meta, struct err *e)
{
    int rc = load(&s->data, a, data, "input", meta, e);
    if (rc == 0 && valid != NULL)
        rc = load(&s->valid, a, valid, "input.valid", meta, e);
    return rc;
}

void
training_data_clear(struct training_data *s)
{
    corpus_free(s->data);
    corpus_free(s->valid);
    *s = (struct training_data){0};
}

/* The strings in random order: the first `held` to `valid`, the others to `data`. */
static int
deal(struct training_data *s, const struct corpus *all, size_t held, uint64_t seed, struct err *e)
{
    const size_t n = corpus_count(all);
    uint32_t *order = mem_array(n, sizeof *order, e);
    uint8_t *codes = mem_array(corpus_longest(all), 1, e);
    int rc = order != NULL && codes != NULL ? 0 : ERR_NOMEM;
    struct rng rng;
    rng_init(&rng, seed, "lstm-train/split", 0);
    if (rc == 0)
        rng_permutation(&rng, order, n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        size_t length = corpus_get(all, order[i], codes);
        rc = corpus_add(i < held ? s->valid : s->data, codes, length, e);
    }
    mem_free(order);
    mem_free(codes);
    return rc;
}

int
training_data_split(struct training_data *s, double fraction, uint64_t seed, struct err *e)
{
    struct corpus *all = s->data;
    size_t n = corpus_count(all), held = (size_t)(fraction * (double)n);
    if (n < 2)
        return 0;
    s->data = corpus_new(corpus_alphabet(all), e);
    s->valid = corpus_new(corpus_alphabet(all), e);
    int rc = s->data != NULL && s->valid != NULL ? 0 : ERR_NOMEM;
    if (rc == 0)
        rc = deal(s, all, held > 0 ? held : 1, seed, e);
    corpus_free(all);
    return rc;
}

size_t
training_data_longest(const struct training_data *s)
{
    size_t a = corpus_longest(s->data), b = s->valid != NULL ? corpus_longest(s->valid) : a;
    return a > b ? a : b;
}

size_t
training_data_shortest(const struct training_data *s)
{
    size_t a = corpus_shortest(s->data), b = s->valid != NULL ? corpus_shortest(s->valid) : a;
    return a < b ? a : b;
}

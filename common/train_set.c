/* SPDX-License-Identifier: MIT */
#include "train_set.h"

#include <string.h>

#include "corpus.h"
#include "err.h"
#include "meta.h"
#include "train.h"

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
train_set_load(struct train_set *s, const struct alphabet *a, const char *data, const char *valid,
               struct meta *meta, struct err *e)
{
    int rc = load(&s->data, a, data, "input", meta, e);
    if (rc == 0 && valid != NULL)
        rc = load(&s->valid, a, valid, "input.valid", meta, e);
    return rc;
}

void
train_set_clear(struct train_set *s)
{
    corpus_free(s->data);
    corpus_free(s->valid);
    *s = (struct train_set){0};
}

int
train_set_split(struct train_set *s, double fraction, uint64_t seed, struct err *e)
{
    struct corpus *all = s->data;
    s->data = NULL;
    int rc = train_split(all, fraction, seed, &s->data, &s->valid, e);
    corpus_free(all);
    return rc;
}

size_t
train_set_longest(const struct train_set *s)
{
    size_t a = corpus_longest(s->data), b = s->valid != NULL ? corpus_longest(s->valid) : a;
    return a > b ? a : b;
}

size_t
train_set_shortest(const struct train_set *s)
{
    size_t a = corpus_shortest(s->data), b = s->valid != NULL ? corpus_shortest(s->valid) : a;
    return a < b ? a : b;
}

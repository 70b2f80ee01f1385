/* SPDX-License-Identifier: MIT
 *
 * toy: a small model with random tables, for tests of code that uses model.h.  The next symbol
 * depends on the last two and on the length modulo 3.  Log-probabilities are computed by libm.
 */
#ifndef GAMUT_TOY_H
#define GAMUT_TOY_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/rng.h"
#include "model/model.h"
#include "support/ignore.h"

enum { TOY_ALPHABET_MAX = 4, TOY_CONTEXTS = 5 * 5 * 3 };

struct toy {
    struct model model;
    double logp[TOY_CONTEXTS][TOY_ALPHABET_MAX + 1];
};

struct toy_state {
    uint16_t last, before; /* symbols; A before the string */
    uint32_t length;
};

static inline const double *
toy_row(const struct toy *t, const struct toy_state *s)
{
    return t->logp[(s->last * 5u + s->before) * 3 + s->length % 3];
}

static inline size_t
toy_state_bytes(const struct model *m)
{
    (void)m;
    return sizeof(struct toy_state);
}

static inline void
toy_root(const struct model *m, void *scratch, void *state, double *logp)
{
    struct toy_state *s = state;
    uint16_t none = (uint16_t)m->alphabet.size;
    (void)scratch;
    *s = (struct toy_state){.last = none, .before = none};
    memcpy(logp, toy_row((const struct toy *)m, s), (none + 1u) * sizeof *logp);
}

static inline void
toy_step(const struct model *m, void *scratch, size_t n, const void *parents,
         const uint32_t *parent, const uint8_t *symbol, void *children, double *logp)
{
    const struct toy_state *from = parents;
    struct toy_state *to = children;
    size_t width = m->alphabet.size + 1;
    (void)scratch;
    for (size_t i = 0; i < n; i++) {
        struct toy_state s = from[parent[i]];
        to[i] = (struct toy_state){.last = symbol[i], .before = s.last, .length = s.length + 1};
        memcpy(logp + i * width, toy_row((const struct toy *)m, &to[i]), width * sizeof *logp);
    }
}

static inline void
toy_free(struct model *m)
{
    (void)m;
}

static const struct model_kind toy_kind = {
    .name = "toy",
    .state_bytes = toy_state_bytes,
    .root = toy_root,
    .step = toy_step,
    .free = toy_free,
};

/* Tables from the seed; the end has a probability of about `end`.  With
 * `holes`, some symbols are impossible here and there. */
static inline void
toy_init(struct toy *t, const char *alphabet, double end, bool holes, uint64_t seed)
{
    struct rng r;
    memset(t, 0, sizeof *t);
    t->model.kind = &toy_kind;
    t->model.max_length = MODEL_UNBOUNDED;
    alphabet_init(&t->model.alphabet, alphabet, IGNORE_ERR);
    unsigned size = t->model.alphabet.size;
    rng_init(&r, seed, "toy", 0);
    for (int c = 0; c < TOY_CONTEXTS; c++) {
        double weight[TOY_ALPHABET_MAX + 1], sum = 0;
        for (unsigned a = 0; a <= size; a++) {
            weight[a] = a < size ? rng_double(&r) : size * end * rng_double(&r);
            if (holes && a > 0 && a < size && c % 7 == 3)
                weight[a] = 0;
            sum += weight[a];
        }
        for (unsigned a = 0; a <= size; a++)
            t->logp[c][a] = log(weight[a] / sum);
    }
}

/* The log-probability of a string, symbol by symbol. */
static inline double
toy_log_prob(const struct toy *t, const uint8_t *symbols, size_t length)
{
    uint16_t none = (uint16_t)t->model.alphabet.size;
    struct toy_state s = {.last = none, .before = none};
    double sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum += toy_row(t, &s)[symbols[i]];
        s = (struct toy_state){.last = symbols[i], .before = s.last, .length = s.length + 1};
    }
    return sum + toy_row(t, &s)[none];
}

#endif

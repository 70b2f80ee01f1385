/* SPDX-License-Identifier: MIT
 *
 * random_model: random automata and random sets of features, for unit tests.
 */
#ifndef GAMUT_RANDOM_MODEL_H
#define GAMUT_RANDOM_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/ignore.h"

/* An automaton of at most this many states with random arcs and weights. */
static inline struct pfsa *
random_model_pfsa(struct rng *r, const char *alphabet, bool acyclic, uint32_t states)
{
    struct pfsa_builder d = {0};
    struct err e = {0};
    uint32_t q;
    alphabet_init(&d.alphabet, alphabet, &e);
    for (uint32_t i = 0; i < states; i++) {
        bool final = i + 1 == states || rng_below(r, 2) == 0;
        pfsa_builder_state(&d, final ? log(rng_double(r)) : -INFINITY, &q, &e);
    }
    for (uint32_t i = 0; i + acyclic < states; i++)
        for (uint8_t a = 0; a < d.alphabet.size; a++) {
            uint32_t from = acyclic ? i + 1 : 0;
            uint32_t to = from + (uint32_t)rng_below(r, states - from);
            if (a == 0 || rng_below(r, 4) > 0) /* small enough that sums over all cycles converge */
                pfsa_builder_arc(&d, i, a, to, log(rng_double(r) / d.alphabet.size), &e);
        }
    struct pfsa *p = pfsa_builder_finish(&d, &e);
    pfsa_builder_clear(&d);
    return p != NULL ? p : random_model_pfsa(r, alphabet, acyclic, states); /* no string at all */
}

/* The spec of a feature of any kind; with !bounded, of one that needs no maximum length. */
static inline void
random_model_spec(struct rng *r, const char *alphabet, bool bounded, char *spec, size_t size)
{
    static const char *const kinds[] = {"motif", "prefix", "suffix", "lcs", "edit", "count"};
    size_t kind = rng_below(r, bounded ? 9 : 6), n = 1 + rng_below(r, 4);
    char word[16] = "";
    for (size_t i = 0; i < n; i++)
        word[i] = alphabet[rng_below(r, strlen(alphabet))];
    if (kind == 5 && !bounded)
        snprintf(spec, size, "length:%zu", n);
    else if (kind < 6)
        snprintf(spec, size, "%s:%s", kinds[kind], word);
    else
        snprintf(spec, size, kind == 6 ? "length" : kind == 7 ? "length2" : "length:%zu", n);
}

/* 1 to `most` different features, and their specs, each after a blank, as `name`. */
static inline struct feature_set *
random_model_features(struct rng *r, const struct alphabet *a, bool bounded, size_t most,
                      char *name, size_t size)
{
    struct err e = {0};
    struct feature_set *f = feature_set_new(a, &e);
    *name = '\0';
    for (size_t n = 1 + rng_below(r, most); feature_set_count(f) < n;) {
        char spec[32];
        random_model_spec(r, a->text, bounded, spec, sizeof spec);
        if (feature_set_add(f, spec, IGNORE_ERR) == 0)
            snprintf(name + strlen(name), size - strlen(name), " %s", spec);
    }
    return f;
}

#endif

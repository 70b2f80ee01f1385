/* SPDX-License-Identifier: MIT
 *
 * background: the strings that the data are compared with: drawn from a chain that is fitted to
 * the data or from another model, or other strings; adjusted to the features found so far.
 *
 * Tested by tests/cli/gam-features.t and bad-input.t.
 */
#ifndef GAMUT_BACKGROUND_H
#define GAMUT_BACKGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct background;
struct err;
struct model;
struct pool;
struct strings;

/* Strings of a model may have this many times the symbols of the data, and more if they are few. */
enum { BACKGROUND_TIMES_MAX = 100, BACKGROUND_SYMBOLS_FEW = 1 << 24 };

/* The chain, if there is neither a model nor other strings. */
struct background_options {
    uint64_t seed;
    unsigned order;               /* of the chain */
    const struct model *model;    /* of the alphabet of the data, or NULL */
    const char *model_name;       /* in messages about it */
    const struct strings *others; /* or NULL */
};

/* Everything must outlive the result; NULL on failure. */
struct background *background_new(const struct background_options *o, const struct strings *data,
                                  const struct alphabet *a, struct pool *pool, struct err *e);
void background_free(struct background *b); /* NULL is fine */

/* Appends strings of the model with the features so far: `count` of them, or, of other strings,
 * all that are kept.  Each call gives other strings, but for other strings without a feature.  0,
 * ERR_EMPTY if strings with the features are too rare, ERR_LIMIT if strings are too long, or
 * another error. */
int background_draw(struct background *b, size_t count, struct strings *out, struct err *e);

/* Takes a feature in.  `first` are strings of the background without features.  ERR_LIMIT if the
 * model becomes too large; other errors. */
int background_add(struct background *b, const char *spec, const struct strings *first,
                   struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * tilted_chain: a Markov chain with features.
 *
 *     P(x) = w(|x|) prod_t theta(x_t | the K symbols before) exp(lambda . phi(x))
 *
 * The lengths have exactly the distribution of the data, by the choice of w.  After each
 * context, each symbol has the share that it has in the data; lambda gives each feature the
 * mean it has in the data.  Without features this is the maximum-likelihood chain of order K.
 * It is not smoothed: smoothing would make every word of the data too rare.
 *
 * Context and features form one finite automaton, so everything is exact: weights by dynamic
 * programming over positions, strings by one walk each.  Random numbers are keyed by seed, draw
 * and string.
 *
 * Tested by tests/unit/test_discover.c.
 */
#ifndef GAMUT_TILTED_CHAIN_H
#define GAMUT_TILTED_CHAIN_H

#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct strings;
struct tilted_chain;

/* States of the automaton times lengths, and context and symbol pairs. */
enum { TILTED_CHAIN_ORDER_MAX = 8, TILTED_CHAIN_CELLS_MAX = 1 << 25 };

/* A chain of order K with the lengths of the strings, which must outlive it.  NULL on failure:
 * ERR_LIMIT if it needs more than TILTED_CHAIN_CELLS_MAX; ERR_NOMEM. */
struct tilted_chain *tilted_chain_new(const struct strings *data, const struct alphabet *a,
                                      unsigned order, struct err *e);
void tilted_chain_free(struct tilted_chain *c); /* NULL is fine */

/* Adds a feature (feature_set.h) with values 0 and 1 that does not depend on the length
 * alone, and fits all weights again.  If its mean in the data is 0 or 1, half a string is
 * added or subtracted.  ERR_LIMIT as above; ERR_USAGE for an invalid spec. */
int tilted_chain_add(struct tilted_chain *c, const char *spec, struct err *e);

/* Appends `count` strings to `out`; another `draw` gives others. */
int tilted_chain_draw(const struct tilted_chain *c, uint64_t seed, uint64_t draw, size_t count,
                      struct strings *out, struct err *e);

/* Under P: the mean of feature i, and the probability of a symbol after a context of up to K
 * symbols at the beginning of a string or K of them elsewhere; for tests. */
double tilted_chain_mean(const struct tilted_chain *c, size_t i);
double tilted_chain_share(const struct tilted_chain *c, const uint8_t *context, size_t length,
                          uint8_t symbol);

#endif

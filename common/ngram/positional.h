/* SPDX-License-Identifier: MIT
 *
 * positional: automata for strings of one length in which each position has symbol
 * probabilities of its own: a position weight matrix, or one Markov chain per position.
 *
 * Of n strings, n_t(a) have a at position t, n_t(b,a) have b before it; N(a) of N symbols
 * are a, A is the size of the alphabet.
 *
 *     f(a)     = (N(a) + 1) / (N + A)                           composition
 *     p_t(a)   = (n_t(a) + K_0 f(a)) / (n + K_0)                order 0
 *     p_t(a|b) = (n_t(b,a) + K_1 p_t(a)) / (n_(t-1)(b) + K_1)   order 1
 *
 * The pseudo-counts K are powers of two chosen by leave-one-out, K_0 by order 0 and then
 * K_1: the fewer strings there are, and the more alike positions are, the larger they get.
 *
 * Tested by tests/unit/test_ngram.c.
 */
#ifndef GAMUT_POSITIONAL_H
#define GAMUT_POSITIONAL_H

#include <stddef.h>

struct alphabet;
struct err;
struct pfsa;
struct strings;

enum { POSITIONAL_CHOOSE = -1, POSITIONAL_ORDERS = 2 };

/* Pseudo-counts that are tried: 2^-2 to 2^10. */
enum { POSITIONAL_LEAST = -2, POSITIONAL_GRID = 13 };

struct positional {
    unsigned order;
    double pseudo_count[POSITIONAL_ORDERS]; /* K_0, and K_1 for order 1 */
    double loo_ce[POSITIONAL_ORDERS];       /* cross-entropy by leave-one-out of the orders that
                                             * were tried, nats per character */
};

/* Chooses the pseudo-counts, and the order if it is POSITIONAL_CHOOSE.  ERR_DATA if there
 * are no strings or several lengths, ERR_LIMIT if the automaton would be too large, ERR_NOMEM. */
int positional_choose(const struct strings *s, const struct alphabet *a, int order,
                      struct positional *choice, struct err *e);

/* The automaton; the same errors. */
struct pfsa *positional_build(const struct strings *s, const struct alphabet *a,
                              const struct positional *choice, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * merging: a deterministic automaton learned by merging states.
 *
 * In the beginning each prefix of the training set is a state, and the states form a tree with
 * counts.  State by state, from the start on, the subtree of a state is merged into a state that
 * was kept earlier and behaves alike, or the state is kept.  Two states that count n(a) and m(a)
 * continuations by symbol a, or by the end, compare by their Bayes factor,
 *
 *     log B = log C(n + m) - log C(n) - log C(m),   C(n) = prod_a (1/2)_n(a) / ((A+1)/2)_|n|
 *
 * where C is the probability of the continuations under a uniform Dirichlet prior of 1/2 and
 * (x)_k = x (x+1) .. (x+k-1).  A merger requires log B >= -T for the two states and all pairs of
 * states below them; of several, the one with the largest sum is made.  (Carrasco and Oncina 1994
 * describe the search; it goes to the most frequent states first.)  T is chosen by learning from
 * four fifths of the strings and predicting the others: the largest within a standard error of the
 * best, by pairs of strings.
 *
 *     p(a) = (n(a) + K f(a)) / (|n| + K),   f(a) = (N(a) + 1) / (N + A + 1)
 *
 * N(a) of N characters are a; K is chosen by leaving out each character.  A symbol that has not
 * been seen in a state leads to where most of its transitions lead.
 *
 * Tested by tests/unit/test_merging.c.
 */
#ifndef GAMUT_MERGING_H
#define GAMUT_MERGING_H

#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct pfsa;
struct strings;

enum { MERGING_TRIED = 4, MERGING_STATES_MAX = 1000, MERGING_CHARACTERS_MAX = 1 << 21 };

struct merging_choice {
    double threshold;            /* T */
    double ce;                   /* of held-out strings under it, nats per character; NaN if there
                                  * are fewer than five strings */
    double tried[MERGING_TRIED]; /* thresholds, and what they gave; NaN: too many states */
    double tried_ce[MERGING_TRIED];
};

/* ERR_DATA if there are no strings or all have one length, since a state does not know its
 * position; ERR_LIMIT if there are too many characters, or too many states at any threshold;
 * ERR_NOMEM. */
int merging_choose(const struct strings *s, const struct alphabet *a, struct merging_choice *choice,
                   struct err *e);

/* The automaton; the same errors. */
struct pfsa *merging_build(const struct strings *s, const struct alphabet *a, double threshold,
                           struct err *e);

#endif

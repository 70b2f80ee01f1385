/* SPDX-License-Identifier: MIT
 *
 * exact_moments: expected features of the strings of a probabilistic automaton,
 * exactly.
 *
 * The states of the automaton are split by what a feature knows of the string
 * so far, and pfsa_stats says how often each of the pairs is visited: a pair
 * contributes the feature's value there, times the visits, times the
 * probability of ending.  Expected counts are sums over visits themselves, so
 * no counter is carried along: E|x| is the number of visits less the first, an
 * occurrence of S is a visit to a pair where S has just ended.
 *
 * Acyclic automata take one pass; cyclic ones are as exact, there is no tolerance.
 */
#ifndef GAMUT_EXACT_MOMENTS_H
#define GAMUT_EXACT_MOMENTS_H

#include <stdint.h>

struct err;
struct feature_set;
struct histogram;
struct pfsa;

enum {
    MOMENTS_LENGTH_MAX = 1 << 20, /* as that of a line: data has no longer strings */
    MOMENTS_PAIRS_MAX = 1 << 26   /* some 3 GB */
};

/* mean[i] = E feature_i, one feature at a time.  L only scales: no string is left
 * out.  ERR_DATA if the alphabets differ; ERR_LIMIT, ERR_NOMEM. */
int exact_means(const struct pfsa *p, const struct feature_set *f, double *mean, struct err *e);

/* Adds to h the probability of every feature vector, over the strings of at
 * most `longest` symbols (MODEL_UNBOUNDED: all of them); what longer ones have
 * is missing from histogram_total.  ERR_DATA also if that would be infinitely many
 * vectors: a cyclic automaton, all strings, and a feature that counts.  ERR_LIMIT
 * if strings of the automaton are left out and `longest` is more than
 * MOMENTS_LENGTH_MAX: there is a list for each length. */
int exact_histogram(const struct pfsa *p, const struct feature_set *f, uint64_t longest,
                    struct histogram *h, struct err *e);

#endif

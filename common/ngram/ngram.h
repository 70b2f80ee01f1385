/* SPDX-License-Identifier: MIT
 *
 * ngram: automata that predict a symbol from the last few, learned from strings.
 *
 * The order is the number of symbols in a context.  States are contexts: after any prefix
 * the automaton is in the longest context that occurs in the training set, whose
 * probabilities are interpolated with those of all shorter ones (ngram_counts.h).  If all
 * strings have one length, the end is certain there and impossible before, and a state is a
 * context and a position; else the end is a symbol like any other.
 *
 * Orders and smoothing are compared by leave-one-out: the probability of each string by the
 * model trained on all others.
 */
#ifndef GAMUT_NGRAM_H
#define GAMUT_NGRAM_H

#include <stddef.h>

#include "ngram/ngram_counts.h"

struct alphabet;
struct err;
struct pfsa;
struct strings;

enum {
    NGRAM_ORDER_AUTO = 4,       /* the greatest order that is tried if none is stated */
    NGRAM_LEFT_OUT_MAX = 10000, /* strings; of more, evenly spaced ones are left out */
    NGRAM_CHOOSE = -1
};

struct ngram_candidate {
    unsigned order;
    enum ngram_smoothing smoothing;
    double loo_ce; /* cross-entropy by leave-one-out, nats per character */
};

struct ngram_choice {
    struct ngram_candidate candidate[(NGRAM_ORDER_AUTO + 1) * NGRAM_SMOOTHINGS];
    size_t count, best;
};

/* Compares the order and the smoothing that are stated; NGRAM_CHOOSE: all.  An order
 * beyond what the automaton can hold is not tried.  Of equals, the first is best: the lowest
 * order, and Witten-Bell.  ERR_DATA if there are no strings, ERR_LIMIT if a stated order
 * is too large, ERR_NOMEM. */
int ngram_choose(const struct strings *s, const struct alphabet *a, int order, int smoothing,
                 struct ngram_choice *choice, struct err *e);

/* The automaton; the same errors. */
struct pfsa *ngram_build(const struct strings *s, const struct alphabet *a, unsigned order,
                         enum ngram_smoothing smoothing, struct err *e);

#endif

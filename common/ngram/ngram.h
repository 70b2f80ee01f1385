/* SPDX-License-Identifier: MIT
 *
 * ngram: automata that predict a symbol from the last few, learned from strings.
 *
 * The order is the number of symbols in a context.  States are contexts: after any prefix the
 * automaton is in the longest context that occurs in the training set.  Its probabilities are
 * interpolated with those of all shorter contexts (ngram_counts.h).  If all strings have one
 * length, the end is certain at that length and impossible before, and a state is a context and
 * a position.  Otherwise the end is treated as a symbol.
 *
 * Orders and smoothing are compared by leave-one-out: the probability of each string under the
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
    NGRAM_ORDER_AUTO = 4,       /* the largest order that is compared if none is given */
    NGRAM_LEFT_OUT_MAX = 10000, /* strings; if there are more, evenly spaced ones are left out */
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

/* Compares the given order and smoothing; NGRAM_CHOOSE: all.  Orders whose automaton would
 * be too large are not compared.  If several are equally good, the first is chosen: the
 * lowest order, and Witten-Bell.  ERR_DATA if there are no strings, ERR_LIMIT if a given
 * order is too large, ERR_NOMEM. */
int ngram_choose(const struct strings *s, const struct alphabet *a, int order, int smoothing,
                 struct ngram_choice *choice, struct err *e);

/* Builds the automaton; the same errors. */
struct pfsa *ngram_build(const struct strings *s, const struct alphabet *a, unsigned order,
                         enum ngram_smoothing smoothing, struct err *e);

#endif

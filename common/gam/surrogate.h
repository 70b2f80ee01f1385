/* SPDX-License-Identifier: MIT
 *
 * surrogate: a small model of r that estimates the weight still to come.
 *
 * It knows a prefix only by its length t and by its state s in an automaton of the features.
 * It learns from the next-symbol probabilities of r at the prefixes of draws (the whole
 * distribution, not the symbol drawn).  Counts are smoothed toward neighboring lengths, the
 * state alone, and a back-off given for the state.  The end of the string is smoothed
 * separately from the symbols, because it mainly depends on t.  The look-ahead
 *
 *     h_t(s) = E[ exp(lambda . phi that is still to come) | t, s ]
 *
 * is one backward pass over t.  It guides draws from r toward P (guide.h).
 *
 * Tested by tests/unit/test_guide.c.
 */
#ifndef GAMUT_SURROGATE_H
#define GAMUT_SURROGATE_H

#include <stddef.h>
#include <stdint.h>

struct draw_tree;
struct err;
struct feature_automaton;

struct surrogate {
    const struct feature_automaton *automaton;
    uint32_t max_length; /* L */
    float *count;        /* [L+1][states][A+1]: visits times r's probabilities */
};

/* Entries of a surrogate's table; UINT64_MAX on overflow. */
uint64_t surrogate_entries(const struct feature_automaton *a, uint64_t max_length);

/* An empty surrogate.  The automaton must outlive it.  0 or ERR_NOMEM. */
int surrogate_init(struct surrogate *s, const struct feature_automaton *a, uint32_t max_length,
                   struct err *e);
void surrogate_clear(struct surrogate *s); /* zeroed is fine */

/* Adds the probabilities of r at the prefixes of a tree to n surrogates, after multiplying earlier
 * counts by `keep`.  0 or ERR_NOMEM. */
int surrogate_learn(const struct surrogate *const *s, size_t n, const struct draw_tree *t,
                    double keep, struct err *e);

/* Counts of the symbols at each state, summed over t: total[states][A]. */
void surrogate_totals(const struct surrogate *s, double *total);

/* log_h[L+1][states] from the weights in nats of the automaton's arcs [states][A] and of
 * ending in a state [states], and of the length [L+1].  backoff[states][A] are probabilities
 * of the symbols where nothing was counted.  0 or ERR_NOMEM. */
int surrogate_look_ahead(const struct surrogate *s, const double *arc, const double *end,
                         const double *time, const double *backoff, double *log_h, struct err *e);

#endif

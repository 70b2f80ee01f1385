/* SPDX-License-Identifier: MIT
 *
 * feature_automaton: the joint automaton of features, with additive parts on its arcs.
 *
 * For a string x of symbols x_1 .. x_n that passes the states s_0 = 0, ..., s_n,
 *
 *     phi_i(x) = (sum_t arc_i(s_{t-1}, x_t) + end_i(s_n) + time_i(n)) / denominator_i
 *
 * where the numerators are integers.  A count is added on the arcs that complete an occurrence,
 * so its state is that of the matcher, without the number so far.  A prefix feature is added
 * where it is decided.  A part that depends only on the length is time_i; it needs no states
 * and is not part of the automaton (feature_set_time_weight).  Everything else is added at the
 * end.
 *
 * The automaton is built for strings of a maximum length: from states that only strings of this
 * length reach, all arcs are loops without terms.  So it is finite also for features such as
 * run.
 *
 * For strings of any length, the automaton is minimal if the automaton of each feature is,
 * which the canonical records of feature_set.h provide: two states differ in the part of some
 * feature, and a string that distinguishes these parts distinguishes the states, since phi is a
 * vector.
 */
#ifndef GAMUT_FEATURE_AUTOMATON_H
#define GAMUT_FEATURE_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct feature_set;

/* A positive number that an arc or an end adds to a feature's numerator. */
struct feature_term {
    uint32_t feature;
    uint32_t numerator;
};

struct feature_automaton {
    unsigned symbols;
    uint32_t states; /* state 0 is the start */
    size_t features; /* of the whole set; features that were not chosen have no terms */
    uint32_t *next;  /* [states][symbols] */
    /* The terms of arc k = s * symbols + a are arc_term[arc_first[k] .. arc_first[k+1]-1],
     * those of ending in s are end_term[end_first[s] .. end_first[s+1]-1], in the order
     * chosen. */
    uint64_t *arc_first; /* [states * symbols + 1] */
    struct feature_term *arc_term;
    uint64_t *end_first; /* [states + 1] */
    struct feature_term *end_term;
};

enum { FEATURE_AUTOMATON_BYTES_MAX = 128 << 20 }; /* while it is built */

/* The automaton of the chosen features (NULL: all) for strings of at most `longest` symbols
 * (UINT64_MAX: any number); states are numbered breadth first.  NULL on failure: ERR_LIMIT
 * if it would have more than `max_entries` transitions or take more than
 * FEATURE_AUTOMATON_BYTES_MAX; ERR_NOMEM. */
struct feature_automaton *feature_automaton_new(const struct feature_set *f, const size_t *chosen,
                                                size_t chosen_count, uint64_t longest,
                                                uint64_t max_entries, struct err *e);
void feature_automaton_free(struct feature_automaton *m); /* NULL is fine */

/* The same automaton, built on demand: the strings of a model may pass few of its states.
 * States are numbered in the order in which they are found. */
struct feature_explorer;
struct feature_explorer *feature_explorer_new(const struct feature_set *f, const size_t *chosen,
                                              size_t chosen_count, uint64_t max_entries,
                                              struct err *e);
void feature_explorer_free(struct feature_explorer *x); /* NULL is fine */

/* Terms, valid until the next arc is requested. */
struct feature_terms {
    const struct feature_term *from, *to;
};

/* The target of `symbol` from a known state, and the terms of the arc; ERR_LIMIT, ERR_NOMEM. */
int feature_explorer_arc(struct feature_explorer *x, uint32_t state, unsigned symbol,
                         uint32_t *next, struct feature_terms *terms, struct err *e);

/* The terms of ending in a known state. */
struct feature_terms feature_explorer_end(const struct feature_explorer *x, uint32_t state);

/* The automaton of the states found so far; states whose arcs were not requested have loops
 * without terms.  Frees x, also on failure, which is ERR_NOMEM. */
struct feature_automaton *feature_explorer_finish(struct feature_explorer *x, struct err *e);

/* The contributions to lambda . phi, in nats, of every arc and every end: arc[s * symbols +
 * a], end[s].  A weight of -inf times a positive number is -inf.  Features of the length
 * alone contribute nothing. */
void feature_automaton_weights(const struct feature_automaton *m, const struct feature_set *f,
                               const double *lambda, double *arc, double *end);

#endif

/* SPDX-License-Identifier: MIT
 *
 * product: a GAM over an automaton is an automaton.
 *
 * Its states are triples: a state of the base, a state of the features' automaton
 * (feature_automaton.h), and the number of symbols so far where that matters.  Its weights
 * are those of the base times exp of the arcs' and ends' shares of lambda . phi, pushed
 * towards the start (pfsa_builder.h): then the automaton is P itself, and the total weight
 * is Z.  Everything that can be said of an automaton exactly can be said of P.
 *
 * The length matters if the base makes strings of more than L symbols, or if a feature
 * depends on it otherwise than by a constant for each symbol (`length2`; `length:N` as far
 * as N + 1).
 *
 * The states depend on the features and on the hard constraints, not on the other weights:
 * new ones are put in place by one pass.
 */
#ifndef GAMUT_PRODUCT_H
#define GAMUT_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct feature_automaton;
struct feature_set;
struct gam;
struct pfsa;

/* States and transitions together; this takes at most 480 MB with the features' automaton. */
enum { PRODUCT_SIZE_MAX = 6000000 };

struct product {
    const struct feature_set *features;
    const size_t *chosen; /* [chosen_count] features in it; NULL: all */
    size_t chosen_count;
    struct feature_automaton *automaton;
    struct pfsa *pfsa;       /* with the weights of the present lambda */
    double *base_logp;       /* [arcs] of the base's arcs */
    double *base_final;      /* [states] */
    double *base_left;       /* [states] probability in the base of its end and of the arcs that
                              * are not here, if there are cycles; else NULL */
    uint32_t *feature_state; /* [states] of the features' automaton */
    uint32_t *time;          /* [states] symbols so far, time_max at most */
    uint64_t time_max;       /* beyond it each symbol adds the same to every feature */
    /* Shares of lambda . phi at the present lambda. */
    double *arc_weight, *end_weight; /* of the features' automaton */
    double *time_weight;             /* [time_max + 1] */
    double time_slope;               /* of a symbol beyond time_max */
    uint64_t max_size;               /* states and transitions */
};

/* The product of the base, given |x| <= max_length (MODEL_UNBOUNDED: any length), with the
 * chosen features (NULL: all).  Weights of -inf in lambda (NULL: none) are hard constraints,
 * and what they rule out is left out; at first all other weights are 0.  Features and `chosen`
 * must outlive the result; the base need not.  NULL on failure: ERR_LIMIT beyond
 * `max_size` (less than 2^31, PRODUCT_SIZE_MAX as a rule) or the limits of the features' automaton;
 * ERR_EMPTY if no string is left; ERR_DATA if a feature grows for ever otherwise than by a
 * constant; ERR_NOMEM. */
struct product *product_new(const struct pfsa *base, const struct feature_set *f,
                            const size_t *chosen, size_t chosen_count, uint64_t max_length,
                            const double *lambda, uint64_t max_size, struct err *e);
void product_free(struct product *x); /* NULL is fine */

/* Puts other weights in place: lambda has a weight for every feature of the set, 0 for
 * those not chosen, and -inf for those that had it from the start.  Afterwards x->pfsa is
 * P / Z, its log_partition is log Z.  ERR_NUMERIC if Z is infinite; ERR_LIMIT if cycles are
 * too densely joined; ERR_NOMEM. */
int product_set_lambda(struct product *x, const double *lambda, struct err *e);

/* The automaton that a GAM over an automaton is, given |x| <= max_length as well; the
 * caller's to free.  NULL on failure, which is ERR_NUMERIC if its weights are too large to be
 * written. */
struct pfsa *product_of_gam(const struct gam *g, uint64_t max_length, struct err *e);

#endif

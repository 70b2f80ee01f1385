/* SPDX-License-Identifier: MIT
 *
 * product: a GAM over an automaton is an automaton.
 *
 * Its states are triples: a state of the base, a state of the features' automaton
 * (feature_automaton.h), and the number of symbols so far if that matters.  Its weights are
 * those of the base times exp of the contributions of arcs and ends to lambda . phi, pushed
 * toward the start (pfsa_builder.h): then the automaton is P / Z, and the total weight is Z.
 * So all exact results for automata hold for P.
 *
 * The length matters if the base generates strings of more than L symbols, or if a feature
 * depends on it by more than a constant per symbol (`length2`; `length:N` up to N + 1).
 *
 * The states depend on the features and on the hard constraints, not on the other weights:
 * changing these takes one pass.
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
    const size_t *chosen; /* [chosen_count] features included; NULL: all */
    size_t chosen_count;
    struct feature_automaton *automaton;
    struct pfsa *pfsa;  /* with the weights at the current lambda */
    double *base_logp;  /* [arcs] of the base's arcs */
    double *base_final; /* [states] */
    double *base_left;  /* [states] probability in the base of its end and of the arcs that were
                           removed, if there are cycles; else NULL */
    uint32_t *feature_state; /* [states] of the features' automaton */
    uint32_t *time;          /* [states] symbols so far, at most time_max */
    uint64_t time_max;       /* beyond it each symbol adds the same to every feature */
    /* Contributions to lambda . phi at the current lambda. */
    double *arc_weight, *end_weight; /* of the features' automaton */
    double *time_weight;             /* [time_max + 1] */
    double time_slope;               /* of a symbol beyond time_max */
    uint64_t max_size;               /* states and transitions */
};

/* The product of the base, given |x| <= max_length (MODEL_UNBOUNDED: any length), with the
 * chosen features (NULL: all).  Weights of -inf in lambda (NULL: none) are hard constraints,
 * and strings that violate them are removed; all other weights are initially 0.  Features
 * and `chosen` must outlive the result; the base need not.  NULL on failure: ERR_LIMIT
 * beyond `max_size` (less than 2^31, normally PRODUCT_SIZE_MAX) or the limits of the
 * features' automaton; ERR_EMPTY if no string is left; ERR_DATA if a feature grows without
 * bound by more than a constant per symbol; ERR_NOMEM. */
struct product *product_new(const struct pfsa *base, const struct feature_set *f,
                            const size_t *chosen, size_t chosen_count, uint64_t max_length,
                            const double *lambda, uint64_t max_size, struct err *e);
void product_free(struct product *x); /* NULL is fine */

/* Sets other weights: lambda has a weight for every feature of the set, 0 for those not
 * chosen, and -inf for the hard constraints of product_new.  Afterward x->pfsa is P / Z, its
 * log_partition is log Z.  ERR_NUMERIC if Z is infinite; ERR_LIMIT if cycles are too densely
 * connected; ERR_NOMEM. */
int product_set_lambda(struct product *x, const double *lambda, struct err *e);

/* The automaton of a GAM over an automaton, given |x| <= max_length as well; the caller
 * frees it.  NULL on failure, which is ERR_NUMERIC if its weights are too large to be
 * written. */
struct pfsa *product_of_gam(const struct gam *g, uint64_t max_length, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * pfsa_stats: what can be said exactly about a probabilistic automaton.
 *
 * Everything follows from how often a random string visits each state: the
 * entropy, say, is the sum of the states' own entropies times their visits.
 * Visits are one pass over an acyclic machine.  In a cyclic one the loops are
 * summed by elimination without a subtraction (state_elimination.h), so the relative error
 * is bounded by a few times states * 2^-53, whatever the mean length: there is
 * no tolerance to choose.  Units are nats.
 */
#ifndef GAMUT_PFSA_STATS_H
#define GAMUT_PFSA_STATS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct pfsa;

struct pfsa_stats {
    double entropy;         /* nats a string */
    double mean_length;     /* symbols, without end-of-string */
    double support;         /* strings of positive probability; may be inf */
    uint64_t support_exact; /* the same if it fits 64 bits, else 0 */
};

struct pfsa_relative {
    double cross_entropy; /* E[-log p_model(x)] for x from the automaton */
    double kl;            /* E[log p(x) - log p_model(x)] */
};

/* 0, ERR_NOMEM or ERR_LIMIT. */
int pfsa_stats(const struct pfsa *p, struct pfsa_stats *s, struct err *e);

/* Both are +inf if the model misses a string of the automaton.  ERR_DATA if
 * their alphabets differ. */
int pfsa_stats_relative(const struct pfsa *p, const struct pfsa *model, struct pfsa_relative *r,
                        struct err *e);

/* visits[q] = expected number of times that a string passes state q, for all
 * states.  Works for any numbering if `acyclic` is false. */
int pfsa_stats_visits(const struct pfsa *p, double *visits, struct err *e);

/* The same for anything that enters at states and is handed on with the
 * probabilities of the arcs: flow[q] >= 0 goes in as what enters at q and comes
 * out as all that passes q. */
int pfsa_stats_flow(const struct pfsa *p, double *flow, struct err *e);

/* Expected totals: gain[q][c] >= 0 goes in as what each visit of q gains, and comes out as
 * what a string gains from q on, q included, for each of `columns` gains. */
int pfsa_stats_totals(const struct pfsa *p, size_t columns, double *gain, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * pfsa_stats: exact statistics of a probabilistic automaton.
 *
 * Everything follows from how often a random string visits each state: for example, the entropy
 * is the sum of the entropies of the states times their visits.  For an acyclic automaton the
 * visits take one pass.  In a cyclic one the loops are summed by elimination without
 * subtraction (state_elimination.h), so the relative error is at most a few times states *
 * 2^-53, for any mean length: there is no tolerance to choose.  Units are nats.
 */
#ifndef GAMUT_PFSA_STATS_H
#define GAMUT_PFSA_STATS_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct pfsa;

struct pfsa_stats {
    double entropy;         /* nats per string */
    double mean_length;     /* symbols, without end-of-string */
    double support;         /* number of strings with positive probability; may be inf */
    uint64_t support_exact; /* the same if it fits 64 bits, else 0 */
    double log_support;     /* its logarithm, also where it is too large for a double */
};

struct pfsa_relative {
    double cross_entropy; /* E[-log p_model(x)] for x from the automaton */
    double kl;            /* E[log p(x) - log p_model(x)] */
};

/* 0, ERR_NOMEM or ERR_LIMIT. */
int pfsa_stats(const struct pfsa *p, struct pfsa_stats *s, struct err *e);

/* Both are +inf if the model gives probability 0 to a string of the automaton.  ERR_DATA if
 * their alphabets differ. */
int pfsa_stats_relative(const struct pfsa *p, const struct pfsa *model, struct pfsa_relative *r,
                        struct err *e);

/* visits[q] = expected number of times that a string passes state q, for all
 * states.  Works for any numbering if `acyclic` is false. */
int pfsa_stats_visits(const struct pfsa *p, double *visits, struct err *e);

/* The same for any flow along the arcs: on entry flow[q] >= 0 is what enters at q, on return
 * it is the total that passes q. */
int pfsa_stats_flow(const struct pfsa *p, double *flow, struct err *e);

/* Expected totals: on entry gain[q][c] >= 0 is the gain of each visit of q, on return it is
 * the gain of a string from q on, including q, for each of `columns` gains. */
int pfsa_stats_totals(const struct pfsa *p, size_t columns, double *gain, struct err *e);

/* log P(|x| <= max_length), by one pass over the automaton per symbol.  -inf if no string is so
 * short.  0 or ERR_NOMEM. */
int pfsa_stats_log_within(const struct pfsa *p, uint64_t max_length, double *log_within,
                          struct err *e);

#endif

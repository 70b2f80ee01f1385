/* SPDX-License-Identifier: MIT
 *
 * dfa_unroll: a constraint (a DFA) unrolled over strings of one length.
 *
 * The states after t symbols are the states of the constraint, without those that cannot be
 * reached or cannot finish in time.  States that accept the same continuations are merged: the
 * result is the minimal acyclic automaton for the constraint and the length.
 *
 * Tested by tests/unit/test_motif_process.c.
 */
#ifndef GAMUT_DFA_UNROLL_H
#define GAMUT_DFA_UNROLL_H

#include <stdint.h>

struct alphabet;
struct err;
struct dfa;
struct pfsa;

/* Strings of `length` symbols, with the sum of symbol_logw[] plus the final weight for
 * accepting, or not, in the constraint as weight; -inf is no weight.  Normalized.  ERR_EMPTY
 * if no string is left, ERR_LIMIT if length times states is too large. */
struct pfsa *dfa_unroll(const struct dfa *m, const struct alphabet *a, uint64_t length,
                        const double *symbol_logw, double accept_logw, double rejection_logw,
                        struct err *e);

#endif

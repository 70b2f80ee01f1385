/* SPDX-License-Identifier: MIT
 *
 * dfa_unroll: a constraint unrolled over strings of one length.
 *
 * The states after t symbols are the constraint's states, less those that
 * cannot be reached or cannot finish in time, and with those merged that
 * accept the same continuations: the result is the smallest acyclic automaton
 * for the constraint and the length.
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

/* Strings of `length` symbols, of weight sum of symbol_logw[] plus the final
 * weight that belongs to accepting (or not) in the constraint; -inf is no
 * weight.  Normalised.  ERR_EMPTY if no string is left, ERR_LIMIT if length
 * times states is out of proportion. */
struct pfsa *dfa_unroll(const struct dfa *m, const struct alphabet *a, uint64_t length,
                        const double *symbol_logw, double accept_logw, double rejection_logw,
                        struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * regex_dfa: compiles a regular expression over an alphabet into a minimal DFA.
 *
 * regex_nfa.h describes the syntax.  The automata are complete (no entry of `next` is
 * DFA_DEAD) and minimal as complete automata: at most one state cannot lead to acceptance.
 * States are numbered breadth first.  Limits bound time and memory for any expression; they
 * count operations, so the same expressions are accepted on every machine.
 */
#ifndef GAMUT_REGEX_DFA_H
#define GAMUT_REGEX_DFA_H

#include <stddef.h>
#include <stdint.h>

#include "automata/dfa.h"

struct alphabet;
struct err;

enum {
    REGEX_ENTRIES_MAX = 1 << 22, /* states times symbols, before minimization */
    REGEX_BYTES_MAX = 1 << 26,   /* for the sets of NFA nodes that the states stand for */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    REGEX_WORK_MAX = 1 << 20 /* keeps runs of the fuzzer short */
#else
    REGEX_WORK_MAX = 1 << 26 /* visits of NFA nodes, about a second */
#endif
};

/* Both functions below return 0 or an error as regex_nfa_parse does, with *position likewise.
 * ERR_LIMIT also means that a limit above is exceeded; then *position is REGEX_NO_POSITION.
 * On failure the result owns nothing and may be cleared. */

/* A DFA that accepts x iff the expression matches somewhere in x.  Free with dfa_clear. */
int regex_dfa_search(struct dfa *d, const struct alphabet *a, const char *expression,
                     size_t *position, struct err *e);

/* Where nonempty matches end.  After x_1 ... x_i the automaton is in a state q with
 *
 *     dfa.accept[q]  some x_j ... x_i with j <= i matches, whatever follows x_i
 *     at_end[q]      some x_j ... x_i with j <= i matches if x_i is the last symbol
 *
 * The first implies the second; they differ only if the expression contains $.  So the number
 * of positions in x_1 ... x_n where a match ends is the sum of accept over the states after
 * x_1, ..., x_{n-1}, plus at_end of the state after x_n.  Both are 0 in the start state. */
struct regex_ends {
    struct dfa dfa;
    uint8_t *at_end; /* [dfa.states] 0 or 1 */
};

int regex_dfa_ends(struct regex_ends *m, const struct alphabet *a, const char *expression,
                   size_t *position, struct err *e);

void regex_ends_clear(struct regex_ends *m); /* a zeroed struct is fine */

#endif

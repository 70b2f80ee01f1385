/* SPDX-License-Identifier: MIT
 *
 * match_counter: counts the positions of a string where a nonempty match of a regular
 * expression ends, by an automaton whose arcs count.
 *
 * The automaton is minimal: for any two states, some continuation adds different counts.  A
 * class of symbols such as [GC] has one state.
 *
 * Tested by tests/unit/test_feature_language.c.
 */
#ifndef GAMUT_MATCH_COUNTER_H
#define GAMUT_MATCH_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;

struct match_counter {
    unsigned symbols;
    uint32_t states; /* state 0 is the start */
    uint32_t *next;  /* [states][symbols] */
    uint8_t *found;  /* [states][symbols] 1 if a match ends with the symbol, whatever follows */
    uint8_t *at_end; /* [states] 1 if one more match ends here at the end of the string */
    /* Bounds on what can follow.  `escape`: the smallest number of symbols, none of which
     * counts, to a state with at_end 0, or DFA_FAR.  `most`: the largest count within r more
     * symbols. */
    uint32_t *escape; /* [states] */
    uint32_t *most;   /* [rows][states] */
    uint32_t *peak;   /* [rows] the maximum over states */
    uint32_t rows;    /* at least 2 */
    bool bounded;     /* further rows are equal to the last */
};

/* 0, or an error as in regex_dfa_ends; the result must be cleared in either case. */
int match_counter_init(struct match_counter *m, const struct alphabet *a, const char *expression,
                       struct err *e);
void match_counter_clear(struct match_counter *m); /* a zeroed struct is fine */

/* The minimum and maximum that at most `rest` more symbols (UINT64_MAX: any number) add to
 * the count.  The maximum is attained if rest < rows or if `bounded`; else it is an upper
 * bound. */
uint32_t match_counter_least(const struct match_counter *m, uint32_t state, uint64_t rest);
double match_counter_most(const struct match_counter *m, uint32_t state, uint64_t rest);

#endif

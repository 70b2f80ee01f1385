/* SPDX-License-Identifier: MIT
 *
 * motif_dfa: one minimal DFA for words that must all occur in a string and words that must not.
 *
 * It is built from an Aho-Corasick automaton of all words.  A state is a row of it with the set
 * of required words seen so far; states are explored from the start and then minimized.  For
 * one required word this is its KMP automaton with |word| + 1 states.
 */
#ifndef GAMUT_MOTIF_DFA_H
#define GAMUT_MOTIF_DFA_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct dfa;
struct err;

enum {
    MOTIF_DFA_WANTED_MAX = 64,      /* words that must occur: a bit each */
    MOTIF_DFA_ENTRIES_MAX = 1 << 22 /* states times symbols, before minimizing */
};

/* A state accepts if all required words have occurred, and is dead after a forbidden one.
 * Without words, the start is the only state.  ERR_USAGE for a word that is empty or not
 * over the alphabet; ERR_LIMIT if there are too many states.  dfa_clear in either case.  The
 * start is never dead, since words have at least one symbol. */
int motif_dfa_build(struct dfa *d, const struct alphabet *a, const char *const *wanted,
                    size_t wanted_count, const char *const *unwanted, size_t unwanted_count,
                    struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * motif_dfa: one small deterministic automaton that follows any number of words
 * through a string: those that must all occur and those that must not.
 *
 * An Aho-Corasick automaton over all words, paired with the set of wanted
 * words seen so far, explored from the start (only what can happen is built)
 * and then minimised.  For one wanted word this is its KMP automaton with
 * |word| + 1 states.
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
    MOTIF_DFA_ENTRIES_MAX = 1 << 22 /* states times symbols, before minimising */
};

/* A state accepts if all wanted words have occurred, and is dead once an
 * unwanted one has; with no words at all the start is the only state.
 * ERR_USAGE for a word that is empty or not in the alphabet, ERR_LIMIT when
 * too many states would be needed.  dfa_clear in either case.  A start that is
 * itself dead cannot be: words have at least one symbol. */
int motif_dfa_build(struct dfa *d, const struct alphabet *a, const char *const *wanted,
                    size_t wanted_count, const char *const *unwanted, size_t unwanted_count,
                    struct err *e);

#endif

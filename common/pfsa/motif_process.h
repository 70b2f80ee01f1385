/* SPDX-License-Identifier: MIT
 *
 * motif_process: random strings with motifs, and the automaton that generates them.
 *
 * Symbols are independent; strings have one length, or a geometric length; some words
 * must occur and others must not.  With a mixture, a stated share of the probability
 * contains the one required word and the rest does not; that is still one
 * deterministic automaton, so its entropy is exact.
 */
#ifndef GAMUT_MOTIF_PROCESS_H
#define GAMUT_MOTIF_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct pfsa;

struct motif_process {
    struct alphabet alphabet;
    double prob[ALPHABET_MAX]; /* of each symbol; they sum to 1 */
    bool has_length, has_mix;
    uint64_t length; /* of every string, with has_length */
    double stop;     /* else: probability of ending at each position */
    double mix;      /* share of the strings that contain the word */
    const char *const *required, *const *forbidden; /* the words */
    size_t required_count, forbidden_count;
};

/* The automaton; its log_partition is the log of the probability of the constraint
 * under independent symbols (0 for a mixture, whose two parts are normalized
 * separately).  NULL with ERR_USAGE for a bad word, ERR_EMPTY if no string satisfies
 * the constraint, or one part of a mixture has none; ERR_LIMIT, ERR_NOMEM. */
struct pfsa *motif_process_build(const struct motif_process *p, struct err *e);

#endif

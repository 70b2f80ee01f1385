/* SPDX-License-Identifier: MIT
 *
 * process: random strings as the command line describes them
 * (process_options.h), and the automaton that generates them.
 *
 * White noise (independent symbols) of one length, or of a geometric length,
 * given that some motifs occur and others do not.  With a mixture, a stated
 * share of the probability contains the motif and the rest does not; that is
 * still one deterministic automaton, so its entropy is exact.
 *
 * The options are kept as text until process_build, because what a motif
 * means depends on an alphabet that may come later on the command line.
 */
#ifndef GAMUT_MOTIF_PROCESS_H
#define GAMUT_MOTIF_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/words.h"

struct err;
struct pfsa;

struct process {
    const char *given;    /* name of a process option that was set, or NULL */
    const char *alphabet; /* NULL: "01" */
    const char *probs;    /* NULL: uniform, or by p1 */
    bool has_length, has_stop, has_mix, has_p1;
    uint64_t length;
    double stop; /* probability of ending at each position */
    double mix;  /* share of the strings that contain the motif */
    double p1;   /* probability of the second of two symbols */
    struct words motifs, excludes;
};

void process_clear(struct process *p);

/* The automaton; its log_partition is the log of the white noise's probability
 * of the constraint (0 for a mixture, whose two parts are normalised each by
 * itself).  ERR_USAGE for options that do not go together, naming them;
 * ERR_EMPTY if no string satisfies them; ERR_LIMIT, ERR_NOMEM. */
struct pfsa *process_build(const struct process *p, struct err *e);

#endif

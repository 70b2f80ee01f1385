/* SPDX-License-Identifier: MIT
 *
 * process: random strings as the command line describes them, and the
 * automaton that generates them.
 *
 * White noise (independent symbols) of one length, or of a geometric length,
 * given that some motifs occur and others do not.  With a mixture, a stated
 * share of the probability contains the motif and the rest does not; that is
 * still one deterministic automaton, so its entropy is exact.
 *
 * The options are kept as text until process_build, because what a motif
 * means depends on an alphabet that may come later on the command line.
 */
#ifndef GAMUT_PROCESS_H
#define GAMUT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "words.h"

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

enum process_key { PROCESS_MIX = 600, PROCESS_P1, PROCESS_PROBS, PROCESS_STOP };

/* Entries for a tool's option table; keys go to process_set. */
#define PROCESS_OPTIONS                                                                            \
    {0, NULL, NULL, "Process options", CLI_HEADING},                                               \
        {'a', "alphabet", "CHARS", "symbols, in order [01]", 0},                                   \
        {'l', "length", "N", "strings of N symbols; this or --stop is needed", 0},                 \
        {PROCESS_STOP, "stop", "P", "end at each position with probability P", 0},                 \
        {'m', "motif", "S", "S occurs; given again, all of them occur [none]", 0},                 \
        {'x', "exclude", "S", "S does not occur; given again, none of them does [none]", 0},       \
        {PROCESS_MIX, "mix", "P",                                                                  \
         "P of the probability contains the one motif, the rest does\nnot [1]", 0},                \
        {PROCESS_P1, "p1", "P", "probability of the second of two symbols [0.5]", 0},              \
    {                                                                                              \
        PROCESS_PROBS, "probs", "P,P,..", "probability of each symbol [all the same]", 0           \
    }

/* Takes an option of the table: 1 if it was one, 0 if the key is not known
 * here, or a negative error.  `value` must outlive the process. */
int process_set(struct process *p, int key, const char *value, struct err *e);
void process_clear(struct process *p);

/* The automaton; its log_partition is the log of the white noise's probability
 * of the constraint (0 for a mixture, whose two parts are normalised each by
 * itself).  ERR_USAGE for options that do not go together, naming them;
 * ERR_EMPTY if no string satisfies them; ERR_LIMIT, ERR_NOMEM. */
struct pfsa *process_build(const struct process *p, struct err *e);

/* What a tool with process options and an optional operand means: the model
 * at `path` if that is not NULL, else process_build.  Both is ERR_USAGE. */
struct pfsa *process_or_model(const struct process *p, const char *path, struct err *e);

#endif

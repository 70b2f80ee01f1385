/* SPDX-License-Identifier: MIT
 *
 * process_options: the process options of all tools, as text and as settings.
 */
#ifndef GAMUT_PROCESS_OPTIONS_H
#define GAMUT_PROCESS_OPTIONS_H

struct err;
struct pfsa;
struct process;

enum process_options_key {
    PROCESS_OPTION_MIX = 600,
    PROCESS_OPTION_P1,
    PROCESS_OPTION_PROBS,
    PROCESS_OPTION_STOP
};

/* Entries for a tool's option table; keys go to process_options_set. */
#define PROCESS_OPTIONS                                                                            \
    {0, NULL, NULL, "Process options", CLI_HEADING},                                               \
        {'a', "alphabet", "CHARS", "symbols, in order [01]", 0},                                   \
        {'l', "length", "N", "strings of N symbols; this or --stop is needed", 0},                 \
        {PROCESS_OPTION_STOP, "stop", "P", "end at each position with probability P", 0},          \
        {'m', "motif", "S", "S occurs; given again, all of them occur [none]", 0},                 \
        {'x', "exclude", "S", "S does not occur; given again, none of them does [none]", 0},       \
        {PROCESS_OPTION_MIX, "mix", "P",                                                           \
         "P of the probability contains the one motif, the rest does\nnot [1]", 0},                \
        {PROCESS_OPTION_P1, "p1", "P", "probability of the second of two symbols [0.5]", 0},       \
    {                                                                                              \
        PROCESS_OPTION_PROBS, "probs", "P,P,..", "probability of each symbol [all the same]", 0    \
    }

/* Takes an option of the table: 1 if it was one, 0 if the key is not known
 * here, or a negative error.  `value` must outlive the process. */
int process_options_set(struct process *p, int key, const char *value, struct err *e);

/* What a tool with process options and an optional operand means: the model
 * at `path` if that is not NULL, else process_build.  Both is ERR_USAGE. */
struct pfsa *process_options_model(const struct process *p, const char *path, struct err *e);

#endif

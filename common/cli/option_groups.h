/* SPDX-License-Identifier: MIT
 *
 * option_groups: options that several tools have: of features, and of the source of strings.
 *
 * Their values are kept as text until they are used, because what a word means depends on
 * an alphabet that may come later on the command line, or from a model.
 *
 * Tested by tests/unit/test_motif_process.c.
 */

#ifndef GAMUT_OPTION_GROUPS_H
#define GAMUT_OPTION_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli_option.h"
#include "text/line_reader.h"

struct alphabet;
struct err;
struct feature_set;
struct pfsa;

/* All zero is none given. */
struct feature_options {
    const char *bits;       /* of --ft, or NULL */
    struct text_list specs; /* of --feature */
    const char *file;       /* of --features, or NULL */
    uint64_t max_length;    /* L, or 0 if not given */
};

/* Rows for a tool's table of options.  `to` is the struct feature_options in the tool's
 * `type` of options, `what` the verb of the help text, `l` the help of --max-length. */
#define FEATURE_OPTIONS(type, to, what, l)                                                         \
    {0, "feature", "SPEC", what " SPEC, see gamut-features(7); can be repeated",                   \
     CLI_LIST(type, to.specs)},                                                                    \
        {0, "features", "FILE", what "s from FILE, one SPEC per line",                             \
         CLI_FILE(type, to.file, FILE_READ)},                                                      \
        {0, "ft", "BITS",                                                                          \
         "features of the motif by bit mask, in the order "                                        \
         "m, m+0, m/2, d0, d1, d2, d3; alphabet 01 only",                                          \
         CLI_TEXT(type, to.bits)},                                                                 \
    {                                                                                              \
        0, "max-length", "N", l, CLI_U64(type, to.max_length, 1, UINT32_MAX)                       \
    }

/* Whether any features were asked for. */
bool feature_options_given(const struct feature_options *o);

/* The features: those of --ft, of --feature, of --features; perhaps none.  `motif` has the motifs
 * of the command line, of which --ft needs just one.  L is set if it was given. NULL with
 * ERR_USAGE, naming the option, or ERR_NOMEM. */
struct feature_set *feature_options_build(const struct feature_options *o, const struct alphabet *a,
                                          const char *const *motif, size_t motifs, struct err *e);

/* The source of strings.  All zero is none. */
struct process_options {
    const char *alphabet; /* NULL: "01" */
    const char *probs;    /* NULL: uniform, or by p1 */
    bool has_length, has_stop, has_mix, has_p1;
    uint64_t length;
    double stop; /* probability of ending at each position */
    double mix;  /* share of the strings that contain the motif */
    double p1;   /* probability of the second of two symbols */
    struct text_list motifs, excludes;
};

#define STOP_MIN 1e-6 /* strings of a million symbols on average */

/* Rows for a tool's table of options, as FEATURE_OPTIONS. */
#define PROCESS_OPTIONS(type, to)                                                                  \
    CLI_HEADING("Source"),                                                                         \
        {'a', "alphabet", "CHARS", "the symbols, in order [default: 01]",                          \
         CLI_TEXT(type, to.alphabet)},                                                             \
        {'l',                                                                                      \
         "length",                                                                                 \
         "N",                                                                                      \
         "strings have N symbols; this or --stop is required",                                     \
         CLI_U64(type, to.length, 0, LINE_SYMBOLS_MAX),                                            \
         CLI_GIVEN(type, to.has_length)},                                                          \
        {0,                                                                                        \
         "stop",                                                                                   \
         "P",                                                                                      \
         "strings end at each position with probability P",                                        \
         CLI_F64(type, to.stop, STOP_MIN, 1),                                                      \
         CLI_GIVEN(type, to.has_stop)},                                                            \
        {'m', "motif", "S", "strings contain S; can be repeated, then all of them",                \
         CLI_LIST(type, to.motifs)},                                                               \
        {'x', "exclude", "S", "strings do not contain S; can be repeated, then none of them",      \
         CLI_LIST(type, to.excludes)},                                                             \
        {0,                                                                                        \
         "mix",                                                                                    \
         "P",                                                                                      \
         "strings contain the motif with probability P [default: all contain the motifs]",         \
         CLI_F64(type, to.mix, 0, 1),                                                              \
         CLI_GIVEN(type, to.has_mix)},                                                             \
        {0,                                                                                        \
         "p1",                                                                                     \
         "P",                                                                                      \
         "probability of the second of two symbols [default: 0.5]",                                \
         CLI_F64(type, to.p1, 0, 1),                                                               \
         CLI_GIVEN(type, to.has_p1)},                                                              \
    {                                                                                              \
        0, "probs", "P,P,...", "probability of each symbol [default: equal]",                      \
            CLI_TEXT(type, to.probs)                                                               \
    }

/* The automaton of the process.  NULL with ERR_USAGE for options that do not go
 * together, naming them; else as motif_process_build. */
struct pfsa *process_options_build(const struct process_options *p, struct err *e);

/* What a tool with process options and an optional operand means: the model
 * at `path` if that is not NULL, else process_options_build.  Both is ERR_USAGE. */
struct pfsa *process_options_model(const struct process_options *p, const char *path,
                                   struct err *e);

#endif

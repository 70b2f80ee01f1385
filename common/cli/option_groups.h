/* SPDX-License-Identifier: MIT
 *
 * option_groups: options that several tools share: for features, for hard constraints, for the
 * source of strings, and for a part of a sample.
 *
 * Values are kept as text until they are used, because the meaning of a word depends on an
 * alphabet that may come later on the command line, or from a model.
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
#include "text/string_reader.h"

struct alphabet;
struct cli;
struct err;
struct feature_set;
struct pfsa;

/* How strings are written, and their alphabet.  All zero is none given. */
struct string_options {
    const char *alphabet; /* NULL: not given */
    int format;           /* enum string_kind */
    bool tokens, fold_case, skip_bad;
};

extern const char *const string_kind_names[]; /* by enum string_kind */

/* Rows for a tool's table of options: for tools that read strings over the alphabet of a model,
 * and for tools without a model, whose option -a has the help text `help`. */
#define STRING_OPTIONS(type, to)                                                                   \
    {0, "format", "NAME",                                                                          \
     "format of the data: lines, fasta, or auto (fasta if they begin with '>') [default: auto]",   \
     CLI_NAME(type, to.format, string_kind_names)},                                                \
        {0, "fold-case", NULL, "read letters in the case that the alphabet has",                   \
         CLI_FLAG(type, to.fold_case)},                                                            \
        {0, "skip-bad", NULL,                                                                      \
         "leave out strings with symbols outside the alphabet, and count them",                    \
         CLI_FLAG(type, to.skip_bad)},                                                             \
    {                                                                                              \
        0, "tokens", NULL, "symbols are words separated by blanks", CLI_FLAG(type, to.tokens)      \
    }

#define ALPHABET_OPTION(type, to, help)                                                            \
    {                                                                                              \
        'a', "alphabet", "ALPHABET", help, CLI_TEXT(type, to.alphabet)                             \
    }

#define ALPHABET_HELP                                                                              \
    "the symbols: characters and ranges such as a-z0-9; or dna, rna, protein, lower, upper, "      \
    "digits, print; or auto, the symbols that occur in the data"

/* What helps against invalid strings, for the remedies of a tool. */
#define STRING_REMEDIES                                                                            \
    [REMEDY_BAD_SYMBOL] = "leave such strings out with --skip-bad",                                \
    [REMEDY_FOLD_CASE] = "use --fold-case",                                                        \
    [REMEDY_SKIP_BAD] = "leave such strings out with --skip-bad",                                  \
    [REMEDY_SET_FORMAT] = "state --format lines or fasta"

/* The same for tools with -a. */
#define ALPHABET_REMEDIES                                                                          \
    [REMEDY_SET_ALPHABET] = "set the alphabet with -a",                                            \
    [REMEDY_BAD_SYMBOL] =                                                                          \
        "-a auto takes the symbols that occur, --skip-bad leaves such strings out",                \
    [REMEDY_FOLD_CASE] = "use --fold-case",                                                        \
    [REMEDY_SKIP_BAD] = "leave such strings out with --skip-bad",                                  \
    [REMEDY_SET_FORMAT] = "state --format lines or fasta"

/* The alphabet of -a and --tokens, 01 by default.  With auto, and by default with --tokens, it is
 * empty, and the data fill it.  0, or ERR_USAGE that names the option. */
int string_options_alphabet(const struct string_options *o, struct alphabet *a, struct err *e);

/* How to read strings over an alphabet; if it is empty, symbols are added to it. */
struct string_format string_options_format(const struct string_options *o, struct alphabet *a);

/* Whether --tokens fits the alphabet of a model: 0 or ERR_USAGE. */
int string_options_check(const struct string_options *o, const struct alphabet *a, struct err *e);

/* Reports how many strings were left out, and the symbols that were found: `grown` is the
 * alphabet if the data filled it, else NULL. */
void string_options_report(const struct cli *c, uint64_t skipped, const struct alphabet *grown);

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

/* Whether any features were requested. */
bool feature_options_given(const struct feature_options *o);

/* The features of --ft, --feature and --features, which may be none.  `motif` has the motifs
 * of the command line; --ft requires exactly one.  L is set if it was given.  NULL with
 * ERR_USAGE, naming the option, or ERR_NOMEM. */
struct feature_set *feature_options_build(const struct feature_options *o, const struct alphabet *a,
                                          const char *const *motif, size_t motifs, struct err *e);

/* Hard constraints.  All zero means that no option was given. */
struct constraint_options {
    struct text_list required, forbidden;
};

/* Rows for a tool's table of options, as FEATURE_OPTIONS. */
#define CONSTRAINT_OPTIONS(type, to)                                                               \
    CLI_HEADING("Constraints"),                                                                    \
        {0, "require", "SPEC",                                                                     \
         "every string has the property SPEC, such as motif:S or count:S@1..3; see "               \
         "gamut-features(7); can be repeated",                                                     \
         CLI_LIST(type, to.required)},                                                             \
    {                                                                                              \
        0, "forbid", "SPEC", "no string has SPEC; can be repeated", CLI_LIST(type, to.forbidden)   \
    }

bool constraint_options_given(const struct constraint_options *o);

/* The features that must be 0; perhaps none.  NULL with ERR_USAGE, naming the option, ERR_LIMIT or
 * ERR_NOMEM. */
struct feature_set *constraint_options_build(const struct constraint_options *o,
                                             const struct alphabet *a, struct err *e);
/* Part `number` (from 1) of `of` parts of a sample; all zero is the whole. */
struct shard_options {
    uint64_t number, of;
};

enum { SHARDS_MAX = 1000000 };

#define SHARD_OPTION(type, to)                                                                     \
    {                                                                                              \
        0, "shard", "I/N", "draw part I of N: the parts, in order, are the sample [default: 1/1]", \
            CLI_SET(cli_set_shard, type, to)                                                       \
    }

cli_setter cli_set_shard;

/* Strings of this part of `total`. */
uint64_t shard_count(const struct shard_options *o, uint64_t total);

/* Strings of the parts before it. */
uint64_t shard_first(const struct shard_options *o, uint64_t total);

/* Its number from 0, for rng_part_index. */
uint64_t shard_part(const struct shard_options *o);

/* The format of strings that are written: 0 for lines, 1 for FASTA. */
extern const char *const string_output_names[];

#define STRING_OUTPUT_OPTION(type, to)                                                             \
    {                                                                                              \
        0, "format", "NAME", "write lines, or fasta with the names 1, 2, ... [default: lines]",    \
            CLI_NAME(type, to, string_output_names)                                                \
    }

/* Reads "P,P,...": n numbers from 0 to 1 that sum to 1 within 1e-9, and normalizes them.
 * `each` says what a number is for, "symbol".  0 or ERR_USAGE. */
int shares_parse(const char *text, size_t n, const char *each, double *share, struct err *e);

/* The source of strings.  All zero means that no option was given. */
struct process_options {
    const char *alphabet; /* NULL: "01" */
    bool tokens;
    const char *probs; /* NULL: uniform, or by p1 */
    bool has_length, has_stop, has_mix, has_p1;
    uint64_t length;
    double stop; /* probability of ending at each position */
    double mix;  /* share of the strings that contain the motif */
    double p1;   /* probability of the second of two symbols */
    struct text_list motifs, excludes;
};

#define STOP_MIN 1e-6 /* strings have a million symbols on average */

/* Rows for a tool's table of options, as in FEATURE_OPTIONS. */
#define PROCESS_OPTIONS(type, to)                                                                  \
    CLI_HEADING("Source"),                                                                         \
        {'a', "alphabet", "ALPHABET",                                                              \
         "the symbols, in order: characters and ranges such as a-z0-9, or dna, rna, protein, "     \
         "lower, upper, digits, print [default: 01]",                                              \
         CLI_TEXT(type, to.alphabet)},                                                             \
        {0, "tokens", NULL, "the symbols of -a are words separated by blanks",                     \
         CLI_FLAG(type, to.tokens)},                                                               \
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
        {'m', "motif", "S", "strings contain S; if repeated, all of them",                         \
         CLI_LIST(type, to.motifs)},                                                               \
        {'x', "exclude", "S", "strings do not contain S; if repeated, none of them",               \
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

/* The automaton of the source.  NULL with ERR_USAGE for options that cannot be combined,
 * naming them; else as motif_process_build. */
struct pfsa *process_options_build(const struct process_options *p, struct err *e);

/* For a tool with source options and an optional operand: the model at `path` if that is not
 * NULL, else process_options_build.  Both at once is ERR_USAGE. */
struct pfsa *process_options_model(const struct process_options *p, const char *path,
                                   struct err *e);

/* The features to compute on strings of this source, `p`.  L is the length of its longest strings
 * unless it was given.  NULL as feature_options_build, and with ERR_USAGE if L is needed but
 * strings have no maximum length. */
struct feature_set *process_options_features(const struct process_options *o,
                                             const struct feature_options *f, const struct pfsa *p,
                                             struct err *e);

#endif

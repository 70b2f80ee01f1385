/* SPDX-License-Identifier: MIT
 *
 * option_groups: features as the command lines of all tools describe them.
 *
 * The options are kept as text until feature_options_build, because what a word
 * means depends on an alphabet that may come later, or from a model.
 */

#ifndef GAMUT_OPTION_GROUPS_H
#define GAMUT_OPTION_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct feature_set;
struct pfsa;

/* words: texts from a command line: a list of what an option was given, and
 * one out of the few that an option takes.
 */

/* Pointers into argv, in the order given.  All zero is none. */
struct text_list {
    const char **word;
    size_t count, capacity;
};

int text_list_add(struct text_list *w, const char *word, struct err *e); /* 0 or ERR_NOMEM */
void text_list_clear(struct text_list *w);

/* The place of `word` in a list that ends with NULL: 0, or ERR_USAGE with all
 * that there is to choose from. */
int choose_name(const char *const *list, const char *word, int *place, struct err *e);

/* All zero is none given. */
struct feature_options {
    const char *bits;       /* of --ft, or NULL */
    struct text_list specs; /* of --feature */
    uint64_t max_length;    /* L, or 0 if not given */
};

enum feature_options_key { FEATURE_OPTION_SPEC = 700, FEATURE_OPTION_FT, FEATURE_OPTION_L };

/* Entries for a tool's option table; keys go to feature_options_set.  `what`
 * is the verb of the help text, `l` the help of --max-length. */
#define FEATURE_OPTIONS(what, l)                                                                   \
    {FEATURE_OPTION_SPEC, "feature", "SPEC", what " SPEC, see gamut-features(7); can be repeated", \
     0},                                                                                           \
        {FEATURE_OPTION_FT, "ft", "BITS",                                                          \
         "features of the motif by bit mask, in the order "                                        \
         "m, m+0, m/2, d0, d1, d2, d3; alphabet 01 only",                                          \
         0},                                                                                       \
    {                                                                                              \
        FEATURE_OPTION_L, "max-length", "N", l, 0                                                  \
    }

/* Takes an option of the table: 1 if it was one, 0 if the key is not known
 * here, or a negative error.  `value` must outlive the options. */
int feature_options_set(struct feature_options *o, int key, const char *value, struct err *e);
void feature_options_clear(struct feature_options *o);

/* The features, those of --ft first; perhaps none.  `motif` has the motifs of
 * the command line, of which --ft needs just one.  L is set if it was given.
 * NULL with ERR_USAGE, naming the option, or ERR_NOMEM. */
struct feature_set *feature_options_build(const struct feature_options *o, const struct alphabet *a,
                                          const char *const *motif, size_t motifs, struct err *e);

/* process_options: the process options of all tools, as text and as settings.
 */

/* The options are kept as text until process_options_build, because what a motif means
 * depends on an alphabet that may come later on the command line.  All zero is none. */
struct process_options {
    const char *given;    /* name of an option that was set, or NULL */
    const char *alphabet; /* NULL: "01" */
    const char *probs;    /* NULL: uniform, or by p1 */
    bool has_length, has_stop, has_mix, has_p1;
    uint64_t length;
    double stop; /* probability of ending at each position */
    double mix;  /* share of the strings that contain the motif */
    double p1;   /* probability of the second of two symbols */
    struct text_list motifs, excludes;
};

void process_options_clear(struct process_options *p);

enum process_options_key {
    PROCESS_OPTION_MIX = 600,
    PROCESS_OPTION_P1,
    PROCESS_OPTION_PROBS,
    PROCESS_OPTION_STOP
};

/* Entries for a tool's option table; keys go to process_options_set. */
#define PROCESS_OPTIONS                                                                            \
    {0, NULL, NULL, "Source", CLI_HEADING},                                                        \
        {'a', "alphabet", "CHARS", "the symbols, in order [default: 01]", 0},                      \
        {'l', "length", "N", "strings have N symbols; this or --stop is required", 0},             \
        {PROCESS_OPTION_STOP, "stop", "P", "strings end at each position with probability P", 0},  \
        {'m', "motif", "S", "strings contain S; can be repeated, then all of them", 0},            \
        {'x', "exclude", "S", "strings do not contain S; can be repeated, then none of them", 0},  \
        {PROCESS_OPTION_MIX, "mix", "P",                                                           \
         "strings contain the motif with probability P [default: all contain the motifs]", 0},     \
        {PROCESS_OPTION_P1, "p1", "P", "probability of the second of two symbols [default: 0.5]",  \
         0},                                                                                       \
    {                                                                                              \
        PROCESS_OPTION_PROBS, "probs", "P,P,...", "probability of each symbol [default: equal]", 0 \
    }

/* Takes an option of the table: 1 if it was one, 0 if the key is not known
 * here, or a negative error.  `value` must outlive the options. */
int process_options_set(struct process_options *p, int key, const char *value, struct err *e);

/* The automaton of the process.  NULL with ERR_USAGE for options that do not go
 * together, naming them; else as motif_process_build. */
struct pfsa *process_options_build(const struct process_options *p, struct err *e);

/* What a tool with process options and an optional operand means: the model
 * at `path` if that is not NULL, else process_options_build.  Both is ERR_USAGE. */
struct pfsa *process_options_model(const struct process_options *p, const char *path,
                                   struct err *e);

#endif

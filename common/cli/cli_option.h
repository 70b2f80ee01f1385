/* SPDX-License-Identifier: MIT
 *
 * cli_option: the rows of a tool's table of options.  A row gives the type of the value and the
 * member of the tool's options that it sets:
 *
 *     static const struct cli_option options[] = {
 *         CLI_HEADING("Sampling"),
 *         {'n', "count", "N", "number of strings to draw [default: 1]",
 *          CLI_U64(struct options, count, 0, INT64_MAX)},
 *         {0, "stats", "FILE", "write statistics to FILE",
 *          CLI_FILE(struct options, stats, FILE_WRITE)},
 *         CLI_END};
 *
 * Texts point into argv.  The initial values of the members are the defaults.
 */
#ifndef GAMUT_CLI_OPTION_H
#define GAMUT_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/file_check.h"

struct err;
struct cli_option;

/* Sets the member that the row names; `value` is NULL for a flag.  0, or ERR_USAGE with a
 * text to which cli adds the name of the option. */
typedef int cli_setter(const struct cli_option *o, void *member, const char *value, struct err *e);

struct cli_option {
    int letter;        /* 0: none */
    const char *name;  /* long name; NULL: a heading */
    const char *value; /* its argument in help, "N" or "FILE"; NULL for a flag */
    const char *help;  /* wrapped when printed; ends with "[default: ...]" */
    bool no_trace;     /* cannot change the result: not recorded in a model; files are not recorded
                          either */
    cli_setter *set;
    size_t member;            /* offset of the member */
    size_t given;             /* 1 + offset of a bool that is set to true; 0: none */
    enum file_use file;       /* of an option that names a file */
    uint64_t min, max;        /* of a CLI_U64 */
    double low, high;         /* of a CLI_F64 */
    const char *const *names; /* of a CLI_NAME; ends with NULL */
    int number;               /* of a CLI_CHOICE, or for a setter of the tool's own */
};

#define CLI_HEADING(text)                                                                          \
    {                                                                                              \
        .help = (text)                                                                             \
    }
#define CLI_END                                                                                    \
    {                                                                                              \
        .help = NULL                                                                               \
    }

/* The members of a row after its help text.  `type` is the tool's struct of options. */
#define CLI_SET(setter, type, to)      .set = (setter), .member = offsetof(type, to)
#define CLI_FLAG(type, to)             CLI_SET(cli_set_flag, type, to) /* bool */
#define CLI_TEXT(type, to)             CLI_SET(cli_set_text, type, to) /* const char * */
#define CLI_FILE(type, to, use)        CLI_SET(cli_set_text, type, to), .file = (use)
#define CLI_LIST(type, to)             CLI_SET(cli_set_list, type, to) /* struct text_list */
#define CLI_U64(type, to, least, most) CLI_SET(cli_set_u64, type, to), .min = (least), .max = (most)
#define CLI_F64(type, to, least, most)                                                             \
    CLI_SET(cli_set_f64, type, to), .low = (least), .high = (most)                /* double */
#define CLI_NAME(type, to, list) CLI_SET(cli_set_name, type, to), .names = (list) /* int */
#define CLI_CHOICE(type, to, n)  CLI_SET(cli_set_choice, type, to), .number = (n) /* int */
#define CLI_GIVEN(type, to)      .given = 1 + offsetof(type, to)                  /* bool */

cli_setter cli_set_flag, cli_set_text, cli_set_list, cli_set_u64, cli_set_f64, cli_set_name,
    cli_set_choice;

/* Applies one option; `options` is the tool's struct. */
int cli_option_set(const struct cli_option *o, void *options, const char *value, struct err *e);

/* The file that an option names, or NULL. */
const char *cli_option_path(const struct cli_option *o, const void *options);

/* Frees the lists among the options; `o` ends with CLI_END. */
void cli_options_clear(const struct cli_option *o, void *options);

/* The values of an option that can be repeated: pointers into argv, in order.  All zero is
 * none. */
struct text_list {
    const char **word;
    size_t count, capacity;
};

int text_list_add(struct text_list *w, const char *word, struct err *e); /* 0 or ERR_NOMEM */
void text_list_clear(struct text_list *w);

/* The index of `word` in a list that ends with NULL: 0, or ERR_USAGE with all valid words. */
int choose_name(const char *const *list, const char *word, int *place, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * cli: the command line that all tools share.
 *
 * A tool lists its own options in a table; cli adds the common ones, runs
 * getopt_long, prints --help and --version from the same table, and writes
 * down the canonical command line for a model's provenance (options that
 * cannot change a result are left out).  The tool only receives
 * (key, value) pairs.
 */

#ifndef GAMUT_CLI_H
#define GAMUT_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/file_check.h"
#include "core/err.h"

struct meta;
struct output;
struct cli_option;
struct cli_tool;
struct err;

enum cli_exit { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNMET = 3 };

enum {
    CLI_HEADING = 1,  /* not an option: `help` is a heading in --help */
    CLI_NO_TRACE = 2, /* cannot change the result, or names a file: not recorded */
    CLI_REPORT = 4    /* this tool reports: adds --json */
};

struct cli_option {
    int key;           /* the letter, or a number past 255 for long-only options */
    const char *name;  /* long name */
    const char *value; /* what it takes, "N" or "FILE"; NULL for a flag */
    const char *help;  /* wrapped when printed; ends with "[default: ...]" */
    unsigned flags;    /* CLI_NO_TRACE, CLI_HEADING */
};

struct cli_tool {
    const char *name;
    const char *operands;             /* as in the synopsis, "[MODEL]" */
    const char *summary;              /* one sentence */
    const char *details;              /* a few lines under the synopsis, or NULL */
    const char *examples;             /* one or two command lines, or NULL */
    const struct cli_option *options; /* ends with a NULL help */
    unsigned flags;                   /* CLI_REPORT */
    int min_operands, max_operands;   /* max -1: any number */
    /* One option: 0 or ERR_USAGE with a text that cli completes with the
     * option's name.  `value` lives as long as argv. */
    int (*set)(void *self, int key, const char *value, struct err *e);
    /* What the tool advises where the library left a remedy, "use --regime rs"; NULL:
     * nothing.  It ends the error's text, after "; ". */
    const char *remedy[REMEDY_COUNT];
};

/* The common options' values, and what is left of the command line. */
struct cli {
    const struct cli_tool *tool;
    const char *output; /* -o, "-" by default */
    uint64_t seed;      /* -s */
    int threads;        /* -j, 0 = all cores */
    int verbosity;      /* 0, raised by -v, lowered by -q */
    int progress;       /* -1 decide by terminal, else 0 or 1 */
    bool json;          /* --json */
    char **operands;
    int operand_count;
    char *command; /* canonical command line, for meta */
};

/* Returns -1 to go on, or the exit status with which to leave main at once
 * (0 after --help and --version, 2 after a usage error, already reported). */
int cli_parse(struct cli *c, const struct cli_tool *tool, void *self, int argc, char **argv);

/* The operand i, or "-" if there are not so many. */
const char *cli_operand(const struct cli *c, int i);

/* file_check of all that the tool will read and write, to be called before
 * any is opened; also warns if input is to come from a terminal. */
int cli_files(const struct cli *c, const struct file_entry *file, size_t count, struct err *e);

/* tool, version, command and seed as the first rows of a new meta. */
struct meta *cli_meta(const struct cli *c, struct err *e);

/* Opens -o.  With `binary`, a terminal is refused.  If the file needs a
 * temporary name until it is complete, signals that end the process remove it. */
struct output *cli_output(const struct cli *c, bool binary, struct err *e);

/* Closes the output (commit if no error so far, else abort), prints the error
 * if there is one, frees what cli_parse allocated, and gives the exit status:
 * `status` when all went well. */
int cli_finish(struct cli *c, struct output *out, int status, struct err *e);

/* Diagnostics on stderr.  cli_warn prints "tool: warning: text" unless -q is given; cli_note
 * prints "tool: text" if -v is given.  cli_unmet prints the reason for exit status 3, also with
 * -q, and returns that status. */
void cli_warn(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_unmet(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* cli_text: what --help and --version print.
 */

/* From the tool's table and that of the options it shares with others; both end
 * with a NULL help. */
void cli_text_help(struct output *out, const struct cli_tool *tool, const struct cli_option *common,
                   struct err *e);

/* `all`: also how it was built. */
void cli_text_version(struct output *out, const struct cli_tool *tool, bool all, struct err *e);

#endif

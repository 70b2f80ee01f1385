/* SPDX-License-Identifier: MIT
 *
 * cli: the command line that all tools share.
 *
 * A tool describes itself in a struct cli_tool, and its main is cli_main.  cli adds the common
 * options, runs getopt_long, prints --help and --version from the same table, and records the
 * canonical command line for the provenance of a model (options that cannot change a result are
 * left out).  It checks the files that operands and options name, runs the tool, closes its
 * output and reports its error.
 *
 * Tested by tests/cli/bad-input.t and doc-check.t.
 */

#ifndef GAMUT_CLI_H
#define GAMUT_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli_option.h"
#include "cli/file_check.h"
#include "core/err.h"

struct meta;
struct output;
struct cli;

enum cli_exit { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNMET = 3 };

enum {
    CLI_REPORT = 1,          /* this tool reports: adds --json */
    CLI_OPTIONAL_OPERAND = 2 /* a missing operand means none, not standard input */
};

/* An operand: its name in messages, "MODEL", and how the file is used. */
struct cli_operand {
    const char *name;
    enum file_use use;
};

struct cli_tool {
    const char *name;
    const char *operands;             /* as in the synopsis, "[MODEL]" */
    const char *summary;              /* one sentence */
    const char *details;              /* a few lines under the synopsis, or NULL */
    const char *examples;             /* one or two command lines, or NULL */
    const struct cli_option *options; /* ends with CLI_END */
    unsigned flags;                   /* CLI_REPORT, CLI_OPTIONAL_OPERAND */
    int min_operands, max_operands;   /* max -1: any number, all of them operand[0] */
    struct cli_operand operand[2];
    bool writes_model; /* for -o: it may replace a model that is read */
    /* Checks the options against each other, before any file is used; NULL: nothing to
     * check.  0 or ERR_USAGE. */
    int (*check)(struct cli *c, void *options, struct err *e);
    /* The work.  Returns the exit status, which counts if there is no error. */
    int (*run)(struct cli *c, void *options, struct err *e);
    /* The tool's advice for a remedy that the library passed, for example "use --regime rs";
     * NULL: none.  It ends the text of the error, after "; ". */
    const char *remedy[REMEDY_COUNT];
};

/* The values of the common options, and the rest of the command line. */
struct cli {
    const struct cli_tool *tool;
    const char *output; /* -o, "-" by default */
    bool writes_model;  /* the tool's, or set by its check */
    bool no_stdin;      /* set by the tool's check: a missing operand means none */
    uint64_t seed;      /* -s */
    int threads;        /* -j, 0 = all cores */
    int verbosity;      /* 0, raised by -v, lowered by -q */
    int progress;       /* -1: only on a terminal, else 0 or 1 */
    bool json;          /* --json */
    char **operands;
    int operand_count;
    char *command;      /* canonical command line, for meta */
    struct output *out; /* of cli_output, or NULL */
};

/* The main function of a tool.  `options` is the tool's struct with its defaults; lists in
 * it are freed.  Returns the exit status. */
int cli_main(const struct cli_tool *tool, void *options, int argc, char **argv);

/* Operand i.  If it is not given, "-", or NULL with CLI_OPTIONAL_OPERAND or no_stdin. */
const char *cli_operand(const struct cli *c, int i);

/* For a tool that has set no_stdin and finds that the operand is needed: a missing one is stdin
 * from here on.  ERR_USAGE if another file is stdin too. */
int cli_use_stdin(struct cli *c, const void *options, struct err *e);

/* tool, version, command and seed as the first rows of a new meta. */
struct meta *cli_meta(const struct cli *c, struct err *e);

/* Opens -o; cli_main closes it, as a complete file or not at all.  With `binary`, a
 * terminal is refused.  If the file needs a temporary name until it is complete, signals
 * that end the process remove it. */
struct output *cli_output(struct cli *c, bool binary, struct err *e);

/* Diagnostics on stderr.  cli_warn prints "tool: warning: text" and cli_say "tool: text" unless -q
 * is given; cli_note prints "tool: text" if -v is given.  cli_unmet prints the reason for exit
 * status 3, also with -q, and returns that status. */
void cli_warn(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_say(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_unmet(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

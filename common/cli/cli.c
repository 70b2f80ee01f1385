/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "cli/signals.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/utf8.h"
#include "core/version.h"
#include "io/output.h"
#include "model/meta.h"

enum { OPTIONS_MAX = 64, LONG_KEY = 256 /* key of the first option without a letter */ };
enum { COMMAND_MAX = META_BYTES_MAX / 2 }; /* maximum characters that are recorded */

/* ---- common options ------------------------------------------------------------------ */

static int
set_threads(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    uint64_t n;
    int rc = num_parse_u64(value, o->min, o->max, &n, e);
    if (rc == 0)
        *(int *)member = (int)n;
    return rc;
}

static int
change_verbosity(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)value, (void)e;
    *(int *)member += o->number;
    return 0;
}

/* --help and --version are handled before everything else. */
static int
set_nothing(const struct cli_option *o, void *member, const char *value, struct err *e)
{
    (void)o, (void)member, (void)value, (void)e;
    return 0;
}

/* Their values go to struct cli.  The first row is for tools that print a report. */
static const struct cli_option common_options[] = {
    {0, "json", NULL, "print the report as one JSON object", true, CLI_FLAG(struct cli, json)},
    {'o', "output", "FILE",
     "write to FILE, compressed if its name ends in .gz; '-' is stdout [default: -]", true,
     CLI_TEXT(struct cli, output)},
    {'s', "seed", "N", "seed of the random numbers [default: 1]", true,
     CLI_U64(struct cli, seed, 0, UINT64_MAX)},
    {'j', "threads", "N",
     "number of threads, 0 means one per core; the result does not depend on it [default: 0]", true,
     CLI_SET(set_threads, struct cli, threads), .max = 1024},
    {0, "progress", NULL, "show progress on stderr [default: if it is a terminal]", true,
     CLI_CHOICE(struct cli, progress, 1)},
    {0, "no-progress", NULL, "do not show progress", true, CLI_CHOICE(struct cli, progress, 0)},
    {'q', "quiet", NULL, "print no warnings and no progress", true,
     CLI_SET(change_verbosity, struct cli, verbosity), .number = -1},
    {'v', "verbose", NULL, "print progress details to stderr", true,
     CLI_SET(change_verbosity, struct cli, verbosity), .number = 1},
    {'h', "help", NULL, "print this help and exit", true, .set = set_nothing},
    {0, "version", NULL, "print the version and exit; with -v, build details, too", true,
     .set = set_nothing},
    CLI_END};

static const struct cli_option *
common_of(const struct cli_tool *tool)
{
    return (tool->flags & CLI_REPORT) != 0 ? common_options : common_options + 1;
}

/* The tables that getopt_long needs, and the map from a key to its option. */
struct option_table {
    const struct cli_option *option[OPTIONS_MAX];
    int count, own; /* the options of the tool come first */
    char letters[3 * OPTIONS_MAX + 1];
    struct option longs[OPTIONS_MAX + 1];
};

static int
key_of(const struct option_table *t, int i)
{
    return t->option[i]->letter != 0 ? t->option[i]->letter : LONG_KEY + i;
}

static void
add_options(struct option_table *t, const struct cli_option *o)
{
    for (; o->help != NULL; o++) {
        if (o->name == NULL)
            continue;
        int wants = o->value != NULL ? required_argument : no_argument;
        t->option[t->count] = o;
        t->longs[t->count] = (struct option){o->name, wants, NULL, key_of(t, t->count)};
        t->count++;
        size_t n = strlen(t->letters);
        if (o->letter != 0)
            snprintf(t->letters + n, sizeof t->letters - n, "%c%s", o->letter, wants ? ":" : "");
    }
}

static void
make_table(struct option_table *t, const struct cli_tool *tool)
{
    memset(t, 0, sizeof *t);
    add_options(t, tool->options);
    t->own = t->count;
    add_options(t, common_of(tool));
}

/* The number of the option with this key, or -1. */
static int
find_option(const struct option_table *t, int key)
{
    for (int i = 0; i < t->count; i++)
        if (key_of(t, i) == key)
            return i;
    return -1;
}

/* ---- messages ------------------------------------------------------------------------ */

/* A line on stderr.  Texts contain file names and parts of files; control characters in them
 * must not reach the terminal, nor look like another line of the tool. */
static void
tell(const struct cli *c, char *text)
{
    utf8_flatten(text);
    fprintf(stderr, "%s: %s\n", c->tool->name, text);
}

/* What the user wrote, and a caret under the place of the error. */
static void
point_at(const struct err *e)
{
    char source[ERR_SOURCE_MAX];
    memcpy(source, e->source, sizeof source);
    utf8_flatten(source);
    fprintf(stderr, "    %s\n    %*s\n", source, (int)utf8_count(source, e->column - 1) + 1, "^");
}

/* The error, with the tool's advice. */
static void
tell_error(const struct cli *c, const struct err *e)
{
    const char *advice = c->tool->remedy[e->remedy];
    char text[ERR_TEXT_MAX + 128];
    snprintf(text, sizeof text, "%s%s%s", e->text, advice != NULL ? "; " : "",
             advice != NULL ? advice : "");
    tell(c, text);
    if (e->column > 0)
        point_at(e);
}

static void
say(const struct cli *c, const char *label, const char *format, va_list ap)
{
    char text[ERR_TEXT_MAX];
    int n = snprintf(text, sizeof text, "%s", label);
    vsnprintf(text + n, sizeof text - (size_t)n, format, ap);
    tell(c, text);
}

void
cli_warn(const struct cli *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (c->verbosity >= 0)
        say(c, "warning: ", format, ap);
    va_end(ap);
}

int
cli_unmet(const struct cli *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    say(c, "", format, ap);
    va_end(ap);
    return EXIT_UNMET;
}

void
cli_say(const struct cli *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (c->verbosity >= 0)
        say(c, "", format, ap);
    va_end(ap);
}

void
cli_note(const struct cli *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (c->verbosity > 0)
        say(c, "", format, ap);
    va_end(ap);
}

static void
try_help(const struct cli *c)
{
    fprintf(stderr, "Try '%s --help' for more information.\n", c->tool->name);
}

/* ---- --help and --version ------------------------------------------------------------ */

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* The length of the next piece of help text that is not broken: a word, or a default in
 * brackets if it fits into a line. */
static size_t
help_piece(const char *text)
{
    const char *end = text[0] == '[' ? strchr(text, ']') : NULL;
    if (end != NULL && end + 1 - text <= HELP_WIDTH - HELP_COLUMN)
        return (size_t)(end + 1 - text) + strcspn(end + 1, " ");
    return strcspn(text, " \n");
}

/* Text from the current column on, wrapped; continuation lines begin at HELP_COLUMN. */
static void
help_text(struct output *out, const char *text, struct err *e)
{
    size_t column = HELP_COLUMN;
    while (*text != '\0') {
        size_t n = help_piece(text);
        if (column > HELP_COLUMN && column + 1 + n > HELP_WIDTH) {
            output_printf(out, e, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            output_write(out, " ", 1, e);
            column++;
        }
        output_write(out, text, n, e);
        column += n;
        text += n + (text[n] != '\0');
    }
    output_write(out, "\n", 1, e);
}

/* "  -l, --length N      text" */
static void
help_option(struct output *out, const struct cli_option *o, struct err *e)
{
    char left[80], letter[8] = "    ";
    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int n = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name,
                     o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
    output_printf(out, e, "%s", left);
    if (n >= HELP_COLUMN - 1)
        output_printf(out, e, "\n%*s", HELP_COLUMN, "");
    else
        output_printf(out, e, "%*s", HELP_COLUMN - n, "");
    help_text(out, o->help, e);
}

static void
help_options(struct output *out, const struct cli_option *o, struct err *e)
{
    for (; o->help != NULL; o++)
        if (o->name == NULL)
            output_printf(out, e, "\n%s:\n", o->help);
        else
            help_option(out, o, e);
}

static void
print_help(struct output *out, const struct cli_tool *tool, struct err *e)
{
    output_printf(out, e, "Usage: %s [OPTION]...%s%s\n%s\n", tool->name,
                  tool->operands[0] != '\0' ? " " : "", tool->operands, tool->summary);
    if (tool->details != NULL)
        output_printf(out, e, "\n%s\n", tool->details);
    if (tool->options->name != NULL)
        output_printf(out, e, "\nOptions:\n");
    help_options(out, tool->options, e);
    output_printf(out, e, "\nCommon options:\n");
    help_options(out, common_of(tool), e);
    if (tool->examples != NULL)
        output_printf(out, e, "\nExamples:\n%s\n", tool->examples);
    output_printf(out, e, "\nSee %s(1), and gamut(7) for the toolkit.\n", tool->name);
}

/* clang also defines __GNUC__. */
#ifdef __clang__
#define COMPILER       "clang"
#define COMPILER_MAJOR __clang_major__
#define COMPILER_MINOR __clang_minor__
#define COMPILER_PATCH __clang_patchlevel__
#else
#define COMPILER       "gcc"
#define COMPILER_MAJOR __GNUC__
#define COMPILER_MINOR __GNUC_MINOR__
#define COMPILER_PATCH __GNUC_PATCHLEVEL__
#endif

/* `all`: also how it was built. */
static void
print_version(struct output *out, const struct cli_tool *tool, bool all, struct err *e)
{
    output_printf(out, e, "%s %s\n", tool->name, GAMUT_VERSION);
    if (all)
        output_printf(out, e, "compiler: %s %d.%d.%d\nzlib: %s\nxxHash: %u\n", COMPILER,
                      COMPILER_MAJOR, COMPILER_MINOR, COMPILER_PATCH, zlibVersion(),
                      XXH_versionNumber());
}

/* --help and --version print to stdout: a full disk is a failure. */
static int
print_and_leave(const struct cli *c, const char *what)
{
    struct err e = {0};
    struct output *out = output_open("-", &e);
    if (out != NULL) {
        if (strcmp(what, "help") == 0)
            print_help(out, c->tool, &e);
        else
            print_version(out, c->tool, c->verbosity > 0, &e);
        output_commit(out, &e);
    }
    if (e.code != ERR_NONE)
        tell(c, e.text);
    return e.code == ERR_NONE ? EXIT_DONE : EXIT_FAILED;
}

/* --help and --version take precedence over everything else, wherever they stand.  Gives the
 * name of the first of them, or NULL. */
static const char *
wants_text(struct cli *c, const struct option_table *t, int argc, char **argv)
{
    const char *found = NULL;
    int key;
    opterr = 0;
    optind = 0;
    while ((key = getopt_long(argc, argv, t->letters, t->longs, NULL)) != -1) {
        int i = find_option(t, key);
        if (found == NULL && i >= 0 && t->option[i]->set == set_nothing)
            found = t->option[i]->name;
        c->verbosity += key == 'v';
    }
    opterr = 1;
    optind = 0;
    return found;
}

/* ---- parsing ------------------------------------------------------------------------- */

/* Whether sh would leave the word unchanged. */
static bool
is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+:,/=@%";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/* Appends a word at `to`, quoted for sh if necessary; returns the new end.  Each quote
 * inside takes four characters: '\'' */
static char *
append_word(char *to, const char *word)
{
    if (is_plain(word))
        return stpcpy(to, word);
    *to++ = '\'';
    for (; *word != '\0'; word++)
        if (*word == '\'')
            to = stpcpy(to, "'\\''");
        else
            *to++ = *word;
    return stpcpy(to, "'");
}

/* Appends " --name value" to the canonical command line.  A command line that would leave no
 * room for other metadata is refused now, not after the work is done. */
static int
trace(struct cli *c, const struct cli_option *o, const char *value, struct err *e)
{
    size_t room = strlen(c->command) + strlen(o->name) + 8;
    char *longer = mem_array(room + (value != NULL ? 4 * strlen(value) : 0), 1, e);
    if (longer == NULL)
        return ERR_NOMEM;
    char *end = stpcpy(stpcpy(stpcpy(longer, c->command), " --"), o->name);
    if (value != NULL)
        append_word(stpcpy(end, " "), value);
    mem_free(c->command);
    c->command = longer;
    if (strlen(longer) > COMMAND_MAX)
        return err_set(e, ERR_USAGE, "options have more than %d characters in total", COMMAND_MAX);
    return 0;
}

/* Passes one option from getopt to its owner. */
static int
set_option(struct cli *c, const struct option_table *t, int i, void *options, const char *value,
           struct err *e)
{
    const struct cli_option *o = t->option[i];
    int rc = cli_option_set(o, i < t->own ? options : c, value, e);
    if (rc != 0)
        err_prefix(e, "--%s", o->name);
    else if (!o->no_trace && o->file == FILE_NONE)
        rc = trace(c, o, value, e);
    return rc;
}

static int
check_operands(struct cli *c, struct err *e)
{
    const struct cli_tool *t = c->tool;
    if (c->operand_count < t->min_operands)
        return err_set(e, ERR_USAGE, "missing operand; usage: %s %s", t->name, t->operands);
    if (t->max_operands >= 0 && c->operand_count > t->max_operands)
        return err_set(e, ERR_USAGE, "unexpected operand '%s'", c->operands[t->max_operands]);
    return 0;
}

static int
parse_all(struct cli *c, const struct option_table *t, void *options, int argc, char **argv,
          struct err *e)
{
    int key, rc = 0;
    while (rc == 0 && (key = getopt_long(argc, argv, t->letters, t->longs, NULL)) != -1) {
        int i = find_option(t, key);
        if (i < 0) {
            try_help(c); /* getopt_long has printed the error */
            return ERR_USAGE;
        }
        rc = set_option(c, t, i, options, optarg, e);
    }
    if (rc != 0)
        return rc;
    c->operands = argv + optind;
    c->operand_count = argc - optind;
    return check_operands(c, e);
}

/* If a standard descriptor is closed, the next file opened would get its number.  So it is
 * replaced by one that fails in the direction in which it is used. */
static void
fill_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* When a file size limit is reached, report an error as for a full disk, instead of dying
 * from a signal. */
static void
ignore_file_size(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

/* -1 to continue, or the exit status: 0 after --help and --version, 2 after a usage error
 * that getopt_long has reported; or there is an error. */
static int
parse(struct cli *c, void *options, int argc, char **argv, struct err *e)
{
    struct option_table t;
    fill_descriptors();
    ignore_file_size();
    make_table(&t, c->tool);
    argv[0] = (char *)(uintptr_t)c->tool->name; /* getopt_long's messages begin with it */
    const char *text = wants_text(c, &t, argc, argv);
    if (text != NULL)
        return print_and_leave(c, text);
    c->verbosity = 0;
    c->command = mem_string(c->tool->name, strlen(c->tool->name), e);
    int rc = c->command != NULL ? parse_all(c, &t, options, argc, argv, e) : ERR_NOMEM;
    return rc == 0 || e->code != ERR_NONE ? -1 : EXIT_USAGE;
}

/* ---- files --------------------------------------------------------------------------- */

const char *
cli_operand(const struct cli *c, int i)
{
    if (i < c->operand_count)
        return c->operands[i];
    return c->no_stdin || (c->tool->flags & CLI_OPTIONAL_OPERAND) != 0 ? NULL : "-";
}

/* Operands, also those that are not given. */
static int
operand_files(const struct cli *c)
{
    const struct cli_tool *t = c->tool;
    if (t->max_operands >= 0)
        return t->max_operands;
    return c->operand_count > 0 ? c->operand_count : 1;
}

static size_t
list_operands(const struct cli *c, struct file_entry *file)
{
    int n = operand_files(c);
    for (int i = 0; i < n; i++) {
        const struct cli_operand *o = &c->tool->operand[c->tool->max_operands < 0 ? 0 : i];
        file[i] = (struct file_entry){o->name, cli_operand(c, i), o->use};
    }
    return (size_t)n;
}

/* Options with uses from `first` to `last`; their names are stored in `name`. */
static size_t
list_options(const struct cli *c, const void *options, enum file_use first, enum file_use last,
             char (*name)[32], struct file_entry *file)
{
    size_t n = 0;
    for (const struct cli_option *o = c->tool->options; o->help != NULL; o++)
        if (o->file >= first && o->file <= last) {
            snprintf(name[n], sizeof name[n], "--%s", o->name);
            file[n] = (struct file_entry){name[n], cli_option_path(o, options), o->file};
            n++;
        }
    return n;
}

/* file_check of all files that the tool will read and write: operands, files that are read,
 * --output, other files that are written. */
static int
check_files(const struct cli *c, const void *options, struct err *e)
{
    char name[OPTIONS_MAX][32];
    struct file_entry *file =
        mem_array((size_t)operand_files(c) + OPTIONS_MAX + 1, sizeof *file, e);
    if (file == NULL)
        return ERR_NOMEM;
    size_t operands = list_operands(c, file), n = operands;
    n += list_options(c, options, FILE_READ, FILE_READ_MODEL, name, file + n);
    size_t read = n - operands;
    file[n++] =
        (struct file_entry){"--output", c->output, c->writes_model ? FILE_WRITE_MODEL : FILE_WRITE};
    n += list_options(c, options, FILE_WRITE, FILE_WRITE_MODEL, name + read, file + n);
    int rc = file_check(file, n, e);
    if (rc == 0 && file_check_reads_stdin(file, n) && isatty(STDIN_FILENO) != 0)
        cli_warn(c, "reading from the terminal; press Ctrl-D to end, or see '%s --help'",
                 c->tool->name);
    mem_free(file);
    return rc;
}

int
cli_use_stdin(struct cli *c, const void *options, struct err *e)
{
    if (!c->no_stdin)
        return 0;
    c->no_stdin = false;
    return check_files(c, options, e);
}

struct meta *
cli_meta(const struct cli *c, struct err *e)
{
    struct meta *m = meta_new(e);
    if (m != NULL && meta_set(m, "tool", e, "%s", c->tool->name) == 0 &&
        meta_set(m, "version", e, "%s", GAMUT_VERSION) == 0 &&
        meta_set(m, "command", e, "%s", c->command) == 0 &&
        meta_set(m, "seed", e, "%" PRIu64, c->seed) == 0)
        return m;
    meta_free(m);
    return NULL;
}

struct output *
cli_output(struct cli *c, bool binary, struct err *e)
{
    struct output *out = output_open(c->output, e);
    if (out != NULL && binary && output_is_terminal(out)) {
        err_set(e, ERR_USAGE, "refusing to write a model to a terminal; use -o FILE or a pipe");
        output_abort(out);
        return NULL;
    }
    if (out != NULL && output_temporary(out) != NULL)
        signals_remove_file(output_temporary(out));
    c->out = out;
    return out;
}

/* ---- main ------------------------------------------------------------------------------ */

/* Closes the output (commit if there is no error, else abort) and prints the error if there
 * is one.  Returns `status` if there is no error. */
static int
finish(struct cli *c, int status, struct err *e)
{
    int failed = output_close(c->out, e);
    signals_forget_file();
    if (failed == 0)
        return status;
    tell_error(c, e);
    if (e->code == ERR_USAGE)
        try_help(c);
    return e->code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int
cli_main(const struct cli_tool *tool, void *options, int argc, char **argv)
{
    struct cli c = {
        .tool = tool, .output = "-", .writes_model = tool->writes_model, .seed = 1, .progress = -1};
    struct err e = {0};
    int status = parse(&c, options, argc, argv, &e);
    if (status < 0) {
        status = EXIT_DONE;
        if (c.progress < 0 && c.verbosity < 0)
            c.progress = 0;
        if (e.code == ERR_NONE && (tool->check == NULL || tool->check(&c, options, &e) == 0) &&
            check_files(&c, options, &e) == 0)
            status = tool->run(&c, options, &e);
        status = finish(&c, status, &e);
    }
    mem_free(c.command);
    cli_options_clear(tool->options, options);
    return status;
}

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

enum { OPT_JSON = 1000, OPT_PROGRESS, OPT_NO_PROGRESS, OPT_VERSION, OPTIONS_MAX = 64 };
enum { COMMAND_MAX = META_BYTES_MAX / 2 }; /* characters that are recorded */

/* The first one is for tools that print a report. */
static const struct cli_option common_options[] = {
    {OPT_JSON, "json", NULL, "print the report as one JSON object", CLI_NO_TRACE},
    {'o', "output", "FILE", "write to FILE; '-' is stdout [default: -]", CLI_NO_TRACE},
    {'s', "seed", "N", "seed of the random numbers [default: 1]", CLI_NO_TRACE},
    {'j', "threads", "N",
     "number of threads, 0 means one per core; the result does not depend on it [default: 0]",
     CLI_NO_TRACE},
    {OPT_PROGRESS, "progress", NULL, "show progress on stderr [default: if it is a terminal]",
     CLI_NO_TRACE},
    {OPT_NO_PROGRESS, "no-progress", NULL, "do not show progress", CLI_NO_TRACE},
    {'q', "quiet", NULL, "print no warnings", CLI_NO_TRACE},
    {'v', "verbose", NULL, "print progress details to stderr", CLI_NO_TRACE},
    {'h', "help", NULL, "print this help and exit", CLI_NO_TRACE},
    {OPT_VERSION, "version", NULL, "print the version and exit; with -v, build details, too",
     CLI_NO_TRACE},
    {0, NULL, NULL, NULL, 0}};

static const struct cli_option *
common_of(const struct cli_tool *tool)
{
    return (tool->flags & CLI_REPORT) != 0 ? common_options : common_options + 1;
}

/* Everything getopt_long needs, and the way back from a key to its option. */
struct table {
    const struct cli_option *option[OPTIONS_MAX];
    int count;
    char letters[3 * OPTIONS_MAX + 1];
    struct option longs[OPTIONS_MAX + 1];
};

static void
add_option(struct table *t, const struct cli_option *o)
{
    int wants = o->value != NULL ? required_argument : no_argument;
    t->longs[t->count] = (struct option){o->name, wants, NULL, o->key};
    t->option[t->count++] = o;
    if (o->key < 256) {
        size_t n = strlen(t->letters);
        snprintf(t->letters + n, sizeof t->letters - n, "%c%s", o->key, wants ? ":" : "");
    }
}

static void
make_table(struct table *t, const struct cli_tool *tool)
{
    memset(t, 0, sizeof *t);
    for (const struct cli_option *o = tool->options; o->help != NULL; o++)
        if ((o->flags & CLI_HEADING) == 0)
            add_option(t, o);
    for (const struct cli_option *o = common_of(tool); o->help != NULL; o++)
        add_option(t, o);
}

static const struct cli_option *
find_option(const struct table *t, int key)
{
    for (int i = 0; i < t->count; i++)
        if (t->option[i]->key == key)
            return t->option[i];
    return NULL;
}

/* A line on stderr.  Texts have names of files and what stands in them: no such
 * thing is an order to the terminal, or looks like another line of ours. */
static void
tell(const struct cli *c, char *text)
{
    utf8_flatten(text);
    fprintf(stderr, "%s: %s\n", c->tool->name, text);
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
}

/* What --help or --version prints is output like any other: a full disk is a
 * failure. */
static int
print_and_leave(const struct cli *c, int key)
{
    struct err e = {0};
    struct output *out = output_open("-", &e);
    if (out != NULL) {
        if (key == 'h')
            cli_text_help(out, c->tool, common_of(c->tool), &e);
        else
            cli_text_version(out, c->tool, c->verbosity > 0, &e);
        output_commit(out, &e);
    }
    if (e.code != ERR_NONE)
        tell(c, e.text);
    return e.code == ERR_NONE ? EXIT_DONE : EXIT_FAILED;
}

/* ---- parsing ---- */

/* --help and --version win over everything else, wherever they stand.  Gives
 * the key of the first of them, or 0. */
static int
wants_text(struct cli *c, const struct table *t, int argc, char **argv)
{
    int key, found = 0;
    opterr = 0;
    optind = 0;
    while ((key = getopt_long(argc, argv, t->letters, t->longs, NULL)) != -1) {
        if (found == 0 && (key == 'h' || key == OPT_VERSION))
            found = key;
        c->verbosity += key == 'v';
    }
    opterr = 1;
    optind = 0;
    return found;
}

static int
set_common(struct cli *c, int key, const char *value, struct err *e)
{
    uint64_t n;
    int status = 0;
    switch (key) {
    case 'j':
        status = num_parse_u64(value, 0, 1024, &n, e);
        if (status == 0)
            c->threads = (int)n;
        break;
    case 'o':
        c->output = value;
        break;
    case 'q':
        c->verbosity--;
        break;
    case 's':
        status = num_parse_u64(value, 0, UINT64_MAX, &c->seed, e);
        break;
    case 'v':
        c->verbosity++;
        break;
    case OPT_JSON:
        c->json = true;
        break;
    case OPT_PROGRESS:
    case OPT_NO_PROGRESS:
        c->progress = key == OPT_PROGRESS;
        break;
    default:
        return 1; /* not a common one */
    }
    return status;
}

/* Whether sh would take the word as it stands. */
static bool
is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+:,/=@%";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/* The word behind `to`, quoted for sh where need be; returns the new end.
 * Each quote inside takes four characters: '\'' */
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

/* Appends " --name value" to the canonical command line.  One that would leave
 * no room for other metadata is refused now, and not when the work is done. */
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
        return err_set(e, ERR_USAGE, "the options have more than %d characters", COMMAND_MAX);
    return 0;
}

/* One option from getopt to whoever it belongs to. */
static int
set_option(struct cli *c, void *self, const struct cli_option *o, const char *value, struct err *e)
{
    int status = set_common(c, o->key, value, e);
    if (status > 0)
        status = c->tool->set(self, o->key, value, e);
    if (status != 0)
        err_prefix(e, "--%s", o->name);
    else if ((o->flags & CLI_NO_TRACE) == 0)
        status = trace(c, o, value, e);
    return status;
}

static int
check_operands(struct cli *c, struct err *e)
{
    const struct cli_tool *t = c->tool;
    if (c->operand_count < t->min_operands)
        return err_set(e, ERR_USAGE, "an operand is missing: %s %s", t->name, t->operands);
    if (t->max_operands >= 0 && c->operand_count > t->max_operands)
        return err_set(e, ERR_USAGE, "unexpected operand '%s'", c->operands[t->max_operands]);
    return 0;
}

static void
try_help(const struct cli *c)
{
    fprintf(stderr, "Try '%s --help' for more information.\n", c->tool->name);
}

static int
parse_all(struct cli *c, const struct table *t, void *self, int argc, char **argv, struct err *e)
{
    int key;
    while ((key = getopt_long(argc, argv, t->letters, t->longs, NULL)) != -1) {
        const struct cli_option *o = find_option(t, key);
        if (o == NULL) {
            try_help(c); /* getopt_long has said what is wrong */
            return ERR_USAGE;
        }
        int status = set_option(c, self, o, optarg, e);
        if (status != 0)
            return status;
    }
    c->operands = argv + optind;
    c->operand_count = argc - optind;
    return check_operands(c, e);
}

/* A closed standard descriptor would be given to the next file opened.  It is
 * filled with one that fails in the direction that is used. */
static void
fill_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* A file that may not grow any more is an error to be told like a full disk, not
 * a signal that ends us in silence. */
static void
ignore_file_size(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

static void
clear(struct cli *c)
{
    mem_free(c->command);
    c->command = NULL;
}

int
cli_parse(struct cli *c, const struct cli_tool *tool, void *self, int argc, char **argv)
{
    struct table t;
    struct err e = {0};
    fill_descriptors();
    ignore_file_size();
    *c = (struct cli){.tool = tool, .output = "-", .seed = 1, .progress = -1};
    make_table(&t, tool);
    argv[0] = (char *)(uintptr_t)tool->name; /* getopt_long's messages begin with it */
    int text = wants_text(c, &t, argc, argv);
    if (text != 0)
        return print_and_leave(c, text);
    c->verbosity = 0;
    c->command = mem_string(tool->name, strlen(tool->name), &e);
    int status = c->command != NULL ? parse_all(c, &t, self, argc, argv, &e) : ERR_NOMEM;
    if (status == 0)
        return -1;
    if (e.code == ERR_NONE) { /* already reported */
        clear(c);
        return EXIT_USAGE;
    }
    return cli_finish(c, NULL, EXIT_USAGE, &e);
}

const char *
cli_operand(const struct cli *c, int i)
{
    return i < c->operand_count ? c->operands[i] : "-";
}

int
cli_files(const struct cli *c, const struct file_entry *file, size_t count, struct err *e)
{
    int rc = file_check(file, count, e);
    if (rc == 0 && file_check_reads_stdin(file, count) && isatty(STDIN_FILENO) != 0)
        cli_warn(c, "reading from the terminal; end with Ctrl-D, or see '%s --help'",
                 c->tool->name);
    return rc;
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
cli_output(const struct cli *c, bool binary, struct err *e)
{
    struct output *out = output_open(c->output, e);
    if (out != NULL && binary && output_is_terminal(out)) {
        err_set(e, ERR_USAGE, "a model is not written to a terminal; use -o FILE or a pipe");
        output_abort(out);
        return NULL;
    }
    if (out != NULL && output_temporary(out) != NULL)
        signals_remove_file(output_temporary(out));
    return out;
}

int
cli_finish(struct cli *c, struct output *out, int status, struct err *e)
{
    int failed = output_close(out, e);
    signals_forget_file();
    if (failed != 0) {
        tell_error(c, e);
        if (e->code == ERR_USAGE)
            try_help(c);
        status = e->code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
    }
    clear(c);
    return status;
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
cli_note(const struct cli *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (c->verbosity > 0)
        say(c, "", format, ap);
    va_end(ap);
}

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* The length of the next piece of help text that is not broken: a word, or a default in
 * brackets, if that fits into a line. */
static size_t
help_piece(const char *text)
{
    const char *end = text[0] == '[' ? strchr(text, ']') : NULL;
    if (end != NULL && end + 1 - text <= HELP_WIDTH - HELP_COLUMN)
        return (size_t)(end + 1 - text) + strcspn(end + 1, " ");
    return strcspn(text, " \n");
}

/* Text from the current column on, wrapped; continued lines begin at HELP_COLUMN. */
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
    if (o->key < 256)
        snprintf(letter, sizeof letter, "-%c, ", o->key);
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
        if ((o->flags & CLI_HEADING) != 0)
            output_printf(out, e, "\n%s:\n", o->help);
        else
            help_option(out, o, e);
}

void
cli_text_help(struct output *out, const struct cli_tool *tool, const struct cli_option *common,
              struct err *e)
{
    output_printf(out, e, "Usage: %s [OPTION]...%s%s\n%s\n", tool->name,
                  tool->operands[0] != '\0' ? " " : "", tool->operands, tool->summary);
    if (tool->details != NULL)
        output_printf(out, e, "\n%s\n", tool->details);
    if (tool->options->help != NULL && (tool->options->flags & CLI_HEADING) == 0)
        output_printf(out, e, "\nOptions:\n");
    help_options(out, tool->options, e);
    output_printf(out, e, "\nCommon options:\n");
    help_options(out, common, e);
    if (tool->examples != NULL)
        output_printf(out, e, "\nExamples:\n%s\n", tool->examples);
    output_printf(out, e, "\nSee %s(1), and gamut(7) for the toolkit.\n", tool->name);
}

void
cli_text_version(struct output *out, const struct cli_tool *tool, bool all, struct err *e)
{
    output_printf(out, e, "%s %s\n", tool->name, GAMUT_VERSION);
    if (all)
        output_printf(out, e, "compiler: %s\nzlib: %s\nxxHash: %u\n", __VERSION__, zlibVersion(),
                      XXH_versionNumber());
}

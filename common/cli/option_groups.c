/* SPDX-License-Identifier: MIT */
#include "cli/option_groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/utf8.h"
#include "feature/feature_set.h"
#include "io/input.h"
#include "pfsa/motif_process.h"
#include "pfsa/pfsa.h"
#include "text/alphabet.h"

static int
add_bits(struct feature_set *f, const char *bits, const char *const *motif, size_t motifs,
         struct err *e)
{
    if (bits == NULL)
        return 0;
    int rc = motifs == 1 ? feature_paper_add(f, motif[0], bits, e)
                         : err_set(e, ERR_USAGE, "exactly one --motif is needed, not %zu", motifs);
    if (rc < 0)
        err_prefix(e, "--ft");
    return rc;
}

/* ---- features from a file --- */

/* The part of a text without blanks at its ends, which is cut off in place. */
static char *
trim(char *text)
{
    size_t n = strlen(text += strspn(text, " "));
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    return text;
}

/* Adds the feature of a line: its first field, "SPEC" or "NAME = SPEC".  Blank lines, comments,
 * and the header of a table of features add nothing. */
static int
add_line(struct feature_set *f, char *line, bool first, struct err *e)
{
    line[strcspn(line, "\t")] = '\0';
    char *name = trim(line), *equals = strstr(name, " = "), *spec = name;
    if (*name == '\0' || *name == '#' || (first && strcmp(name, "feature") == 0))
        return 0;
    if (!utf8_is_printable(name))
        return err_set(e, ERR_DATA, "the feature is not printable");
    if (equals != NULL) {
        *equals = '\0';
        name = trim(name);
        spec = trim(equals + 3);
    }
    return feature_set_add_named(f, name, spec, e);
}

static int
add_lines(struct feature_set *f, struct input *in, struct err *e)
{
    struct line_reader *lines = line_reader_new(in, NULL, e);
    const char *text;
    size_t length;
    int rc = lines != NULL ? 0 : ERR_NOMEM;
    while (rc == 0 && (rc = line_reader_text(lines, &text, &length, e)) == 1) {
        uint64_t number = line_reader_number(lines);
        bool cut = memchr(text, '\0', length) != NULL;
        char *line = mem_string(text, length, e);
        rc = line == NULL ? ERR_NOMEM
             : cut        ? err_set(e, ERR_DATA, "the line has a NUL byte")
                          : add_line(f, line, number == 1, e);
        if (rc == ERR_USAGE)
            err_recode(e, rc = ERR_DATA);
        if (rc == ERR_DATA || rc == ERR_LIMIT)
            err_prefix(e, "%s:%" PRIu64, input_name(in), number);
        mem_free(line);
    }
    line_reader_free(lines);
    return rc;
}

static int
add_file(struct feature_set *f, const char *path, struct err *e)
{
    if (path == NULL)
        return 0;
    struct input *in = input_open(path, e);
    int rc = in != NULL ? add_lines(f, in, e) : e->code;
    input_close(in);
    return rc;
}

bool
feature_options_given(const struct feature_options *o)
{
    return o->bits != NULL || o->specs.count > 0 || o->file != NULL;
}

struct feature_set *
feature_options_build(const struct feature_options *o, const struct alphabet *a,
                      const char *const *motif, size_t motifs, struct err *e)
{
    struct feature_set *f = feature_set_new(a, e);
    int rc = f == NULL ? ERR_NOMEM : add_bits(f, o->bits, motif, motifs, e);
    for (size_t i = 0; rc == 0 && i < o->specs.count; i++) {
        rc = feature_set_add(f, o->specs.word[i], e);
        if (rc < 0)
            err_prefix(e, "--feature");
    }
    if (rc == 0)
        rc = add_file(f, o->file, e);
    if (rc < 0) {
        feature_set_free(f);
        return NULL;
    }
    if (o->max_length > 0)
        feature_set_set_max_length(f, o->max_length);
    return f;
}

static int
check_options(const struct process_options *p, struct err *e)
{
    if (p->has_length && p->has_stop)
        return err_set(e, ERR_USAGE, "--length and --stop exclude each other");
    if (!p->has_length && !p->has_stop)
        return err_set(e, ERR_USAGE, "--length or --stop is needed");
    if (p->has_p1 && p->probs != NULL)
        return err_set(e, ERR_USAGE, "--p1 and --probs exclude each other");
    if (p->has_mix && p->motifs.count != 1)
        return err_set(e, ERR_USAGE, "--mix needs exactly one --motif, not %zu", p->motifs.count);
    return 0;
}

/* --- alphabet and symbol weights --- */

static int
set_alphabet(const struct process_options *p, struct alphabet *a, struct err *e)
{
    int status = alphabet_init(a, p->alphabet != NULL ? p->alphabet : "01", e);
    if (status != 0)
        err_prefix(e, "--alphabet");
    return status;
}

/* Reads "P,P,.." of exactly n numbers. */
static int
parse_probs(const char *text, unsigned n, double *prob, struct err *e)
{
    unsigned count = 0;
    for (const char *at = text;; at += strcspn(at, ",") + 1) {
        size_t length = strcspn(at, ",");
        char number[64];
        if (count == n || length >= sizeof number)
            break;
        memcpy(number, at, length);
        number[length] = '\0';
        int status = num_parse_f64(number, 0, 1, &prob[count++], e);
        if (status != 0)
            return status;
        if (at[length] == '\0')
            return count == n ? 0
                              : err_set(e, ERR_USAGE, "'%s' has %u numbers for %u symbols", text,
                                        count, n);
    }
    return err_set(e, ERR_USAGE, "'%s' does not have %u numbers, one a symbol", text, n);
}

static int
symbol_probs(const struct process_options *p, const struct alphabet *a, double *prob, struct err *e)
{
    for (unsigned i = 0; i < a->size; i++)
        prob[i] = 1.0 / a->size;
    if (p->has_p1 && a->size != 2)
        return err_set(e, ERR_USAGE,
                       "--p1: the alphabet '%s' does not have two symbols; "
                       "use --probs",
                       a->chars);
    if (p->has_p1) {
        prob[0] = 1 - p->p1;
        prob[1] = p->p1;
    }
    if (p->probs == NULL)
        return 0;
    double sum = 0;
    int status = parse_probs(p->probs, a->size, prob, e);
    for (unsigned i = 0; status == 0 && i < a->size; i++)
        sum += prob[i];
    if (status == 0 && fabs(sum - 1) > 1e-9)
        status = err_set(e, ERR_USAGE, "'%s' sums to %.12g, not to 1", p->probs, sum);
    for (unsigned i = 0; status == 0 && i < a->size; i++)
        prob[i] /= sum; /* decimals such as 0.3333333333 sum to 1 up to their rounding */
    if (status != 0)
        err_prefix(e, "--probs");
    return status;
}

/* Whether an option's words are made of the alphabet's symbols. */
static int
check_words(const struct text_list *words, const char *option, const struct alphabet *a,
            struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < words->count; i++) {
        uint8_t *symbols = NULL;
        size_t length;
        rc = alphabet_word(a, words->word[i], &symbols, &length, e);
        if (rc != 0)
            err_prefix(e, "%s", option);
        mem_free(symbols);
    }
    return rc;
}

/* Says what it is that no string satisfies. */
static void
explain_empty(const struct process_options *p, struct err *e)
{
    *e = (struct err){0};
    if (p->has_mix)
        err_set(e, ERR_EMPTY, "one of the two parts of --mix has no strings");
    else if (p->has_length)
        err_set(e, ERR_EMPTY,
                "no string of length %" PRIu64 " satisfies these --motif and --exclude", p->length);
    else
        err_set(e, ERR_EMPTY, "no string satisfies these --motif and --exclude");
}

struct pfsa *
process_options_build(const struct process_options *p, struct err *e)
{
    struct motif_process m = {.has_length = p->has_length,
                              .has_mix = p->has_mix,
                              .length = p->length,
                              .stop = p->stop,
                              .mix = p->mix,
                              .required = p->motifs.word,
                              .required_count = p->motifs.count,
                              .forbidden = p->excludes.word,
                              .forbidden_count = p->excludes.count};
    struct err why = {0};
    struct pfsa *built = NULL;
    if (check_options(p, &why) == 0 && set_alphabet(p, &m.alphabet, &why) == 0 &&
        symbol_probs(p, &m.alphabet, m.prob, &why) == 0 &&
        check_words(&p->motifs, "--motif", &m.alphabet, &why) == 0 &&
        check_words(&p->excludes, "--exclude", &m.alphabet, &why) == 0)
        built = motif_process_build(&m, &why);
    if (built == NULL) {
        if (why.code == ERR_EMPTY)
            explain_empty(p, &why);
        err_pass(e, &why);
    }
    return built;
}

/* An option of the source that was given, or NULL. */
static const char *
given_option(const struct process_options *p)
{
    return p->has_length           ? "--length"
           : p->has_stop           ? "--stop"
           : p->motifs.count > 0   ? "--motif"
           : p->excludes.count > 0 ? "--exclude"
           : p->has_mix            ? "--mix"
           : p->has_p1             ? "--p1"
           : p->probs != NULL      ? "--probs"
           : p->alphabet != NULL   ? "--alphabet"
                                   : NULL;
}

struct pfsa *
process_options_model(const struct process_options *p, const char *path, struct err *e)
{
    if (path == NULL)
        return process_options_build(p, e);
    const char *given = given_option(p);
    if (given == NULL)
        return pfsa_load(path, e);
    err_set(e, ERR_USAGE, "%s and the model '%s' exclude each other", given, path);
    return NULL;
}

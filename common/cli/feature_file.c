/* SPDX-License-Identifier: MIT */
#include "cli/feature_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_set.h"
#include "io/input.h"
#include "io/output.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_formats.h"
#include "text/alphabet.h"
#include "text/line_reader.h"

/* ---- an automaton in a file ---- */

/* Model files begin with a byte that no text has. */
static bool
is_model(struct input *in, struct err *e)
{
    unsigned char first;
    return input_read(in, &first, 1, e) == 1 && first > '~';
}

static struct pfsa *
read_automaton(const char *path, const struct alphabet *a, struct err *e)
{
    struct input *in = input_open(path, e);
    bool model = in != NULL && is_model(in, e);
    input_close(in);
    if (e->code != 0)
        return NULL;
    if (model)
        return pfsa_load(path, e);
    in = input_open(path, e);
    struct pfsa *p = in != NULL ? pfsa_att_read_unweighted(in, a, e) : NULL;
    input_close(in);
    return p;
}

/* A state of the text: + or - for accepting or not, and for each symbol the next state or a full
 * stop. */
static int
write_state(const struct pfsa *p, uint32_t q, struct output *out, struct err *e)
{
    uint64_t arc = p->first[q];
    int rc =
        output_printf(out, e, "%s%c", q > 0 ? ";" : "", p->final_logp[q] > -INFINITY ? '+' : '-');
    for (unsigned symbol = 0; rc == 0 && symbol < p->model.alphabet.size; symbol++) {
        const char *comma = symbol > 0 ? "," : "";
        bool here = arc < p->first[q + 1] && p->symbol[arc] == symbol;
        rc = here ? output_printf(out, e, "%s%" PRIu32, comma, p->next[arc])
                  : output_printf(out, e, "%s.", comma);
        arc += here;
    }
    return rc;
}

/* "dfa:..." for the automaton, behind `prefix`; the caller's to free. */
static char *
describe(const struct pfsa *p, const char *prefix, struct err *e)
{
    struct output *out = output_to_memory(e);
    int rc = out != NULL ? output_printf(out, e, "%sdfa:", prefix) : ERR_NOMEM;
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        rc = write_state(p, q, out, e);
    char *text = NULL;
    if (rc == 0) {
        size_t size;
        const char *bytes = output_bytes(out, &size);
        text = mem_string(bytes, size, e);
    }
    output_abort(out);
    return text;
}

int
fsa_spec_add(struct feature_set *f, const char *name, const char *spec, struct err *e)
{
    const struct alphabet *a = feature_set_alphabet(f);
    const char *prefix = strncmp(spec, "not:", 4) == 0 ? "not:" : "", *rest = spec + strlen(prefix);
    if (strncmp(rest, "fsa:", 4) != 0)
        return feature_set_add_named(f, name, spec, e);
    struct pfsa *p = read_automaton(rest + 4, a, e);
    if (p == NULL)
        return e->code;
    int rc = 0;
    if (!alphabet_equal(&p->model.alphabet, a))
        rc = err_set(e, ERR_DATA, "'%s' has the alphabet '%s', expected '%s'", rest + 4,
                     p->model.alphabet.text, a->text);
    char *text = rc == 0 ? describe(p, prefix, e) : NULL;
    if (rc == 0)
        rc = text != NULL ? feature_set_add_named(f, name, text, e) : ERR_NOMEM;
    mem_free(text);
    pfsa_free(p);
    return rc;
}

/* ---- lines ---- */

/* The text without blanks at its ends, which are removed in place. */
static char *
trim(char *text)
{
    size_t n = strlen(text += strspn(text, " "));
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    return text;
}

/* Adds the feature of a line, which is cut up.  On failure *column is the place. */
static int
add_feature(struct feature_set *f, char *line, bool first, size_t *column, struct err *e)
{
    line[strcspn(line, "\t")] = '\0';
    char *name = trim(line), *equals = strstr(name, " = "), *spec = name;
    *column = (size_t)(name - line) + 1;
    if (*name == '\0' || *name == '#' || (first && strcmp(name, "feature") == 0))
        return 0;
    if (!utf8_is_printable(name))
        return err_set(e, ERR_DATA, "the feature is not printable");
    if (equals != NULL) {
        *equals = '\0';
        name = trim(name);
        spec = trim(equals + 3);
    }
    int rc = fsa_spec_add(f, name, spec, e);
    const char *source = e->column > 0 ? strstr(spec, e->source) : NULL;
    *column = (size_t)((source != NULL ? source + e->column - 1 : spec) - line) + 1;
    return rc;
}

static int
add_line(struct feature_set *f, struct input *in, uint64_t number, const char *text, size_t length,
         struct err *e)
{
    const char *nul = memchr(text, '\0', length);
    size_t column = nul != NULL ? (size_t)(nul - text) + 1 : 1;
    char *line = mem_string(text, length, e);
    int rc = line == NULL  ? ERR_NOMEM
             : nul != NULL ? err_set(e, ERR_DATA, "the line has a NUL byte")
                           : add_feature(f, line, number == 1, &column, e);
    mem_free(line);
    if (rc == ERR_USAGE)
        err_recode(e, rc = ERR_DATA);
    if (rc == ERR_DATA || rc == ERR_LIMIT)
        err_prefix(e, "%s:%" PRIu64 ":%zu", input_name(in), number, column);
    return rc;
}

int
feature_file_read(struct feature_set *f, struct input *in, struct err *e)
{
    struct line_reader *lines = line_reader_new(in, e);
    const char *text;
    size_t length;
    int rc = lines != NULL ? 0 : ERR_NOMEM;
    while (rc == 0 && (rc = line_reader_next(lines, &text, &length, e)) == 1)
        rc = add_line(f, in, line_reader_number(lines), text, length, e);
    line_reader_free(lines);
    return rc;
}

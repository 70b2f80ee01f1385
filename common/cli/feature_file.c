/* SPDX-License-Identifier: MIT */
#include "cli/feature_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cli/fsa_spec.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_set.h"
#include "io/input.h"
#include "text/line_reader.h"

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

/* SPDX-License-Identifier: MIT */
#include "io/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/num.h"
#include "io/json.h"
#include "io/output.h"

static void
put(struct report *r, const char *text)
{
    if (r->e->code == ERR_NONE)
        output_write(r->out, text, strlen(text), r->e);
}

static void
put_quoted(struct report *r, const char *text)
{
    if (r->e->code == ERR_NONE)
        json_write_string(r->out, text, r->e);
}

/* Comma, line break and indent before the next JSON member or element. */
static void
separate(struct report *r)
{
    put(r, r->first ? "" : ",");
    if (r->depth < 2)
        put(r, r->depth == 0 ? "\n  " : "\n    ");
    else
        put(r, r->first ? "" : " ");
    r->first = false;
}

static void
put_name(struct report *r, const char *name)
{
    if (!r->json) {
        put(r, name);
        put(r, "\t");
        return;
    }
    separate(r);
    put_quoted(r, name);
    put(r, ": ");
}

static void
put_value(struct report *r, const char *text, bool quoted)
{
    if (r->json && quoted)
        put_quoted(r, text);
    else
        put(r, text);
}

/* A number in the format of the report; JSON quotes infinities. */
static const char *
number(const struct report *r, double value, char buf[NUM_TEXT_MAX])
{
    return r->json && isnan(value) ? "null" : num_text(value, buf);
}

void
report_begin(struct report *r, struct output *out, bool json, struct err *e)
{
    *r = (struct report){.out = out, .e = e, .json = json, .first = true};
    put(r, json ? "{" : "");
}

static void
row(struct report *r, const char *name, const char *value, bool quoted)
{
    put_name(r, name);
    put_value(r, value, quoted);
    put(r, r->json ? "" : "\n");
    r->first = false;
}

void
report_u64(struct report *r, const char *name, uint64_t value)
{
    char text[NUM_TEXT_MAX];
    snprintf(text, sizeof text, "%" PRIu64, value);
    row(r, name, text, false);
}

void
report_f64(struct report *r, const char *name, double value)
{
    char text[NUM_TEXT_MAX];
    row(r, name, number(r, value, text), isinf(value));
}

void
report_text(struct report *r, const char *name, const char *value)
{
    row(r, name, value, true);
}

/* In text, a blank line separates a table from what comes before it. */
void
report_table(struct report *r, const char *name, const char *const *columns)
{
    r->columns = columns;
    r->column = 0;
    if (r->json) {
        put_name(r, name);
        put(r, "[");
        r->depth = 1;
        r->first = true;
        return;
    }
    put(r, r->first ? "" : "\n");
    for (unsigned i = 0; columns[i] != NULL; i++) {
        put(r, i > 0 ? "\t" : "");
        put(r, columns[i]);
    }
    put(r, "\n");
    r->first = false;
}

static void
cell(struct report *r, const char *text, bool quoted)
{
    bool last = r->columns[r->column + 1] == NULL;
    if (r->json && r->column == 0) {
        separate(r);
        put(r, "{");
        r->depth = 2;
        r->first = true;
    }
    if (r->json)
        put_name(r, r->columns[r->column]);
    put_value(r, text, quoted);
    if (!r->json)
        put(r, last ? "\n" : "\t");
    else if (last) {
        put(r, "}");
        r->depth = 1;
        r->first = false;
    }
    r->column = last ? 0 : r->column + 1;
}

void
report_cell_u64(struct report *r, uint64_t value)
{
    char text[NUM_TEXT_MAX];
    snprintf(text, sizeof text, "%" PRIu64, value);
    cell(r, text, false);
}

void
report_cell_f64(struct report *r, double value)
{
    char text[NUM_TEXT_MAX];
    cell(r, number(r, value, text), isinf(value));
}

void
report_cell_text(struct report *r, const char *value)
{
    cell(r, value, true);
}

void
report_table_end(struct report *r)
{
    if (!r->json)
        return;
    put(r, r->first ? "]" : "\n  ]");
    r->depth = 0;
    r->first = false;
}

int
report_end(struct report *r)
{
    put(r, r->json ? (r->first ? "}\n" : "\n}\n") : "");
    return r->e->code;
}

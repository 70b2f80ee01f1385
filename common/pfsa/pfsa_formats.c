/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "io/input.h"
#include "io/json.h"
#include "io/output.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/alphabet.h"
#include "text/line_reader.h"

/* ---- writing ---- */

/* Whether it could be the label of an arc, which is a positive integer. */
static bool
is_label(const char *text)
{
    return text[0] >= '1' && text[0] <= '9' && text[strspn(text, "0123456789")] == '\0';
}

/* -ln p; a probability of 1 is 0 and not -0, and no weight looks like a label. */
static const char *
weight_text(double logp, char buf[NUM_TEXT_MAX])
{
    num_text(logp == 0 ? 0 : -logp, buf);
    return is_label(buf) ? strcat(buf, ".0") : buf;
}

static int
write_state(const struct pfsa *p, uint32_t q, struct output *out, struct err *e)
{
    char w[NUM_TEXT_MAX];
    int rc = 0;
    for (uint64_t a = p->first[q]; rc == 0 && a < p->first[q + 1]; a++)
        rc = output_printf(out, e, "%" PRIu32 "\t%" PRIu32 "\t%u\t%s\n", q, p->next[a],
                           p->symbol[a] + 1u, weight_text(p->logp[a], w));
    if (rc == 0 && p->final_logp[q] > -INFINITY)
        rc = output_printf(out, e, "%" PRIu32 "\t%s\n", q, weight_text(p->final_logp[q], w));
    return rc;
}

int
pfsa_att_write(const struct pfsa *p, struct output *out, struct err *e)
{
    int rc = 0;
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        rc = write_state(p, q, out, e);
    return rc;
}

/* OpenFst separates its columns by blanks, and writes a blank as <space>. */
static int
write_symbol(const struct alphabet *a, unsigned symbol, struct output *out, struct err *e)
{
    size_t n;
    const char *text = alphabet_symbol(a, symbol, &n);
    if (*text == ' ')
        return output_printf(out, e, "<space>\t%u\n", symbol + 1);
    return output_printf(out, e, "%.*s\t%u\n", (int)n, text, symbol + 1);
}

int
pfsa_att_write_symbols(const struct alphabet *a, struct output *out, struct err *e)
{
    int rc = output_printf(out, e, "<eps>\t0\n");
    for (unsigned i = 0; rc == 0 && i < a->size; i++)
        rc = write_symbol(a, i, out, e);
    return rc;
}

/* ---- reading ---- */

enum { FIELDS_MAX = 4, LINE_BYTES = 256 };

/* One line; a final state has no label. */
struct row {
    uint64_t source, target;
    unsigned label; /* 0: a final state */
    double logw;
};

struct rows {
    struct row *row;
    size_t count, capacity;
    size_t most;     /* that are read */
    bool unweighted; /* weights are replaced by some that have a sum */
    bool acceptor;   /* an arc has a weight that cannot be an output label, or no weight */
    uint64_t doubt;  /* line of the first arc whose weight can be a label; 0: none */
    uint64_t *name;  /* the states' names in ascending order: index = number */
    size_t names;
};

/* Splits a line at blanks; returns the number of fields, one more than
 * FIELDS_MAX if there are too many. */
static int
split(char *line, char *field[FIELDS_MAX + 1])
{
    int n = 0;
    for (char *s = strtok_r(line, " \t\r", &line); s != NULL && n <= FIELDS_MAX;
         s = strtok_r(NULL, " \t\r", &line))
        field[n++] = s;
    return n;
}

static int
parse_row(char *field[], int fields, unsigned labels, struct row *r, struct err *e)
{
    uint64_t label = 0;
    double weight = 0;
    int arc = fields >= 3;
    *r = (struct row){0};
    if (fields > FIELDS_MAX)
        return err_set(e, ERR_DATA,
                       "more than 4 fields, as of a transducer; print with fstprint --acceptor");
    if (num_parse_u64(field[0], 0, INT64_MAX, &r->source, e) != 0)
        return ERR_DATA;
    if (arc && num_parse_u64(field[1], 0, INT64_MAX, &r->target, e) != 0)
        return ERR_DATA;
    if (arc && num_parse_u64(field[2], 1, labels, &label, e) != 0)
        return ERR_DATA;
    if (fields == 2 || fields == 4) {
        const char *text = field[fields - 1];
        int infinite = strcmp(text, "Infinity") == 0; /* as OpenFst spells it */
        if (num_parse_f64_inf(infinite ? "inf" : text, &weight, e) != 0)
            return ERR_DATA;
    }
    r->label = (unsigned)label;
    r->logw = -weight;
    return 0;
}

/* In a transducer the fourth field of an arc is an output label, and a weight of 0 is
 * omitted.  If all arcs look like that, the file is ambiguous. */
static void
watch_labels(struct rows *rows, char *field[], int fields, uint64_t line)
{
    if (fields == 3 || (fields == 4 && !is_label(field[3]) && strcmp(field[3], "0") != 0))
        rows->acceptor = true;
    else if (fields == 4 && rows->doubt == 0 && is_label(field[3]))
        rows->doubt = line;
}

/* Printable ASCII and blanks: other bytes would appear in a message. */
static bool
is_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((text[i] < ' ' || text[i] > '~') && text[i] != '\t' && text[i] != '\r')
            return false;
    return true;
}

static int
add_line(struct rows *rows, const char *text, size_t length, unsigned labels, uint64_t number,
         struct err *e)
{
    char line[LINE_BYTES], *field[FIELDS_MAX + 1];
    if (length >= sizeof line || !is_text(text, length))
        return err_set(e, ERR_DATA, "not AT&T text");
    memcpy(line, text, length);
    line[length] = '\0';
    int n = split(line, field);
    if (n == 0)
        return 0;
    if (rows->count == rows->most)
        return err_set(e, ERR_LIMIT, "more than %zu arcs and final states", rows->most);
    if (mem_reserve(&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row, e) != 0)
        return ERR_NOMEM;
    int rc = parse_row(field, n, labels, &rows->row[rows->count], e);
    watch_labels(rows, field, n, number);
    rows->count += rc == 0;
    return rc;
}

/* All lines of the input; the error of a line names file and line, and is ERR_DATA. */
static int
read_rows(struct rows *rows, struct input *in, unsigned labels, struct err *e)
{
    struct line_reader *l = line_reader_new(in, e);
    const char *text;
    size_t length;
    int rc = l != NULL ? 1 : ERR_NOMEM;
    while (rc > 0 && (rc = line_reader_next(l, &text, &length, e)) > 0) {
        rc = add_line(rows, text, length, labels, line_reader_number(l), e);
        if (rc == ERR_DATA || rc == ERR_LIMIT) {
            err_prefix(e, "%s:%" PRIu64, input_name(in), line_reader_number(l));
            err_recode(e, rc);
        }
        rc = rc == 0 ? 1 : rc;
    }
    line_reader_free(l);
    if (rc == 0 && rows->doubt > 0 && !rows->acceptor)
        rc = err_set(e, ERR_DATA,
                     "%s:%" PRIu64 ": the fourth field can be a weight or an output label; print "
                     "with fstprint --acceptor, or write weights as 1.0",
                     input_name(in), rows->doubt);
    return rc;
}

static int
by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* States may have any numbers: memory depends on how many there are. */
static int
collect_names(struct rows *rows, struct err *e)
{
    rows->name = mem_array(2 * rows->count, sizeof *rows->name, e);
    if (rows->name == NULL)
        return ERR_NOMEM;
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        rows->name[n++] = rows->row[i].source;
        if (rows->row[i].label != 0)
            rows->name[n++] = rows->row[i].target;
    }
    qsort(rows->name, n, sizeof *rows->name, by_value);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || rows->name[i] != rows->name[kept - 1])
            rows->name[kept++] = rows->name[i];
    rows->names = kept;
    return 0;
}

static uint32_t
number_of(const struct rows *rows, uint64_t name)
{
    const uint64_t *found = bsearch(&name, rows->name, rows->names, sizeof *rows->name, by_value);
    return (uint32_t)(found - rows->name);
}

static int
draft_rows(struct pfsa_builder *d, const struct rows *rows, struct err *e)
{
    uint32_t q;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < rows->names; i++)
        rc = pfsa_builder_state(d, -INFINITY, &q, e);
    for (size_t i = 0; rc == 0 && i < rows->count; i++) {
        const struct row *r = &rows->row[i];
        q = number_of(rows, r->source);
        if (r->label == 0)
            d->final_logw[q] = r->logw;
        else
            rc = pfsa_builder_arc(d, q, (uint8_t)(r->label - 1), number_of(rows, r->target),
                                  r->logw, e);
    }
    d->start = number_of(rows, rows->row[0].source);
    return rc;
}

/* Weights with which the arcs of a state sum to less than 1. */
static void
drop_weights(struct rows *rows, unsigned symbols)
{
    for (size_t i = 0; rows->unweighted && i < rows->count; i++) {
        struct row *r = &rows->row[i];
        if (r->logw > -INFINITY)
            r->logw = r->label == 0 ? 0 : -dm_log(2.0 * symbols);
    }
}

static struct pfsa *
read_automaton(struct rows *rows, struct input *in, const struct alphabet *a, struct err *e)
{
    struct pfsa_builder d = {.alphabet = *a};
    struct pfsa *p = NULL;
    int rc = read_rows(rows, in, a->size, e);
    if (rc == 0 && rows->count == 0)
        rc = err_set(e, ERR_DATA, "%s: contains no automaton", input_name(in));
    if (rc == 0) {
        drop_weights(rows, a->size);
        rc = collect_names(rows, e);
    }
    if (rc == 0 && draft_rows(&d, rows, e) == 0) {
        p = pfsa_builder_finish(&d, e);
        if (p == NULL)
            err_prefix(e, "%s", input_name(in));
    }
    pfsa_builder_clear(&d);
    mem_free(rows->row);
    mem_free(rows->name);
    return p;
}

struct pfsa *
pfsa_att_read_most(struct input *in, const struct alphabet *a, size_t most, struct err *e)
{
    struct rows rows = {.most = most};
    return read_automaton(&rows, in, a, e);
}

struct pfsa *
pfsa_att_read(struct input *in, const struct alphabet *a, struct err *e)
{
    return pfsa_att_read_most(in, a, PFSA_ATT_ROWS_MAX, e);
}

struct pfsa *
pfsa_att_read_unweighted(struct input *in, const struct alphabet *a, struct err *e)
{
    struct rows rows = {.most = PFSA_ATT_ROWS_MAX, .unweighted = true};
    return read_automaton(&rows, in, a, e);
}

enum { LABEL_MAX = 256 * JSON_ESCAPE_MAX };

/* The text of a symbol inside quotes. */
static const char *
label(const struct alphabet *a, unsigned symbol, char buf[LABEL_MAX])
{
    size_t n;
    const char *text = alphabet_symbol(a, symbol, &n);
    char *end = buf;
    for (size_t i = 0; i < n; i++, end += strlen(end))
        json_escape(text[i], end);
    return buf;
}

static int
write_dot_state(const struct pfsa *p, uint32_t q, struct output *out, struct err *e)
{
    int rc = 0;
    char c[LABEL_MAX];
    if (p->final_logp[q] > -INFINITY)
        rc = output_printf(out, e,
                           "  %" PRIu32 " [shape=doublecircle, label=\"%" PRIu32 "\\n%.4g\"];\n", q,
                           q, dm_exp(p->final_logp[q]));
    for (uint64_t a = p->first[q]; rc == 0 && a < p->first[q + 1]; a++) {
        rc = output_printf(out, e, "  %" PRIu32 " -> %" PRIu32 " [label=\"%s / %.4g\"];\n", q,
                           p->next[a], label(&p->model.alphabet, p->symbol[a], c),
                           dm_exp(p->logp[a]));
    }
    return rc;
}

int
pfsa_dot_write(const struct pfsa *p, struct output *out, struct err *e)
{
    int rc = output_printf(out, e,
                           "digraph pfsa {\n  rankdir=LR;\n  node [shape=circle];\n"
                           "  start [shape=point];\n  start -> 0;\n");
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        rc = write_dot_state(p, q, out, e);
    return rc == 0 ? output_printf(out, e, "}\n") : rc;
}

/* ---- writing ---- */

static int
write_json_arcs(const struct pfsa *p, uint32_t q, struct output *out, struct err *e)
{
    char w[NUM_TEXT_MAX], c[LABEL_MAX];
    int rc = 0;
    for (uint64_t a = p->first[q]; rc == 0 && a < p->first[q + 1]; a++)
        rc = output_printf(out, e, "%s{\"symbol\": \"%s\", \"target\": %" PRIu32 ", \"logp\": %s}",
                           a > p->first[q] ? ", " : "", label(&p->model.alphabet, p->symbol[a], c),
                           p->next[a], num_text(p->logp[a], w));
    return rc;
}

static int
write_json_state(const struct pfsa *p, uint32_t q, struct output *out, struct err *e)
{
    char w[NUM_TEXT_MAX];
    int rc = output_printf(out, e, "%s\n  {", q > 0 ? "," : "");
    if (rc == 0 && p->final_logp[q] > -INFINITY)
        rc = output_printf(out, e, "\"final\": %s, ", num_text(p->final_logp[q], w));
    if (rc == 0)
        rc = output_printf(out, e, "\"arcs\": [");
    if (rc == 0)
        rc = write_json_arcs(p, q, out, e);
    return rc == 0 ? output_printf(out, e, "]}") : rc;
}

int
pfsa_json_write(const struct pfsa *p, struct output *out, struct err *e)
{
    char w[NUM_TEXT_MAX];
    int rc = output_printf(
        out, e, "{\"kind\": \"pfsa\", \"%s\": ", p->model.alphabet.tokens ? "tokens" : "alphabet");
    if (rc == 0)
        rc = json_write_string(out, p->model.alphabet.text, e);
    if (rc == 0)
        rc = output_printf(out, e, ", \"log_partition\": %s,\n \"states\": [",
                           num_text(p->log_partition, w));
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        rc = write_json_state(p, q, out, e);
    return rc == 0 ? output_printf(out, e, "\n]}\n") : rc;
}

/* ---- reading ---- */

enum { TEXT_MAX = 1 << 28 }; /* bytes; its tree takes several times as much */

static int
read_arc(struct pfsa_builder *d, uint32_t source, uint64_t states, const struct json_value *arc,
         struct err *e)
{
    const struct json_value *symbol = json_member(arc, "symbol", JSON_STRING, e);
    const struct json_value *target = json_member(arc, "target", JSON_NUMBER, e);
    const struct json_value *logp = json_member(arc, "logp", JSON_NUMBER, e);
    uint64_t t;
    if (symbol == NULL || target == NULL || logp == NULL)
        return ERR_DATA;
    uint8_t a = alphabet_find(&d->alphabet, symbol->string, strlen(symbol->string));
    char all[ALPHABET_SHOW_MAX];
    if (a == ALPHABET_NONE)
        return err_set(e, ERR_DATA, "'%s' is not a symbol of the alphabet '%s'", symbol->string,
                       alphabet_show(&d->alphabet, all));
    int rc = json_whole(target, states - 1, &t, e);
    return rc != 0 ? rc : pfsa_builder_arc(d, source, a, (uint32_t)t, logp->number, e);
}

static int
read_state(struct pfsa_builder *d, uint64_t states, const struct json_value *state, struct err *e)
{
    uint32_t q;
    double final_logw = -INFINITY;
    if (state->type != JSON_OBJECT)
        return err_set(e, ERR_DATA, "not an object");
    const struct json_value *arcs = json_member(state, "arcs", JSON_ARRAY, e);
    if (arcs == NULL || json_number(state, "final", &final_logw, e) != 0)
        return ERR_DATA;
    int rc = pfsa_builder_state(d, final_logw, &q, e);
    for (const struct json_value *a = arcs->first; rc == 0 && a != NULL; a = a->next)
        rc = read_arc(d, q, states, a, e);
    return rc;
}

/* The member "alphabet" has characters; the member "tokens" has tokens between blanks. */
static int
read_alphabet(struct pfsa_builder *d, const struct json_value *root, struct err *e)
{
    const char *tokens = NULL;
    int rc = json_string(root, "tokens", &tokens, e);
    if (rc != 0)
        return rc;
    const struct json_value *alphabet =
        tokens == NULL ? json_member(root, "alphabet", JSON_STRING, e) : NULL;
    if (tokens == NULL && alphabet == NULL)
        return ERR_DATA;
    rc = tokens != NULL ? alphabet_init_tokens(&d->alphabet, tokens, e)
                        : alphabet_init(&d->alphabet, alphabet->string, e);
    if (rc != 0)
        err_recode(e, ERR_DATA);
    return rc;
}

static int
read_states(struct pfsa_builder *d, const struct json_value *root, struct err *e)
{
    int rc = read_alphabet(d, root, e);
    const struct json_value *states = rc == 0 ? json_member(root, "states", JSON_ARRAY, e) : NULL;
    if (states == NULL)
        return ERR_DATA;
    uint32_t number = 0;
    for (const struct json_value *s = states->first; rc == 0 && s != NULL; s = s->next) {
        rc = read_state(d, states->count, s, e);
        if (rc != 0)
            err_prefix(e, "state %" PRIu32, number);
        number++;
    }
    return rc;
}

/* The kind is optional, but must be right if it is given. */
static int
check_kind(const struct json_value *root, struct err *e)
{
    const char *kind = pfsa_kind.name;
    int rc = json_string(root, "kind", &kind, e);
    if (rc == 0 && strcmp(kind, pfsa_kind.name) != 0)
        rc =
            err_set(e, ERR_DATA, "expected a model of kind '%s', found '%s'", pfsa_kind.name, kind);
    return rc;
}

static struct pfsa *
from_root(const struct json_value *root, struct err *e)
{
    struct pfsa_builder d = {0};
    double before = 0; /* it was normalized, if written by us: the remaining weights sum to 1 */
    int rc = check_kind(root, e);
    if (rc == 0)
        rc = json_number(root, "log_partition", &before, e);
    if (rc == 0 && !isfinite(before))
        rc = err_set(e, ERR_DATA, "member 'log_partition' is not finite");
    if (rc == 0)
        rc = read_states(&d, root, e);
    struct pfsa *p = rc == 0 ? pfsa_builder_finish(&d, e) : NULL;
    if (p != NULL)
        p->log_partition += before;
    pfsa_builder_clear(&d);
    return p;
}

static struct json *
parse_text(const char *text, size_t length, struct err *e)
{
    if (length <= TEXT_MAX)
        return json_parse(text, length, e);
    err_set(e, ERR_LIMIT, "more than %d bytes of JSON; use another format, such as att", TEXT_MAX);
    return NULL;
}

struct pfsa *
pfsa_json_read(struct input *in, struct err *e)
{
    size_t length;
    char *text = input_read_all(in, (size_t)TEXT_MAX + 1, &length, e);
    if (text == NULL)
        return NULL;
    struct json *j = parse_text(text, length, e);
    struct pfsa *p = j != NULL ? from_root(json_root(j), e) : NULL;
    if (p == NULL)
        err_prefix(e, "%s", input_name(in));
    json_free(j);
    mem_free(text);
    return p;
}

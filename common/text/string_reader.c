/* SPDX-License-Identifier: MIT */
#include "text/string_reader.h"

#include <inttypes.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "io/input.h"
#include "text/alphabet.h"
#include "text/bad_symbol.h"
#include "text/line_reader.h"

enum {
    LINE_BYTES_MAX = 16 * LINE_SYMBOLS_MAX, /* of symbols with more than one byte */
    SKIPPED = 2                             /* of functions that return a string or none */
};

struct string_reader {
    struct input *in;
    struct line_reader *lines;
    const struct alphabet *alphabet;
    struct alphabet *folded; /* `alphabet` if letters are folded, else NULL */
    struct string_format format;
    bool started, fasta;
    uint8_t *symbols;
    size_t length, capacity;
    size_t roomy;       /* bytes of a line that needs no checks; 0 while the alphabet grows */
    uint64_t line;      /* where the string begins */
    const char *header; /* of the next record, NULL: not read yet */
    size_t header_length;
    char *name; /* of the record */
    size_t name_capacity;
    bool is_bad;     /* it has a symbol that is not in the alphabet */
    bool keep_names; /* in `names`, for string_reader_names */
    char *names;
    size_t names_size, names_capacity;
    uint64_t skipped;
    struct fasta_shape shape; /* of the records before */
};

static bool
has_symbol(const struct alphabet *a, char c)
{
    return !a->tokens && a->symbol[(unsigned char)c] != ALPHABET_NONE;
}

int
string_kind_find(struct input *in, const struct alphabet *a, const struct string_format *f,
                 struct err *e)
{
    int rc = input_skip_mark(in, e);
    if (rc < 0 || f->kind != STRINGS_DETECT)
        return rc < 0 ? rc : (int)f->kind;
    int c = input_peek(in, e);
    return c < 0 ? c : c == '>' && !has_symbol(a, '>') ? STRINGS_FASTA : STRINGS_LINES;
}

/* Makes the alphabet in which letters are folded. */
static int
fold(struct string_reader *r, struct err *e)
{
    if (!r->format.fold_case || r->format.grow != NULL)
        return 0;
    r->folded = mem_array(1, sizeof *r->folded, e);
    if (r->folded == NULL)
        return ERR_NOMEM;
    *r->folded = *r->alphabet;
    alphabet_fold_case(r->folded);
    r->alphabet = r->folded;
    return 0;
}

struct string_reader *
string_reader_new(struct input *in, const struct alphabet *a, const struct string_format *f,
                  struct err *e)
{
    struct string_reader *r = mem_zero(1, sizeof *r, e);
    if (r == NULL)
        return NULL;
    r->in = in;
    r->alphabet = a;
    r->format = *f;
    r->lines = line_reader_new(in, e);
    if (r->lines == NULL || fold(r, e) != 0) {
        string_reader_free(r);
        return NULL;
    }
    if (!a->bytes || f->grow != NULL)
        line_reader_allow(r->lines, LINE_BYTES_MAX);
    return r;
}

void
string_reader_start_at(struct string_reader *r, uint64_t lines, const struct fasta_shape *s)
{
    line_reader_start_at(r->lines, lines);
    r->line = lines;
    r->shape = *s;
}

struct fasta_shape
string_reader_shape(const struct string_reader *r)
{
    return r->shape;
}

void
string_reader_free(struct string_reader *r)
{
    if (r == NULL)
        return;
    line_reader_free(r->lines);
    mem_free(r->folded);
    mem_free(r->symbols);
    mem_free(r->name);
    mem_free(r->names);
    mem_free(r);
}

/* Whether a line that is not the first one begins like a record of FASTA, so that only a part
 * of the file is FASTA. */
static bool
is_stray_header(const struct string_reader *r, const char *text, size_t n)
{
    return !r->fasta && r->format.kind == STRINGS_DETECT && line_reader_number(r->lines) > 1 &&
           n > 0 && text[0] == '>' && !has_symbol(r->alphabet, '>');
}

/* The name of the record, which is made printable only when it is shown. */
static const char *
record_name(const struct string_reader *r)
{
    utf8_flatten(r->name);
    return r->name;
}

/* Puts file and line, and the record if it has a name, in front of an error. */
static int
locate(const struct string_reader *r, struct err *e)
{
    if (r->name != NULL)
        err_prefix(e, "record '%s'", record_name(r));
    err_prefix(e, "%s:%" PRIu64, input_name(r->in), line_reader_number(r->lines));
    return e->code;
}

/* ---- alphabets that grow ---- */

/* Whether all of a line can be in an alphabet, so that a line is added as a whole or not at
 * all. */
static bool
is_readable(const struct alphabet *a, const char *text, size_t n)
{
    uint32_t code;
    for (size_t at = 0, used; at < n; at += used) {
        used = a->tokens && text[at] == '\t' ? 1 : utf8_decode(text + at, n - at, &code);
        if (used == 0)
            return false;
    }
    return true;
}

/* The symbol of n bytes of text, which is added if it is new.  Letters are folded to lower
 * case, in FASTA to upper case.  Negative on failure. */
static int
find_or_add(struct string_reader *r, const char *text, size_t n, struct err *e)
{
    struct alphabet *a = r->format.grow;
    char folded[ALPHABET_TEXT_MAX + UTF8_BYTES_MAX];
    size_t end = 0, bytes;
    uint32_t code;
    for (size_t at = 0; r->format.fold_case && at < n && end < ALPHABET_TEXT_MAX; at += bytes) {
        bytes = utf8_decode(text + at, n - at, &code);
        uint32_t other = utf8_other_case(code);
        end += utf8_encode((other > code) == r->fasta ? code : other, folded + end);
    }
    if (r->format.fold_case) {
        text = folded;
        n = end;
    }
    uint8_t symbol = alphabet_find(a, text, n);
    if (symbol != ALPHABET_NONE)
        return symbol;
    if (alphabet_add(a, text, n, e) == 0)
        return (int)a->size - 1;
    err_recode(e, ERR_DATA);
    return locate(r, e);
}

/* As alphabet_encode; *rc is set if a symbol cannot be added. */
static size_t
encode_growing(struct string_reader *r, const char *text, size_t n, uint8_t *symbols,
               size_t *length, int *rc, struct err *e)
{
    const struct alphabet *a = r->alphabet;
    size_t at = 0, used;
    *length = 0;
    if (!is_readable(a, text, n))
        return 0;
    while (at < n) {
        size_t known = 0;
        if (!r->format.fold_case)
            at += alphabet_encode(a, text + at, n - at, symbols + *length, &known);
        *length += known;
        if (at < n && a->tokens && (text[at] == ' ' || text[at] == '\t')) {
            at++;
        } else if (at < n) {
            alphabet_first(a, text + at, n - at, &used);
            int symbol = find_or_add(r, text + at, used, e);
            if (symbol < 0) {
                *rc = symbol;
                return at;
            }
            symbols[(*length)++] = (uint8_t)symbol;
            at += used;
        }
    }
    return n;
}

/* ---- lines ---- */

/* The result for a line with something else than symbols of the alphabet. */
static int
reject(const struct string_reader *r, const char *text, size_t n, struct err *e)
{
    const struct text_place at = {.file = input_name(r->in),
                                  .line = line_reader_number(r->lines),
                                  .record = r->fasta ? record_name(r) : NULL,
                                  .any_symbol = r->format.grow != NULL};
    if (r->format.skip_bad && !is_stray_header(r, text, n))
        return SKIPPED;
    if (is_stray_header(r, text, n))
        return bad_symbol_header(&at, e);
    return bad_symbol_refuse(r->alphabet, &at, text, n, e);
}

/* Appends a line to the string: 1, SKIPPED if it is bad, or an error. */
static int
add_line(struct string_reader *r, const char *text, size_t n, struct err *e)
{
    size_t done = 0, more = 0;
    int rc = mem_reserve(&r->symbols, &r->capacity, r->length + n, 1, e);
    if (rc != 0)
        return rc;
    if (r->format.grow == NULL)
        done = alphabet_encode(r->alphabet, text, n, r->symbols + r->length, &more);
    else if (!is_stray_header(r, text, n))
        done = encode_growing(r, text, n, r->symbols + r->length, &more, &rc, e);
    if (rc != 0)
        return rc;
    if (done < n)
        return reject(r, text, n, e);
    r->length += more;
    if (r->length <= LINE_SYMBOLS_MAX)
        return 1;
    const struct text_place at = {.file = input_name(r->in),
                                  .line = line_reader_number(r->lines),
                                  .record = r->fasta ? record_name(r) : NULL};
    return bad_symbol_too_long(&at, LINE_SYMBOLS_MAX, e);
}

/* Most lines fit into the memory of an earlier one and have only symbols of an alphabet that
 * does not grow. */
static int
next_line(struct string_reader *r, struct err *e)
{
    const char *text;
    size_t n;
    int rc = line_reader_next(r->lines, &text, &n, e);
    r->line++;
    if (rc <= 0)
        return rc;
    if (n <= r->roomy && alphabet_encode(r->alphabet, text, n, r->symbols, &r->length) == n)
        return 1;
    r->length = 0;
    rc = add_line(r, text, n, e);
    r->roomy = r->format.grow != NULL           ? 0
               : r->capacity < LINE_SYMBOLS_MAX ? r->capacity
                                                : LINE_SYMBOLS_MAX;
    return rc;
}

/* ---- FASTA ---- */

/* Reads up to the first record. */
static int
find_header(struct string_reader *r, struct err *e)
{
    const char *text = "";
    size_t n = 0;
    int rc = 1;
    while (rc > 0 && n == 0)
        rc = line_reader_next(r->lines, &text, &n, e);
    if (rc <= 0)
        return rc;
    if (text[0] != '>') {
        err_set(e, ERR_DATA, "line does not begin with '>', as a record of FASTA does");
        return locate(r, e);
    }
    r->header = text;
    r->header_length = n;
    return 1;
}

/* Takes the name from the header, and notes where the record begins. */
static int
begin_record(struct string_reader *r, struct err *e)
{
    const char *name = r->header + 1, *end = r->header + r->header_length;
    const char *stop = name;
    while (stop < end && *stop != ' ' && *stop != '\t' && *stop != '\0')
        stop++;
    if (mem_reserve(&r->name, &r->name_capacity, (size_t)(stop - name) + 1, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(r->name, name, (size_t)(stop - name));
    r->name[stop - name] = '\0';
    r->header = NULL;
    r->line = line_reader_number(r->lines);
    r->is_bad = false;
    return 0;
}

/* The lengths of the lines of a record, in symbols. */
struct widths {
    size_t first, last;
    uint64_t lines;
    bool blank; /* a blank line */
};

/* Only the last line of a record may be shorter than the first one.  This detects a file that
 * continues with other strings. */
static int
check_width(const struct string_reader *r, struct widths *w, size_t n, struct err *e)
{
    if (w->blank) {
        err_set(e, ERR_DATA, "a record continues after a blank line");
        return locate(r, e);
    }
    if (w->first > 0 && (w->last != w->first || n > w->first)) {
        err_set(e, ERR_DATA,
                "line of %zu characters after lines of %zu and %zu: in a record, only the last "
                "line may be shorter",
                n, w->first, w->last);
        return locate(r, e);
    }
    w->first = w->first > 0 ? w->first : n;
    w->last = n;
    return 0;
}

static int
add_sequence(struct string_reader *r, struct widths *w, const char *text, size_t n, struct err *e)
{
    size_t before = r->length;
    int rc = add_line(r, text, n, e);
    if (rc < 0)
        return rc;
    r->is_bad |= rc == SKIPPED;
    w->lines++;
    return r->is_bad || r->alphabet->tokens ? 0 : check_width(r, w, r->length - before, e);
}

/* The record has ended, perhaps with the file. */
static int
end_record(struct string_reader *r, const struct widths *w, struct err *e)
{
    bool last = r->header == NULL && r->format.kind == STRINGS_DETECT;
    if (last && fasta_shape_is_broken(&r->shape, w->lines, w->first, r->alphabet->tokens))
        return err_advise(e, ERR_DATA, REMEDY_SET_FORMAT,
                          "%s:%" PRIu64 ": record '%s' has %" PRIu64
                          " lines, but each record before it has one",
                          input_name(r->in), r->line, record_name(r), w->lines);
    fasta_shape_add(&r->shape, w->lines, w->first);
    return 0;
}

static int
next_record(struct string_reader *r, struct err *e)
{
    struct widths w = {0};
    const char *text;
    size_t n;
    int rc = r->header != NULL ? 1 : find_header(r, e);
    if (rc <= 0)
        return rc;
    rc = begin_record(r, e);
    while (rc == 0 && (rc = line_reader_next(r->lines, &text, &n, e)) > 0) {
        if (n > 0 && text[0] == '>') {
            r->header = text;
            r->header_length = n;
            break;
        }
        w.blank |= n == 0;
        rc = n > 0 && !r->is_bad ? add_sequence(r, &w, text, n, e) : 0;
    }
    if (rc < 0)
        return rc;
    if (r->length == 0 && !r->is_bad)
        return err_set(e, ERR_DATA, "%s:%" PRIu64 ": record '%s' is empty", input_name(r->in),
                       r->line, record_name(r));
    if (r->is_bad)
        return SKIPPED;
    return end_record(r, &w, e) == 0 ? 1 : e->code;
}

/* ---- */

static int
keep_name(struct string_reader *r, struct err *e)
{
    size_t n = strlen(record_name(r)) + 1;
    if (mem_reserve(&r->names, &r->names_capacity, r->names_size + n, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(r->names + r->names_size, r->name, n);
    r->names_size += n;
    return 0;
}

static int
start(struct string_reader *r, struct err *e)
{
    int kind = string_kind_find(r->in, r->alphabet, &r->format, e);
    r->started = true;
    r->fasta = kind == STRINGS_FASTA;
    return kind < 0 ? kind : 0;
}

static int
next_string(struct string_reader *r, struct err *e)
{
    int rc;
    do {
        r->length = 0;
        rc = r->fasta ? next_record(r, e) : next_line(r, e);
        r->skipped += rc == SKIPPED;
    } while (rc == SKIPPED);
    if (rc == 1 && r->fasta && r->keep_names && keep_name(r, e) != 0)
        return ERR_NOMEM;
    return rc;
}

int
string_reader_next(struct string_reader *r, const uint8_t **symbols, size_t *length, struct err *e)
{
    int rc = r->started ? 0 : start(r, e);
    if (rc == 0)
        rc = next_string(r, e);
    *symbols = r->symbols;
    *length = r->length;
    return rc;
}

uint64_t
string_reader_line(const struct string_reader *r)
{
    return r->line;
}

uint64_t
string_reader_skipped(const struct string_reader *r)
{
    return r->skipped;
}

void
string_reader_keep_names(struct string_reader *r)
{
    r->keep_names = true;
    r->names_size = 0;
}

const char *
string_reader_names(const struct string_reader *r)
{
    return r->fasta ? r->names : NULL;
}

/* SPDX-License-Identifier: MIT */
#include "io/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/output.h"

enum {
    DEPTH_MAX = 64,
    MEMBERS_MAX = 10000, /* per object: looking for duplicates is quadratic */
    CHUNK = 256
};

/* Values never move, because they point at each other. */
struct chunk {
    struct chunk *older;
    struct json_value value[CHUNK];
};

struct json {
    struct chunk *chunk; /* the newest */
    size_t used;         /* values of it */
    char *strings;       /* all strings, each with its NUL: together never longer than the text */
    size_t strings_used;
    struct json_value *root;
};

struct json_parser {
    struct json *j;
    const char *text;
    size_t length, at;
    int depth;
    struct err *e;
};

static struct json_value *parse_value(struct json_parser *p);

static void *
wrong(struct json_parser *p, const char *what)
{
    err_set(p->e, ERR_DATA, "byte %zu: %s", p->at + 1, what);
    return NULL;
}

static void
skip_blanks(struct json_parser *p)
{
    while (p->at < p->length && strchr(" \t\r\n", p->text[p->at]) != NULL && p->text[p->at] != '\0')
        p->at++;
}

/* The next character that is not a blank, or '\0' at the end. */
static char
peek(struct json_parser *p)
{
    skip_blanks(p);
    return p->at < p->length ? p->text[p->at] : '\0';
}

static bool
accept(struct json_parser *p, char c)
{
    if (peek(p) != c)
        return false;
    p->at++;
    return true;
}

static struct json_value *
new_value(struct json_parser *p, enum json_type type)
{
    struct json *j = p->j;
    if (j->chunk == NULL || j->used == CHUNK) {
        struct chunk *c = mem_array(1, sizeof *c, p->e);
        if (c == NULL)
            return NULL;
        c->older = j->chunk;
        j->chunk = c;
        j->used = 0;
    }
    struct json_value *v = &j->chunk->value[j->used++];
    *v = (struct json_value){.type = type};
    return v;
}

/* ---- strings ---- */

/* Four hexadecimal digits, or -1. */
static int
hex4(struct json_parser *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        char c = p->at < p->length ? p->text[p->at] : '\0';
        if (c >= '0' && c <= '9')
            v = v * 16 + (c - '0');
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            v = v * 16 + ((c | 32) - 'a' + 10);
        else
            return -1;
    }
    return v;
}

static char *
put_utf8(char *s, unsigned c)
{
    if (c < 0x80) {
        *s++ = (char)c;
        return s;
    }
    int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    *s++ = (char)(lead[tail] | c >> 6 * tail);
    while (tail-- > 0)
        *s++ = (char)(0x80 | (c >> 6 * tail & 0x3f));
    return s;
}

/* After "\u": a code point, from two escapes if it is a surrogate pair. */
static char *
parse_unicode(struct json_parser *p, char *s)
{
    int high = hex4(p);
    if (high >= 0xd800 && high < 0xdc00) {
        if (p->length - p->at < 2 || memcmp(p->text + p->at, "\\u", 2) != 0)
            return NULL;
        p->at += 2;
        int low = hex4(p);
        if (low < 0xdc00 || low >= 0xe000)
            return NULL;
        return put_utf8(s, 0x10000 + ((unsigned)(high - 0xd800) << 10) + (unsigned)(low - 0xdc00));
    }
    bool usable = high > 0 && (high < 0xdc00 || high >= 0xe000); /* no NUL, no lone half */
    return usable ? put_utf8(s, (unsigned)high) : NULL;
}

static char *
parse_escape(struct json_parser *p, char *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = p->at < p->length ? p->text[p->at++] : '\0';
    if (c == 'u')
        return parse_unicode(p, s);
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (found == NULL)
        return NULL;
    *s++ = to[found - from];
    return s;
}

/* An escape is never shorter than the character it represents, so a buffer of the text's
 * length holds all strings. */
static const char *
parse_string(struct json_parser *p)
{
    char *start = p->j->strings + p->j->strings_used, *s = start;
    if (!accept(p, '"'))
        return wrong(p, "expected a string");
    while (p->at < p->length && p->text[p->at] != '"') {
        unsigned char c = (unsigned char)p->text[p->at++];
        if (c < ' ')
            return wrong(p, "control character in a string");
        if (c != '\\')
            *s++ = (char)c;
        else if ((s = parse_escape(p, s)) == NULL)
            return wrong(p, "invalid escape in a string");
    }
    if (p->at == p->length)
        return wrong(p, "unterminated string");
    p->at++;
    *s++ = '\0';
    p->j->strings_used += (size_t)(s - start);
    return start;
}

/* ---- the other values ---- */

static bool
digits(struct json_parser *p)
{
    size_t start = p->at;
    while (p->at < p->length && p->text[p->at] >= '0' && p->text[p->at] <= '9')
        p->at++;
    return p->at > start;
}

/* The grammar of RFC 8259: -? int frac? exp? */
static bool
scan_number(struct json_parser *p)
{
    const char *t = p->text;
    if (p->at < p->length && t[p->at] == '-')
        p->at++;
    if (p->at < p->length && t[p->at] == '0')
        p->at++;
    else if (!digits(p))
        return false;
    if (p->at < p->length && t[p->at] == '.') {
        p->at++;
        if (!digits(p))
            return false;
    }
    if (p->at < p->length && (t[p->at] | 32) == 'e') {
        p->at++;
        if (p->at < p->length && (t[p->at] == '+' || t[p->at] == '-'))
            p->at++;
        return digits(p);
    }
    return true;
}

static struct json_value *
parse_number(struct json_parser *p)
{
    char copy[64];
    size_t start = p->at;
    if (!scan_number(p))
        return wrong(p, "expected a value");
    size_t n = p->at - start;
    if (n >= sizeof copy)
        return wrong(p, "number has more than 63 characters");
    memcpy(copy, p->text + start, n);
    copy[n] = '\0';
    struct json_value *v = new_value(p, JSON_NUMBER);
    if (v != NULL)
        v->number = strtod(copy, NULL);
    return v;
}

static struct json_value *
parse_word(struct json_parser *p)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = JSON_NULL; i <= JSON_TRUE; i++) {
        size_t n = strlen(words[i]);
        if (p->length - p->at >= n && memcmp(p->text + p->at, words[i], n) == 0) {
            p->at += n;
            return new_value(p, (enum json_type)i);
        }
    }
    return wrong(p, "expected a value");
}

/* The member of any type; NULL if there is none. */
static const struct json_value *
find(const struct json_value *object, const char *key)
{
    const struct json_value *v = object->type == JSON_OBJECT ? object->first : NULL;
    while (v != NULL && strcmp(v->key, key) != 0)
        v = v->next;
    return v;
}

/* One element, or `"key": value`; NULL on failure. */
static struct json_value *
parse_item(struct json_parser *p, const struct json_value *parent)
{
    const char *key = NULL;
    if (parent->type == JSON_OBJECT) {
        key = parse_string(p);
        if (key == NULL)
            return NULL;
        if (find(parent, key) != NULL)
            return wrong(p, "repeated key");
        if (parent->count == MEMBERS_MAX)
            return wrong(p, "object has too many members");
        if (!accept(p, ':'))
            return wrong(p, "expected ':'");
    }
    struct json_value *v = parse_value(p);
    if (v != NULL)
        v->key = key;
    return v;
}

/* Continues after the opening bracket of an array or an object. */
static struct json_value *
parse_items(struct json_parser *p, enum json_type type, char close)
{
    struct json_value *parent = new_value(p, type), *last = NULL;
    if (parent == NULL || accept(p, close))
        return parent;
    do {
        struct json_value *v = parse_item(p, parent);
        if (v == NULL)
            return NULL;
        if (last == NULL)
            parent->first = v;
        else
            last->next = v;
        last = v;
        parent->count++;
    } while (accept(p, ','));
    return accept(p, close) ? parent : wrong(p, "expected ',' or a closing bracket");
}

static struct json_value *
parse_value(struct json_parser *p)
{
    struct json_value *v;
    char c = peek(p);
    if (++p->depth > DEPTH_MAX)
        return wrong(p, "nested too deeply");
    if (c == '{' || c == '[') {
        p->at++;
        v = c == '{' ? parse_items(p, JSON_OBJECT, '}') : parse_items(p, JSON_ARRAY, ']');
    } else if (c == '"') {
        v = new_value(p, JSON_STRING);
        if (v != NULL && (v->string = parse_string(p)) == NULL)
            v = NULL;
    } else
        v = c == '-' || (c >= '0' && c <= '9') ? parse_number(p) : parse_word(p);
    p->depth--;
    return v;
}

struct json *
json_parse(const char *text, size_t length, struct err *e)
{
    struct json *j = mem_zero(1, sizeof *j, e);
    if (j == NULL)
        return NULL;
    j->strings = mem_array(length + 1, 1, e);
    struct json_parser p = {.j = j, .text = text, .length = length, .e = e};
    struct json_value *root = j->strings != NULL ? parse_value(&p) : NULL;
    if (root != NULL && (peek(&p) != '\0' || p.at < length))
        root = wrong(&p, "extra text after the value");
    if (root == NULL) {
        json_free(j);
        return NULL;
    }
    j->root = root;
    return j;
}

void
json_free(struct json *j)
{
    if (j == NULL)
        return;
    while (j->chunk != NULL) {
        struct chunk *older = j->chunk->older;
        mem_free(j->chunk);
        j->chunk = older;
    }
    mem_free(j->strings);
    mem_free(j);
}

const struct json_value *
json_root(const struct json *j)
{
    return j->root;
}

/* The names of types in messages. */
static const char *const type_names[] = {"null",     "false",    "true",     "a number",
                                         "a string", "an array", "an object"};

const struct json_value *
json_member(const struct json_value *object, const char *key, enum json_type type, struct err *e)
{
    const struct json_value *v = find(object, key);
    if (v != NULL && v->type == type)
        return v;
    err_set(e, ERR_DATA, "member '%s' is missing or not %s", key, type_names[type]);
    return NULL;
}

/* An optional member that must have the stated type: 0 or ERR_DATA. */
static int
find_optional(const struct json_value *object, const char *key, enum json_type type,
              const struct json_value **v, struct err *e)
{
    *v = find(object, key);
    if (*v == NULL || (*v)->type == type)
        return 0;
    return err_set(e, ERR_DATA, "member '%s' is not %s", key, type_names[type]);
}

int
json_number(const struct json_value *object, const char *key, double *value, struct err *e)
{
    const struct json_value *v;
    int rc = find_optional(object, key, JSON_NUMBER, &v, e);
    if (rc == 0 && v != NULL)
        *value = v->number;
    return rc;
}

int
json_string(const struct json_value *object, const char *key, const char **value, struct err *e)
{
    const struct json_value *v;
    int rc = find_optional(object, key, JSON_STRING, &v, e);
    if (rc == 0 && v != NULL)
        *value = v->string;
    return rc;
}

int
json_whole(const struct json_value *v, uint64_t most, uint64_t *out, struct err *e)
{
    if (v->type != JSON_NUMBER || !(v->number >= 0) || v->number > (double)most ||
        v->number > 0x1p53 || v->number != floor(v->number))
        return err_set(e, ERR_DATA, "'%s' is not a whole number from 0 to %llu",
                       v->key != NULL ? v->key : "an element", (unsigned long long)most);
    *out = (uint64_t)v->number;
    return 0;
}

const char *
json_escape(char c, char buf[JSON_ESCAPE_MAX])
{
    if ((unsigned char)c < ' ')
        snprintf(buf, JSON_ESCAPE_MAX, "\\u%04x", (unsigned)c);
    else
        snprintf(buf, JSON_ESCAPE_MAX, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    return buf;
}

int
json_write_string(struct output *out, const char *text, struct err *e)
{
    char piece[JSON_ESCAPE_MAX];
    int rc = output_write(out, "\"", 1, e);
    for (; rc == 0 && *text != '\0'; text++) {
        json_escape(*text, piece);
        rc = output_write(out, piece, strlen(piece), e);
    }
    return rc == 0 ? output_write(out, "\"", 1, e) : rc;
}

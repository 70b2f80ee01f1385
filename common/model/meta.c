/* SPDX-License-Identifier: MIT */
#include "model/meta.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/utf8.h"

struct meta_entry {
    char *key, *value;
};

struct meta {
    struct meta_entry *pair;
    size_t count, capacity;
    size_t bytes; /* of meta_text */
};

struct meta *
meta_new(struct err *e)
{
    return mem_zero(1, sizeof(struct meta), e);
}

void
meta_free(struct meta *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->count; i++) {
        mem_free(m->pair[i].key);
        mem_free(m->pair[i].value);
    }
    mem_free(m->pair);
    mem_free(m);
}

static struct meta_entry *
find(const struct meta *m, const char *key)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->pair[i].key, key) == 0)
            return &m->pair[i];
    return NULL;
}

/* Accounts for a line that is new, or whose value changes from `old`; refuses if the total
 * is too large. */
static int
count_line(struct meta *m, const char *key, const char *value, const char *old, struct err *e)
{
    size_t bytes = m->bytes + strlen(value);
    if (old == NULL)
        bytes += strlen(key) + 2;
    else
        bytes -= strlen(old);
    if (old == NULL && m->count == META_LINES_MAX)
        return err_set(e, ERR_LIMIT, "more than %d lines of metadata", META_LINES_MAX);
    if (bytes > META_BYTES_MAX)
        return err_set(e, ERR_LIMIT, "more than %d bytes of metadata", META_BYTES_MAX);
    m->bytes = bytes;
    return 0;
}

/* Takes ownership of `value`, also on failure. */
static int
put(struct meta *m, const char *key, size_t key_length, char *value, struct err *e)
{
    int rc = ERR_NOMEM;
    char *k = mem_string(key, key_length, e);
    if (k == NULL || value == NULL ||
        mem_reserve(&m->pair, &m->capacity, m->count + 1, sizeof *m->pair, e) != 0)
        goto fail;
    struct meta_entry *old = find(m, k);
    rc = count_line(m, k, value, old != NULL ? old->value : NULL, e);
    if (rc != 0)
        goto fail;
    if (old != NULL) {
        mem_free(k);
        mem_free(old->value);
        old->value = value;
    } else
        m->pair[m->count++] = (struct meta_entry){k, value};
    return 0;
fail:
    mem_free(k);
    mem_free(value);
    return rc;
}

int
meta_set(struct meta *m, const char *key, struct err *e, const char *format, ...)
{
    size_t length;
    va_list ap;
    va_start(ap, format);
    char *text = mem_format(&length, e, format, ap);
    va_end(ap);
    if (text == NULL)
        return ERR_NOMEM;
    utf8_flatten(text); /* a value is one line */
    return put(m, key, strlen(key), text, e);
}

int
meta_set_number(struct meta *m, const char *key, double value, struct err *e)
{
    char text[NUM_TEXT_MAX];
    return meta_set(m, key, e, "%s", num_text(value, text));
}

int
meta_set_hash(struct meta *m, const char *key, uint64_t hash, struct err *e)
{
    return meta_set(m, key, e, "%016" PRIx64, hash);
}

const char *
meta_get(const struct meta *m, const char *key)
{
    struct meta_entry *p = find(m, key);
    return p != NULL ? p->value : NULL;
}

size_t
meta_count(const struct meta *m)
{
    return m->count;
}

const char *
meta_key(const struct meta *m, size_t i)
{
    return m->pair[i].key;
}

const char *
meta_value(const struct meta *m, size_t i)
{
    return m->pair[i].value;
}

static bool
is_hash(const char *key)
{
    return strcmp(key, "input") == 0 || strncmp(key, "input.", strlen("input.")) == 0;
}

enum meta_type
meta_number(const struct meta *m, size_t i, uint64_t *whole, double *real)
{
    const char *key = meta_key(m, i), *text = meta_value(m, i);
    char again[NUM_TEXT_MAX];
    struct err no_number = {0};
    if (strcmp(key, "version") == 0 || is_hash(key))
        return META_TEXT;
    if (num_parse_u64(text, 0, UINT64_MAX, whole, &no_number) == 0) {
        snprintf(again, sizeof again, "%" PRIu64, *whole);
        return strcmp(text, again) == 0 ? META_WHOLE : META_TEXT;
    }
    no_number = (struct err){0};
    if (strcmp(text, "nan") == 0)
        *real = NAN;
    else if (num_parse_f64_inf(text, real, &no_number) != 0)
        return META_TEXT;
    return strcmp(text, num_text(*real, again)) == 0 ? META_REAL : META_TEXT;
}

char *
meta_text(const struct meta *m, size_t *length, struct err *e)
{
    char *text = mem_array(m->bytes + 1, 1, e);
    if (text == NULL)
        return NULL;
    char *p = text;
    for (size_t i = 0; i < m->count; i++)
        p += sprintf(p, "%s\t%s\n", m->pair[i].key, m->pair[i].value);
    *length = m->bytes;
    return text;
}

static bool
key_is_plain(const char *key, size_t length)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_.:-";
    for (size_t i = 0; i < length; i++)
        if (strchr(plain, key[i]) == NULL)
            return false;
    return true;
}

/* Parses one "key\tvalue\n" line; returns its length or an error.  A key must not be
 * repeated, so there are as many lines as keys.  The value is cleaned, because it will be
 * displayed. */
static ssize_t
parse_line(struct meta *m, const char *line, size_t left, struct err *e)
{
    const char *lf = memchr(line, '\n', left);
    const char *tab = lf != NULL ? memchr(line, '\t', (size_t)(lf - line)) : NULL;
    if (tab == NULL || tab == line)
        return err_set(e, ERR_FORMAT, "line %zu: expected 'key<TAB>value'", m->count + 1);
    if (!key_is_plain(line, (size_t)(tab - line)))
        return err_set(e, ERR_FORMAT, "line %zu: invalid characters in the key", m->count + 1);
    size_t before = m->count;
    char *value = mem_string(tab + 1, (size_t)(lf - tab) - 1, e);
    if (value != NULL)
        utf8_flatten(value);
    int rc = put(m, line, (size_t)(tab - line), value, e);
    if (rc == 0 && m->count == before)
        rc = err_set(e, ERR_FORMAT, "line %zu: repeated key", before + 1);
    return rc != 0 ? rc : lf - line + 1;
}

struct meta *
meta_parse(const char *text, size_t length, struct err *e)
{
    struct meta *m = meta_new(e);
    if (m == NULL)
        return NULL;
    if (length > 0 && memchr(text, '\0', length) != NULL) {
        err_set(e, ERR_FORMAT, "contains a NUL byte");
        meta_free(m);
        return NULL;
    }
    while (length > 0) {
        ssize_t n = parse_line(m, text, length, e);
        if (n < 0) {
            meta_free(m);
            return NULL;
        }
        text += n;
        length -= (size_t)n;
    }
    return m;
}

struct meta *
meta_copy(const struct meta *m, struct err *e)
{
    size_t length;
    char *text = meta_text(m, &length, e);
    struct meta *copy = text == NULL ? NULL : meta_parse(text, length, e);
    mem_free(text);
    return copy;
}

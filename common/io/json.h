/* SPDX-License-Identifier: MIT
 *
 * json: a strict reader of JSON (RFC 8259) for formats based on it, and escaping of strings for
 * writing.
 *
 * The whole text becomes one tree that owns all its values.  Input is not trusted: depth is
 * limited, duplicate keys are refused, and memory is proportional to the length of the text.
 */
#ifndef GAMUT_JSON_H
#define GAMUT_JSON_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct json;
struct output;

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_value {
    enum json_type type;
    double number;                  /* JSON_NUMBER */
    const char *string;             /* JSON_STRING, UTF-8, NUL-terminated */
    const char *key;                /* of a member of an object, else NULL */
    const struct json_value *first; /* JSON_ARRAY, JSON_OBJECT; NULL if empty */
    const struct json_value *next;  /* the next element or member */
    size_t count;                   /* elements or members */
};

/* NULL on failure: ERR_DATA with the byte offset of the error. */
struct json *json_parse(const char *text, size_t length, struct err *e);
void json_free(struct json *j); /* NULL is fine */

const struct json_value *json_root(const struct json *j);

/* The member `key` of an object with the stated type; NULL and ERR_DATA otherwise. */
const struct json_value *json_member(const struct json_value *object, const char *key,
                                     enum json_type type, struct err *e);

/* The same for an optional member: if it is missing, *value is unchanged. */
int json_number(const struct json_value *object, const char *key, double *value, struct err *e);
int json_string(const struct json_value *object, const char *key, const char **value,
                struct err *e);

/* A number that is an integer in [0, most]; 0 or ERR_DATA. */
int json_whole(const struct json_value *v, uint64_t most, uint64_t *out, struct err *e);

enum { JSON_ESCAPE_MAX = 7 }; /* bytes, with the NUL */

/* One byte inside a JSON string: quotes, backslashes and control characters are escaped.
 * Returns buf. */
const char *json_escape(char c, char buf[JSON_ESCAPE_MAX]);

/* A complete string, with quotes. */
int json_write_string(struct output *out, const char *text, struct err *e);

#endif

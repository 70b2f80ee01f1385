/* SPDX-License-Identifier: MIT
 *
 * err: how the library reports failure.
 *
 * A function that can fail returns 0 or one of the negative codes below, and
 * writes one line of text for people into the caller's `struct err`.  The
 * library never prints and never exits; the tool prefixes its own name and
 * turns the code into an exit status.  The text names the subject (file, line,
 * section, option) because only the place of failure knows it.
 */
#ifndef GAMUT_ERR_H
#define GAMUT_ERR_H

enum err_code {
    ERR_NONE = 0,
    ERR_NOMEM = -1,   /* an allocation failed */
    ERR_IO = -2,      /* the operating system refused a read, write, open, .. */
    ERR_DATA = -3,    /* strings that are not what was asked for */
    ERR_FORMAT = -4,  /* a damaged, foreign or newer model file */
    ERR_USAGE = -5,   /* a value or a combination of options makes no sense */
    ERR_EMPTY = -6,   /* no string satisfies the constraints */
    ERR_NUMERIC = -7, /* NaN, infinity, or no convergence */
    ERR_LIMIT = -8    /* larger than this implementation can hold */
};

enum { ERR_TEXT_MAX = 1024 };

struct err {
    int code;                /* enum err_code */
    char text[ERR_TEXT_MAX]; /* one line, no newline, lower case, no full stop; if it
                              * had to be cut, in the middle */
};

/* Records code and text, and returns code: `return err_set(e, ERR_DATA, ..)`.
 * The first error wins: a later one is ignored while `e->code` is set.
 * `e` may be NULL when only the code matters. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Records ERR_NOMEM for a request of `bytes`; returns ERR_NOMEM. */
int err_nomem(struct err *e, unsigned long long bytes);

/* As err_set with ERR_IO, followed by ": " and strerror of errno. */
int err_errno(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts a context in front of a text that is already there: "CONTEXT: text". */
void err_prefix(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives an error that is there another code: a rule for option values, broken
 * in a file, is ERR_DATA and not ERR_USAGE. */
void err_recode(struct err *e, int code);

#endif

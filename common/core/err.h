/* SPDX-License-Identifier: MIT
 *
 * err: how the library reports failure.
 *
 * A function that can fail returns 0 or one of the negative codes below, and writes one line of
 * text for people into the caller's `struct err`.  The library never prints and never exits.
 * The tool prefixes its own name and turns the code into an exit status.  The text states the
 * fact and names the subject (file, line, section), because only the place of failure knows it.
 * The tool says which option helps: the library may pass a remedy to it.
 */
#ifndef GAMUT_ERR_H
#define GAMUT_ERR_H

#include <stddef.h>

enum err_code {
    ERR_NONE = 0,
    ERR_NOMEM = -1,   /* an allocation failed */
    ERR_IO = -2,      /* the operating system refused a read, write, open, ... */
    ERR_DATA = -3,    /* the strings are not valid here */
    ERR_FORMAT = -4,  /* a damaged, foreign or newer model file */
    ERR_USAGE = -5,   /* an invalid value or combination of options */
    ERR_EMPTY = -6,   /* no string satisfies the constraints */
    ERR_NUMERIC = -7, /* NaN, infinity, or no convergence */
    ERR_LIMIT = -8,   /* larger than this implementation can hold */
    ERR_STOPPED = -9  /* asked to stop, by a signal */
};

/* What would help.  A tool that has an option for it names the option (cli.h). */
enum err_remedy {
    REMEDY_NONE = 0,
    REMEDY_SET_ALPHABET,     /* state the alphabet */
    REMEDY_BAD_SYMBOL,       /* another alphabet, or leave out strings with other symbols */
    REMEDY_FOLD_CASE,        /* read letters in either case */
    REMEDY_SKIP_BAD,         /* leave out strings that are not valid */
    REMEDY_SET_FORMAT,       /* state the format of the strings */
    REMEDY_SET_MAX_LENGTH,   /* set a maximum length for strings that have none */
    REMEDY_RAISE_MAX_LENGTH, /* raise the maximum length */
    REMEDY_LOWER_MAX_LENGTH, /* lower the maximum length: leave out long strings */
    REMEDY_LOWER_RATE,       /* a smaller learning rate */
    REMEDY_GUIDED,           /* find moments from guided samples */
    REMEDY_CONSTRAINT,       /* state it as a hard constraint */
    REMEDY_LOWER_ORDER,      /* shorter contexts */
    REMEDY_COUNT
};

enum { ERR_TEXT_MAX = 1024, ERR_SOURCE_MAX = 73 };

struct err {
    int code; /* enum err_code */
    enum err_remedy remedy;
    char text[ERR_TEXT_MAX];     /* one line, no newline, lower case, no full stop; if it
                                  * had to be cut, in the middle */
    char source[ERR_SOURCE_MAX]; /* what the user wrote, or the part of it around the place */
    unsigned column;             /* of the place in `source`, from 1; 0: there is none */
};

/* Records code and text, and returns code: `return err_set(e, ERR_DATA, ...)`.
 * The first error wins: a later one is ignored while `e->code` is set.  `e` is
 * never NULL, here and wherever the library takes one. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same with what would help. */
int err_advise(struct err *e, int code, enum err_remedy remedy, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Records an error that was caught elsewhere, if there is one; returns its code. */
int err_pass(struct err *e, const struct err *from);

/* Records ERR_NOMEM for a request of `bytes`; returns ERR_NOMEM. */
int err_nomem(struct err *e, unsigned long long bytes);

/* As err_set with ERR_IO, followed by ": " and strerror of errno. */
int err_errno(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts a context in front of a text that is already there: "CONTEXT: text". */
void err_prefix(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds to an error where it is: at source[at]. */
void err_point(struct err *e, const char *source, size_t at);

/* Replaces the code of an error that is already recorded: a rule for option values, broken
 * in a file, is ERR_DATA and not ERR_USAGE.  err_remedy replaces its remedy. */
void err_recode(struct err *e, int code);
void err_remedy(struct err *e, enum err_remedy remedy);

#endif

/* SPDX-License-Identifier: MIT
 *
 * regex_nfa: parses a regular expression over an alphabet into an NFA (Thompson, 1968).
 *
 * The syntax is that of POSIX extended regular expressions without back-references:
 *
 *     . [abc] [a-z] [^abc] [[:alpha:]]   one symbol
 *     (RE) RE|RE                         group, alternatives; both may be empty
 *     * + ? {m} {m,} {m,n}               repetition of the preceding symbol or group
 *     ^ $                                start and end of the string, anywhere in the RE
 *     \                                  makes the next punctuation character literal
 *
 * Where POSIX leaves the meaning open and other programs disagree, the expression is
 * rejected: a repetition of nothing, of an anchor, or of a repetition (write (a*)? for
 * a*?), a backslash before a letter or digit, [. and [= in brackets.  Inside brackets a
 * backslash is an ordinary character, and ranges follow character codes.
 *
 * A literal that is not in the alphabet is an error.  In brackets, characters outside the
 * alphabet are ignored, so that [a-z] and [[:alpha:]] fit any alphabet; but brackets without
 * ^ that contain no symbol of the alphabet are an error.  With ^ they may exclude all
 * symbols, and then match nothing.
 *
 * Tested by tests/unit/test_regex_dfa.c.
 */
#ifndef GAMUT_REGEX_NFA_H
#define GAMUT_REGEX_NFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;

enum {
    REGEX_SYMBOLS_MAX = 256,
    REGEX_DEPTH_MAX = 100,    /* nested parentheses */
    REGEX_REPEAT_MAX = 1000,  /* m and n of {m,n} */
    REGEX_NODES_MAX = 1 << 13 /* about the symbols and operators, with {m,n} written out */
};

#define REGEX_NO_NODE     UINT32_MAX
#define REGEX_NO_POSITION SIZE_MAX

enum regex_node_kind {
    REGEX_EMPTY,   /* continues with `next` and `other` */
    REGEX_SYMBOLS, /* reads a symbol, continues with `next` */
    REGEX_START,   /* ^: continues with `next` at the start of the string */
    REGEX_END,     /* $: the same at the end */
    REGEX_MATCH    /* the last node, and the only one of this kind */
};

struct regex_node {
    enum regex_node_kind kind;
    uint32_t next, other;          /* may be REGEX_NO_NODE */
    bool reads[REGEX_SYMBOLS_MAX]; /* by symbol; all false in nodes of other kinds */
};

struct regex_nfa {
    struct regex_node *node; /* [count] */
    uint32_t count;
    uint32_t entry;
};

/* 0, or:
 *
 *     ERR_USAGE  the expression is malformed
 *     ERR_LIMIT  a limit above is exceeded
 *     ERR_NOMEM
 *
 * For the first two the text of `e` begins "position N: " with N counted from 1, and
 * *position (if position is not NULL) is the offset in bytes of the error in the expression,
 * at most its length.  For ERR_NOMEM it is REGEX_NO_POSITION.  On failure the result owns
 * nothing. */
int regex_nfa_parse(struct regex_nfa *nfa, const struct alphabet *a, const char *expression,
                    size_t *position, struct err *e);

void regex_nfa_clear(struct regex_nfa *nfa); /* a zeroed struct is fine */

#endif

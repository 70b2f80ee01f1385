/* SPDX-License-Identifier: MIT
 *
 * feature_expression: words at a position and sites on either strand, as regular expressions
 * (automata/regex_nfa.h).
 *
 * Tested by tests/unit/test_feature_language.c.
 */
#ifndef GAMUT_FEATURE_EXPRESSION_H
#define GAMUT_FEATURE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;

enum { FEATURE_POSITION_MAX = 1000 };

/* A word of IUPAC letters over an alphabet that contains ACGT or ACGU, in upper or lower
 * case; if `both` strands count, also its reverse complement.  0, ERR_USAGE or ERR_NOMEM;
 * the caller frees *expression with mem_free. */
int site_expression(const struct alphabet *a, const char *word, bool both, char **expression,
                    struct err *e);

/* A word that lies inside the positions `first` to `last`: 1 is the first symbol of the
 * string, -1 the last one.  ERR_USAGE if a position is 0 or beyond FEATURE_POSITION_MAX, or
 * if the window is too short for the word. */
int window_expression(const struct alphabet *a, int first, int last, const uint8_t *word,
                      size_t length, char **expression, struct err *e);

#endif

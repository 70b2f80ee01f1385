/* SPDX-License-Identifier: MIT
 *
 * feature: a single feature of a string, by itself: how it follows the string
 * symbol by symbol, what it is worth, and what it can still become.
 *
 * feature.h says what each kind means, and puts features together.  A feature's
 * part `s` of the record of a prefix is feature_words() 32-bit words, all zero at
 * the start.
 */

#ifndef GAMUT_FEATURE_H
#define GAMUT_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "automata/suffix_automaton.h"
#include "text/alphabet.h"

struct err;
enum { FEATURE_EDIT_MAX = 255 }; /* symbols in the word of edit:S */

enum feature_type {
    FEATURE_MOTIF,
    FEATURE_PREFIX,
    FEATURE_SUFFIX,
    FEATURE_LENGTH_IS, /* length:N */
    FEATURE_LENGTH,
    FEATURE_LENGTH2,
    FEATURE_COUNT,
    FEATURE_LCS,
    FEATURE_EDIT
};

struct feature_kind;

struct feature {
    const struct feature_kind *kind;
    unsigned symbols;            /* size of the alphabet */
    uint8_t *word;               /* [word_length] symbols of S */
    uint32_t word_length;        /* |S|; 0 for kinds without a word */
    uint32_t number;             /* N of length:N */
    uint32_t *next;              /* KMP automaton [m+1][symbols] */
    uint32_t period;             /* shortest period of S */
    struct suffix_automaton sam; /* lcs */
};

enum feature_argument { FEATURE_NONE, FEATURE_WORD, FEATURE_NUMBER };
enum feature_scale { FEATURE_UNSCALED, FEATURE_PER_L, FEATURE_PER_L2 }; /* what divides a value */

struct feature_kind {
    const char *name;
    enum feature_argument argument;
    enum feature_scale scale;
    bool by_word;                                     /* values are counted in |S|-ths */
    int (*compile)(struct feature *f, struct err *e); /* NULL: nothing to do */
    size_t (*words)(const struct feature *f);         /* NULL: one */
    void (*step)(const struct feature *f, uint32_t *s, uint8_t a);
    uint64_t (*whole)(const struct feature *f, const uint32_t *s);
    /* Least and greatest `whole` within `rest` more symbols. */
    void (*range)(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                  double *hi);
    /* A numerator that depends on |x| alone, as a function of it; otherwise NULL. */
    uint64_t (*of_length)(const struct feature *f, uint64_t length);
    /* The length from which on every symbol adds the same to it; UINT64_MAX if none. */
    uint64_t (*steady)(const struct feature *f);
    /* For kinds whose numerator is, at least in part, a sum over the symbols of x, so that
     * it need not be remembered (see feature_automaton.h): `arc` steps a state of as many
     * words as the record's, all zero at the start, and returns what the symbol adds; `end`
     * is what ending in the state adds.  NULL: the state is the record, symbols add
     * nothing, and the end adds `whole`. */
    uint32_t (*arc)(const struct feature *f, uint32_t *s, uint8_t a);
    uint32_t (*end)(const struct feature *f, const uint32_t *s);
};

/* From its spec; 0 or the errors of feature_set_add.  Clear in either case. */
int feature_init(struct feature *f, const struct alphabet *a, const char *spec, struct err *e);
void feature_clear(struct feature *f);

enum feature_type feature_type(const struct feature *f);
size_t feature_words(const struct feature *f);

/* The feature as a sum over arcs of an automaton, and what ending in a state adds. */
uint32_t feature_arc(const struct feature *f, uint32_t *s, uint8_t a);
uint32_t feature_end(const struct feature *f, const uint32_t *s);

#endif

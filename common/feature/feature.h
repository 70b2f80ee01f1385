/* SPDX-License-Identifier: MIT
 *
 * feature: a single feature of a string: how its state follows the string symbol by symbol, its
 * value, and the range of values it can still have.
 *
 * feature_set.h defines the kinds, and combines features.  A feature's part `s` of the record
 * of a prefix is feature_words() 32-bit words, all zero at the start.
 */

#ifndef GAMUT_FEATURE_H
#define GAMUT_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "automata/dfa.h"
#include "automata/match_counter.h"
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
    FEATURE_EDIT,
    FEATURE_REGEX,
    FEATURE_MATCHES,
    FEATURE_CLASS, /* count:[...] */
    FEATURE_SITE,
    FEATURE_SITE_GIVEN, /* site+ */
    FEATURE_AT,
    FEATURE_WITHIN,
    FEATURE_RUN,
    FEATURE_RUN_OF,       /* run:S */
    FEATURE_LENGTH_RANGE, /* length@LO..HI */
    FEATURE_RANGE,        /* SPEC@LO..HI of other kinds */
    FEATURE_SHARE,        /* SPEC@LO%..HI% */
    FEATURE_NOT,          /* not:SPEC */
    FEATURE_DFA           /* dfa:TEXT */
};

struct feature_kind;

/* A set of strings: its minimal complete DFA, and the smallest number of symbols from each
 * state to an accepting and to a rejecting state, or DFA_FAR. */
struct feature_pattern {
    struct dfa dfa;
    uint32_t *to_accept, *to_reject; /* [dfa.states] */
};

/* The limits of a range, both inclusive; in thousandths of a percent of |x| if relative. */
struct feature_limits {
    uint64_t low, high; /* UINT64_MAX: no upper limit */
    bool relative;
};

struct feature {
    const struct feature_kind *kind;
    unsigned symbols;               /* size of the alphabet */
    uint8_t *word;                  /* [word_length] symbols of S */
    uint32_t word_length;           /* |S|; 0 for kinds without a word */
    uint32_t number;                /* N of length:N; for edit: larger distances are equivalent */
    uint32_t *next;                 /* KMP automaton [m+1][symbols] */
    uint32_t period;                /* shortest period of S */
    struct suffix_automaton sam;    /* lcs */
    struct feature_pattern pattern; /* kinds that test by a DFA */
    struct match_counter counter;   /* matches, count:[...] */
    struct feature_limits limits;   /* ranges */
    struct feature *inner;          /* of a range or a complement */
};

enum feature_argument {
    FEATURE_NONE,
    FEATURE_WORD,
    FEATURE_NUMBER,
    FEATURE_TEXT,
    FEATURE_BRACKETS
};
enum feature_scale { FEATURE_UNSCALED, FEATURE_PER_L, FEATURE_PER_L2 }; /* divisor of the values */

/* The number of a kind that ranges test: its numerator, or |S| minus it. */
enum feature_unit { FEATURE_NO_UNIT, FEATURE_UNIT, FEATURE_UNIT_OF_WORD };

struct feature_kind {
    enum feature_type type;
    const char *name;
    enum feature_argument argument;
    enum feature_scale scale;
    enum feature_unit unit;
    bool by_word; /* values are multiples of 1/|S| */
    /* Prepares the kind from its argument; NULL: nothing to do. */
    int (*compile)(struct feature *f, const struct alphabet *a, const char *argument,
                   struct err *e);
    size_t (*words)(const struct feature *f); /* NULL: one */
    void (*step)(const struct feature *f, uint32_t *s, uint8_t a);
    uint64_t (*whole)(const struct feature *f, const uint32_t *s);
    /* The minimum and maximum of `whole` within `rest` more symbols. */
    void (*range)(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                  double *hi);
    /* The numerator as a function of |x|, if it depends on |x| alone; otherwise NULL. */
    uint64_t (*of_length)(const struct feature *f, uint64_t length);
    /* The length from which every symbol adds the same; UINT64_MAX if there is none. */
    uint64_t (*steady)(const struct feature *f);
    /* For kinds whose numerator is, at least in part, a sum over the symbols of x, so that
     * the sum need not be part of the state (see feature_automaton.h): `arc` advances a state
     * of as many words as the record, all zero at the start, and returns what the symbol
     * adds; `end` is what ending in the state adds.  NULL: the state is the record, symbols
     * add nothing, and the end adds `whole`. */
    uint32_t (*arc)(const struct feature *f, uint32_t *s, uint8_t a);
    uint32_t (*end)(const struct feature *f, const uint32_t *s);
};

/* Builds a feature from its spec; 0 or the errors of feature_set_add.  Clear in either case. */
int feature_init(struct feature *f, const struct alphabet *a, const char *spec, struct err *e);
void feature_clear(struct feature *f);

enum feature_type feature_type(const struct feature *f);
size_t feature_words(const struct feature *f);
bool feature_is_test(const struct feature *f); /* its values are 0 and 1 */

/* The complete DFA that accepts the strings where the feature is 0; NULL for other kinds. */
const struct dfa *feature_dfa(const struct feature *f);

/* The feature as a sum over arcs of an automaton, and what ending in a state adds. */
uint32_t feature_arc(const struct feature *f, uint32_t *s, uint8_t a);
uint32_t feature_end(const struct feature *f, const uint32_t *s);

#endif

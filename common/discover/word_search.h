/* SPDX-License-Identifier: MIT
 *
 * word_search: finds the word that best distinguishes a set of strings from a background; or a
 * range of the number of a symbol or of the length that does.
 *
 * A word of k symbols over an alphabet of A symbols that occurs in c of N strings, and in b of
 * M strings of the background, has the score
 *
 *     -ln p - k ln A
 *
 * where p is the p-value of Fisher's exact test that the set has it more often; for absent
 * words, less often.  The second term is the cost of choosing among A^k words.  A word in a window
 * of positions costs the logarithm of the number of windows more, one with edits ln 2 more, and a
 * range of numbers costs the logarithm of the number of ranges.
 *
 * All words are compared, and at single positions all short ones; windows and edits are tried
 * for the best motifs.  All sets go through the same search.
 *
 * Tested by tests/unit/test_discover.c.
 */
#ifndef GAMUT_WORD_SEARCH_H
#define GAMUT_WORD_SEARCH_H

#include <stdbool.h>

#include "discover/significance.h"
#include "discover/word_census.h"
#include "text/alphabet.h"

enum {
    WORD_SEARCH_LENGTH_MAX = 255,
    WORD_SEARCH_NUMBER_MAX = 1000,
    WORD_SEARCH_POSITIONS_MAX = 256
};

struct word_search_options {
    unsigned symbols; /* size of the alphabet */
    unsigned kinds;   /* of words that are more frequent than in the background, by word_kind */
    unsigned absent;  /* of words that are rarer: the same kinds, others only if those are 0 */
    size_t max_word;  /* at most WORD_SEARCH_LENGTH_MAX */
    bool lengths;     /* ranges of the length */
    bool counts;      /* ranges of the number of a symbol */
    bool classes;     /* ranges of the number of symbols of a class */
    bool class_member[ALPHABET_MAX]; /* symbols that can be in a class */
    bool edits;                      /* words with a few edits */
    size_t length;  /* of all strings, at most WORD_SEARCH_POSITIONS_MAX; 0: no positions */
    bool positions; /* words at a position */
    bool windows;   /* words in a window of positions */
    bool priced;    /* whether scores have the second term */
};

/* Words, and in how many strings they are. */
struct counted_words {
    struct word_census census;
    uint32_t *count; /* [states] */
};

/* Shared by all sets of one size.  Searches only read it, from any thread. */
struct word_search {
    struct word_search_options options;
    struct string_range background;
    struct string_range counted; /* the same, or all strings if they are divided into two sets */
    struct fisher fisher;
    struct counted_words common; /* words of some of the background, for absent ones; of all
                                  * strings that are divided into two sets */
    uint16_t *numbers;           /* of strings that are counted, for ranges of numbers */
    uint64_t *histogram;         /* the same by symbol */
    uint32_t *at;                /* strings that are counted, by position and word */
    bool divided;
};

struct word_found {
    double score; /* -INFINITY: there is no candidate */
    bool absent;
    enum word_kind kind;
    uint8_t symbols[WORD_SEARCH_LENGTH_MAX];
    size_t length;
    uint64_t number, last;
    uint64_t c, b; /* strings of the set and of the background that have it */
};

/* For sets of `strings` strings; 0 or the errors of word_census_init.  Clear in any case. */
int word_search_init(struct word_search *s, const struct word_search_options *o,
                     const struct string_range *background, size_t strings, struct err *e);
void word_search_clear(struct word_search *s);

/* For sets of `strings` strings that are taken from `all`, with the others as background;
 * `background` is what the first set leaves. */
int word_search_init_divided(struct word_search *s, const struct word_search_options *o,
                             const struct string_range *all, const struct string_range *background,
                             size_t strings, struct err *e);

/* The best word of such a set. */
int word_search_best_divided(const struct word_search *s, const struct string_range *set,
                             const struct word_found *known, size_t known_count,
                             struct word_found *best, struct err *e);

/* Searches `count` sets at once, those that follow each other in `sets`, which has the strings of
 * all of them: best[i] is the best word of set i, but for `known` ones.  Of equal scores the longer
 * word counts, then the first in the alphabet.  One automaton of all sets counts words in the
 * background, so that this costs little more than for one set. */
int word_search_best(const struct word_search *s, const struct string_range *sets, size_t count,
                     const struct word_found *known, size_t known_count, struct word_found *best,
                     struct err *e);

/* Lengthens a word symbol by symbol while the same strings of the set contain it, if a
 * symbol that c strings share by chance is rarer than one in a hundred; then counts it
 * again. */
void word_search_close(const struct word_search *s, const struct string_range *set,
                       struct word_found *w);

/* Whether a word is one of those that were found. */
bool word_is_known(const struct word *word, const struct word_found *known, size_t count);

/* A found word as word_in_string takes it; refers to w. */
struct word word_found_word(const struct word_found *w);

#endif

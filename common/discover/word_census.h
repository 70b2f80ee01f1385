/* SPDX-License-Identifier: MIT
 *
 * word_census: the number of strings of two sets that contain each word, for all words of one
 * of the sets.
 *
 * A string x is read as |x|, so that words with an anchor are prefixes and suffixes: one code is
 * enough for both, as 255 symbols leave no more in a byte.  Words
 * that end at the same places of their strings are one candidate, the longest of them: the
 * others occur in the same strings, and more often elsewhere.  Candidates are the states of a
 * suffix automaton, so there are at most two per symbol, and counting takes one step per symbol
 * and distinct candidate of a string.
 *
 * Memory: (4 A + 32) bytes per state for A symbols, including the anchor, and at most two states
 * per symbol.
 *
 * Tested by tests/unit/test_discover.c.
 */
#ifndef GAMUT_WORD_CENSUS_H
#define GAMUT_WORD_CENSUS_H

#include <stddef.h>
#include <stdint.h>

#include "automata/suffix_automaton.h"

struct err;
struct strings;

/* Kinds of words, as bits; a census has the first three.  NUMBER_... are about a number: how many
 * symbols of a class, whose members are the word, a string has, or its length. */
enum word_kind {
    WORD_MOTIF = 1,
    WORD_PREFIX = 2,
    WORD_SUFFIX = 4,
    WORD_EDIT = 8,    /* up to `number` edits away from a part of the string */
    WORD_WITHIN = 16, /* in the positions `number` to `last`, from 1 */
    NUMBER_AT_LEAST = 32,
    NUMBER_AT_MOST = 64,
    NUMBER_EQUAL = 128
};

enum { WORD_EDIT_LENGTH_MAX = 64 }; /* of a word of kind WORD_EDIT */

/* Strings first .. first + count - 1 of a container. */
struct string_range {
    const struct strings *strings;
    size_t first, count;
};

struct word_census {
    struct suffix_automaton automaton; /* symbols 0 .. A-1 and the anchor */
    uint8_t *text;                     /* [size] the strings with their anchors */
    uint32_t *length;                  /* [states] of the candidate, anchors included; 0: none */
};

/* A word of a census or of the caller's; valid as long as its symbols. */
struct word {
    enum word_kind kind;
    const uint8_t *symbols; /* without anchors */
    size_t length;          /* 0 if a number is the length of the string */
    uint64_t number, last;  /* that the kind is about, else 0 */
};

/* Words of 1 to max_word symbols of these kinds; `symbols` is the size of the alphabet.  0,
 * ERR_LIMIT if the strings have 2^31 symbols or more, ERR_NOMEM. */
int word_census_init(struct word_census *w, const struct string_range *from, unsigned symbols,
                     unsigned kinds, size_t max_word, struct err *e);
void word_census_clear(struct word_census *w); /* a zeroed struct is fine */

/* Sets count[state] to the number of strings that contain the candidate of each state.
 * `scratch` has room for as many numbers. */
void word_census_count(const struct word_census *w, const struct string_range *in, uint32_t *count,
                       uint32_t *scratch);

/* The candidate of a state that has one. */
struct word word_census_word(const struct word_census *w, uint32_t state);

/* The number that a word without a kind stands for. */
uint64_t word_number(const struct word *w, const uint8_t *symbols, size_t length);

/* Whether a string has a word; the number of strings that do. */
int word_in_string(const struct word *w, const uint8_t *symbols, size_t length);
size_t word_count(const struct word *w, const struct string_range *in);

#endif

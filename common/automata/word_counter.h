/* SPDX-License-Identifier: MIT
 *
 * word_counter: counts many words in line-delimited text in one pass, 256 characters at a time.
 *
 * For each symbol a bit plane (bit_planes.h) marks its places in the text.  A word occurs where
 * the planes of its symbols, each shifted back by the symbol's place in the word, are all set.
 * Words form a trie: common prefixes are intersected once, and an empty intersection ends all
 * words below it.  A newline is in no plane, so no match crosses one.  For so many words that
 * planes would be slow, Aho-Corasick (aho_corasick.h) reads the text instead.
 */
#ifndef GAMUT_WORD_COUNTER_H
#define GAMUT_WORD_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct err;
struct word_counter;

struct word_counter *word_counter_new(const struct alphabet *a, struct err *e);
void word_counter_free(struct word_counter *s); /* NULL is fine */

/* Adds a word; with `anchored` it counts only at the beginning of a line.  *number is its
 * place in the counts; equal words have equal numbers.  ERR_USAGE if the word is empty or
 * not over the alphabet. */
int word_counter_add_word(struct word_counter *s, const char *word, bool anchored, size_t *number,
                          struct err *e);

/* Must be called once, after all words were added. */
int word_counter_compile(struct word_counter *s, struct err *e);

size_t word_counter_words(const struct word_counter *s);

struct word_counter_count {
    uint64_t lines;       /* lines in which the word occurs */
    uint64_t occurrences; /* overlapping ones included */
    uint64_t last;        /* internal: number of the last line counted, from 1 */
};

/* For characters of one byte: adds the counts of `size` bytes of complete lines, each with its
 * newline, to count[word_counter_words] and *lines, which are zero at first.  Returns `size`, or
 * the offset of the first byte that is neither in the alphabet nor part of a line end; then the
 * counts are invalid. */
size_t word_counter_scan(const struct word_counter *s, const char *text, size_t size,
                         struct word_counter_count *count, uint64_t *lines);

/* For all other alphabets: adds the counts of one string to them. */
void word_counter_string(const struct word_counter *s, const uint8_t *symbols, size_t length,
                         struct word_counter_count *count, uint64_t *lines);

#endif

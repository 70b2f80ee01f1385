/* SPDX-License-Identifier: MIT
 *
 * word_counter: counts many words in line-delimited text in one pass, 256 characters at
 * a time.
 *
 * For each symbol a bit-plane (bit_planes.h) says at which places of the text it
 * stands.  A word occurs where the planes of its symbols, each shifted back by
 * its place in the word, are all set.  Words are kept as a trie, so that what
 * they have in common is done once and an empty intersection ends all words
 * below it.  A newline is in no plane: no match crosses one.  Where there are so
 * many words that this would be slow, Aho-Corasick (aho_corasick.h) reads the text
 * instead.
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

/* Adds a word; with `anchored` it counts only at the beginning of a line.
 * *number is its place in the counts: the same for the same word again.
 * ERR_USAGE if it is empty or not over the alphabet. */
int word_counter_add_word(struct word_counter *s, const char *word, bool anchored, size_t *number,
                          struct err *e);

/* To be called once, when all words are there. */
int word_counter_compile(struct word_counter *s, struct err *e);

size_t word_counter_words(const struct word_counter *s);

struct word_counter_count {
    uint64_t lines;       /* lines in which the word occurs */
    uint64_t occurrences; /* overlapping ones included */
    uint64_t last;        /* internal: number of the last line counted, from 1 */
};

/* Adds what stands in `size` bytes of whole lines, each with its newline, to
 * count[word_counter_words] and *lines, which are zero at first and stay together.
 * Returns `size`; or the offset of the first byte that is neither in the
 * alphabet nor part of a line end: then the counts are of no use. */
size_t word_counter_scan(const struct word_counter *s, const char *text, size_t size,
                         struct word_counter_count *count, uint64_t *lines);

#endif

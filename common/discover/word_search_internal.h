/* SPDX-License-Identifier: MIT
 *
 * word_search_internal: what the files of word_search share: candidates of one set, and the best of
 * them.
 */
#ifndef GAMUT_WORD_SEARCH_INTERNAL_H
#define GAMUT_WORD_SEARCH_INTERNAL_H

#include "discover/word_search.h"

/* The best motifs of a set, of which variants are tried, the best one first. */
enum { SHORTLIST_MAX = 10 };
struct shortlist {
    size_t count;
    struct word_found word[SHORTLIST_MAX];
};

/* The data of a pass over candidates. */
struct pass {
    const struct word_search *search;
    const struct word_census *census;
    const uint32_t *in_set, *in_background;
    bool absent;
    const struct word_found *known;
    size_t known_count;
    struct shortlist *list; /* or NULL */
};

/* Whether a set has a word more often. */
bool is_more(const struct fisher *f, uint64_t c, uint64_t b);

/* The cost of choosing a word of this length. */
double word_price(const struct word_search *s, size_t length);

/* Takes the word if it is better than the best so far. */
void try_word(const struct pass *p, const struct word *word, uint64_t c, uint64_t b, double price,
              struct word_found *best);

/* The same if the set has it in two strings, and more often.  `all` is the count in the background,
 * or, if strings are divided, in all of them. */
void try_more(const struct pass *p, const struct word *word, uint64_t c, uint64_t all, double price,
              struct word_found *best);

/* Ranges of the length and of the number of symbols. */
int word_numbers_init(struct word_search *s, struct err *e);
int word_numbers_try(const struct pass *p, const struct string_range *set, struct word_found *best,
                     struct err *e);

/* Words in few positions, and words that are like those of the short list. */
int word_positions_init(struct word_search *s, struct err *e);
int word_positions_try(const struct pass *p, const struct string_range *set,
                       struct word_found *best, struct err *e);
int word_variants_try(const struct pass *p, const struct string_range *set, struct word_found *best,
                      struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * words: texts from a command line: a list of what an option was given, and
 * one out of the few that an option takes.
 */
#ifndef GAMUT_WORDS_H
#define GAMUT_WORDS_H

#include <stddef.h>

struct err;

/* Pointers into argv, in the order given.  All zero is none. */
struct words {
    const char **word;
    size_t count, capacity;
};

int words_add(struct words *w, const char *word, struct err *e); /* 0 or ERR_NOMEM */
void words_clear(struct words *w);

/* The place of `word` in a list that ends with NULL: 0, or ERR_USAGE with all
 * that there is to choose from. */
int words_choose(const char *const *list, const char *word, int *place, struct err *e);

#endif

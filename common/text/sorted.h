/* SPDX-License-Identifier: MIT
 *
 * sorted: the strings of a corpus, unpacked and in lexicographic order, so
 * that those which share prefixes are neighbours and ptree can take them.
 */
#ifndef GAMUT_SORTED_H
#define GAMUT_SORTED_H

#include <stdbool.h>
#include <stddef.h>

#include "text/prefix_tree.h"

struct corpus;
struct err;

struct sorted {
    struct weighted_string *string; /* [count] */
    size_t count;
    uint8_t *codes; /* of all strings */
};

/* Every string weighs 1, or with `by_length` 1 / (length + 1).  0, ERR_NOMEM,
 * or ERR_LIMIT past 2^32 - 1 strings.  `s` is cleared with sorted_clear. */
int sorted_init(struct sorted *s, const struct corpus *c, bool by_length, struct err *e);
void sorted_clear(struct sorted *s); /* zeroed is fine */

/* Sum of weight * (length + 1): what a sum of losses is divided by. */
double sorted_weight(const struct weighted_string *string, size_t count);

#endif

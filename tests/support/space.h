/* SPDX-License-Identifier: MIT
 *
 * space: all strings up to a length, numbered: shorter ones first, then as
 * numbers in base `alphabet_size`.
 */
#ifndef GAMUT_SPACE_H
#define GAMUT_SPACE_H

#include <stddef.h>
#include <stdint.h>

struct space {
    unsigned alphabet_size;
    size_t longest;
    size_t first[20]; /* number of the first string of each length */
    size_t count;
};

static inline struct space
space_of(unsigned alphabet_size, size_t longest)
{
    struct space sp = {.alphabet_size = alphabet_size, .longest = longest};
    size_t width = 1;
    for (size_t n = 0; n <= longest; n++, width *= alphabet_size) {
        sp.first[n] = sp.count;
        sp.count += width;
    }
    return sp;
}

static inline size_t
space_number(const struct space *sp, const uint8_t *symbols, size_t length)
{
    size_t value = 0;
    for (size_t i = 0; i < length; i++)
        value = value * sp->alphabet_size + symbols[i];
    return sp->first[length] + value;
}

/* The string of a number; returns its length. */
static inline size_t
space_string(const struct space *sp, size_t number, uint8_t *symbols)
{
    size_t length = sp->longest;
    while (sp->first[length] > number)
        length--;
    size_t value = number - sp->first[length];
    for (size_t i = length; i-- > 0; value /= sp->alphabet_size)
        symbols[i] = (uint8_t)(value % sp->alphabet_size);
    return length;
}

#endif

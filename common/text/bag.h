/* SPDX-License-Identifier: MIT
 *
 * bag: strings with multiplicities, handed out in random order.
 *
 * A walk down the prefix tree yields its samples in tree order and equal ones
 * together; a bag turns them into a sequence of independent draws.
 */
#ifndef GAMUT_BAG_H
#define GAMUT_BAG_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct rng;

/* All zero is an empty bag. */
struct bag {
    uint8_t *codes;   /* all kinds of strings one after the other */
    uint64_t *start;  /* [kinds + 1] */
    uint32_t *string; /* [strings]: which kind it is; shuffled */
    size_t kinds, strings;
    size_t codes_room, start_room, string_room;
};

void bag_clear(struct bag *b); /* frees; the bag is empty again */
void bag_reset(struct bag *b); /* empties, keeps the memory */

/* Puts in `count` copies; 0, ERR_NOMEM, or ERR_LIMIT past 2^32 strings. */
int bag_add(struct bag *b, const uint8_t *codes, size_t length, uint64_t count, struct err *e);

/* A uniformly random order of all strings. */
void bag_shuffle(struct bag *b, struct rng *r);

/* String i < strings; valid until the next bag_add. */
const uint8_t *bag_get(const struct bag *b, size_t i, size_t *length);

/* Symbols in the bag, each string counted, without ends. */
uint64_t bag_symbols(const struct bag *b);

#endif

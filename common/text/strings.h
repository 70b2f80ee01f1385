/* SPDX-License-Identifier: MIT
 *
 * strings: many strings of symbols, and orders in which to visit them.
 *
 * A string is a sequence of symbols, one byte each, and is identified by its number.  It lies
 * in one of a few chunks of memory, each twice as large as the previous one: growth copies
 * nothing, and a string does not move until strings_reset or strings_clear.  A string
 * takes 8 bytes besides its symbols.
 *
 * An order is a list of string numbers; it can omit strings and repeat them.  So a split into
 * training and validation set is two orders of the same strings, and samples with
 * multiplicities are distinct strings and an order.
 */
#ifndef GAMUT_STRINGS_H
#define GAMUT_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct rng;
struct string_format;
struct string_reader;

enum { STRINGS_CHUNKS = 44 };

/* All zero is empty.  Anyone may read it; only strings.c writes it. */
struct strings {
    size_t count;             /* below 2^32 */
    uint64_t symbols;         /* in all strings, without end-of-string */
    size_t longest, shortest; /* 0 if empty */
    uint64_t bytes;           /* of the files of strings_load, decompressed */
    uint64_t skipped;         /* strings that strings_load left out */
    /* Memory in chunks, NULL if not needed yet; see chunk_of in strings.c. */
    uint8_t *chunk[STRINGS_CHUNKS];
    uint64_t end[STRINGS_CHUNKS];    /* position after a chunk's last string */
    uint64_t *start[STRINGS_CHUNKS]; /* positions of strings, and of the next one */
};

void strings_clear(struct strings *s); /* frees; empty again */
void strings_reset(struct strings *s); /* empties, keeps the memory */

/* Appends a string of fewer than 2^32 symbols: 0, ERR_NOMEM, or ERR_LIMIT past
 * 2^32 - 1 strings. */
int strings_add(struct strings *s, const uint8_t *symbols, size_t length, struct err *e);

/* String i < count. */
const uint8_t *strings_get(const struct strings *s, size_t i, size_t *length);

/* Lexicographic order, a prefix first: < 0, 0, > 0. */
int strings_compare(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length);

/* Appends the next strings, until there are `max_count` strings or `max_symbols`
 * symbols in all.  1 if it stopped at one of these, 0 at the end of the input,
 * or an error. */
int strings_read(struct strings *s, struct string_reader *r, size_t max_count, uint64_t max_symbols,
                 struct err *e);

/* Appends all strings of a file; `hash` gets input_hash. */
int strings_load(struct strings *s, const char *path, const struct alphabet *a,
                 const struct string_format *f, uint64_t *hash, struct err *e);

/* Replaces each symbol i by map[i]. */
void strings_map(struct strings *s, const uint8_t *map);

/* Sorts an alphabet that the strings have filled, with the symbols of the strings.  0, or
 * ERR_DATA if it is still empty. */
int strings_settle_alphabet(struct strings *s, struct alphabet *a, struct err *e);

/* The default maximum length L of a model of strings of these lengths: their length if all
 * are equal, else 2 x longest + 1, since longer strings than the observed ones exist. */
uint64_t strings_default_max_length(uint64_t shortest, uint64_t longest);

/* All zero is empty. */
struct string_order {
    uint32_t *at; /* [count] numbers of strings */
    size_t count, capacity;
};

void string_order_clear(struct string_order *o); /* frees; empty again */
void string_order_reset(struct string_order *o); /* empties, keeps the memory */

/* Appends a number `copies` times: 0, ERR_NOMEM, or ERR_LIMIT past 2^32 - 1. */
int string_order_add(struct string_order *o, size_t number, uint64_t copies, struct err *e);

/* Appends the numbers from `first` to `end` - 1; the same errors. */
int string_order_add_range(struct string_order *o, size_t first, size_t end, struct err *e);

/* Appends `count` numbers; the same errors. */
int string_order_append(struct string_order *o, const uint32_t *numbers, size_t count,
                        struct err *e);

/* Shuffles: all orders are equally likely. */
void string_order_shuffle(struct string_order *o, struct rng *r);

/* Sorts by strings_compare.  0, or ERR_NOMEM, which leaves any order. */
int string_order_sort(struct string_order *o, const struct strings *s, struct err *e);

/* The string at place i < o->count.  Fastest if places are visited in sequence. */
const uint8_t *string_order_get(const struct string_order *o, const struct strings *s, size_t i,
                                size_t *length);

/* The number of symbols of all places, without end-of-string. */
uint64_t string_order_symbols(const struct string_order *o, const struct strings *s);

#endif

/* SPDX-License-Identifier: MIT
 *
 * train_set: the strings of a training run: those to learn from, and those
 * that decide when to stop.
 */
#ifndef GAMUT_TRAINING_DATA_H
#define GAMUT_TRAINING_DATA_H

#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct corpus;
struct err;
struct meta;

/* All zero is empty. */
struct train_set {
    struct corpus *data, *valid; /* valid is NULL if there is no validation */
};

/* Reads both files, `valid` unless it is NULL, and notes their hashes as
 * "input" and "input.valid".  ERR_DATA if one holds no strings; the errors of
 * corpus_load. */
int train_set_load(struct train_set *s, const struct alphabet *a, const char *data,
                   const char *valid, struct meta *meta, struct err *e);
void train_set_clear(struct train_set *s);

/* Takes a random `fraction` of `data`, rounded down but at least one string, for
 * validation.  A single string is not divided: `valid` stays NULL. */
int train_set_split(struct train_set *s, double fraction, uint64_t seed, struct err *e);

/* Over both parts, without end-of-string. */
size_t train_set_longest(const struct train_set *s);
size_t train_set_shortest(const struct train_set *s);

#endif

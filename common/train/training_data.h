/* SPDX-License-Identifier: MIT
 *
 * training_data: the strings of a training run: those to learn from, and those
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
struct training_data {
    struct corpus *data, *valid; /* valid is NULL if there is no validation */
};

/* Reads both files, `valid` unless it is NULL, and notes their hashes as
 * "input" and "input.valid".  ERR_DATA if one holds no strings; the errors of
 * corpus_load. */
int training_data_load(struct training_data *s, const struct alphabet *a, const char *data,
                       const char *valid, struct meta *meta, struct err *e);
void training_data_clear(struct training_data *s);

/* Takes a random `fraction` of `data`, rounded down but at least one string, for
 * validation.  A single string is not divided: `valid` stays NULL. */
int training_data_split(struct training_data *s, double fraction, uint64_t seed, struct err *e);

/* Over both parts, without end-of-string. */
size_t training_data_longest(const struct training_data *s);
size_t training_data_shortest(const struct training_data *s);

#endif

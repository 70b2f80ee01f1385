/* SPDX-License-Identifier: MIT
 *
 * training_data: the strings of a training run: the training set, and the
 * validation set that decides when to stop.
 */
#ifndef GAMUT_TRAINING_DATA_H
#define GAMUT_TRAINING_DATA_H

#include <stdint.h>

#include "text/strings.h"

struct alphabet;
struct err;
struct meta;
struct string_format;

/* All zero is empty. */
struct training_data {
    struct strings strings;           /* of both sets */
    struct string_order train, valid; /* valid is empty if there is no validation */
};

/* Reads both files, `valid` unless it is NULL, and notes their hashes as
 * "input" and "input.valid", and the size of the first as "input_bytes".  An alphabet that they
 * fill is sorted.  ERR_DATA if one holds no strings; the errors of strings_load. */
int training_data_load(struct training_data *d, const struct alphabet *a,
                       const struct string_format *f, const char *train, const char *valid,
                       struct meta *meta, struct err *e);
void training_data_clear(struct training_data *d);

/* Moves a random `fraction` of the training set, which must be all strings, to the
 * validation set: rounded down, but at least one string.  A single string is not divided. */
int training_data_split(struct training_data *d, double fraction, uint64_t seed, struct err *e);

/* Sorts both sets, so that strings that share prefixes become neighbors. */
int training_data_sort(struct training_data *d, struct err *e);

#endif

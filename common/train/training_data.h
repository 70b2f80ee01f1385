/* SPDX-License-Identifier: MIT
 *
 * training_data: the strings of a training run: the training set, and the validation set that
 * decides when to stop; and whether strings leaked from one set to the other.
 */
#ifndef GAMUT_TRAINING_DATA_H
#define GAMUT_TRAINING_DATA_H

#include <stddef.h>
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

/* ---- leakage
 *
 * More strings of the validation set may also be in the training set than chance explains.
 *
 * If both sets are independent draws from one source, which string is in which set is a
 * matter of chance: given all n + m strings, each is in the validation set with probability
 * q = m/(n + m).  Of c equal strings, v are in the validation set with the probability of the
 * binomial distribution, and all v are shared unless v = c.  So strings that occur often by
 * nature are expected to be shared, and the test needs no model of the source.  Strings that
 * were copied from one set to the other are always on both sides, which is improbable.
 *
 * The probability of at least as many shared strings is bounded by Chernoff's inequality, so
 * false alarms are rarer than stated. */

/* log of the largest probability that is reported as leakage */
#define LEAKAGE_LOG_P (-9.21) /* 1/10,000 */

struct leakage {
    size_t shared; /* strings of the validation set that are also in the training set */
    double log_p;  /* log of an upper bound on the probability of at least as many */
};

/* Both sets must be sorted (training_data_sort).  0 or ERR_NOMEM. */
int leakage_find(const struct training_data *d, struct leakage *l, struct err *e);

#endif

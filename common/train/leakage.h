/* SPDX-License-Identifier: MIT
 *
 * leakage: whether more strings of the validation set are also in the training set than
 * chance explains.
 *
 * If both sets are independent draws from one source, which string is in which set is a
 * matter of chance: given all n + m strings, each is in the validation set with probability
 * q = m/(n + m).  Of c equal strings, v are in the validation set with the probability of the
 * binomial distribution, and all v are shared unless v = c.  So strings that occur often by
 * nature are expected to be shared, and the test needs no model of the source.  Strings that
 * were copied from one set to the other are always on both sides, which is improbable.
 *
 * The probability of at least as many shared strings is bounded by Chernoff's inequality, so
 * false alarms are rarer than stated.
 *
 * Tested by tests/unit/test_training_data.c.
 */
#ifndef GAMUT_LEAKAGE_H
#define GAMUT_LEAKAGE_H

#include <stddef.h>

struct err;
struct training_data;

/* log of the largest probability that is reported as leakage */
#define LEAKAGE_LOG_P (-9.21) /* 1/10,000 */

struct leakage {
    size_t shared; /* strings of the validation set that are also in the training set */
    double log_p;  /* log of a bound of the probability of so many */
};

/* Both sets must be sorted (training_data_sort).  0 or ERR_NOMEM. */
int leakage_find(const struct training_data *d, struct leakage *l, struct err *e);

#endif

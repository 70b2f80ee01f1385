/* SPDX-License-Identifier: MIT
 *
 * paired: losses of several models on the same strings, compared string by string.
 *
 * The losses of two models are correlated, because some strings are harder than others.
 * Differences on the same string are not affected, so their mean has a much smaller error than
 * the means themselves.  Means are per character and errors by the delta method (ratio.h).
 *
 * A model can have an error that shifts the losses of all strings equally, such as that of log
 * Z.  It does not appear in differences between strings and is added.
 */
#ifndef GAMUT_PAIRED_H
#define GAMUT_PAIRED_H

#include <stddef.h>
#include <stdint.h>

#include "core/ratio.h"

struct err;

struct paired {
    size_t models;
    struct ratio *loss; /* [models] */
    struct ratio *pair; /* [models][models]: row i, column j > i has loss j - loss i */
    double *shift_se;   /* [models] standard error of the shift that all strings have in common */
    uint64_t strings;
    double chars;
};

/* All zero except for the memory; freed by paired_clear, also after a failure.  0 or
 * ERR_NOMEM. */
int paired_init(struct paired *p, size_t models, struct err *e);
void paired_clear(struct paired *p);

/* Adds a string: loss[models] in nats, infinite if a model cannot produce it, and its
 * characters. */
void paired_add(struct paired *p, const double *loss, double chars);

/* Loss of a model in nats per character, and its standard error: NaN with fewer than two
 * strings, or if the loss is infinite. */
double paired_loss(const struct paired *p, size_t model);
double paired_loss_error(const struct paired *p, size_t model);

struct paired_difference {
    double value; /* loss of one model minus that of the other, nats per character */
    double error; /* standard error; NaN where there is none */
    double p;     /* two-sided p-value of "no difference"; NaN without an error */
};

/* Loss of `model` minus that of `reference`.  A difference of two infinite losses is NaN. */
struct paired_difference paired_compare(const struct paired *p, size_t model, size_t reference);

/* The probability that Student's t with this many degrees of freedom (> 0) exceeds |t|. */
double paired_student_p(double t, double degrees);

#endif

/* SPDX-License-Identifier: MIT
 *
 * num: strict conversion between numbers and text.
 *
 * The whole string must be a number: no leading blanks, no trailing characters, no silent
 * overflow, no NaN.  The error text quotes the value and states the range; the caller adds the
 * name of the option.  The locale has no effect.
 */
#ifndef GAMUT_NUM_H
#define GAMUT_NUM_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* A whole number in [lo, hi]; 0 or ERR_USAGE. */
int num_parse_u64(const char *s, uint64_t lo, uint64_t hi, uint64_t *out, struct err *e)
    __attribute__((warn_unused_result));

/* A finite real number in [lo, hi]; 0 or ERR_USAGE. */
int num_parse_f64(const char *s, double lo, double hi, double *out, struct err *e)
    __attribute__((warn_unused_result));

/* As num_parse_f64, but also accepts "inf" and "-inf". */
int num_parse_f64_inf(const char *s, double *out, struct err *e)
    __attribute__((warn_unused_result));

enum { NUM_TEXT_MAX = 32 };

/* The shortest decimal that reads back as the same double (15 to 17
 * significant digits at most); "inf", "-inf" and "nan" for what is not finite.
 * Returns buf. */
const char *num_text(double x, char buf[NUM_TEXT_MAX]);

#endif

/* SPDX-License-Identifier: MIT
 *
 * num: numbers to and from text, strictly.
 *
 * A number is the whole string or it is refused: no leading blanks, no
 * trailing characters, no silent overflow, no NaN.  The error text quotes the
 * value and states the range; the caller puts the option's name in front.
 * Nothing here looks at the locale.
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

/* As num_parse_f64 but "inf" and "-inf" are numbers too. */
int num_parse_f64_inf(const char *s, double *out, struct err *e)
    __attribute__((warn_unused_result));

enum { NUM_TEXT_MAX = 32 };

/* The shortest decimal that reads back as the same double (15 to 17
 * significant digits at most); "inf", "-inf" and "nan" for what is not finite.
 * Returns buf. */
const char *num_text(double x, char buf[NUM_TEXT_MAX]);

#endif

/* SPDX-License-Identifier: MIT
 *
 * string_tilt: strings of a background, thinned so that features have the means they have in
 * the data.
 *
 * The weights exp(lambda . phi(x)) that do this are those of a GAM over the background.  A
 * string is kept with its weight over the greatest one.
 *
 * Tested by tests/cli/gam-features.t.
 */
#ifndef GAMUT_STRING_TILT_H
#define GAMUT_STRING_TILT_H

#include <stddef.h>
#include <stdint.h>

#include "discover/word_census.h"

struct alphabet;
struct err;
struct string_tilt;

struct string_tilt *string_tilt_new(const struct alphabet *a, struct err *e); /* NULL on failure */
void string_tilt_free(struct string_tilt *t);                                 /* NULL is fine */

/* Adds a feature with values 0 and 1, and fits all weights to the means in `data`, on strings of
 * the background.  Means of 0 and 1 are taken for half a string more or less.  0, ERR_NOMEM or
 * ERR_USAGE. */
int string_tilt_add(struct string_tilt *t, const char *spec, const struct string_range *data,
                    const struct string_range *background, struct err *e);

/* The share of the background that is kept; 0 if no weights give the features their means. */
double string_tilt_rate(const struct string_tilt *t);

/* The probability of keeping a string.  Not for several threads at once. */
double string_tilt_keep(struct string_tilt *t, const uint8_t *symbols, size_t length);

#endif

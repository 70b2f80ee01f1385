/* SPDX-License-Identifier: MIT
 *
 * fit_options: how a fit is to be done, as far as the user does not say.
 */
#ifndef GAMUT_FIT_OPTIONS_H
#define GAMUT_FIT_OPTIONS_H

#include <stdbool.h>

#include "gam/fit.h"

/* What nothing was said about: regime and optimizer are -1, counts 0, l2 and
 * alpha0 negative until fit_options_complete. */
void fit_options_init(struct fit_options *o);

/* Chooses what is still open, to suit the base and the data. */
void fit_options_complete(struct fit_options *o, const struct gam *g, const struct hist *data);

/* Gives a weight its value, from "NAME=VALUE", and marks it in fixed[features].
 * 0, or ERR_USAGE if there is no such feature, or no such weight. */
int fit_options_fix(const char *text, struct gam *g, bool *fixed, struct err *e);

#endif

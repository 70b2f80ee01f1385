/* SPDX-License-Identifier: MIT
 *
 * fit_outcome: what a fit has come to: moments, Z, the errors of the weights
 * and what is to be known about each.
 */
#ifndef GAMUT_FIT_OUTCOME_H
#define GAMUT_FIT_OUTCOME_H

struct err;
struct fit_state;

/* Fills the result, once the weights are final.  With rs, from a fresh draw. */
int fit_outcome(struct fit_state *f, struct err *e);

#endif

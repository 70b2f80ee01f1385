/* SPDX-License-Identifier: MIT
 *
 * fit_sgd: the paper's optimiser for a GAM's weights: stochastic steps along
 * the difference of moments, each with a fresh estimate.
 *
 * An epoch has an update for each 500 strings of the data, at the rate
 * alpha0 / k in epoch k.  The weights of the epoch with the least l1 distance
 * are kept.
 */
#ifndef GAMUT_FIT_SGD_H
#define GAMUT_FIT_SGD_H

struct err;
struct fit_state;

/* Sets the GAM's weights and the result's `converged`. */
int fit_sgd(struct fit_state *f, struct err *e);

#endif

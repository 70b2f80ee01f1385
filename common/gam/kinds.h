/* SPDX-License-Identifier: MIT
 *
 * kinds: an autoregressive model (model.h) of whichever kind a container holds,
 * an LSTM or an automaton, such as a GAM's base.
 */
#ifndef GAMUT_KINDS_H
#define GAMUT_KINDS_H

struct err;
struct container;
struct model;

/* NULL on failure, a GAM's container among them; freed with model_free. */
struct model *base_from_mdl(struct container *m, struct err *e);

#endif

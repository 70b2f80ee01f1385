/* SPDX-License-Identifier: MIT
 *
 * lstm_run: an LSTM as a struct model: states of prefixes, next-symbol
 * log-probabilities.  A state is h and c of every layer.
 */
#ifndef GAMUT_LSTM_STEP_H
#define GAMUT_LSTM_STEP_H

#include "model/model.h"

extern const struct model_ops lstm_run_ops;

#endif

/* SPDX-License-Identifier: MIT
 *
 * The table of all model kinds that a file header can name.  A new kind is a row here.
 */
#include "gam/gam.h"
#include "lstm/lstm.h"
#include "mix/mix.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

const struct model_kind *const model_kinds[] = {&lstm_kind, &pfsa_kind, &gam_kind, &mix_kind, NULL};

/* SPDX-License-Identifier: MIT */
#include "gam/kinds.h"

#include "core/err.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "pfsa/pfsa.h"

struct model *
base_from_mdl(struct container *m, struct err *e)
{
    if (container_kind(m) == MODEL_PFSA) {
        struct pfsa *p = pfsa_from_mdl(m, e);
        return p != NULL ? &p->model : NULL;
    }
    if (container_kind(m) == MODEL_LSTM) {
        struct lstm *l = lstm_from_mdl(m, e);
        return l != NULL ? &l->model : NULL;
    }
    err_set(e, ERR_FORMAT, "%s: expected a model of kind 'lstm' or 'pfsa', found '%s'",
            container_name(m), model_kind_name(container_kind(m)));
    return NULL;
}

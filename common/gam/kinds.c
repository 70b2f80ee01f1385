/* SPDX-License-Identifier: MIT */
#include "gam/kinds.h"

#include "core/err.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "pfsa/pfsa.h"

struct model *
base_from_mdl(struct mdl *m, struct err *e)
{
    if (mdl_kind(m) == MDL_PFSA) {
        struct pfsa *p = pfsa_from_mdl(m, e);
        return p != NULL ? &p->model : NULL;
    }
    if (mdl_kind(m) == MDL_LSTM) {
        struct lstm *l = lstm_from_mdl(m, e);
        return l != NULL ? &l->model : NULL;
    }
    err_set(e, ERR_FORMAT, "%s: expected a model of kind 'lstm' or 'pfsa', found '%s'", mdl_name(m),
            mdl_kind_name(mdl_kind(m)));
    return NULL;
}

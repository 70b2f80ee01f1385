/* SPDX-License-Identifier: MIT */
#include "gam/fit.h"

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature.h"
#include "gam/fit_newton.h"
#include "gam/fit_outcome.h"
#include "gam/fit_sgd.h"
#include "gam/fit_state.h"
#include "gam/gam.h"

const char *const fit_regimes[] = {
    [FIT_SNIS] = "snis", [FIT_RS] = "rs", [FIT_EXACT] = "exact", NULL};
const char *const fit_optimizers[] = {[FIT_SGD] = "sgd", [FIT_NEWTON] = "newton", NULL};

const char *
fit_note_text(enum fit_note note)
{
    static const char *const text[] = {
        [FIT_FREE] = "-",
        [FIT_FIXED] = "fixed",
        [FIT_IDLE] = "no influence",
        [FIT_PRIOR] = "no finite optimum, kept by the prior",
        [FIT_STOPPED] = "no finite optimum, kept by the stopping rule",
        [FIT_UNSEEN] = "no draw has what the data have, kept in bounds",
        [FIT_NEVER] = "the base never has what the data have, kept in bounds",
        [FIT_BOUND] = "at the bound of weights, moments differ",
    };
    return text[note];
}

void
fit_clear(struct fit_result *r)
{
    mem_free(r->feature);
    r->feature = NULL;
}

static int
run(struct fit_state *f, struct pool *pool, struct err *e)
{
    int status = fit_state_init(f, pool, e);
    if (status == 0)
        status = fit_state_find_base(f, e);
    if (status == 0)
        status = f->o->optimizer == FIT_SGD ? fit_sgd(f, e) : fit_newton(f, e);
    if (status == 0)
        status = fit_outcome(f, e);
    return status;
}

int
fit_run(struct gam *g, const struct hist *data, struct pool *pool, const struct fit_options *o,
        struct fit_result *result, struct err *e)
{
    struct fit_state f = {.gam = g, .data = data, .o = o, .result = result};
    *result = (struct fit_result){0};
    result->feature = mem_zero(features_count(g->features), sizeof *result->feature, e);
    int status = result->feature != NULL ? run(&f, pool, e) : ERR_NOMEM;
    if (status == 0) {
        result->samples = reject_total(f.reject).proposals;
        result->model_steps = reject_total(f.reject).model_steps;
    }
    fit_state_clear(&f);
    if (status != 0)
        fit_clear(result);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "gam/fit_options.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/num.h"
#include "feature/feature.h"
#include "feature/histogram.h"
#include "gam/gam.h"
#include "model/model.h"

enum {
    SAMPLES = 50000,
    EPOCHS = 100,
    PATIENCE = 10,
    ALPHA0 = 10,
    ACCEPTED_SGD = 10,
    /* newton: as many as the data, within bounds: then draws and data have
     * about the same error. */
    ACCEPTED_MIN = 2000,
    ACCEPTED_MAX = 10000,
};
#define PRIOR_DEVIATION 10.0 /* of a weight, for newton */

void
fit_options_init(struct fit_options *o)
{
    *o = (struct fit_options){.regime = -1, .optimizer = -1, .alpha0 = -1, .l2 = -1};
}

void
fit_options_complete(struct fit_options *o, const struct gam *g, const struct hist *data)
{
    double strings = hist_total(data);
    if (o->regime < 0)
        o->regime = g->base->ops->kind == MDL_PFSA ? FIT_EXACT : FIT_RS;
    if (o->optimizer < 0)
        o->optimizer = FIT_NEWTON;
    bool sgd = o->optimizer == FIT_SGD;
    if (o->accepted == 0)
        o->accepted =
            sgd ? ACCEPTED_SGD : (uint64_t)fmax(ACCEPTED_MIN, fmin(ACCEPTED_MAX, strings));
    if (o->samples == 0)
        o->samples = SAMPLES;
    if (o->epochs == 0)
        o->epochs = EPOCHS;
    if (o->patience == 0)
        o->patience = PATIENCE;
    if (o->alpha0 < 0)
        o->alpha0 = ALPHA0;
    if (o->l2 < 0)
        o->l2 = sgd ? 0 : 1 / (PRIOR_DEVIATION * PRIOR_DEVIATION * strings);
}

/* The feature whose name is the first `length` characters, or features_count. */
static size_t
find_feature(const struct features *f, const char *name, size_t length)
{
    size_t i = 0;
    while (i < features_count(f) && (strlen(features_name(f, i)) != length ||
                                     memcmp(features_name(f, i), name, length) != 0))
        i++;
    return i;
}

/* The last = counts, because a name may have one too. */
int
fit_options_fix(const char *text, struct gam *g, bool *fixed, struct err *e)
{
    const char *equals = strrchr(text, '=');
    if (equals == NULL)
        return err_set(e, ERR_USAGE, "'%s' is not NAME=VALUE", text);
    size_t length = (size_t)(equals - text), i = find_feature(g->features, text, length);
    if (i == features_count(g->features))
        return err_set(e, ERR_USAGE, "there is no feature '%.*s'", (int)length, text);
    double *weight = &g->lambda[i];
    fixed[i] = true;
    int status = num_f64_inf(equals + 1, weight, e);
    if (status == 0 && *weight != -INFINITY && fabs(*weight) > GAM_WEIGHT_MAX)
        status = err_set(e, ERR_USAGE, "'%s' is neither -inf nor in the range %.0f to %.0f",
                         equals + 1, -GAM_WEIGHT_MAX, GAM_WEIGHT_MAX);
    return status;
}

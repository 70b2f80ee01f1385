/* SPDX-License-Identifier: MIT */
#include "train/checkpoint.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/err.h"
#include "core/num.h"
#include "core/seconds.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "train/recipe.h"
#include "train/training.h"

static int
put_all(const struct checkpoint *c, struct output *out, struct err *e)
{
    struct container_writer *w = model_begin_file(&c->model->model, c->meta, out, e);
    int rc = w == NULL ? ERR_NOMEM : lstm_kind.write(&c->model->model, w, e);
    if (rc == 0)
        rc = training_put(c->train, c->identity, w, e);
    if (rc == 0)
        rc = container_finish(w, e);
    container_writer_free(w);
    return rc;
}

int
checkpoint_save(struct checkpoint *c, struct err *e)
{
    if (c->path == NULL)
        return 0;
    struct output *out = output_open(c->path, e);
    if (out == NULL)
        return e->code;
    put_all(c, out, e);
    if (output_close(out, e) == 0)
        c->saved = seconds_now();
    return e->code;
}

int
checkpoint_save_if_due(struct checkpoint *c, struct err *e)
{
    struct training_outcome outcome;
    training_get_outcome(c->train, &outcome);
    bool due = c->saved == 0 || seconds_now() - c->saved >= 1 || outcome.end != TRAINING_RUNNING;
    return due ? checkpoint_save(c, e) : 0;
}

/* The patience in the metadata, infinite for 0 (never stop); NaN if there is none, as with
 * --steps. */
static double
patience(const struct meta *m)
{
    const char *text = meta_get(m, recipe_name(RECIPE_PATIENCE));
    double value;
    struct err invalid = {0};
    if (text == NULL || num_parse_f64(text, 0, DBL_MAX, &value, &invalid) != 0)
        return NAN;
    return value == 0 ? INFINITY : value;
}

/* With less patience the run might have ended earlier. */
static int
check_patience(const struct checkpoint *c, const struct container *mdl, struct err *e)
{
    double now = patience(c->meta), then = patience(container_meta(mdl));
    if (!(now < then))
        return 0;
    return err_set(e, ERR_USAGE, "%s: the patience of the run is %.0f and cannot be lowered",
                   c->path, isinf(then) ? 0 : then);
}

int
checkpoint_restore(struct checkpoint *c, struct err *e)
{
    if (access(c->path, F_OK) != 0 && errno == ENOENT)
        return 0;
    struct container *mdl = container_load(c->path, NULL, e);
    int rc = mdl == NULL ? e->code : training_restore(c->train, c->identity, mdl, e);
    if (rc == 0)
        rc = check_patience(c, mdl, e);
    container_free(mdl);
    if (rc != 0)
        return rc;
    c->saved = seconds_now();
    return 1;
}

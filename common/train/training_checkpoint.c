/* SPDX-License-Identifier: MIT */
#include "train/training_checkpoint.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "core/seconds.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "train/recipe.h"
#include "train/training_internal.h"

/* ---- what it contains ---------------------------------------------------------------- */

enum {
    ROW_NUMBERS = 6,
    STATE_NUMBERS = sizeof(struct training_state) / 8,
    TOTAL_NUMBERS = sizeof(struct training_totals) / 8
};

#define STEPS_MAX (UINT64_C(1) << 53) /* rows store them as doubles */

static int
put_rows(const struct training *t, struct container_writer *w, struct err *e)
{
    size_t count = (size_t)t->state.epoch;
    double *flat = mem_array(count, ROW_NUMBERS * sizeof *flat, e);
    if (flat == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct epoch_row *r = &t->rows[i];
        const double row[ROW_NUMBERS] = {(double)r->epoch, (double)r->steps, r->train_ce,
                                         r->valid_ce,      r->rate,          r->seconds};
        memcpy(flat + i * ROW_NUMBERS, row, sizeof row);
    }
    int rc = container_put(w, "train.rows", SECTION_F64, flat, count * ROW_NUMBERS, e);
    mem_free(flat);
    return rc;
}

static int
put_best(const struct training *t, struct container_writer *w, struct err *e)
{
    size_t count = t->best->layout.count;
    int rc = container_put(w, "best.weights", SECTION_F32, t->best->params, count, e);
    if (rc == 0)
        rc = container_put(w, "best.m", SECTION_F32, t->best->adam.m, count, e);
    if (rc == 0)
        rc = container_put(w, "best.v", SECTION_F32, t->best->adam.v, count, e);
    if (rc == 0)
        rc = container_put(w, "best.step", SECTION_U64, &t->best->adam.step, 1, e);
    return rc;
}

int
checkpoint_put(const struct training *t, uint64_t identity, struct container_writer *w,
               struct err *e)
{
    struct training_totals totals = t->totals;
    totals.seconds += seconds_now() - t->clock;
    if (t->state.in_epoch > 0)
        totals.epoch_seconds += seconds_now() - t->epoch_clock;
    int rc = container_put(w, "train.identity", SECTION_U64, &identity, 1, e);
    if (rc == 0)
        rc = container_put(w, "train.state", SECTION_U64, &t->state, STATE_NUMBERS, e);
    if (rc == 0)
        rc = container_put(w, "train.sums", SECTION_F64, &totals, TOTAL_NUMBERS, e);
    if (rc == 0)
        rc = put_rows(t, w, e);
    if (rc == 0 && t->average != NULL)
        rc = container_put(w, "train.average", SECTION_F32, t->average, t->model->layout.count, e);
    if (rc == 0 && t->best != NULL)
        rc = put_best(t, w, e);
    return rc;
}

/* Copies a section of exactly `count` elements of `size` bytes. */
static int
get(struct container *m, const char *name, enum section_type type, void *to, size_t count,
    size_t size, struct err *e)
{
    const void *from = container_get(m, name, type, count, e);
    if (from == NULL)
        return e->code;
    memcpy(to, from, count * size);
    return 0;
}

static int
get_rows(struct training *t, struct container *m, struct err *e)
{
    size_t epochs = (size_t)t->state.epoch, count = container_count(m, "train.rows");
    if (count % ROW_NUMBERS != 0 || count / ROW_NUMBERS != t->state.epoch)
        return err_set(e, ERR_FORMAT, "section 'train.rows': expected one row per epoch");
    const double *flat = container_get(m, "train.rows", SECTION_F64, count, e);
    if (flat == NULL)
        return e->code;
    if (mem_reserve(&t->rows, &t->rows_capacity, epochs, sizeof *t->rows, e) != 0)
        return ERR_NOMEM;
    for (size_t i = 0; i < epochs; i++, flat += ROW_NUMBERS) {
        if (flat[0] != (double)(i + 1) || !(flat[1] >= 0 && flat[1] <= (double)t->state.steps))
            return err_set(e, ERR_FORMAT, "section 'train.rows': invalid row %zu", i + 1);
        t->rows[i] = (struct epoch_row){.epoch = (uint64_t)flat[0],
                                        .steps = (uint64_t)flat[1],
                                        .train_ce = flat[2],
                                        .valid_ce = flat[3],
                                        .rate = flat[4],
                                        .seconds = flat[5]};
    }
    return 0;
}

static int
get_best(struct training *t, struct container *m, struct err *e)
{
    struct lstm *best = t->best;
    size_t count = best->layout.count;
    int rc = lstm_get_floats(m, "best.weights", -FLT_MAX, best->params, count, e);
    if (rc == 0)
        rc = lstm_get_floats(m, "best.m", -FLT_MAX, best->adam.m, count, e);
    if (rc == 0)
        rc = lstm_get_floats(m, "best.v", 0, best->adam.v, count, e);
    if (rc == 0)
        rc = get(m, "best.step", SECTION_U64, &best->adam.step, 1, sizeof best->adam.step, e);
    return rc;
}

static int
get_model(struct training *t, struct container *m, struct err *e)
{
    struct lstm *now_at = lstm_of(model_read_kind(m, &lstm_kind, e));
    if (now_at == NULL)
        return e->code;
    int rc = 0;
    if (now_at->layout.count != t->model->layout.count || now_at->adam.m == NULL)
        rc = err_set(e, ERR_FORMAT, "%s: section 'weights': not from this run", container_name(m));
    else
        lstm_copy(t->model, now_at);
    lstm_free(now_at);
    return rc;
}

static bool
state_valid(const struct training *t)
{
    const struct training_state *s = &t->state;
    return s->end <= TRAINING_STEPS && s->in_epoch <= training_updates(t) &&
           s->best_epoch <= s->epoch && s->steps <= STEPS_MAX;
}

/* The best loss is infinite as long as there is none. */
static bool
totals_valid(const struct training_totals *s)
{
    return isfinite(s->loss) && isfinite(s->weight) && s->best_loss >= 0 && s->seconds >= 0 &&
           isfinite(s->seconds) && isfinite(s->epoch_seconds);
}

/* Reads section by section; errors do not name the file yet. */
static int
get_sections(struct training *t, uint64_t identity, struct container *m, struct err *e)
{
    uint64_t recorded = 0;
    int rc = get(m, "train.identity", SECTION_U64, &recorded, 1, sizeof recorded, e);
    if (rc == 0 && recorded != identity)
        rc = err_set(e, ERR_USAGE, "checkpoint is from a run with other data, settings or seed");
    if (rc == 0)
        rc = get(m, "train.state", SECTION_U64, &t->state, STATE_NUMBERS, 8, e);
    if (rc == 0 && !state_valid(t))
        rc = err_set(e, ERR_FORMAT, "section 'train.state': invalid value");
    if (rc == 0)
        rc = get(m, "train.sums", SECTION_F64, &t->totals, TOTAL_NUMBERS, 8, e);
    if (rc == 0 && !totals_valid(&t->totals))
        rc = err_set(e, ERR_FORMAT, "section 'train.sums': invalid value");
    if (rc == 0)
        rc = get_rows(t, m, e);
    if (rc == 0 && t->average != NULL)
        rc = lstm_get_floats(m, "train.average", -FLT_MAX, t->average, t->model->layout.count, e);
    if (rc == 0 && t->best != NULL)
        rc = get_best(t, m, e);
    return rc;
}

/* The limits may differ from those of the run that wrote the file: a run that has ended
 * continues if they were raised.  It cannot return to the end of an earlier epoch. */
static int
apply_limits(struct training *t, struct err *e)
{
    uint64_t begun = t->state.epoch + (t->state.in_epoch > 0);
    if (t->o.steps > 0)
        return 0;
    if (t->o.epochs > 0 && t->o.epochs < begun)
        return err_set(e, ERR_USAGE, "the run is in epoch %llu and cannot end after epoch %llu",
                       (unsigned long long)begun, (unsigned long long)t->o.epochs);
    training_set_end(t);
    return 0;
}

int
checkpoint_get(struct training *t, uint64_t identity, struct container *m, struct err *e)
{
    int rc = get_sections(t, identity, m, e);
    if (rc == 0)
        rc = apply_limits(t, e);
    if (rc == 0)
        return get_model(t, m, e);
    if (rc != ERR_NOMEM)
        err_prefix(e, "%s", container_name(m));
    return rc;
}

/* ---- when it is written, and read --------------------------------------------------- */

static int
put_all(const struct checkpoint *c, struct output *out, struct err *e)
{
    struct container_writer *w = model_begin_file(&c->model->model, c->meta, out, e);
    int rc = w == NULL ? ERR_NOMEM : lstm_kind.write(&c->model->model, w, e);
    if (rc == 0)
        rc = checkpoint_put(c->train, c->identity, w, e);
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
    int rc = mdl == NULL ? e->code : checkpoint_get(c->train, c->identity, mdl, e);
    if (rc == 0)
        rc = check_patience(c, mdl, e);
    container_free(mdl);
    if (rc != 0)
        return rc;
    c->saved = seconds_now();
    return 1;
}

/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "core/seconds.h"
#include "lstm/lstm.h"
#include "lstm/packed_weights.h"
#include "train/adam.h"
#include "train/batch_gradient.h"
#include "train/training_data.h"
#include "train/training_internal.h"

enum { END_STRINGS = 500 }; /* for which the share of the end is a half */

const char *
training_end_name(enum training_end end)
{
    static const char *const names[] = {"running", "patience", "epochs", "steps"};
    return names[end];
}

void
training_free(struct training *t)
{
    if (t == NULL)
        return;
    lstm_free(t->best);
    batch_gradient_free(t->gradient);
    packed_weights_free(t->net);
    mem_free(t->order);
    mem_free(t->batch);
    mem_free(t->grad);
    mem_free(t->average);
    mem_free(t->rows);
    mem_free(t);
}

/* Some of the strings of the run. */
static struct string_batch
batch_of(const struct training *t, const uint32_t *at, size_t count)
{
    return (struct string_batch){&t->data->strings, at, count, t->o.mean_of_strings};
}

static int
set_data(struct training *t, struct training_data *data, struct err *e)
{
    const size_t n = data->train.count;
    if (n == 0)
        return err_set(e, ERR_DATA, "no strings to train on");
    int rc = training_data_sort(data, e);
    if (rc != 0)
        return rc;
    t->data = data;
    if (t->o.batch > n)
        t->o.batch = n;
    struct string_batch all = batch_of(t, data->train.at, n);
    t->mean_weight = string_batch_weight(&all) / (double)n;
    return 0;
}

/* The first update has share 1, so the initial value does not count. */
static int
start_average(struct training *t, struct err *e)
{
    t->average = mem_zero(t->model->layout.count, sizeof *t->average, e);
    return t->average != NULL ? 0 : ERR_NOMEM;
}

/* The more strings there are, the more it helps to learn where they end: on 30 bits with a motif,
 * a share of 1 raises the CE from 50 strings by 2 %, and lowers that from 5000 by 0.1 %. */
static struct end_rule
end_rule(const struct lstm *m, const struct training_data *data)
{
    double n = (double)data->train.count;
    return (struct end_rule){m->fixed_length, n / (n + END_STRINGS)};
}

struct training *
training_new(struct lstm *m, struct training_data *data, const struct training_options *o,
             struct pool *pool, struct err *e)
{
    struct training *t = mem_zero(1, sizeof *t, e);
    if (t == NULL)
        return NULL;
    t->model = m;
    t->o = *o;
    t->pool = pool;
    t->totals.best_loss = INFINITY;
    if (set_data(t, data, e) != 0 || lstm_need_adam(m, e) != 0)
        goto fail;
    t->order = mem_array(data->train.count, sizeof *t->order, e);
    t->batch = mem_array(t->o.batch, sizeof *t->batch, e);
    t->grad = mem_array(m->layout.count, sizeof *t->grad, e);
    t->net = packed_weights_new(&m->layout, true, e);
    if (t->order == NULL || t->batch == NULL || t->grad == NULL || t->net == NULL)
        goto fail;
    if (o->average > 0 && start_average(t, e) != 0)
        goto fail;
    t->gradient = batch_gradient_new(t->net, end_rule(m, data), pool, t->o.batch, e);
    if (t->gradient == NULL)
        goto fail;
    if (data->valid.count > 0 && (t->best = lstm_clone(m, e)) == NULL)
        goto fail;
    return t;
fail:
    training_free(t);
    return NULL;
}

/* ---- one update */

static int
by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t
training_updates(const struct training *t)
{
    return (t->data->train.count + t->o.batch - 1) / t->o.batch;
}

/* Batch number `in_epoch` into t->batch: an equal share of the shuffled strings,
 * in lexicographic order.  Returns its size. */
static size_t
next_batch(struct training *t)
{
    size_t n = t->data->train.count, parts = training_updates(t), i = (size_t)t->state.in_epoch;
    size_t first = n * i / parts, count = n * (i + 1) / parts - first;
    qsort(t->order + first, count, sizeof *t->order, by_number);
    for (size_t j = 0; j < count; j++)
        t->batch[j] = t->data->train.at[t->order[first + j]];
    return count;
}

static void
shuffle(struct training *t)
{
    struct rng rng;
    rng_init(&rng, t->o.seed, "lstm-train/shuffle", t->state.epoch);
    rng_permutation(&rng, t->order, t->data->train.count);
}

static struct dropout
dropout(const struct training *t)
{
    struct dropout d = {
        .input = t->o.input_dropout, .output = t->o.dropout, .step = (uint32_t)t->state.steps};
    struct rng rng;
    rng_init(&rng, t->o.seed, "lstm-train/dropout", 0);
    memcpy(d.key, rng.key, sizeof d.key);
    return d;
}

/* The weight in the average of the parameters after update t = steps + 1, the larger of
 * 1 - o.average and 10 / (t + 9).  So the average covers about 1 / (1 - o.average)
 * updates, but at most (t + 9) / 10: the first ones change the parameters most. */
static double
share(const struct training *t)
{
    return fmax(1 - t->o.average, 10 / (10 + (double)t->state.steps));
}

/* The loss is divided by the mean weight of as many strings, not by that of this batch.
 * Otherwise a character would count more in a batch of short strings, and the model would
 * generate too short strings. */
static int
update(struct training *t, struct err *e)
{
    struct lstm *m = t->model;
    struct dropout d = dropout(t);
    struct string_batch batch = batch_of(t, t->batch, next_batch(t));
    double loss, usual = t->mean_weight * (double)batch.count;
    int rc = batch_gradient_grad(t->gradient, &batch, &d, 1 / usual, &loss, t->grad, e);
    if (rc != 0)
        return rc;
    double norm = adam_norm(t->net->kern, t->grad, m->layout.count, t->pool);
    if (!isfinite(loss) || !adam_can_take(norm, t->o.clip))
        return err_advise(e, ERR_NUMERIC, REMEDY_LOWER_RATE,
                          "loss or gradient is not finite in update %llu",
                          (unsigned long long)t->state.steps + 1);
    struct adam_rule rule = {t->o.rate, t->o.clip, t->average, share(t)};
    adam_update(t->net->kern, &m->adam, m->params, t->grad, m->layout.count, norm, &rule, t->pool);
    packed_weights_pack(t->net, m->params, t->pool);
    t->totals.loss += loss;
    t->totals.weight += string_batch_weight(&batch);
    t->state.in_epoch++;
    t->state.steps++;
    return 0;
}

/* ---- epochs */

/* The parameters that the run would return now. */
static const float *
result(const struct training *t)
{
    return t->average != NULL ? t->average : t->model->params;
}

/* The mean loss of the validation set with the weights of `net`: the mean over strings of
 * their mean per character, or the mean over all characters. */
static int
validation_loss(struct training *t, bool of_strings, double *mean, struct err *e)
{
    const struct string_order *valid = &t->data->valid;
    struct string_batch all = {&t->data->strings, valid->at, valid->count, of_strings};
    double loss;
    int rc = batch_gradient_loss(t->gradient, &all, &loss, e);
    if (rc != 0)
        return rc;
    *mean = loss / string_batch_weight(&all);
    if (!isfinite(*mean))
        return err_set(e, ERR_NUMERIC, "validation loss is not finite after update %llu",
                       (unsigned long long)t->state.steps);
    return 0;
}

/* `ce` in nats per character, and the `loss` that decides which epoch is the best: the
 * same, unless the loss is a mean of strings, and these have several lengths. */
static int
validate(struct training *t, double *ce, double *loss, struct err *e)
{
    const struct strings *s = &t->data->strings;
    *ce = *loss = NAN;
    if (t->data->valid.count == 0)
        return 0;
    if (t->average != NULL)
        packed_weights_pack(t->net, t->average, t->pool);
    int rc = validation_loss(t, t->o.mean_of_strings, loss, e);
    *ce = *loss;
    if (rc == 0 && t->o.mean_of_strings && s->shortest != s->longest)
        rc = validation_loss(t, false, ce, e);
    if (rc == 0 && t->average != NULL)
        packed_weights_pack(t->net, t->model->params, t->pool);
    return rc;
}

void
training_set_end(struct training *t)
{
    struct training_state *s = &t->state;
    s->end = TRAINING_RUNNING;
    if (t->best != NULL && t->o.patience > 0 && s->failures >= t->o.patience)
        s->end = TRAINING_PATIENCE;
    else if (t->o.epochs > 0 && s->epoch >= t->o.epochs)
        s->end = TRAINING_EPOCHS;
}

/* Decides whether this epoch is the best, and whether it is the last. */
static void
update_best(struct training *t, double valid_loss)
{
    struct training_state *s = &t->state;
    if (valid_loss < t->totals.best_loss) {
        t->totals.best_loss = valid_loss;
        s->best_epoch = s->epoch;
        lstm_copy(t->best, t->model);
        lstm_set_weights(t->best, result(t));
        if (!t->o.patience_in_total)
            s->failures = 0;
    } else if (t->best != NULL) {
        s->failures++;
    }
    if (t->o.steps == 0)
        training_set_end(t);
}

/* A file is written only if it can be read again. */
static int
check_weights(const struct training *t, struct err *e)
{
    if (lstm_check_weights(t->model, e) == 0)
        return 0;
    err_recode(e, ERR_NUMERIC);
    err_prefix(e, "after update %llu", (unsigned long long)t->state.steps);
    return ERR_NUMERIC;
}

static int
end_epoch(struct training *t, const struct training_callbacks *watch, struct err *e)
{
    if (mem_reserve(&t->rows, &t->rows_capacity, t->state.epoch + 1, sizeof *t->rows, e) != 0)
        return ERR_NOMEM;
    struct epoch_row *row = &t->rows[t->state.epoch];
    double trained = seconds_now() - t->epoch_clock + t->totals.epoch_seconds;
    double valid_loss;
    int rc = check_weights(t, e);
    if (rc == 0)
        rc = validate(t, &row->valid_ce, &valid_loss, e);
    if (rc != 0)
        return rc;
    row->epoch = ++t->state.epoch;
    row->steps = t->state.steps;
    row->train_ce = t->totals.loss / t->totals.weight;
    row->rate = (double)(t->data->train.count * t->state.in_epoch / training_updates(t)) / trained;
    row->seconds = seconds_now() - t->clock + t->totals.seconds;
    update_best(t, valid_loss);
    t->state.in_epoch = 0;
    t->totals.loss = t->totals.weight = t->totals.epoch_seconds = 0;
    return watch->epoch != NULL ? watch->epoch(watch->arg, row, e) : 0;
}

/* Updates to the end of the epoch, or of the run. */
static int
run_epoch(struct training *t, const struct training_callbacks *watch, struct err *e)
{
    struct training_state *s = &t->state;
    const size_t updates = training_updates(t);
    t->epoch_clock = seconds_now();
    shuffle(t);
    while (s->in_epoch < updates && s->end == TRAINING_RUNNING) {
        if (watch->stop != NULL && *watch->stop != 0)
            return 0;
        int rc = update(t, e);
        if (rc != 0)
            return rc;
        if (t->o.steps > 0 && s->steps >= t->o.steps)
            s->end = TRAINING_STEPS;
        if (watch->update != NULL)
            watch->update(watch->arg, training_strings(t));
    }
    return end_epoch(t, watch, e);
}

/* Whether the initial parameters are the best so far. */
static bool
start_is_best(const struct training *t)
{
    return t->o.start_counts && t->state.best_epoch == 0 && isfinite(t->totals.best_loss);
}

int
training_run(struct training *t, const struct training_callbacks *watch, struct err *e)
{
    int rc = 0;
    t->clock = seconds_now();
    packed_weights_pack(t->net, t->model->params, t->pool);
    if (t->o.start_counts && t->best != NULL && t->state.steps == 0)
        rc = validation_loss(t, t->o.mean_of_strings, &t->totals.best_loss, e);
    while (rc == 0 && t->state.end == TRAINING_RUNNING &&
           !(watch->stop != NULL && *watch->stop != 0))
        rc = run_epoch(t, watch, e);
    if (rc != 0 || t->state.end == TRAINING_RUNNING)
        return rc;
    if (t->best != NULL)
        lstm_copy(t->model, t->best);
    else
        lstm_set_weights(t->model, result(t));
    return check_weights(t, e);
}

void
training_get_outcome(const struct training *t, struct training_outcome *o)
{
    const struct training_state *s = &t->state;
    *o = (struct training_outcome){.end = (enum training_end)s->end,
                                   .epochs = s->epoch,
                                   .steps = s->steps,
                                   .best_epoch = s->best_epoch,
                                   .train_ce = NAN,
                                   .valid_ce = NAN};
    if (start_is_best(t)) {
        o->valid_ce = t->totals.best_loss;
        return;
    }
    uint64_t shown = s->best_epoch > 0 ? s->best_epoch : s->epoch;
    if (shown > 0) {
        o->train_ce = t->rows[shown - 1].train_ce;
        o->valid_ce = t->rows[shown - 1].valid_ce;
    }
}

uint64_t
training_strings(const struct training *t)
{
    uint64_t n = t->data->train.count;
    return t->state.epoch * n + n * t->state.in_epoch / training_updates(t);
}

size_t
training_rows(const struct training *t, const struct epoch_row **rows)
{
    *rows = t->rows;
    return (size_t)t->state.epoch;
}

/* SPDX-License-Identifier: MIT */
#include "train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adam.h"
#include "corpus.h"
#include "err.h"
#include "lstm.h"
#include "lstm_net.h"
#include "mdl.h"
#include "mem.h"
#include "pool.h"
#include "rng.h"
#include "slices.h"
#include "sorted.h"
#include "stopwatch.h"

/* What a run has come to, besides the weights; train_put writes it as it is. */
struct state {
    uint64_t end;        /* enum train_end */
    uint64_t epoch;      /* complete epochs */
    uint64_t in_epoch;   /* updates in the epoch under way */
    uint64_t steps;      /* updates in all */
    uint64_t best_epoch; /* 0: none yet */
    uint64_t failures;   /* epochs that count against the patience */
};

struct sums {
    double loss, weight; /* of the epoch under way */
    double best_ce;
    double seconds;       /* of work, before this process began */
    double epoch_seconds; /* .. of the epoch under way */
};

struct train {
    struct lstm *model, *best; /* best is NULL without validation */
    struct train_options o;
    struct pool *pool;
    struct lstm_net *net;
    struct slices *slices;
    struct sorted data, valid;
    uint32_t *order;            /* [data.count]: this epoch's order of the strings */
    struct ptree_string *batch; /* [o.batch] */
    float *grad;                /* [layout.count] */
    struct state state;
    struct sums sums;
    double clock, epoch_clock; /* when this process began the run, the epoch */
    struct train_row *rows;
    size_t rows_capacity;
};

const char *
train_end_name(enum train_end end)
{
    static const char *const names[] = {"running", "patience", "epochs", "steps"};
    return names[end];
}

void
train_free(struct train *t)
{
    if (t == NULL)
        return;
    lstm_free(t->best);
    slices_free(t->slices);
    lstm_net_free(t->net);
    sorted_clear(&t->data);
    sorted_clear(&t->valid);
    mem_free(t->order);
    mem_free(t->batch);
    mem_free(t->grad);
    mem_free(t->rows);
    mem_free(t);
}

static int
load_strings(struct train *t, const struct corpus *data, const struct corpus *valid, struct err *e)
{
    bool by_length = t->o.mean_of_strings;
    int rc = sorted_init(&t->data, data, by_length, e);
    if (rc == 0 && valid != NULL)
        rc = sorted_init(&t->valid, valid, by_length, e);
    if (rc == 0 && t->data.count == 0)
        rc = err_set(e, ERR_DATA, "there are no strings to train on");
    if (t->o.batch > t->data.count)
        t->o.batch = t->data.count;
    return rc;
}

struct train *
train_new(struct lstm *m, const struct corpus *data, const struct corpus *valid,
          const struct train_options *o, struct pool *pool, struct err *e)
{
    struct train *t = mem_zero(1, sizeof *t, e);
    if (t == NULL)
        return NULL;
    t->model = m;
    t->o = *o;
    t->pool = pool;
    t->sums.best_ce = INFINITY;
    if (load_strings(t, data, valid, e) != 0 || lstm_need_adam(m, e) != 0)
        goto fail;
    t->order = mem_array(t->data.count, sizeof *t->order, e);
    t->batch = mem_array(t->o.batch, sizeof *t->batch, e);
    t->grad = mem_array(m->layout.count, sizeof *t->grad, e);
    t->net = lstm_net_new(&m->layout, true, e);
    if (t->order == NULL || t->batch == NULL || t->grad == NULL || t->net == NULL)
        goto fail;
    t->slices = slices_new(t->net, pool, t->o.batch, e);
    if (t->slices == NULL)
        goto fail;
    if (t->valid.count > 0 && (t->best = lstm_clone(m, e)) == NULL)
        goto fail;
    return t;
fail:
    train_free(t);
    return NULL;
}

/* ---- one update */

static int
by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t
updates_per_epoch(const struct train *t)
{
    return (t->data.count + t->o.batch - 1) / t->o.batch;
}

/* Batch number `in_epoch`: an equal share of the shuffled strings, back in
 * lexicographic order.  Returns its size. */
static size_t
next_batch(struct train *t)
{
    size_t n = t->data.count, parts = updates_per_epoch(t), i = (size_t)t->state.in_epoch;
    size_t first = n * i / parts, count = n * (i + 1) / parts - first;
    qsort(t->order + first, count, sizeof *t->order, by_number);
    for (size_t j = 0; j < count; j++)
        t->batch[j] = t->data.string[t->order[first + j]];
    return count;
}

static void
shuffle(struct train *t)
{
    struct rng rng;
    rng_init(&rng, t->o.seed, "lstm-train/shuffle", t->state.epoch);
    rng_permutation(&rng, t->order, t->data.count);
}

static struct lstm_dropout
dropout(const struct train *t)
{
    struct lstm_dropout d = {
        .input = t->o.input_dropout, .output = t->o.dropout, .step = (uint32_t)t->state.steps};
    struct rng rng;
    rng_init(&rng, t->o.seed, "lstm-train/dropout", 0);
    memcpy(d.key, rng.key, sizeof d.key);
    return d;
}

static int
update(struct train *t, struct err *e)
{
    struct lstm *m = t->model;
    struct lstm_dropout d = dropout(t);
    size_t count = next_batch(t);
    double loss, weight = sorted_weight(t->batch, count);
    int rc = slices_grad(t->slices, t->batch, count, &d, 1 / weight, &loss, t->grad, e);
    if (rc != 0)
        return rc;
    double norm = adam_norm(t->grad, m->layout.count, t->pool);
    if (!isfinite(loss) || !adam_can_take(norm, t->o.clip))
        return err_set(e, ERR_NUMERIC,
                       "loss or gradient is not finite in update %llu; try a smaller --lr",
                       (unsigned long long)t->state.steps + 1);
    adam_update(t->net->kern, &m->adam, m->params, t->grad, m->layout.count, norm, t->o.rate,
                t->o.clip, t->pool);
    lstm_net_pack(t->net, m->params, t->pool);
    t->sums.loss += loss;
    t->sums.weight += weight;
    t->state.in_epoch++;
    t->state.steps++;
    return 0;
}

/* ---- epochs */

static int
validate(struct train *t, double *ce, struct err *e)
{
    double loss;
    *ce = NAN;
    if (t->valid.count == 0)
        return 0;
    int rc = slices_loss(t->slices, t->valid.string, t->valid.count, &loss, e);
    *ce = loss / sorted_weight(t->valid.string, t->valid.count);
    if (rc == 0 && !isfinite(*ce))
        rc = err_set(e, ERR_NUMERIC, "validation loss is not finite after update %llu",
                     (unsigned long long)t->state.steps);
    return rc;
}

/* Whether that was the last epoch, and whether the best one. */
static void
judge(struct train *t, double valid_ce)
{
    struct state *s = &t->state;
    if (valid_ce < t->sums.best_ce) {
        t->sums.best_ce = valid_ce;
        s->best_epoch = s->epoch;
        lstm_copy(t->best, t->model);
        if (!t->o.patience_in_total)
            s->failures = 0;
    } else if (t->best != NULL) {
        s->failures++;
    }
    if (t->best != NULL && t->o.patience > 0 && s->failures >= t->o.patience)
        s->end = TRAIN_PATIENCE;
    else if (t->o.steps == 0 && t->o.epochs > 0 && s->epoch >= t->o.epochs)
        s->end = TRAIN_EPOCHS;
}

static int
end_epoch(struct train *t, const struct train_watch *watch, struct err *e)
{
    struct train_row *rows =
        mem_grow(t->rows, &t->rows_capacity, t->state.epoch + 1, sizeof *rows, e);
    if (rows == NULL)
        return ERR_NOMEM;
    t->rows = rows;
    struct train_row *row = &rows[t->state.epoch];
    double trained = stopwatch_now() - t->epoch_clock + t->sums.epoch_seconds;
    int rc = validate(t, &row->valid_ce, e);
    if (rc != 0)
        return rc;
    row->epoch = ++t->state.epoch;
    row->steps = t->state.steps;
    row->train_ce = t->sums.loss / t->sums.weight;
    row->rate = (double)(t->data.count * t->state.in_epoch / updates_per_epoch(t)) / trained;
    row->seconds = stopwatch_now() - t->clock + t->sums.seconds;
    judge(t, row->valid_ce);
    t->state.in_epoch = 0;
    t->sums.loss = t->sums.weight = t->sums.epoch_seconds = 0;
    return watch->epoch != NULL ? watch->epoch(watch->arg, row, e) : 0;
}

/* Updates to the end of the epoch, or of the updates asked for. */
static int
run_epoch(struct train *t, const struct train_watch *watch, struct err *e)
{
    struct state *s = &t->state;
    const size_t updates = updates_per_epoch(t);
    t->epoch_clock = stopwatch_now();
    shuffle(t);
    while (s->in_epoch < updates && s->end == TRAIN_RUNNING) {
        if (watch->stop != NULL && *watch->stop != 0)
            return 0;
        int rc = update(t, e);
        if (rc != 0)
            return rc;
        if (t->o.steps > 0 && s->steps >= t->o.steps)
            s->end = TRAIN_STEPS;
        if (watch->update != NULL)
            watch->update(watch->arg,
                          s->epoch * t->data.count + t->data.count * s->in_epoch / updates);
    }
    return end_epoch(t, watch, e);
}

int
train_run(struct train *t, const struct train_watch *watch, struct err *e)
{
    int rc = 0;
    t->clock = stopwatch_now();
    lstm_net_pack(t->net, t->model->params, t->pool);
    while (rc == 0 && t->state.end == TRAIN_RUNNING && !(watch->stop != NULL && *watch->stop != 0))
        rc = run_epoch(t, watch, e);
    if (rc == 0 && t->state.end != TRAIN_RUNNING && t->best != NULL)
        lstm_copy(t->model, t->best);
    return rc;
}

void
train_get_outcome(const struct train *t, struct train_outcome *o)
{
    const struct state *s = &t->state;
    *o = (struct train_outcome){.end = (enum train_end)s->end,
                                .epochs = s->epoch,
                                .steps = s->steps,
                                .best_epoch = s->best_epoch,
                                .train_ce = NAN,
                                .valid_ce = NAN};
    uint64_t shown = s->best_epoch > 0 ? s->best_epoch : s->epoch;
    if (shown > 0) {
        o->train_ce = t->rows[shown - 1].train_ce;
        o->valid_ce = t->rows[shown - 1].valid_ce;
    }
}

size_t
train_rows(const struct train *t, const struct train_row **rows)
{
    *rows = t->rows;
    return (size_t)t->state.epoch;
}

/* ---- checkpoints */

enum {
    ROW_NUMBERS = 6,
    STATE_NUMBERS = sizeof(struct state) / 8,
    SUM_NUMBERS = sizeof(struct sums) / 8
};

static int
put_rows(const struct train *t, struct mdl_writer *w, struct err *e)
{
    size_t count = (size_t)t->state.epoch;
    double *flat = mem_array(count, ROW_NUMBERS * sizeof *flat, e);
    if (flat == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct train_row *r = &t->rows[i];
        const double row[ROW_NUMBERS] = {(double)r->epoch, (double)r->steps, r->train_ce,
                                         r->valid_ce,      r->rate,          r->seconds};
        memcpy(flat + i * ROW_NUMBERS, row, sizeof row);
    }
    int rc = mdl_put(w, "train.rows", MDL_F64, flat, count * ROW_NUMBERS, e);
    mem_free(flat);
    return rc;
}

static int
put_best(const struct train *t, struct mdl_writer *w, struct err *e)
{
    size_t count = t->best->layout.count;
    int rc = mdl_put(w, "best.weights", MDL_F32, t->best->params, count, e);
    if (rc == 0)
        rc = mdl_put(w, "best.m", MDL_F32, t->best->adam.m, count, e);
    if (rc == 0)
        rc = mdl_put(w, "best.v", MDL_F32, t->best->adam.v, count, e);
    if (rc == 0)
        rc = mdl_put(w, "best.step", MDL_U64, &t->best->adam.step, 1, e);
    return rc;
}

int
train_put(const struct train *t, uint64_t identity, struct mdl_writer *w, struct err *e)
{
    struct sums sums = t->sums;
    sums.seconds += stopwatch_now() - t->clock;
    if (t->state.in_epoch > 0)
        sums.epoch_seconds += stopwatch_now() - t->epoch_clock;
    int rc = mdl_put(w, "train.identity", MDL_U64, &identity, 1, e);
    if (rc == 0)
        rc = mdl_put(w, "train.state", MDL_U64, &t->state, STATE_NUMBERS, e);
    if (rc == 0)
        rc = mdl_put(w, "train.sums", MDL_F64, &sums, SUM_NUMBERS, e);
    if (rc == 0)
        rc = put_rows(t, w, e);
    if (rc == 0 && t->best != NULL)
        rc = put_best(t, w, e);
    return rc;
}

/* Copies a section of exactly `bytes` bytes. */
static int
get(const struct mdl *m, const char *name, enum mdl_type type, void *to, size_t count, size_t size,
    struct err *e)
{
    const void *from = mdl_get(m, name, type, &count, e);
    if (from == NULL)
        return e->code;
    memcpy(to, from, count * size);
    return 0;
}

static int
get_rows(struct train *t, const struct mdl *m, struct err *e)
{
    size_t epochs = (size_t)t->state.epoch, count = SIZE_MAX;
    const double *flat = mdl_get(m, "train.rows", MDL_F64, &count, e);
    if (flat == NULL)
        return e->code;
    if (count % ROW_NUMBERS != 0 || count / ROW_NUMBERS != t->state.epoch)
        return err_set(e, ERR_FORMAT, "section 'train.rows' does not have a row an epoch");
    struct train_row *rows = mem_grow(t->rows, &t->rows_capacity, epochs, sizeof *rows, e);
    if (rows == NULL)
        return ERR_NOMEM;
    t->rows = rows;
    for (size_t i = 0; i < epochs; i++, flat += ROW_NUMBERS) {
        if (flat[0] != (double)(i + 1) || !(flat[1] >= 0 && flat[1] <= (double)t->state.steps))
            return err_set(e, ERR_FORMAT, "section 'train.rows': row %zu makes no sense", i + 1);
        rows[i] = (struct train_row){.epoch = (uint64_t)flat[0],
                                     .steps = (uint64_t)flat[1],
                                     .train_ce = flat[2],
                                     .valid_ce = flat[3],
                                     .rate = flat[4],
                                     .seconds = flat[5]};
    }
    return 0;
}

static int
get_best(struct train *t, const struct mdl *m, struct err *e)
{
    struct lstm *best = t->best;
    size_t count = best->layout.count;
    int rc = get(m, "best.weights", MDL_F32, best->params, count, sizeof *best->params, e);
    if (rc == 0)
        rc = get(m, "best.m", MDL_F32, best->adam.m, count, sizeof *best->adam.m, e);
    if (rc == 0)
        rc = get(m, "best.v", MDL_F32, best->adam.v, count, sizeof *best->adam.v, e);
    if (rc == 0)
        rc = get(m, "best.step", MDL_U64, &best->adam.step, 1, sizeof best->adam.step, e);
    return rc;
}

static int
get_model(struct train *t, const struct mdl *m, struct err *e)
{
    struct lstm *now_at = lstm_from_mdl(m, e);
    if (now_at == NULL)
        return e->code;
    int rc = 0;
    if (now_at->layout.count != t->model->layout.count || now_at->adam.m == NULL)
        rc = err_set(e, ERR_FORMAT, "%s: section 'weights' is not of this run", mdl_name(m));
    else
        lstm_copy(t->model, now_at);
    lstm_free(now_at);
    return rc;
}

static bool
state_valid(const struct train *t)
{
    const struct state *s = &t->state;
    return s->end <= TRAIN_STEPS && s->in_epoch <= updates_per_epoch(t) &&
           s->best_epoch <= s->epoch;
}

/* Section by section; errors do not name the file yet. */
static int
get_sections(struct train *t, uint64_t identity, const struct mdl *m, struct err *e)
{
    uint64_t recorded;
    int rc = get(m, "train.identity", MDL_U64, &recorded, 1, sizeof recorded, e);
    if (rc == 0 && recorded != identity)
        rc = err_set(e, ERR_USAGE,
                     "this checkpoint is from a run with other data, settings or seed");
    if (rc == 0)
        rc = get(m, "train.state", MDL_U64, &t->state, STATE_NUMBERS, 8, e);
    if (rc == 0 && !state_valid(t))
        rc = err_set(e, ERR_FORMAT, "section 'train.state' makes no sense");
    if (rc == 0)
        rc = get(m, "train.sums", MDL_F64, &t->sums, SUM_NUMBERS, 8, e);
    if (rc == 0)
        rc = get_rows(t, m, e);
    if (rc == 0 && t->best != NULL)
        rc = get_best(t, m, e);
    return rc;
}

int
train_restore(struct train *t, uint64_t identity, const struct mdl *m, struct err *e)
{
    int rc = get_sections(t, identity, m, e);
    if (rc == 0)
        return get_model(t, m, e);
    if (rc != ERR_NOMEM)
        err_prefix(e, "%s", mdl_name(m));
    return rc;
}

/* ---- splitting */

static int
copy_string(struct corpus *to, const struct corpus *from, size_t i, uint8_t *codes, struct err *e)
{
    size_t length = corpus_get(from, i, codes);
    return corpus_add(to, codes, length, e);
}

int
train_split(const struct corpus *all, double fraction, uint64_t seed, struct corpus **rest,
            struct corpus **held, struct err *e)
{
    const size_t n = corpus_count(all);
    size_t wanted = (size_t)(fraction * (double)n);
    if (wanted == 0 && n >= 2)
        wanted = 1;
    struct rng rng;
    rng_init(&rng, seed, "lstm-train/split", 0);
    int rc = ERR_NOMEM;
    uint32_t *order = mem_array(n, sizeof *order, e);
    uint8_t *codes = mem_array(corpus_longest(all), 1, e);
    *rest = corpus_new(corpus_alphabet(all), e);
    *held = corpus_new(corpus_alphabet(all), e);
    if (order == NULL || codes == NULL || *rest == NULL || *held == NULL)
        goto out;
    rc = 0;
    rng_permutation(&rng, order, n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = copy_string(i < wanted ? *held : *rest, all, order[i], codes, e);
out:
    if (rc != 0 || wanted == 0) {
        corpus_free(*held);
        *held = NULL;
    }
    if (rc != 0) {
        corpus_free(*rest);
        *rest = NULL;
    }
    mem_free(order);
    mem_free(codes);
    return rc;
}

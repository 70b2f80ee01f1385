/* SPDX-License-Identifier: MIT */
#include "lstm/lstm.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/report.h"
#include "model/container.h"

int
lstm_layout(struct lstm_layout *l, unsigned symbols, unsigned hidden, unsigned layers,
            struct err *e)
{
    if (hidden == 0 || hidden > LSTM_HIDDEN_MAX)
        return err_set(e, ERR_LIMIT, "number of units %u is not in the range 1 to %d", hidden,
                       LSTM_HIDDEN_MAX);
    if (layers == 0 || layers > LSTM_LAYERS_MAX)
        return err_set(e, ERR_LIMIT, "number of layers %u is not in the range 1 to %d", layers,
                       LSTM_LAYERS_MAX);
    if (symbols < 2 || symbols > ALPHABET_MAX + 1)
        return err_set(e, ERR_LIMIT, "number of symbols %u is not in the range 2 to %d", symbols,
                       ALPHABET_MAX + 1);
    memset(l, 0, sizeof *l);
    l->symbols = symbols;
    l->hidden = hidden;
    l->layers = layers;
    size_t at = 0, rows = (size_t)4 * hidden;
    for (unsigned k = 0; k < layers; k++) {
        struct lstm_layer *y = &l->layer[k];
        y->inputs = k == 0 ? symbols : hidden;
        y->weight_ih = at;
        y->weight_hh = y->weight_ih + rows * y->inputs;
        y->bias_ih = y->weight_hh + rows * hidden;
        y->bias_hh = y->bias_ih + rows;
        at = y->bias_hh + rows;
    }
    l->decoder_weight = at;
    l->decoder_bias = at + (size_t)symbols * hidden;
    l->count = l->decoder_bias + symbols;
    return 0;
}

unsigned
lstm_tensors(const struct lstm_layout *l)
{
    return 4 * l->layers + 2;
}

void
lstm_tensor(const struct lstm_layout *l, unsigned i, struct lstm_tensor *t)
{
    unsigned k = i / 4;
    memset(t, 0, sizeof *t);
    if (k == l->layers) {
        bool bias = i % 4 == 1;
        snprintf(t->name, sizeof t->name, "decoder.%s", bias ? "bias" : "weight");
        t->offset = bias ? l->decoder_bias : l->decoder_weight;
        t->rows = l->symbols;
        t->columns = bias ? 0 : l->hidden;
        return;
    }
    const struct lstm_layer *y = &l->layer[k];
    const char *const names[4] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    const size_t offsets[4] = {y->weight_ih, y->weight_hh, y->bias_ih, y->bias_hh};
    const unsigned columns[4] = {y->inputs, l->hidden, 0, 0};
    snprintf(t->name, sizeof t->name, "rnn.%s_l%u", names[i % 4], k);
    t->offset = offsets[i % 4];
    t->rows = 4 * l->hidden;
    t->columns = columns[i % 4];
}

struct lstm *
lstm_new(const struct alphabet *a, unsigned hidden, unsigned layers, uint64_t max_length,
         struct err *e)
{
    struct lstm *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    m->model.kind = &lstm_kind;
    m->model.alphabet = *a;
    m->model.max_length = max_length;
    if (lstm_layout(&m->layout, a->size + 1, hidden, layers, e) != 0)
        goto fail;
    m->params = mem_zero(m->layout.count, sizeof *m->params, e);
    if (m->params == NULL)
        goto fail;
    return m;
fail:
    lstm_free(m);
    return NULL;
}

void
lstm_free(struct lstm *m)
{
    if (m != NULL)
        model_free(&m->model);
}

void
lstm_set_length(struct lstm *m, uint64_t length, bool fixed)
{
    m->fixed_length = fixed;
    m->model.min_length = fixed ? length : 0;
    m->model.max_length = length;
}

struct lstm *
lstm_of(const struct model *m)
{
    return m != NULL && m->kind == &lstm_kind ? (struct lstm *)m : NULL;
}

void
lstm_init(struct lstm *m, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed, "lstm/init", 0);
    const double cell = 1 / sqrt((double)m->layout.hidden), decoder = 0.1;
    for (size_t i = 0; i < m->layout.decoder_bias; i++) {
        double bound = i < m->layout.decoder_weight ? cell : decoder;
        m->params[i] = (float)(bound * (2 * rng_double(&rng) - 1));
    }
    for (size_t i = m->layout.decoder_bias; i < m->layout.count; i++)
        m->params[i] = 0;
}

/* Hidden units are in [-1, 1] and inputs are 0 or 1, so the sum of the magnitudes of all
 * weights bounds every sum in a step. */
int
lstm_check_weights(const struct lstm *m, struct err *e)
{
    double sum = 0;
    for (size_t i = 0; i < m->layout.count; i++)
        sum += fabs((double)m->params[i]);
    if (sum <= FLT_MAX)
        return 0;
    return err_set(e, ERR_FORMAT, "%s",
                   isfinite(sum) ? "parameters are so large that sums overflow"
                                 : "a parameter is NaN or infinite");
}

int
lstm_need_adam(struct lstm *m, struct err *e)
{
    if (m->adam.m != NULL)
        return 0;
    float *first = mem_zero(m->layout.count, sizeof *first, e);
    float *second = mem_zero(m->layout.count, sizeof *second, e);
    if (first == NULL || second == NULL) {
        mem_free(first);
        mem_free(second);
        return ERR_NOMEM;
    }
    m->adam = (struct lstm_adam){.m = first, .v = second, .step = 0};
    return 0;
}

struct lstm *
lstm_clone(const struct lstm *m, struct err *e)
{
    struct lstm *copy =
        lstm_new(&m->model.alphabet, m->layout.hidden, m->layout.layers, m->model.max_length, e);
    if (copy == NULL)
        return NULL;
    if (m->adam.m != NULL && lstm_need_adam(copy, e) != 0) {
        lstm_free(copy);
        return NULL;
    }
    lstm_set_length(copy, m->model.max_length, m->fixed_length);
    lstm_copy(copy, m);
    return copy;
}

void
lstm_set_weights(struct lstm *m, const float *weights)
{
    memmove(m->params, weights, m->layout.count * sizeof *m->params);
}

void
lstm_copy(struct lstm *to, const struct lstm *from)
{
    size_t bytes = from->layout.count * sizeof *from->params;
    lstm_set_weights(to, from->params);
    if (from->adam.m != NULL) {
        memcpy(to->adam.m, from->adam.m, bytes);
        memcpy(to->adam.v, from->adam.v, bytes);
        to->adam.step = from->adam.step;
    }
}

static int
write_model(const struct model *model, struct container_writer *w, struct err *e)
{
    const struct lstm *m = lstm_of(model);
    const struct lstm_layout *l = &m->layout;
    const uint32_t shape[3] = {l->symbols, l->hidden, l->layers};
    if (model_put_alphabet(&model->alphabet, w, e) != 0 ||
        container_put(w, "shape", SECTION_U32, shape, 3, e) != 0 ||
        container_put(w, "max_length", SECTION_U64, &m->model.max_length, 1, e) != 0 ||
        (m->fixed_length &&
         container_put(w, "fixed_length", SECTION_U64, &m->model.max_length, 1, e) != 0) ||
        container_put(w, "weights", SECTION_F32, m->params, l->count, e) != 0)
        return e->code;
    if (m->adam.m == NULL)
        return 0;
    if (container_put(w, "adam.m", SECTION_F32, m->adam.m, l->count, e) != 0 ||
        container_put(w, "adam.v", SECTION_F32, m->adam.v, l->count, e) != 0 ||
        container_put(w, "adam.step", SECTION_U64, &m->adam.step, 1, e) != 0)
        return e->code;
    return 0;
}

/* Sections of a checkpoint are included, so that verifying a file covers them. */
static const struct section_rule sections[] = {
    MODEL_ALPHABET_SECTIONS,         {"shape", SECTION_FEW},
    {"max_length", SECTION_FEW},     {"fixed_length", SECTION_FEW},
    {"weights", SECTION_MANY},       {"adam.m", SECTION_MANY},
    {"adam.v", SECTION_MANY},        {"adam.step", SECTION_FEW},
    {"train.identity", SECTION_FEW}, {"train.state", SECTION_FEW},
    {"train.sums", SECTION_FEW},     {"train.rows", SECTION_MANY},
    {"train.average", SECTION_MANY}, {"best.weights", SECTION_MANY},
    {"best.m", SECTION_MANY},        {"best.v", SECTION_MANY},
    {"best.step", SECTION_FEW},      {NULL, 0},
};

/* Readers of version 1 skip sections that they do not know, and would treat strings of other
 * lengths as possible. */
static uint32_t
format_version(const struct model *m)
{
    uint32_t least = lstm_of(m)->fixed_length ? 2 : 1,
             alphabet = model_alphabet_version(&m->alphabet);
    return alphabet > least ? alphabet : least;
}

/* If any part of the optimizer state is present, all of it must be. */
static bool
has_optimizer(const struct container *m)
{
    return container_count(m, "adam.step") != SIZE_MAX ||
           container_count(m, "adam.m") != SIZE_MAX || container_count(m, "adam.v") != SIZE_MAX;
}

int
lstm_get_floats(struct container *m, const char *name, float least, float *to, size_t count,
                struct err *e)
{
    const float *from = container_get(m, name, SECTION_F32, count, e);
    if (from == NULL)
        return e->code;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(from[i]) || from[i] < least)
            return err_set(e, ERR_FORMAT, "section '%s' has %s at element %zu", name,
                           isfinite(from[i]) ? "a negative number" : "a NaN or infinity", i);
    memcpy(to, from, count * sizeof *to);
    return 0;
}

static int
get_adam(struct container *m, struct lstm *to, struct err *e)
{
    const uint64_t *step = container_get(m, "adam.step", SECTION_U64, 1, e);
    if (step == NULL)
        return e->code;
    int rc = lstm_need_adam(to, e);
    if (rc == 0)
        rc = lstm_get_floats(m, "adam.m", -FLT_MAX, to->adam.m, to->layout.count, e);
    if (rc == 0)
        rc = lstm_get_floats(m, "adam.v", 0, to->adam.v, to->layout.count, e);
    to->adam.step = *step;
    return rc;
}

/* A model of the recorded shape, after checking that the shape fits the number of weights in
 * the file. */
static struct lstm *
new_of_shape(struct container *m, struct err *e)
{
    struct alphabet a;
    struct lstm_layout layout;
    if (model_get_alphabet(m, &a, e) != 0)
        return NULL;
    const uint32_t *shape = container_get(m, "shape", SECTION_U32, 3, e);
    const uint64_t *max_length = container_get(m, "max_length", SECTION_U64, 1, e);
    if (shape == NULL || max_length == NULL)
        return NULL;
    if (lstm_layout(&layout, shape[0], shape[1], shape[2], e) != 0) {
        err_prefix(e, "section 'shape'");
        return NULL;
    }
    if (layout.symbols != a.size + 1) {
        err_set(e, ERR_FORMAT, "section 'shape': %u symbols, but the alphabet '%s' requires %u",
                layout.symbols, a.text, a.size + 1);
        return NULL;
    }
    if (container_get(m, "weights", SECTION_F32, layout.count, e) == NULL)
        return NULL;
    return lstm_new(&a, layout.hidden, layout.layers, *max_length, e);
}

static int
get_fixed_length(struct container *m, struct lstm *to, struct err *e)
{
    if (container_count(m, "fixed_length") == SIZE_MAX)
        return 0;
    const uint64_t *length = container_get(m, "fixed_length", SECTION_U64, 1, e);
    if (length == NULL)
        return e->code;
    if (*length != to->model.max_length)
        return err_set(e, ERR_FORMAT,
                       "section 'fixed_length' has %" PRIu64 ", the maximum length is %" PRIu64,
                       *length, to->model.max_length);
    lstm_set_length(to, *length, true);
    return 0;
}

static struct model *
read_model(struct container *m, struct err *e)
{
    struct lstm *to = new_of_shape(m, e);
    if (to == NULL)
        return NULL;
    if (lstm_get_floats(m, "weights", -FLT_MAX, to->params, to->layout.count, e) != 0)
        goto fail;
    if (lstm_check_weights(to, e) != 0) {
        err_prefix(e, "section 'weights'");
        goto fail;
    }
    if (get_fixed_length(m, to, e) != 0)
        goto fail;
    if (has_optimizer(m) && get_adam(m, to, e) != 0)
        goto fail;
    return &to->model;
fail:
    lstm_free(to);
    return NULL;
}

static void
describe(const struct model *m, struct report *r)
{
    const struct lstm *l = lstm_of(m);
    report_text(r, "fixed_length", l->fixed_length ? "yes" : "no");
    report_u64(r, "layers", l->layout.layers);
    report_u64(r, "hidden", l->layout.hidden);
    report_u64(r, "parameters", l->layout.count);
    report_u64(r, "updates", l->adam.step);
    report_text(r, "optimiser_state", l->adam.m != NULL ? "yes" : "no");
}

static void
free_model(struct model *m)
{
    struct lstm *l = lstm_of(m);
    mem_free(l->params);
    mem_free(l->adam.m);
    mem_free(l->adam.v);
    mem_free(l);
}

const struct model_kind lstm_kind = {
    .number = 2,
    .name = "lstm",
    .sections = sections,
    .read = read_model,
    .write = write_model,
    .format_version = format_version,
    .describe = describe,
    .free = free_model,
    .state_bytes = lstm_state_bytes,
    .scratch_new = lstm_scratch_new,
    .scratch_free = lstm_scratch_free,
    .root = lstm_root,
    .step = lstm_step,
};

/* SPDX-License-Identifier: MIT */
#include "mix/mix.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "io/report.h"
#include "model/container.h"

/* ---- a mixture and its components ------------------------------------------------------ */

struct mix *
mix_of(const struct model *m)
{
    return m != NULL && m->kind == &mix_kind ? (struct mix *)m : NULL;
}

struct mix *
mix_new(struct err *e)
{
    struct mix *m = mem_zero(1, sizeof *m, e);
    if (m != NULL)
        m->model.kind = &mix_kind;
    return m;
}

void
mix_free(struct mix *m)
{
    if (m != NULL)
        model_free(&m->model);
}

static void
set_weight(struct mix_part *part, double weight)
{
    part->weight = weight;
    part->log_weight = dm_log(weight);
}

/* A component without a maximum length is ignored if another has one. */
static void
extend_lengths(struct model *m, const struct model *part, bool first)
{
    if (first || part->min_length < m->min_length)
        m->min_length = part->min_length;
    if (first || m->max_length == MODEL_UNBOUNDED ||
        (part->max_length != MODEL_UNBOUNDED && part->max_length > m->max_length))
        m->max_length = part->max_length;
}

static int
check_part(const struct mix *m, const struct model *part, struct err *e)
{
    if (part->kind->step == NULL)
        return err_set(e, ERR_DATA, "a model of kind '%s' cannot be a component of a mixture",
                       part->kind->name);
    if (m->count == MIX_PARTS_MAX)
        return err_set(e, ERR_LIMIT, "a mixture has at most %d components", MIX_PARTS_MAX);
    if (mix_of(part) != NULL && mix_of(part)->depth == MIX_DEPTH_MAX)
        return err_set(e, ERR_LIMIT, "more than %d nested mixtures", MIX_DEPTH_MAX);
    if (m->count > 0 && !alphabet_equal(&m->model.alphabet, &part->alphabet))
        return err_set(e, ERR_DATA, "alphabet is '%s', but alphabet of the first component is '%s'",
                       part->alphabet.text, m->model.alphabet.text);
    return 0;
}

/* States of components begin at multiples of 8; what is between them is 0. */
static size_t
padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

int
mix_add(struct mix *m, struct model *part, struct model_file file, struct err *e)
{
    int rc = check_part(m, part, e);
    if (rc != 0) {
        model_free(part);
        mem_free(file.bytes);
        return rc;
    }
    unsigned depth = mix_of(part) != NULL ? mix_of(part)->depth + 1 : 1;
    m->depth = depth > m->depth ? depth : m->depth;
    m->model.alphabet = part->alphabet;
    extend_lengths(&m->model, part, m->count == 0);
    m->part[m->count++] =
        (struct mix_part){.model = part, .file = file, .state_at = m->state_bytes};
    m->state_bytes += padded(model_state_bytes(part));
    for (size_t k = 0; k < m->count; k++)
        set_weight(&m->part[k], 1.0 / (double)m->count);
    return 0;
}

int
mix_set_weights(struct mix *m, const double *weight, struct err *e)
{
    double sum = 0;
    for (size_t k = 0; k < m->count; k++) {
        if (!(weight[k] > 0 && weight[k] <= 1))
            return err_set(
                e, ERR_DATA,
                "weight of component %zu is %g, expected a number greater than 0, at most 1", k + 1,
                weight[k]);
        sum += weight[k];
    }
    if (!(fabs(sum - 1) <= MIX_WEIGHT_SLACK))
        return err_set(e, ERR_DATA, "weights sum to %.12g, expected 1", sum);
    for (size_t k = 0; k < m->count; k++)
        set_weight(&m->part[k], weight[k]);
    return 0;
}

/* ---- the next symbol ------------------------------------------------------------------- */

/* Prefixes per step, and per task. */
enum { ROWS = 1024, TASK_ROWS = 64 };

/* The workspace of a component: its states, contiguous. */
struct component {
    struct model_run *run;
    size_t bytes;    /* of its state */
    uint8_t *parent; /* [ROWS] */
    uint8_t *child;  /* [ROWS] */
    double *logp;    /* [ROWS][A+1] */
};

struct mix_run {
    const struct mix *mix;
    struct pool *pool;
    struct component component[MIX_PARTS_MAX];
    uint32_t parent[ROWS]; /* place in component.parent */
    /* What is being mixed. */
    size_t rows;
    double *logp; /* [rows][A+1] of the mixture */
};

static size_t
state_bytes(const struct model *m)
{
    return mix_of(m)->state_bytes;
}

static void
scratch_free(void *scratch)
{
    struct mix_run *s = scratch;
    if (s == NULL)
        return;
    for (size_t k = 0; k < s->mix->count; k++) {
        model_end(s->component[k].run);
        mem_free(s->component[k].parent);
        mem_free(s->component[k].child);
        mem_free(s->component[k].logp);
    }
    mem_free(s);
}

static int
start_component(struct component *w, const struct model *part, struct pool *pool, struct err *e)
{
    w->bytes = model_state_bytes(part);
    w->run = model_begin(part, pool, ROWS, e);
    w->parent = mem_array(ROWS, w->bytes, e);
    w->child = mem_array(ROWS, w->bytes, e);
    w->logp = mem_array((size_t)ROWS * (part->alphabet.size + 1), sizeof *w->logp, e);
    if (w->run == NULL || w->parent == NULL || w->child == NULL || w->logp == NULL)
        return ERR_NOMEM;
    return 0;
}

static void *
scratch_new(const struct model *m, struct pool *pool, struct err *e)
{
    struct mix_run *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->mix = mix_of(m);
    s->pool = pool;
    for (size_t k = 0; k < s->mix->count; k++)
        if (start_component(&s->component[k], s->mix->part[k].model, pool, e) != 0) {
            scratch_free(s);
            return NULL;
        }
    return s;
}

/* Whether a component can produce the prefix that a row follows. */
static bool
is_live(const double *logp, size_t symbols)
{
    for (size_t a = 0; a < symbols; a++)
        if (logp[a] > -INFINITY)
            return true;
    return false;
}

/* Mixes one row: log sum_k w_k p_k(a|u) - log sum_k w_k over the live components. */
static void
mix_row(const struct mix_run *s, size_t row, double *logp)
{
    const struct mix *m = s->mix;
    const size_t symbols = m->model.alphabet.size + 1;
    const double *live[MIX_PARTS_MAX];
    double log_weight[MIX_PARTS_MAX], term[MIX_PARTS_MAX], total = 0;
    size_t n = 0;
    for (size_t k = 0; k < m->count; k++) {
        const double *own = s->component[k].logp + row * symbols;
        if (is_live(own, symbols)) {
            live[n] = own;
            log_weight[n++] = m->part[k].log_weight;
            total += m->part[k].weight;
        }
    }
    double log_total = n < m->count ? dm_log(total) : 0;
    for (size_t a = 0; a < symbols; a++) {
        for (size_t k = 0; k < n; k++)
            term[k] = n > 1 ? log_weight[k] - log_total + live[k][a] : live[k][a];
        logp[a] = n > 0 ? dm_log_sum_exp(term, n) : -INFINITY;
    }
}

static void
mix_task(void *arg, size_t task, int worker)
{
    const struct mix_run *s = arg;
    const size_t symbols = s->mix->model.alphabet.size + 1u;
    size_t end = (task + 1) * TASK_ROWS < s->rows ? (task + 1) * TASK_ROWS : s->rows;
    (void)worker;
    for (size_t i = task * TASK_ROWS; i < end; i++)
        mix_row(s, i, s->logp + i * symbols);
}

static void
root(const struct model *model, void *scratch, void *state, double *logp)
{
    struct mix_run *s = scratch;
    const struct mix *m = mix_of(model);
    memset(state, 0, m->state_bytes);
    for (size_t k = 0; k < m->count; k++) {
        struct component *w = &s->component[k];
        model_root(w->run, w->child, w->logp);
        memcpy((uint8_t *)state + m->part[k].state_at, w->child, w->bytes);
    }
    mix_row(s, 0, logp);
}

/* Places of the parents of a batch: a parent that several successive children share is
 * stored once.  place[i] is that of child i. */
static void
place_parents(const uint32_t *parent, size_t n, uint32_t *place)
{
    place[0] = 0;
    for (size_t i = 1; i < n; i++)
        place[i] = place[i - 1] + (parent[i] != parent[i - 1]);
}

/* Steps component k: its states are gathered from those of the mixture, and scattered back. */
static void
step_part(struct mix_run *s, size_t k, size_t n, const uint8_t *parents, const uint32_t *parent,
          const uint8_t *symbol, uint8_t *children)
{
    const size_t all = s->mix->state_bytes, at = s->mix->part[k].state_at;
    struct component *w = &s->component[k];
    for (size_t i = 0; i < n; i++)
        if (i == 0 || parent[i] != parent[i - 1])
            memcpy(w->parent + s->parent[i] * w->bytes, parents + parent[i] * all + at, w->bytes);
    model_step(w->run, n, w->parent, s->parent, symbol, w->child, w->logp);
    for (size_t i = 0; i < n; i++) {
        memcpy(children + i * all + at, w->child + i * w->bytes, w->bytes);
        memset(children + i * all + at + w->bytes, 0, padded(w->bytes) - w->bytes);
    }
}

static void
step(const struct model *model, void *scratch, size_t n, const void *parents,
     const uint32_t *parent, const uint8_t *symbol, void *children, double *logp)
{
    struct mix_run *s = scratch;
    const struct mix *m = mix_of(model);
    for (size_t done = 0; done < n; done += s->rows) {
        uint8_t *to = (uint8_t *)children + done * m->state_bytes;
        s->rows = n - done < ROWS ? n - done : ROWS;
        s->logp = logp + done * (model->alphabet.size + 1u);
        place_parents(parent + done, s->rows, s->parent);
        for (size_t k = 0; k < m->count; k++)
            step_part(s, k, s->rows, parents, parent + done, symbol + done, to);
        pool_run(s->pool, (s->rows + TASK_ROWS - 1) / TASK_ROWS, mix_task, s);
    }
}

/* Without a maximum length, all components must end by themselves. */
static int
check_sampling(const struct model *model, uint64_t max_length, struct err *e)
{
    const struct mix *m = mix_of(model);
    int rc = 0;
    for (size_t k = 0; k < m->count && rc == 0; k++)
        rc = model_check_sampling(m->part[k].model, max_length, e);
    return rc;
}

/* ---- the file -------------------------------------------------------------------------- */

#define PART(number)                                                                               \
    {                                                                                              \
        "component." #number, SECTION_MANY                                                         \
    }

static const struct section_rule sections[] = {
    {"weights", MIX_PARTS_MAX},
    {"max_length", SECTION_FEW},
    PART(1),
    PART(2),
    PART(3),
    PART(4),
    PART(5),
    PART(6),
    PART(7),
    PART(8),
    PART(9),
    PART(10),
    PART(11),
    PART(12),
    PART(13),
    PART(14),
    PART(15),
    PART(16),
    PART(17),
    PART(18),
    PART(19),
    PART(20),
    PART(21),
    PART(22),
    PART(23),
    PART(24),
    PART(25),
    PART(26),
    PART(27),
    PART(28),
    PART(29),
    PART(30),
    PART(31),
    PART(32),
    {NULL, 0},
};

/* The section of component k, which counts from 0. */
static const char *
part_section(size_t k)
{
    return sections[k + 2].name;
}

static int
write_model(const struct model *model, struct container_writer *w, struct err *e)
{
    const struct mix *m = mix_of(model);
    double weight[MIX_PARTS_MAX];
    for (size_t k = 0; k < m->count; k++)
        weight[k] = m->part[k].weight;
    int rc = container_put(w, "weights", SECTION_F64, weight, m->count, e);
    if (rc == 0)
        rc = container_put(w, "max_length", SECTION_U64, &model->max_length, 1, e);
    for (size_t k = 0; k < m->count && rc == 0; k++)
        rc = container_put(w, part_section(k), SECTION_MODEL, m->part[k].file.bytes,
                           m->part[k].file.size, e);
    return rc;
}

static int
read_part(struct mix *m, struct container *file, struct err *e)
{
    const char *section = part_section(m->count);
    struct model_file bytes = {0};
    struct model *part = model_read_part(file, section, &bytes, e);
    if (part == NULL) {
        mem_free(bytes.bytes);
        return e->code;
    }
    int rc = mix_add(m, part, bytes, e);
    if (rc != 0)
        err_prefix(e, "section '%s'", section);
    return rc;
}

static int
read_parts(struct mix *m, struct container *file, struct err *e)
{
    const double *weight = container_get(file, "weights", SECTION_F64, SIZE_MAX, e);
    const uint64_t *max_length = container_get(file, "max_length", SECTION_U64, 1, e);
    if (weight == NULL || max_length == NULL)
        return e->code;
    size_t count = container_count(file, "weights");
    if (count < 2)
        return err_set(e, ERR_FORMAT, "section 'weights': a mixture has at least 2 components");
    int rc = 0;
    for (size_t k = 0; k < count && rc == 0; k++)
        rc = read_part(m, file, e);
    if (rc == 0 && mix_set_weights(m, weight, e) != 0)
        err_prefix(e, "section 'weights'");
    m->model.max_length = *max_length;
    return e->code;
}

static struct model *
read_model(struct container *file, struct err *e)
{
    struct mix *m = mix_new(e);
    if (m != NULL && read_parts(m, file, e) == 0)
        return &m->model;
    mix_free(m);
    return NULL;
}

/* ---- the kind -------------------------------------------------------------------------- */

static void
describe(const struct model *m, struct report *r)
{
    report_u64(r, "component_count", mix_of(m)->count);
}

static void
list_parts(const struct model *model, struct report *r)
{
    static const char *const columns[] = {"component", "kind", "weight", NULL};
    const struct mix *m = mix_of(model);
    report_table(r, "components", columns);
    for (size_t k = 0; k < m->count; k++) {
        report_cell_u64(r, k + 1);
        report_cell_text(r, m->part[k].model->kind->name);
        report_cell_f64(r, m->part[k].weight);
    }
    report_table_end(r);
}

static void
free_model(struct model *model)
{
    struct mix *m = mix_of(model);
    for (size_t k = 0; k < m->count; k++) {
        model_free(m->part[k].model);
        mem_free(m->part[k].file.bytes);
    }
    mem_free(m);
}

const struct model_kind mix_kind = {
    .number = 4,
    .name = "mix",
    .sections = sections,
    .read = read_model,
    .write = write_model,
    .describe = describe,
    .list = list_parts,
    .free = free_model,
    .state_bytes = state_bytes,
    .scratch_new = scratch_new,
    .scratch_free = scratch_free,
    .root = root,
    .step = step,
    .check_sampling = check_sampling,
};

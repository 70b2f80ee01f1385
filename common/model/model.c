/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <assert.h>

#include "core/err.h"
#include "core/mem.h"
#include "model/container.h"

struct model_run {
    const struct model *model;
    void *scratch;
    size_t capacity;
    uint64_t steps;
};

uint64_t
model_length_for(uint64_t shortest, uint64_t longest)
{
    return shortest == longest ? longest : 2 * longest + 1;
}

void
model_free(struct model *m)
{
    if (m != NULL)
        m->kind->free(m);
}

int
model_check_length(const struct model *m, uint64_t max_length, struct err *e)
{
    if (max_length >= m->min_length)
        return 0;
    return err_set(e, ERR_DATA,
                   "no string has at most %llu symbols: the shortest of the model has %llu",
                   (unsigned long long)max_length, (unsigned long long)m->min_length);
}

int
model_expect(const struct container *file, const struct model_kind *kind, struct err *e)
{
    if (container_kind(file) == kind)
        return 0;
    return err_set(e, ERR_FORMAT, "%s: expected a model of kind '%s', found '%s'",
                   container_name(file), kind->name, container_kind(file)->name);
}

size_t
model_state_bytes(const struct model *m)
{
    return m->kind->state_bytes(m);
}

struct model_run *
model_begin(const struct model *m, struct pool *pool, size_t capacity, struct err *e)
{
    struct model_run *run = mem_zero(1, sizeof *run, e);
    if (run == NULL)
        return NULL;
    run->model = m;
    run->capacity = capacity;
    if (m->kind->scratch_new == NULL)
        return run;
    run->scratch = m->kind->scratch_new(m, pool, e);
    if (run->scratch == NULL) {
        mem_free(run);
        return NULL;
    }
    return run;
}

void
model_end(struct model_run *run)
{
    if (run == NULL)
        return;
    if (run->scratch != NULL)
        run->model->kind->scratch_free(run->scratch);
    mem_free(run);
}

void
model_root(struct model_run *run, void *state, double *logp)
{
    run->steps++;
    run->model->kind->root(run->model, run->scratch, state, logp);
}

void
model_step(struct model_run *run, size_t n, const void *parents, const uint32_t *parent,
           const uint8_t *symbol, void *children, double *logp)
{
    assert(n <= run->capacity);
    run->steps += n;
    run->model->kind->step(run->model, run->scratch, n, parents, parent, symbol, children, logp);
}

uint64_t
model_steps(const struct model_run *run)
{
    return run->steps;
}

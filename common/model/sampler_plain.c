/* SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "model/model.h"
#include "model/sampler.h"
#include "model/sampler_internal.h"

/* The textbook loop's workspace. */
struct plain {
    const struct model *model;
    const struct sampler_options *options;
    struct model_run *run;
    uint8_t *state, *next;         /* the model's */
    uint8_t *weight, *next_weight; /* the bound's */
    double *logp;
    uint8_t *symbols;
    size_t length, symbols_capacity;
};

static int
init(struct plain *p, const struct model *m, struct pool *pool, const struct sampler_options *o,
     struct err *e)
{
    size_t bytes = o->bound != NULL ? o->bound->state_bytes : 0;
    *p = (struct plain){.model = m, .options = o};
    p->run = model_begin(m, pool, 1, e);
    p->state = mem_array(1, model_state_bytes(m), e);
    p->next = mem_array(1, model_state_bytes(m), e);
    p->weight = mem_array(1, bytes, e);
    p->next_weight = mem_array(1, bytes, e);
    p->logp = mem_array(m->alphabet.size + 1, sizeof *p->logp, e);
    return p->run != NULL && p->state != NULL && p->next != NULL && p->weight != NULL &&
                   p->next_weight != NULL && p->logp != NULL
               ? 0
               : ERR_NOMEM;
}

static void
clear(struct plain *p)
{
    model_end(p->run);
    mem_free(p->state);
    mem_free(p->next);
    mem_free(p->weight);
    mem_free(p->next_weight);
    mem_free(p->logp);
    mem_free(p->symbols);
}

static void
swap(uint8_t **a, uint8_t **b)
{
    uint8_t *t = *a;
    *a = *b;
    *b = t;
}

static int
append(struct plain *p, uint8_t symbol, struct err *e)
{
    static const uint32_t only = 0;
    if (mem_reserve(&p->symbols, &p->symbols_capacity, p->length + 1, 1, e) != 0)
        return ERR_NOMEM;
    p->symbols[p->length++] = symbol;
    model_step(p->run, 1, p->state, &only, &symbol, p->next, p->logp);
    swap(&p->state, &p->next);
    return 0;
}

/* One string from the model into p->symbols: 1, 0 if it is too long, or an
 * error. */
static int
propose(struct plain *p, struct rng *r, struct err *e)
{
    double weight[DRAW_KINDS_MAX];
    unsigned end = p->model->alphabet.size;
    uint64_t longest = sampler_longest(p->options);
    p->length = 0;
    model_root(p->run, p->state, p->logp);
    for (;;) {
        for (unsigned a = 0; a <= end; a++)
            weight[a] = dm_exp(p->logp[a]);
        unsigned symbol = rng_categorical(r, weight, end + 1);
        if (symbol == end)
            return 1;
        if (p->length == longest)
            return sampler_cut(p->options, e);
        int rc = append(p, (uint8_t)symbol, e);
        if (rc != 0)
            return rc;
    }
}

/* The rejection test of a finished string: w(x) / b(empty prefix). */
static bool
accept(struct plain *p, struct rng *r)
{
    const struct sampler_bound *b = p->options->bound;
    if (b == NULL)
        return true;
    double log_bound = b->root(b->self, p->weight);
    for (size_t i = 0; i < p->length; i++) {
        b->step(b->self, p->weight, p->symbols[i], p->next_weight);
        swap(&p->weight, &p->next_weight);
    }
    double log_weight = b->step(b->self, p->weight, (uint8_t)p->model->alphabet.size, NULL);
    return rng_double(r) < keep_probability(log_bound, log_weight);
}

static int
loop(struct plain *p, const struct sampler_request *request, struct sampler_stats *st,
     struct err *e)
{
    struct rng r;
    sampler_name_stream(&r, p->options, "plain", 0);
    while (st->written < request->count && st->proposals < request->max_proposals &&
           (request->max_steps == 0 || model_steps(p->run) < request->max_steps)) {
        rng_reindex(&r, st->proposals++);
        int rc = sampler_check_stop(request, e);
        if (rc == 0)
            rc = propose(p, &r, e);
        if (rc < 0)
            return rc;
        st->too_long += rc == 0;
        if (rc == 0 || !accept(p, &r))
            continue;
        st->accepted++;
        rc = request->string(request->arg, p->symbols, p->length, e);
        if (rc != 0)
            return rc;
        st->written++;
        if (request->progress != NULL)
            request->progress(request->arg, st->accepted);
    }
    return 0;
}

int
sampler_plain(const struct model *m, struct pool *pool, const struct sampler_options *o,
              const struct sampler_request *request, struct sampler_stats *stats, struct err *e)
{
    struct plain p;
    *stats = (struct sampler_stats){0};
    if (model_check_length(m, o->max_length, e) != 0)
        return e->code;
    int rc = init(&p, m, pool, o, e);
    if (rc == 0)
        rc = loop(&p, request, stats, e);
    if (p.run != NULL)
        stats->model_steps = model_steps(p.run);
    clear(&p);
    return rc;
}

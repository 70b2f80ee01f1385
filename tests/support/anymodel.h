/* SPDX-License-Identifier: MIT
 *
 * anymodel: reads bytes as a model of any kind and, if they are accepted, uses it a little: an
 * accepted model must be a distribution.  For tests of damaged files and for fuzzing.
 */
#ifndef GAMUT_ANYMODEL_H
#define GAMUT_ANYMODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "io/input.h"
#include "model/container.h"
#include "model/model.h"
#include "support/ignore.h"

/* Whether n log-probabilities are valid and sum to 1. */
static inline bool
anymodel_is_distribution(const double *logp, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += exp(logp[i]);
    return fabs(sum - 1) < 1e-5;
}

/* The root and each of its children that can be reached. */
static inline bool
anymodel_steps(const struct model *m, struct pool *pool)
{
    size_t symbols = m->alphabet.size, bytes = model_state_bytes(m);
    struct model_run *run = model_begin(m, pool, symbols, IGNORE_ERR);
    void *root = mem_zero(1, bytes, IGNORE_ERR), *children = mem_zero(symbols, bytes, IGNORE_ERR);
    double *logp = mem_zero(symbols + 1, (symbols + 1) * sizeof *logp, IGNORE_ERR);
    bool sound = run != NULL && root != NULL && children != NULL && logp != NULL;
    if (sound) {
        uint32_t parent[ALPHABET_MAX] = {0};
        uint8_t symbol[ALPHABET_MAX];
        double first[ALPHABET_MAX + 1];
        size_t n = 0;
        model_root(run, root, first);
        sound = anymodel_is_distribution(first, symbols + 1);
        for (size_t s = 0; s < symbols; s++)
            if (first[s] > -INFINITY)
                symbol[n++] = (uint8_t)s;
        model_step(run, n, root, parent, symbol, children, logp);
        for (size_t i = 0; i < n; i++)
            sound = sound && anymodel_is_distribution(logp + i * (symbols + 1), symbols + 1);
    }
    mem_free(root);
    mem_free(children);
    mem_free(logp);
    model_end(run);
    return sound;
}

/* The next symbol of a string, any that is possible; -1 if there is none. */
static inline int
anymodel_choose(const double *logp, size_t symbols, unsigned *seed)
{
    int chosen = -1;
    size_t able = 0;
    for (size_t s = 0; s < symbols; s++)
        if (logp[s] > -INFINITY) {
            *seed = *seed * 1664525 + 1013904223;
            if ((*seed >> 16) % ++able == 0)
                chosen = (int)s;
        }
    return chosen;
}

/* A few strings, up to their end or a maximum length. */
static inline bool
anymodel_strings(const struct model *m, struct pool *pool)
{
    enum { STRINGS = 3, LONGEST = 12 };
    size_t bytes = model_state_bytes(m);
    struct model_run *run = model_begin(m, pool, 1, IGNORE_ERR);
    void *state = mem_zero(1, bytes, IGNORE_ERR), *next = mem_zero(1, bytes, IGNORE_ERR);
    bool sound = run != NULL && state != NULL && next != NULL;
    unsigned seed = 1;
    for (int i = 0; i < STRINGS && sound; i++) {
        double logp[ALPHABET_MAX + 1];
        int symbol;
        model_root(run, state, logp);
        for (int n = 0; n < LONGEST && sound; n++) {
            if ((symbol = anymodel_choose(logp, m->alphabet.size, &seed)) < 0)
                break;
            model_step(run, 1, state, &(uint32_t){0}, &(uint8_t){(uint8_t)symbol}, next, logp);
            sound = anymodel_is_distribution(logp, m->alphabet.size + 1);
            void *old = state;
            state = next;
            next = old;
        }
    }
    mem_free(state);
    mem_free(next);
    model_end(run);
    return sound;
}

static inline bool
anymodel_weighs(const struct model *m)
{
    static const uint8_t symbols[5] = {0};
    void *scratch = mem_array(1, model_weight_bytes(m), IGNORE_ERR);
    bool sound = scratch != NULL;
    for (size_t length = 0; sound && length <= sizeof symbols; length++)
        sound = !isnan(model_log_weight(m, symbols, length, scratch));
    mem_free(scratch);
    return sound;
}

/* Whether the bytes were accepted, and whether the model was *sound; `name` is the file name
 * for messages. */
static inline bool
anymodel_try(const void *data, size_t size, const char *name, struct pool *pool, bool *sound,
             struct err *e)
{
    struct input *in = input_from_memory(data, size, name, e);
    struct container *mdl = in != NULL ? container_read(in, e) : NULL;
    struct model *model = mdl != NULL ? model_read(mdl, e) : NULL;
    bool accepted = model != NULL;
    *sound = true;
    if (accepted) {
        const struct model *steps = model_proposal(model);
        *sound =
            anymodel_steps(steps, pool) && anymodel_strings(steps, pool) && anymodel_weighs(model);
    }
    model_free(model);
    container_free(mdl);
    input_close(in);
    return accepted;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * model: what every model kind answers, so that scoring, sampling and fitting
 * are written once.
 *
 * An autoregressive model gives, for a prefix, the log-probabilities of the
 * next symbol: alphabet codes 0 .. A-1, then A for end-of-string.  Everything
 * it knows about a prefix is a fixed-size state, so that prefixes can be
 * extended in batches, in any order, and shared between strings: a child
 * state is made from a parent's state and one symbol.
 *
 *     struct model_run *run = model_begin(m, pool, capacity, &e);
 *     model_root(run, state, logp);
 *     model_step(run, n, parents, parent, symbol, children, logp);
 *     model_end(run);
 *
 * A GAM is not autoregressive: its base answers here, and gam.h adds the rest.
 */
#ifndef GAMUT_MODEL_H
#define GAMUT_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct container;
struct err;
struct meta;
struct model;
struct pool;
struct section_rule;

/* One model kind.  A concrete model embeds `struct model` as its first member. */
struct model_kind {
    uint32_t number; /* in the file header */
    const char *name;
    const struct section_rule *sections; /* of its files; ends with a NULL name */
    /* The next symbol; all NULL in a kind that is not autoregressive. */
    size_t (*state_bytes)(const struct model *m);
    /* Scratch space for steps; NULL only on failure.  A kind that needs none
     * leaves both functions NULL, and `scratch` is NULL below. */
    void *(*scratch_new)(const struct model *m, struct pool *pool, struct err *e);
    void (*scratch_free)(void *scratch);
    /* State and next-symbol log-probabilities [A+1] of the empty prefix. */
    void (*root)(const struct model *m, void *scratch, void *state, double *logp);
    /* For i < n: children[i] = parents[parent[i]] followed by symbol[i], and
     * logp[i][A+1] of the symbol after it. */
    void (*step)(const struct model *m, void *scratch, size_t n, const void *parents,
                 const uint32_t *parent, const uint8_t *symbol, void *children, double *logp);
    void (*free)(struct model *m);
};

/* All kinds, then NULL. */
extern const struct model_kind *const model_kinds[];

struct model {
    const struct model_kind *kind;
    struct alphabet alphabet;
    uint64_t min_length; /* of the shortest string that it can make */
    uint64_t max_length; /* of the longest, without end-of-string; MODEL_UNBOUNDED if none */
    struct meta *meta;   /* owned; how the model was made */
};

#define MODEL_UNBOUNDED UINT64_MAX

/* L for strings of these lengths, if nobody has named one: theirs if it is the
 * same for all, else with room for longer ones than were seen, 2 x longest + 1. */
uint64_t model_length_for(uint64_t shortest, uint64_t longest);

void model_free(struct model *m); /* NULL is fine */

/* ERR_DATA if even the shortest string has more than `max_length` symbols. */
int model_check_length(const struct model *m, uint64_t max_length, struct err *e);

/* 0 if a file holds a model of this kind; else ERR_FORMAT, saying what it holds. */
int model_expect(const struct container *file, const struct model_kind *kind, struct err *e);

/* A run may use `pool` inside a step, so steps are not made from its tasks. */
struct model_run;
struct model_run *model_begin(const struct model *m, struct pool *pool, size_t capacity,
                              struct err *e);
void model_end(struct model_run *run); /* NULL is fine */

size_t model_state_bytes(const struct model *m);

/* See struct model_kind; n is at most the run's capacity.  A child's state and
 * numbers depend on its own prefix alone, not on what else is in the batch. */
void model_root(struct model_run *run, void *state, double *logp);
void model_step(struct model_run *run, size_t n, const void *parents, const uint32_t *parent,
                const uint8_t *symbol, void *children, double *logp);

/* Prefixes evaluated so far, the empty one included: the unit in which work is compared. */
uint64_t model_steps(const struct model_run *run);

#endif

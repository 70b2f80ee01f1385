/* SPDX-License-Identifier: MIT
 *
 * model: what every model kind answers, so that files, scoring, sampling and fitting
 * are written once.
 *
 * An autoregressive model gives, for a prefix, the log-probabilities of the
 * next symbol: symbols 0 .. A-1, then A for end-of-string.  Everything
 * it knows about a prefix is a fixed-size state, so that prefixes can be
 * extended in batches, in any order, and shared between strings: a child
 * state is made from a parent's state and one symbol.
 *
 *     struct model_run *run = model_begin(m, pool, capacity, &e);
 *     model_root(run, state, logp);
 *     model_step(run, n, parents, parent, symbol, children, logp);
 *     model_end(run);
 *
 * Another model (a GAM) is autoregressive but for a weight of the whole string,
 *
 *     P(x) = r(x) exp(log_weight(x)) / Z,
 *
 * and has r as its base.
 *
 * Tested by tests/unit/test_sampler.c.
 */
#ifndef GAMUT_MODEL_H
#define GAMUT_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "text/alphabet.h"

struct container;
struct container_writer;
struct err;
struct meta;
struct model;
struct output;
struct pool;
struct report;
struct section_rule;

/* One model kind.  A concrete model embeds `struct model` as its first member. */
struct model_kind {
    uint32_t number; /* in the file header */
    const char *name;
    const struct section_rule *sections; /* of its files; ends with a NULL name */
    /* All of the model but its meta, from a file of which nothing is believed. */
    struct model *(*read)(struct container *file, struct err *e);
    int (*write)(const struct model *m, struct container_writer *w, struct err *e);
    /* For people: rows, and a table that comes after all rows; NULL: none. */
    void (*describe)(const struct model *m, struct report *r);
    void (*list)(const struct model *m, struct report *r);
    /* Frees what the kind has added to struct model, and the model. */
    void (*free)(struct model *m);
    /* The next symbol; all NULL in a kind that has a base. */
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
    /* Whether drawing strings of at most `max_length` symbols comes to an end; NULL: it does. */
    int (*check_sampling)(const struct model *m, uint64_t max_length, struct err *e);
    /* The logarithm of a whole string's weight, with scratch space of so many
     * bytes; both NULL: 0. */
    size_t (*weight_bytes)(const struct model *m);
    double (*log_weight)(const struct model *m, const uint8_t *symbols, size_t length,
                         void *scratch);
};

/* All kinds, then NULL. */
extern const struct model_kind *const model_kinds[];

struct model {
    const struct model_kind *kind;
    struct model *base; /* owned, autoregressive; NULL in a model that is so itself */
    struct alphabet alphabet;
    uint64_t min_length; /* of the shortest string that it can make */
    uint64_t max_length; /* of the longest, without end-of-string; MODEL_UNBOUNDED if none */
    struct meta *meta;   /* owned; how the model was made; NULL if it was not read */
};

#define MODEL_UNBOUNDED UINT64_MAX

void model_free(struct model *m); /* NULL is fine */

/* Gives an owned model of any kind.  ERR_FORMAT names the file and the section. */
struct model *model_load(const char *path, struct err *e); /* "-" is stdin */
struct model *model_read(struct container *file, struct err *e);

/* The same of one kind: ERR_FORMAT says what the file holds instead.  `hash` (may be NULL)
 * gets input_hash. */
struct model *model_load_kind(const char *path, const struct model_kind *kind, uint64_t *hash,
                              struct err *e);
struct model *model_read_kind(struct container *file, const struct model_kind *kind, struct err *e);

int model_write(const struct model *m, const struct meta *meta, struct output *out, struct err *e);

/* An autoregressive model that becomes part of another, with the bytes of its file: a
 * section of type SECTION_MODEL holds them as they were, so provenance survives.
 * Freed with mem_free. */
struct model_file {
    void *bytes;
    size_t size;
};
struct model *model_load_part(const char *path, struct model_file *file, struct err *e);
struct model *model_read_part(struct container *outer, const char *section, struct model_file *file,
                              struct err *e);

/* The alphabet in a file's section of that name; 0 or ERR_FORMAT.  And back. */
int model_get_alphabet(struct container *file, struct alphabet *a, struct err *e);
int model_put_alphabet(const struct alphabet *a, struct container_writer *w, struct err *e);

/* The model that proposes strings: the base of a model that has one, or the model. */
const struct model *model_proposal(const struct model *m);

/* ERR_DATA if even the shortest string has more than `max_length` symbols. */
int model_check_length(const struct model *m, uint64_t max_length, struct err *e);

/* ERR_LIMIT if strings of at most that many symbols would be too long to draw. */
int model_check_sampling(const struct model *m, uint64_t max_length, struct err *e);

/* The logarithm of the weight that a whole string has beside its base's probability;
 * `scratch` has model_weight_bytes. */
size_t model_weight_bytes(const struct model *m);
double model_log_weight(const struct model *m, const uint8_t *symbols, size_t length,
                        void *scratch);

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

/* SPDX-License-Identifier: MIT
 *
 * model: the interface of all model kinds, so that files, scoring, sampling and fitting are
 * written once.
 *
 * An autoregressive model gives, for a prefix, the log-probabilities of the next symbol:
 * symbols 0 ..  A-1, then A for end-of-string.  All information about a prefix is a state of
 * fixed size, so prefixes can be extended in batches, in any order, and shared between strings:
 * a child state is computed from a parent state and one symbol.
 *
 *     struct model_run *run = model_begin(m, pool, capacity, &e);
 *     model_root(run, state, logp);
 *     model_step(run, n, parents, parent, symbol, children, logp);
 *     model_end(run);
 *
 * Any other model (a GAM) is an autoregressive model r, its base, times a weight of the whole
 * string:
 *
 *     P(x) = r(x) exp(log_weight(x)) / Z
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

/* A string of a block. */
struct model_string {
    const uint8_t *symbols;
    size_t length;
    size_t at; /* characters in the block before it */
};

/* One model kind.  A concrete model embeds `struct model` as its first member. */
struct model_kind {
    uint32_t number; /* in the file header */
    const char *name;
    const struct section_rule *sections; /* sections of its files; ends with a NULL name */
    /* Reads all of the model except its meta.  The file is not trusted. */
    struct model *(*read)(struct container *file, struct err *e);
    int (*write)(const struct model *m, struct container_writer *w, struct err *e);
    /* Of the format that its file needs, so that older readers refuse it; NULL: 1. */
    uint32_t (*format_version)(const struct model *m);
    /* Rows and a table for model-info; the table comes after all rows; NULL: none. */
    void (*describe)(const struct model *m, struct report *r);
    void (*list)(const struct model *m, struct report *r);
    /* Frees what the kind has added to struct model, and the model. */
    void (*free)(struct model *m);
    /* Next-symbol functions; all NULL for a kind that has a base. */
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
    /* The log-probabilities of n strings, -inf if the model cannot make one, where that is cheaper
     * than a step for each prefix; NULL: by steps. */
    void (*score)(const struct model *m, const struct model_string *x, size_t n, double *logp);
    /* Whether sampling of strings of at most `max_length` symbols terminates; NULL: it does. */
    int (*check_sampling)(const struct model *m, uint64_t max_length, struct err *e);
    /* The logarithm of the weight of a whole string, with this many bytes of scratch space;
     * both NULL: 0. */
    size_t (*weight_bytes)(const struct model *m);
    double (*log_weight)(const struct model *m, const uint8_t *symbols, size_t length,
                         void *scratch);
};

/* All kinds, then NULL. */
extern const struct model_kind *const model_kinds[];

struct model {
    const struct model_kind *kind;
    struct model *base; /* owned, autoregressive; NULL in a model that is itself autoregressive */
    struct alphabet alphabet;
    uint64_t min_length; /* length of the shortest string */
    uint64_t max_length; /* length of the longest, without end-of-string; MODEL_UNBOUNDED if none */
    struct meta *meta;   /* owned; how the model was made; NULL if it was not read from a file */
};

#define MODEL_UNBOUNDED UINT64_MAX

void model_free(struct model *m); /* NULL is fine */

/* Reads a model of any kind; the caller owns it.  ERR_FORMAT names the file and the section. */
struct model *model_load(const char *path, struct err *e); /* "-" is stdin */
struct model *model_read(struct container *file, struct err *e);

/* The same for one kind: ERR_FORMAT says what the file contains instead.  `hash` (may be
 * NULL) gets input_hash. */
struct model *model_load_kind(const char *path, const struct model_kind *kind, uint64_t *hash,
                              struct err *e);
struct model *model_read_kind(struct container *file, const struct model_kind *kind, struct err *e);

int model_write(const struct model *m, const struct meta *meta, struct output *out, struct err *e);

/* Reads an autoregressive model that becomes part of another one, and keeps the bytes of its
 * file.  They are stored unchanged in a section of type SECTION_MODEL, so provenance
 * survives.  Freed with mem_free. */
struct model_file {
    void *bytes;
    size_t size;
};
struct model *model_load_part(const char *path, struct model_file *file, struct err *e);
struct model *model_read_part(struct container *outer, const char *section, struct model_file *file,
                              struct err *e);

/* The same of a model of any kind. */
struct model *model_load_file(const char *path, struct model_file *file, struct err *e);

/* The bytes of the file that model_write would write, for a model made here that becomes part
 * of another; 0 or an error. */
int model_pack(const struct model *m, const struct meta *meta, struct model_file *file,
               struct err *e);

/* Reads the alphabet from its section (0 or ERR_FORMAT), and writes it.  MODEL_ALPHABET_SECTIONS
 * are the rules of the sections that it can be in. */
int model_get_alphabet(struct container *file, struct alphabet *a, struct err *e);
int model_put_alphabet(const struct alphabet *a, struct container_writer *w, struct err *e);

/* clang-format off */
#define MODEL_ALPHABET_SECTIONS                                                                    \
    {"alphabet", ALPHABET_SIMPLE_MAX}, {"characters", ALPHABET_TEXT_MAX},                          \
    {"tokens", ALPHABET_TEXT_MAX}
/* clang-format on */

/* The format version of a file with that alphabet, for format_version. */
uint32_t model_alphabet_version(const struct alphabet *a);

/* Begins the file of a model: its sections follow. */
struct container_writer *model_begin_file(const struct model *m, const struct meta *meta,
                                          struct output *out, struct err *e);

/* The model that proposes strings: the base if there is one, else the model itself. */
const struct model *model_proposal(const struct model *m);

/* ERR_DATA if even the shortest string has more than `max_length` symbols. */
int model_check_length(const struct model *m, uint64_t max_length, struct err *e);

/* ERR_LIMIT if strings of at most that many symbols can be too long to sample. */
int model_check_sampling(const struct model *m, uint64_t max_length, struct err *e);

/* The logarithm of the weight of a whole string, beside the probability of its base;
 * `scratch` has model_weight_bytes. */
size_t model_weight_bytes(const struct model *m);
double model_log_weight(const struct model *m, const uint8_t *symbols, size_t length,
                        void *scratch);

/* A step may use `pool`, so steps must not be made from its tasks. */
struct model_run;
struct model_run *model_begin(const struct model *m, struct pool *pool, size_t capacity,
                              struct err *e);
void model_end(struct model_run *run); /* NULL is fine */

size_t model_state_bytes(const struct model *m);

/* See struct model_kind; n is at most the capacity of the run.  The state and numbers of a
 * child depend only on its own prefix, not on the rest of the batch. */
void model_root(struct model_run *run, void *state, double *logp);
void model_step(struct model_run *run, size_t n, const void *parents, const uint32_t *parent,
                const uint8_t *symbol, void *children, double *logp);

/* Prefixes evaluated so far, including the empty one.  Costs are compared in this unit. */
uint64_t model_steps(const struct model_run *run);

#endif

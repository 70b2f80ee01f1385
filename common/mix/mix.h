/* SPDX-License-Identifier: MIT
 *
 * mix: autoregressive models interpolated symbol by symbol,
 *
 *     p(a|u) = sum_k w_k p_k(a|u) / sum_k w_k    over the components that can produce u,
 *
 * for prefix u and next symbol a, including the end of string.  The mixture is autoregressive.
 * A component that gives a prefix probability 0 is ignored after it: its weight goes to the
 * others in proportion.  So the probabilities of the next symbol always sum to 1, and the
 * mixture produces every string that one of its components can produce.
 *
 * Its file contains the files of the components unchanged, so their provenance survives.
 */
#ifndef GAMUT_MIX_H
#define GAMUT_MIX_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct err;
struct pfsa;

enum {
    MIX_PARTS_MAX = 32,
    MIX_DEPTH_MAX = 4 /* mixtures inside each other */
};

struct mix_part {
    struct model *model;    /* autoregressive */
    struct model_file file; /* its file, not compressed */
    double weight;          /* > 0 */
    double log_weight;
    size_t state_at; /* where its state begins in that of the mixture, bytes */
};

struct mix {
    struct model model; /* of mix_kind; alphabet and lengths live here */
    struct mix_part part[MIX_PARTS_MAX];
    size_t count;       /* of parts, 2 at least in a mixture that is written or read */
    size_t state_bytes; /* a multiple of 8 */
    unsigned depth;     /* 1: no component is a mixture */
};

extern const struct model_kind mix_kind;

/* The mixture of a model; NULL if it is of another kind, or NULL. */
struct mix *mix_of(const struct model *m);

/* An empty mixture, to which components are added. */
struct mix *mix_new(struct err *e);
void mix_free(struct mix *m); /* NULL is fine; also through model_free */

/* Adds a component and its file (see model_pack, model_load_part), both taken over, also on
 * failure.  All weights become equal.  The maximum length becomes the largest one of the
 * components; components without one are ignored if another has one.  ERR_DATA if the
 * alphabet differs from that of the first component, or if the component is not
 * autoregressive; ERR_LIMIT beyond MIX_PARTS_MAX and MIX_DEPTH_MAX. */
int mix_add(struct mix *m, struct model *part, struct model_file file, struct err *e);

/* Sets the weights, one per component; ERR_DATA unless all are greater than 0 and sum to 1
 * within MIX_WEIGHT_SLACK. */
#define MIX_WEIGHT_SLACK 1e-9
int mix_set_weights(struct mix *m, const double *weight, struct err *e);

/* The automaton that a mixture of automata is; the caller frees it.  Its states are tuples: one
 * state per component, or none where the component cannot produce the prefix.  The maximum
 * length of the mixture is not part of it.  NULL on failure: ERR_DATA if a component, or one of a
 * component, is not an automaton; ERR_LIMIT beyond `max_size` states and transitions; ERR_NOMEM. */
enum { MIX_AUTOMATON_SIZE_MAX = 6000000 }; /* states and transitions, as a rule */
struct pfsa *mix_automaton(const struct mix *m, uint64_t max_size, struct err *e);

#endif

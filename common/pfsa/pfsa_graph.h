/* SPDX-License-Identifier: MIT
 *
 * pfsa_shape: what an automaton is as a graph: its strongly connected
 * components, which of them loop, and which can finish.
 *
 * Only arcs and whether a state is final matter here, not the weights, so it
 * answers for automata that are still to be trimmed, or to be believed.
 */
#ifndef GAMUT_PFSA_GRAPH_H
#define GAMUT_PFSA_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "pfsa/scc.h"

struct err;
struct pfsa;

struct pfsa_shape {
    struct scc scc;  /* of the states that the start reaches */
    bool *cyclic;    /* [components] a string can come back to its states */
    bool *finishing; /* [components] a string can end in it, or behind it */
};

/* 0 or ERR_NOMEM; clear in either case. */
int pfsa_shape_find(struct pfsa_shape *s, const struct pfsa *p, uint32_t start, struct err *e);
void pfsa_shape_clear(struct pfsa_shape *s);

/* Sets the model's min_length and max_length, the lengths of the shortest string
 * and, if `acyclic`, of the longest, which is a path of most arcs.  0 or ERR_NOMEM. */
int pfsa_shape_lengths(struct pfsa *p, struct err *e);

#endif

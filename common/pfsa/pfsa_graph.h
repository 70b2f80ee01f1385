/* SPDX-License-Identifier: MIT
 *
 * pfsa_graph: an automaton as a graph: its strongly connected components, which of them have
 * loops, and which can finish.
 *
 * Only the arcs and final states matter, not the weights, so this also works for automata that
 * are not trimmed or verified yet.
 *
 * Tested by tests/unit/test_state_elimination.c.
 */

#ifndef GAMUT_PFSA_GRAPH_H
#define GAMUT_PFSA_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct pfsa;

/* ---- the strongly connected components of a directed graph (Tarjan, 1972), without
 * recursion.
 *
 * Only states that the start can reach are included.  Components come in reverse topological
 * order: an arc stays inside its component or leads to one listed before it.  Dynamic
 * programming over an automaton needs this order, and an automaton is acyclic iff every
 * component is one state without a loop.
 */

#define SCC_NONE UINT32_MAX /* the component of a state that is not reached */

struct scc {
    uint32_t reached; /* states */
    uint32_t components;
    uint32_t *member; /* [reached] states by component, within one by discovery */
    uint32_t *begin;  /* [components+1] where each starts in `member` */
    uint32_t *of;     /* [states] component of a state, or SCC_NONE */
    uint32_t *place;  /* [states] place of a reached state within its component */
};

/* The graph has `states` states; the arcs of q lead to target[first[q]] ..
 * target[first[q+1]-1].  0 or ERR_NOMEM; clear in either case. */
int scc_find(struct scc *s, uint32_t states, const uint64_t *first, const uint32_t *target,
             uint32_t start, struct err *e);
void scc_clear(struct scc *s);

struct pfsa_graph {
    struct scc scc;   /* of the states that the start reaches */
    bool *cyclic;     /* [components] a string can return to its states */
    bool *can_finish; /* [components] a string can end in it, or after it */
};

/* 0 or ERR_NOMEM; clear in either case. */
int pfsa_graph_find(struct pfsa_graph *s, const struct pfsa *p, uint32_t start, struct err *e);
void pfsa_graph_clear(struct pfsa_graph *s);

/* Sets the model's min_length and max_length: the lengths of the shortest string and, if
 * `acyclic`, of the longest.  0 or ERR_NOMEM. */
int pfsa_graph_lengths(struct pfsa *p, struct err *e);

#endif

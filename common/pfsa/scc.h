/* SPDX-License-Identifier: MIT
 *
 * scc: the strongly connected components of a directed graph (Tarjan, 1972),
 * without recursion.
 *
 * Only what the start can reach is looked at.  Components come in reverse
 * topological order: an arc stays inside its component or leads to one listed
 * before it.  That order is what dynamic programming over an automaton wants,
 * and an automaton is acyclic iff every component is one state without a loop.
 */
#ifndef GAMUT_SCC_H
#define GAMUT_SCC_H

#include <stdint.h>

struct err;

#define SCC_NONE UINT32_MAX /* the component of a state that is not reached */

struct scc {
    uint32_t reached; /* states */
    uint32_t components;
    uint32_t *member; /* [reached] states by component, within one by discovery */
    uint32_t *begin;  /* [components+1] where each starts in `member` */
    uint32_t *of;     /* [states] component of a state, or SCC_NONE */
    uint32_t *place;  /* [states] where a reached state stands within its component */
};

/* The graph has `states` states; target[first[q]] .. target[first[q+1]-1] are
 * the heads of q's arcs.  0 or ERR_NOMEM; clear in either case. */
int scc_find(struct scc *s, uint32_t states, const uint64_t *first, const uint32_t *target,
             uint32_t start, struct err *e);
void scc_clear(struct scc *s);

#endif

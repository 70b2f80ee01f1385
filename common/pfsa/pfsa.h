/* SPDX-License-Identifier: MIT
 *
 * pfsa: probabilistic finite-state automata, deterministic and normalized.
 *
 * For every state, the probabilities of its arcs and of end-of-string sum to 1; every state is
 * reachable and can finish; state 0 is the start.  An acyclic automaton is numbered
 * topologically (arcs lead to higher numbers), so dynamic programming is a loop over the
 * states.  In a cyclic automaton, the strongly connected components are numbered topologically.
 * All weights are natural logarithms: a string of 10,000 symbols does not underflow.
 */
#ifndef GAMUT_PFSA_H
#define GAMUT_PFSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "text/alphabet.h"

struct err;

enum { PFSA_STATES_MAX = 1u << 28 };

/* Probabilities are greater than exp of this, or 0: sums over long strings stay finite. */
#define PFSA_LOGP_MIN (-1e9)

struct pfsa {
    struct model model; /* of pfsa_kind; alphabet and max_length live here */
    uint32_t states;
    uint64_t arcs;
    uint64_t *first;      /* [states+1]: arcs of q are first[q] .. first[q+1]-1 */
    uint8_t *symbol;      /* [arcs], ascending within a state */
    uint32_t *next;       /* [arcs] */
    double *logp;         /* [arcs] log-probability of the arc */
    double *final_logp;   /* [states] log-probability of ending here; -inf if never */
    double log_partition; /* log of the total weight before normalization */
    bool acyclic;         /* topologically numbered, finitely many strings */
};

/* An automaton with room for this many states and arcs.  Its arrays are not filled, except
 * for first[0] = 0: for builders that know the shape beforehand.  They fill the arrays with
 * states trimmed and numbered as above, and with weights of any total, set `acyclic`, and
 * push; others use a builder (pfsa_builder.h). */
struct pfsa *pfsa_new(const struct alphabet *a, uint32_t states, uint64_t arcs, struct err *e);
void pfsa_free(struct pfsa *p); /* NULL is fine; also through model_free */

/* The arc of state q that reads `symbol`, or PFSA_NO_ARC. */
#define PFSA_NO_ARC UINT64_MAX
uint64_t pfsa_find_arc(const struct pfsa *p, uint32_t q, uint8_t symbol);

/* Exact log-probability of a string; -inf outside the support. */
double pfsa_log_prob(const struct pfsa *p, const uint8_t *symbols, size_t length);

/* Whether arcs, symbols, targets and probabilities are valid in a file; 0 or ERR_FORMAT. */
int pfsa_check_states(const struct pfsa *p, struct err *e);

extern const struct model_kind pfsa_kind;

/* The automaton of a model; NULL if it is of another kind, or NULL. */
struct pfsa *pfsa_of(const struct model *m);

/* Members of pfsa_kind, in pfsa.c.  The state of a prefix is the number of a state. */
size_t pfsa_state_bytes(const struct model *m);
void pfsa_root(const struct model *m, void *scratch, void *state, double *logp);
void pfsa_step(const struct model *m, void *scratch, size_t n, const void *parents,
               const uint32_t *parent, const uint8_t *symbol, void *children, double *logp);
void pfsa_score(const struct model *m, const struct model_string *x, size_t n, double *logp);

/* Opens and reads a model file, or stdin for "-": ERR_FORMAT unless it satisfies everything
 * stated at the top of this header. */
struct pfsa *pfsa_load(const char *path, struct err *e);

#endif

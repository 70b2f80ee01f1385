/* SPDX-License-Identifier: MIT
 *
 * pfsa: probabilistic finite-state automata, deterministic and normalised.
 *
 * Every state's arcs and its end-of-string sum to probability 1; every state
 * is reachable and can finish; state 0 is the start.  An acyclic machine is
 * numbered topologically (arcs lead to higher numbers), so dynamic programming
 * is a loop over the states.  Weights are natural logarithms throughout: a
 * string of 10,000 symbols does not underflow.
 *
 * Any weighted deterministic acceptor becomes one by pfsa_normalise, which
 * trims it and pushes its weights.  In a cyclic machine the strongly connected
 * parts are what is numbered topologically; infinite sums over their loops are
 * solved exactly (loops.h), not iterated.
 */
#ifndef GAMUT_PFSA_H
#define GAMUT_PFSA_H

#include <stddef.h>
#include <stdint.h>

#include "alphabet.h"
#include "model.h"

struct err;
struct mdl;
struct meta;
struct out;

enum { PFSA_STATES_MAX = 1u << 28 };

struct pfsa {
    struct model model; /* kind MDL_PFSA; alphabet and max_length live here */
    uint32_t states;
    uint64_t arcs;
    uint64_t *first;      /* [states+1]: arcs of q are first[q] .. first[q+1]-1 */
    uint8_t *symbol;      /* [arcs], ascending within a state */
    uint32_t *target;     /* [arcs] */
    double *logp;         /* [arcs] log-probability of the arc */
    double *final_logp;   /* [states] log-probability of ending here; -inf if never */
    double log_partition; /* log of the total weight before normalisation */
    int acyclic;          /* topologically numbered, finitely many strings */
};

/* A weighted deterministic acceptor before normalisation: arcs in any order,
 * weights any logarithms, any state the start, dead states allowed. */
struct pfsa_arc {
    uint32_t source, target;
    uint8_t symbol;
    double logw;
};

struct pfsa_draft {
    struct alphabet alphabet;
    uint32_t states, start;
    struct pfsa_arc *arc; /* [arcs] */
    size_t arcs, arcs_capacity;
    double *final_logw; /* [states] */
    size_t final_capacity;
    double *leak_logw; /* [states], or NULL if not known: log of 1 minus the weights of the
                        * state's arcs.  It cannot be had exactly by subtraction, and
                        * loops that are left rarely depend on it.  The caller's. */
};

int pfsa_draft_state(struct pfsa_draft *d, double final_logw, uint32_t *state, struct err *e);
int pfsa_draft_arc(struct pfsa_draft *d, uint32_t source, uint8_t symbol, uint32_t target,
                   double logw, struct err *e);
void pfsa_draft_clear(struct pfsa_draft *d);

/* Trims, orders and pushes.  ERR_EMPTY if no string has positive weight,
 * ERR_DATA if two arcs of a state share a symbol or a weight's size is beyond
 * 1e9, ERR_NUMERIC if the total weight diverges.  The draft stays the caller's. */
struct pfsa *pfsa_normalise(const struct pfsa_draft *d, struct err *e);
void pfsa_free(struct pfsa *p); /* NULL is fine; also through model_free */

/* For builders that know the shape beforehand and need no draft: a machine
 * with room for so many states and arcs, its arrays not yet filled but for
 * first[0] = 0.  Fill them with states already trimmed and numbered as above
 * and with weights of any total, set `acyclic`, then push.  pfsa_push has the
 * errors of pfsa_normalise; afterwards the machine is as described above. */
struct pfsa *pfsa_new(const struct alphabet *a, uint32_t states, uint64_t arcs, struct err *e);
int pfsa_push(struct pfsa *p, struct err *e);

/* The arc of state q that reads `symbol`, or PFSA_NO_ARC. */
#define PFSA_NO_ARC UINT64_MAX
uint64_t pfsa_find_arc(const struct pfsa *p, uint32_t q, uint8_t symbol);

/* Exact log-probability of a string; -inf outside the support. */
double pfsa_log_prob(const struct pfsa *p, const uint8_t *codes, size_t length);

/* As a model file.  0 or the error of the writer. */
int pfsa_save(const struct pfsa *p, const struct meta *meta, struct out *out, struct err *e);

/* From a model file, of which nothing is believed: ERR_FORMAT unless all that
 * the top of this file says holds of it.  Its meta is a copy of the file's. */
struct pfsa *pfsa_from_mdl(const struct mdl *m, struct err *e);

/* Opens and reads a file, or stdin for "-"; ERR_DATA for a model of another
 * kind. */
struct pfsa *pfsa_load(const char *path, struct err *e);

#endif

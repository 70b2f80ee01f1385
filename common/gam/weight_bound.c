/* SPDX-License-Identifier: MIT */
#include "gam/weight_bound.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/record_automaton.h"
#include "model/sampler.h"

#define NOWHERE UINT32_MAX

enum { BYTES_MAX = 256 << 20 }; /* of the features' automaton, and of the values of phi */

/* What a bound is taken from. */
enum scope {
    SCOPE_PAIRS,  /* nodes are (state, rest): tight */
    SCOPE_STATES, /* nodes are states, any rest; and the ranges */
    SCOPE_RANGES  /* each feature's own range */
};

struct weight_bound {
    const struct feature_set *features;
    uint64_t max_length;
    uint32_t most; /* nodes */
    unsigned symbols;
    enum scope scope;
    /* Nodes; in SCOPE_PAIRS children have higher numbers than their parents. */
    size_t nodes, child_room, vector_room;
    uint32_t *child;        /* [nodes][symbols]; NOWHERE at the maximum length */
    uint32_t *vector;       /* [nodes] phi if the string ends here */
    struct intern *vectors; /* feature_set_numerators */
    /* Of the present weights. */
    double *lambda; /* [features] */
    double *dot;    /* [vectors] lambda . phi */
    double *best;   /* [nodes] */
    double root;    /* log b of the empty prefix */
};

/* The sampler's state of a prefix; outside SCOPE_PAIRS the record follows. */
struct place {
    uint64_t length; /* symbols, counted outside SCOPE_PAIRS only */
    uint32_t node;
    uint32_t unused;
};

/* ---- building ------------------------------------------------------------------ */

/* What a node stands for: a state of the features' automaton after so many
 * symbols; `length` stays 0 if it does not count. */
struct pair {
    uint32_t state, length;
};

/* Work space of the construction. */
struct plan {
    struct record_automaton *fsm;
    struct intern *pairs; /* a node's number is its pair's */
    uint64_t *whole;      /* [features] */
    bool counted;         /* lengths count */
};

/* Makes room for node i, its children still unknown, and notes its phi. */
static int
open_node(struct weight_bound *r, struct plan *p, uint32_t i, struct pair x, struct err *e)
{
    size_t row = r->symbols * sizeof *r->child, need = (size_t)i + 1;
    if (mem_reserve(&r->child, &r->child_room, need, row, e) != 0 ||
        mem_reserve(&r->vector, &r->vector_room, need, sizeof *r->vector, e) != 0)
        return ERR_NOMEM;
    for (unsigned a = 0; a < r->symbols; a++)
        r->child[(size_t)i * r->symbols + a] = NOWHERE;
    feature_set_numerators(r->features, record_automaton_record(p->fsm, x.state), p->whole);
    return intern_add(r->vectors, p->whole, &r->vector[i], e);
}

static int
find_children(struct weight_bound *r, struct plan *p, uint32_t i, struct pair x, struct err *e)
{
    for (unsigned a = 0; a < r->symbols; a++) {
        struct pair to = {.length = x.length + p->counted};
        int rc = record_automaton_step(p->fsm, x.state, (uint8_t)a, &to.state, e);
        if (rc == 0)
            rc = intern_add(p->pairs, &to, &r->child[(size_t)i * r->symbols + a], e);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Breadth first, so that in SCOPE_PAIRS children come behind their parents. */
static int
find_nodes(struct weight_bound *r, struct plan *p, struct err *e)
{
    struct pair x = {0, 0};
    uint32_t i;
    int rc = intern_add(p->pairs, &x, &i, e);
    for (i = 0; rc == 0 && i < intern_count(p->pairs); i++) {
        memcpy(&x, intern_get(p->pairs, i), sizeof x);
        rc = open_node(r, p, i, x, e);
        if (rc == 0 && !(p->counted && x.length == r->max_length))
            rc = find_children(r, p, i, x, e);
    }
    r->nodes = i;
    return rc;
}

/* Nodes of the plan's kind, in place of those there are. */
static int
build(struct weight_bound *r, struct plan *p, struct err *e)
{
    intern_free(r->vectors);
    size_t bytes = feature_set_count(r->features) * sizeof *p->whole;
    r->vectors = intern_new(bytes, intern_most(bytes, BYTES_MAX, r->most), e);
    p->pairs = intern_new(sizeof(struct pair), r->most, e);
    int rc = ERR_NOMEM;
    if (r->vectors != NULL && p->pairs != NULL)
        rc = find_nodes(r, p, e);
    intern_free(p->pairs);
    return rc;
}

/* The tightest scope that is small enough. */
static int
choose_scope(struct weight_bound *r, struct plan *p, struct err *e)
{
    int rc = ERR_LIMIT;
    for (int scope = SCOPE_PAIRS; scope <= SCOPE_STATES && rc == ERR_LIMIT; scope++) {
        struct err why = {0};
        r->scope = (enum scope)scope;
        p->counted = scope == SCOPE_PAIRS;
        if (!p->counted || r->max_length < UINT32_MAX)
            rc = build(r, p, &why);
        if (rc != 0 && rc != ERR_LIMIT)
            return err_pass(e, &why);
    }
    if (rc == ERR_LIMIT) {
        r->scope = SCOPE_RANGES;
        r->nodes = 0;
    }
    return 0;
}

static int
find_scope(struct weight_bound *r, struct err *e)
{
    struct plan p = {.fsm = record_automaton_new(r->features, BYTES_MAX, e)};
    int rc = ERR_NOMEM;
    p.whole = mem_array(feature_set_count(r->features), sizeof *p.whole, e);
    if (p.fsm != NULL && p.whole != NULL)
        rc = choose_scope(r, &p, e);
    record_automaton_free(p.fsm);
    mem_free(p.whole);
    return rc;
}

struct weight_bound *
weight_bound_new(const struct feature_set *f, uint64_t max_length, uint32_t most, struct err *e)
{
    struct weight_bound *r = mem_zero(1, sizeof *r, e);
    if (r == NULL)
        return NULL;
    r->features = f;
    r->max_length = max_length;
    r->most = most;
    r->symbols = feature_set_alphabet(f)->size;
    r->lambda = mem_zero(feature_set_count(f), sizeof *r->lambda, e);
    if (r->lambda != NULL && find_scope(r, e) == 0) {
        r->dot = mem_array(intern_count(r->vectors), sizeof *r->dot, e);
        r->best = mem_array(r->nodes, sizeof *r->best, e);
        if (r->dot != NULL && r->best != NULL)
            return r;
    }
    weight_bound_free(r);
    return NULL;
}

void
weight_bound_free(struct weight_bound *r)
{
    if (r == NULL)
        return;
    mem_free(r->child);
    mem_free(r->vector);
    intern_free(r->vectors);
    mem_free(r->lambda);
    mem_free(r->dot);
    mem_free(r->best);
    mem_free(r);
}

bool
weight_bound_tight(const struct weight_bound *r)
{
    return r->scope == SCOPE_PAIRS || (r->scope == SCOPE_STATES && r->max_length == UINT64_MAX);
}

/* ---- the bound --------------------------------------------------------------------- */

/* log b of a place whose record is known: the least of the bounds at hand. */
static double
place_bound(const struct weight_bound *r, const struct place *p)
{
    uint64_t rest = r->max_length == UINT64_MAX ? UINT64_MAX : r->max_length - p->length;
    double bound = feature_set_bound(r->features, p + 1, rest, r->lambda);
    if (r->scope == SCOPE_STATES && r->best[p->node] < bound)
        bound = r->best[p->node];
    return bound;
}

static double
bound_root(const void *self, void *state)
{
    const struct weight_bound *r = self;
    struct place *p = state;
    *p = (struct place){0};
    if (r->scope == SCOPE_PAIRS)
        return r->best[0];
    feature_set_start(r->features, p + 1);
    return place_bound(r, p);
}

/* log w of a string that ends here. */
static double
end_weight(const struct weight_bound *r, const struct place *p)
{
    if (r->scope != SCOPE_RANGES)
        return r->dot[r->vector[p->node]];
    return feature_set_bound(r->features, p + 1, 0, r->lambda);
}

static double
bound_step(const void *self, const void *state, uint8_t symbol, void *child)
{
    const struct weight_bound *r = self;
    const struct place *p = state;
    struct place *c = child;
    if (symbol == r->symbols)
        return end_weight(r, p);
    *c = (struct place){.length = p->length + 1};
    if (r->scope != SCOPE_RANGES)
        c->node = r->child[(size_t)p->node * r->symbols + symbol];
    if (r->scope == SCOPE_PAIRS)
        return r->best[c->node];
    memcpy(c + 1, p + 1, feature_set_state_bytes(r->features));
    feature_set_step(r->features, c + 1, symbol);
    return place_bound(r, c);
}

struct sampler_bound
weight_bound_bound(const struct weight_bound *r)
{
    size_t record =
        r->scope == SCOPE_PAIRS ? 0 : (feature_set_state_bytes(r->features) + 7) / 8 * 8;
    return (struct sampler_bound){
        .self = r,
        .state_bytes = sizeof(struct place) + record,
        .root = bound_root,
        .step = bound_step,
    };
}

double
weight_bound_root(const struct weight_bound *r)
{
    return r->root;
}

/* ---- weighing -------------------------------------------------------------------- */

static int
weigh_vectors(struct weight_bound *r, struct err *e)
{
    size_t n = feature_set_count(r->features);
    double *phi = mem_array(n, sizeof *phi, e);
    if (phi == NULL)
        return ERR_NOMEM;
    for (uint32_t v = 0; v < intern_count(r->vectors); v++) {
        const uint64_t *whole = intern_get(r->vectors, v);
        for (size_t i = 0; i < n; i++)
            phi[i] = (double)whole[i] / feature_set_denominator(r->features, i);
        r->dot[v] = feature_set_dot(r->features, r->lambda, phi);
    }
    mem_free(phi);
    return 0;
}

/* One pass backwards; true if a value has risen. */
static bool
raise_values(struct weight_bound *r)
{
    bool risen = false;
    for (size_t i = r->nodes; i-- > 0;) {
        double best = r->best[i];
        for (const uint32_t *c = r->child + i * r->symbols; c < r->child + (i + 1) * r->symbols;
             c++)
            if (*c != NOWHERE && r->best[*c] > best)
                best = r->best[*c];
        risen |= best > r->best[i];
        r->best[i] = best;
    }
    return risen;
}

/* Children come last in SCOPE_PAIRS, so one pass is enough; among states passes
 * go on until nothing changes, and each takes a value one step further at
 * least. */
static void
weigh_nodes(struct weight_bound *r)
{
    for (size_t i = 0; i < r->nodes; i++)
        r->best[i] = r->dot[r->vector[i]];
    while (raise_values(r) && r->scope == SCOPE_STATES)
        ;
}

int
weight_bound_set_lambda(struct weight_bound *r, const double *lambda, struct err *e)
{
    memcpy(r->lambda, lambda, feature_set_count(r->features) * sizeof *lambda);
    int rc = r->scope == SCOPE_RANGES ? 0 : weigh_vectors(r, e);
    if (rc != 0)
        return rc;
    weigh_nodes(r);
    void *state = mem_array(1, weight_bound_bound(r).state_bytes, e);
    if (state == NULL)
        return ERR_NOMEM;
    r->root = bound_root(r, state);
    mem_free(state);
    if (r->root == -INFINITY)
        return err_set(e, ERR_EMPTY, "no string satisfies the hard constraints");
    if (r->root == INFINITY)
        return err_advise(e, ERR_NUMERIC, REMEDY_SET_MAX_LENGTH,
                          "a feature without bound has a positive weight and strings have no "
                          "maximum length");
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include "gam/constraint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/exact_moments.h"
#include "gam/gam.h"
#include "gam/partition.h"
#include "gam/product.h"
#include "gam/rejection.h"
#include "model/model.h"
#include "pfsa/motif_process.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/alphabet.h"

/* ---- constraints that contradict each other --------------------------------------------- */

/* Hard features of a set over strings of an automaton, at most max_length long. */
struct conflict {
    const struct pfsa *strings;
    const struct feature_set *features;
    uint64_t max_length;
    const double *lambda; /* [features]: -inf for constraints */
    size_t *hard;         /* [count] the remaining constraints */
    size_t count;
};

/* Whether no string satisfies the remaining constraints; false if unknown. */
static int
is_empty(const struct conflict *x, bool *empty, struct err *e)
{
    struct err why = {0};
    struct product *p = product_new(x->strings, x->features, x->hard, x->count, x->max_length,
                                    x->lambda, PRODUCT_SIZE_MAX, &why);
    product_free(p);
    *empty = why.code == ERR_EMPTY;
    return why.code == ERR_NOMEM ? err_pass(e, &why) : 0;
}

/* Removes every constraint without which the others still contradict each other. */
static int
reduce(struct conflict *x, struct err *e)
{
    int rc = 0;
    for (size_t k = x->count; k-- > 0 && rc == 0;) {
        bool empty;
        size_t left = x->hard[k], after = --x->count - k;
        memmove(x->hard + k, x->hard + k + 1, after * sizeof *x->hard);
        rc = is_empty(x, &empty, e);
        if (rc != 0 || empty)
            continue;
        memmove(x->hard + k + 1, x->hard + k, after * sizeof *x->hard);
        x->hard[k] = left;
        x->count++;
    }
    return rc;
}

/* "require SPEC, forbid SPEC", as far as they fit. */
static void
list_constraints(const struct conflict *x, char *text, size_t room)
{
    size_t used = 0;
    for (size_t k = 0; k < x->count && used < room; k++) {
        const char *spec = feature_set_name(x->features, x->hard[k]);
        bool forbids = strncmp(spec, "not:", 4) == 0;
        int n = snprintf(text + used, room - used, "%s%s %s", k > 0 ? ", " : "",
                         forbids ? "forbid" : "require", forbids ? spec + 4 : spec);
        used += n > 0 ? (size_t)n : room;
    }
}

/* Rewrites `e`, which is ERR_EMPTY; `why` gets the error of the search. */
static int
name_conflict(struct conflict *x, struct err *e, struct err *why)
{
    char list[ERR_TEXT_MAX / 2] = "";
    bool empty = false;
    int rc = is_empty(x, &empty, why);
    if (rc == 0 && empty)
        rc = reduce(x, why);
    if (rc != 0 || !empty || x->count == 0)
        return e->code;
    uint64_t most = x->strings->model.max_length;
    most = x->max_length < most ? x->max_length : most;
    list_constraints(x, list, sizeof list);
    *e = (struct err){0};
    if (most == MODEL_UNBOUNDED)
        return err_set(e, ERR_EMPTY, "no string satisfies the constraints: %s", list);
    return err_set(e, ERR_EMPTY, "no string of at most %llu symbols satisfies the constraints: %s",
                   (unsigned long long)most, list);
}

/* All strings that the base can generate, if it is no automaton or not fitted yet: those over its
 * alphabet, of one length if its strings have one. */
static struct pfsa *
all_strings(const struct gam *g, struct err *e)
{
    const struct model *base = g->model.base != NULL ? g->model.base : &g->model;
    struct motif_process any = {.alphabet = base->alphabet,
                                .has_length = base->min_length == base->max_length,
                                .length = base->max_length,
                                .stop = 0.5};
    for (unsigned i = 0; i < base->alphabet.size; i++)
        any.prob[i] = 1.0 / base->alphabet.size;
    return motif_process_build(&any, e);
}

static bool
has_constraints(const struct gam *g)
{
    for (size_t i = 0; i < feature_set_count(g->features); i++)
        if (g->lambda[i] == -INFINITY)
            return true;
    return false;
}

/* As constraint_explain; `why` gets the reason if it could not search. */
static void
explain(const struct gam *g, struct err *e, struct err *why)
{
    size_t n = feature_set_count(g->features);
    struct conflict x = {.features = g->features,
                         .lambda = g->lambda,
                         .max_length = g->model.max_length,
                         .hard = mem_array(n + 1, sizeof *x.hard, why)};
    struct pfsa *any = pfsa_of(g->model.base) == NULL ? all_strings(g, why) : NULL;
    x.strings = any != NULL ? any : pfsa_of(g->model.base);
    for (size_t i = 0; x.hard != NULL && i < n; i++)
        if (g->lambda[i] == -INFINITY)
            x.hard[x.count++] = i;
    if (why->code == 0)
        name_conflict(&x, e, why);
    pfsa_free(any);
    mem_free(x.hard);
}

int
constraint_explain(const struct gam *g, struct err *e)
{
    struct err why = {0};
    if (e->code == ERR_EMPTY && g != NULL && g->features != NULL && g->lambda != NULL)
        explain(g, e, &why);
    return e->code;
}

int
constraint_check(const struct gam *g, struct err *e)
{
    struct err empty = {.code = ERR_EMPTY}, why = {0};
    if (g->model.base == NULL || pfsa_of(g->model.base) != NULL)
        return 0; /* the n-gram, or the product with the features, finds it */
    if (!has_constraints(g))
        return 0;
    explain(g, &empty, &why);
    if (empty.text[0] != '\0')
        return err_pass(e, &empty);
    return why.code == ERR_NOMEM ? err_pass(e, &why) : 0;
}

/* The range of each feature by itself. */
static int
separate_ranges(const struct gam *g, double *lo, double *hi, struct err *e)
{
    void *state = mem_array(1, feature_set_state_bytes(g->features) + 1, e);
    if (state == NULL)
        return ERR_NOMEM;
    feature_set_start(g->features, state);
    feature_set_range(g->features, state, g->model.max_length, lo, hi);
    mem_free(state);
    return 0;
}

struct exact_moments *
constraint_moments(const struct gam *g, struct err *e)
{
    struct pfsa *any = all_strings(g, e);
    struct exact_moments *x = any == NULL ? NULL
                                          : exact_moments_new(any, g->features, g->model.max_length,
                                                              g->lambda, EXACT_MOMENTS_BYTES, e);
    pfsa_free(any);
    return x;
}

/* Whether the range of a feature differs from that over all strings of at most L symbols. */
static bool
has_limits(const struct gam *g)
{
    const struct model *base = g->model.base;
    return has_constraints(g) || (base != NULL && base->min_length == base->max_length);
}

int
constraint_ranges(const struct gam *g, double *lo, double *hi, struct err *e)
{
    struct err why = {0};
    if (!has_limits(g))
        return separate_ranges(g, lo, hi, e);
    struct exact_moments *x = constraint_moments(g, &why);
    int rc = x == NULL ? why.code : exact_ranges(x, lo, hi, &why);
    exact_moments_free(x);
    return rc == ERR_LIMIT ? separate_ranges(g, lo, hi, e) : err_pass(e, &why);
}

/* ---- automata ------------------------------------------------------------------------------- */

/* lambda[n] of -inf. */
static double *
hard_weights(size_t n, struct err *e)
{
    double *lambda = mem_array(n, sizeof *lambda, e);
    for (size_t i = 0; lambda != NULL && i < n; i++)
        lambda[i] = -INFINITY;
    return lambda;
}

/* The product's automaton, without the product. */
static struct pfsa *
take_automaton(struct product *x, struct err *e)
{
    struct pfsa *p = NULL;
    if (x != NULL && pfsa_check_result(x->pfsa, e) == 0) {
        p = x->pfsa;
        x->pfsa = NULL;
    }
    product_free(x);
    return p;
}

static int
explain_automaton(const struct pfsa *p, const struct feature_set *c, const double *lambda,
                  struct err *e)
{
    struct err why = {0};
    struct conflict x = {.strings = p,
                         .features = c,
                         .max_length = MODEL_UNBOUNDED,
                         .lambda = lambda,
                         .hard = mem_array(feature_set_count(c), sizeof *x.hard, &why)};
    for (size_t i = 0; x.hard != NULL && i < feature_set_count(c); i++)
        x.hard[x.count++] = i;
    if (x.hard != NULL)
        name_conflict(&x, e, &why);
    mem_free(x.hard);
    return e->code;
}

static struct pfsa *
condition(const struct pfsa *p, const struct feature_set *c, struct err *e)
{
    struct err why = {0};
    double *lambda = hard_weights(feature_set_count(c), e);
    if (lambda == NULL)
        return NULL;
    struct pfsa *given = take_automaton(
        product_new(p, c, NULL, 0, MODEL_UNBOUNDED, lambda, PRODUCT_SIZE_MAX, &why), &why);
    if (why.code == ERR_EMPTY)
        explain_automaton(p, c, lambda, &why);
    if (given != NULL)
        given->log_partition += p->log_partition;
    else
        err_pass(e, &why);
    mem_free(lambda);
    return given;
}

struct pfsa *
constraint_automaton(struct pfsa *p, struct feature_set *c, struct err *e)
{
    struct pfsa *given = NULL;
    if (p != NULL && c != NULL && feature_set_count(c) == 0) {
        given = p;
        p = NULL;
    } else if (p != NULL && c != NULL)
        given = condition(p, c, e);
    pfsa_free(p);
    feature_set_free(c);
    return given;
}

/* ---- models of any kind ------------------------------------------------------------------- */

int
constrained_init(struct constrained *x, struct model *m, const struct feature_set *c,
                 uint64_t max_length, struct err *e)
{
    *x = (struct constrained){.gam = gam_of(m)};
    if (x->gam == NULL)
        x->gam = gam_from_model(m, max_length, e);
    if (x->gam == NULL)
        return e->code;
    x->own = feature_set_count(x->gam->features);
    x->log_z = x->gam->log_z;
    x->log_z_se = x->gam->log_z_se;
    x->ess = x->gam->ess;
    x->own_lambda = mem_zero(x->own + feature_set_count(c), sizeof *x->own_lambda, e);
    if (x->own_lambda == NULL)
        return ERR_NOMEM;
    if (x->own > 0)
        memcpy(x->own_lambda, x->gam->lambda, x->own * sizeof *x->own_lambda);
    int rc = gam_constrain(x->gam, c, e);
    return rc == 0 ? constraint_check(x->gam, e) : rc;
}

void
constrained_clear(struct constrained *x)
{
    mem_free(x->own_lambda);
    gam_free(x->gam);
    *x = (struct constrained){0};
}

/* ---- their probability --------------------------------------------------------------------- */

enum { LENGTH_PROPOSALS = 20000 }; /* for the share of r's strings that are short enough */

/* log Z without the constraints, of a GAM over an automaton; ERR_LIMIT if it is too large. */
static int
own_exactly(const struct constrained *x, struct partition *z, struct err *e)
{
    const struct gam *g = x->gam;
    size_t *chosen = mem_array(x->own + 1, sizeof *chosen, e);
    for (size_t i = 0; chosen != NULL && i < x->own; i++)
        chosen[i] = i;
    struct product *p = chosen == NULL
                            ? NULL
                            : product_new(pfsa_of(g->model.base), g->features, chosen, x->own,
                                          g->model.max_length, x->own_lambda, PRODUCT_SIZE_MAX, e);
    int rc = p != NULL ? product_set_lambda(p, x->own_lambda, e) : e->code;
    if (rc == 0)
        *z = (struct partition){.log_z = p->pfsa->log_partition, .ess = INFINITY, .enough = true};
    product_free(p);
    mem_free(chosen);
    return rc;
}

/* The same if r has no features: the share of its strings that are short enough. */
static int
own_length(const struct constrained *x, struct pool *pool, uint64_t seed, struct partition *z,
           struct err *e)
{
    struct rejection_outcome o = {0};
    struct rejection *r = rejection_new(x->gam, pool, seed, "constraint", e);
    int rc = r != NULL ? rejection_propose(r, LENGTH_PROPOSALS, NULL, &o, e) : e->code;
    *z = (struct partition){.log_z = o.log_z, .log_z_se = o.log_z_se};
    rejection_free(r);
    return rc;
}

static int
own_partition(const struct constrained *x, struct pool *pool, uint64_t seed, double error,
              struct partition *z, struct err *e)
{
    struct err why = {0};
    if (pfsa_of(x->gam->model.base) != NULL) {
        int rc = own_exactly(x, z, &why);
        if (rc != ERR_LIMIT)
            return err_pass(e, &why);
    }
    if (x->own == 0)
        return own_length(x, pool, seed, z, e);
    struct gam own = *x->gam;
    own.lambda = x->own_lambda;
    own.log_z = x->log_z;
    own.log_z_se = x->log_z_se;
    own.ess = x->ess;
    struct partition_options o = {.max_length = MODEL_UNBOUNDED, .seed = seed, .error = error};
    return partition_find(&own.model, pool, &o, z, e);
}

int
constraint_probability(const struct constrained *x, struct pool *pool, uint64_t seed, double error,
                       struct constraint_probability *p, struct err *e)
{
    struct partition given, own;
    struct partition_options o = {.max_length = MODEL_UNBOUNDED, .seed = seed, .error = error};
    int rc = partition_find(&x->gam->model, pool, &o, &given, e);
    if (rc == 0)
        rc = own_partition(x, pool, seed, error, &own, e);
    if (rc != 0)
        return rc;
    p->value = fmin(1, dm_exp(given.log_z - own.log_z));
    p->se = p->value * sqrt(given.log_z_se * given.log_z_se + own.log_z_se * own.log_z_se);
    return 0;
}

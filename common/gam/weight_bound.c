/* SPDX-License-Identifier: MIT */
#include "gam/weight_bound.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "model/sampler.h"

enum { PASSES_MAX = 1000 }; /* until completions of any length are known */

struct weight_bound {
    const struct feature_set *features;
    uint64_t max_length;
    bool by_length; /* one layer per length, and completions within max_length; otherwise
                       completions of any length */
    struct feature_automaton *automaton;
    uint64_t layers;     /* lengths that are distinguished: 0 .. layers-1 */
    bool *ranged;        /* [features] bounded separately.  If by_length, added to the bound of the
                            automaton; otherwise all features are, and the smaller bound is used. */
    size_t record_bytes; /* of all features, if any is ranged; else 0 */
    /* At the current weights. */
    double *ranged_lambda; /* [features] 0 for those that are not */
    double *lambda;        /* [features] */
    double *arc, *end;     /* of the automaton */
    double *time;          /* [layers] of the features of the length alone */
    double *best;          /* [layers][states] the maximum that can still be gained */
    double root;           /* log b of the empty prefix */
};

/* The sampler's state of a prefix; the record of the features follows. */
struct prefix {
    uint64_t length;
    double paid;  /* gained by the arcs so far */
    double bound; /* log b: never above that of a shorter prefix */
    uint32_t state;
    uint32_t unused;
};

/* ---- building ------------------------------------------------------------------ */

/* Features for the automaton, those with the longest records last. */
struct selection {
    size_t *chosen; /* [count] */
    size_t count;
};

static void
set_ranged(struct weight_bound *r, size_t i)
{
    r->ranged[i] = true;
    r->record_bytes = (feature_set_state_bytes(r->features) + 7) / 8 * 8;
}

/* All features but those of the length alone, which need no states. */
static int
select_features(const struct feature_set *f, struct selection *s, struct err *e)
{
    s->chosen = mem_array(feature_set_count(f), sizeof *s->chosen, e);
    if (s->chosen == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < feature_set_count(f); i++) {
        if (feature_set_is_timed(f, i))
            continue;
        size_t words = feature_words(feature_set_feature(f, i)), k = s->count++;
        for (; k > 0 && feature_words(feature_set_feature(f, s->chosen[k - 1])) > words; k--)
            s->chosen[k] = s->chosen[k - 1];
        s->chosen[k] = i;
    }
    return 0;
}

/* The length from which each symbol adds the same to all features of the length. */
static uint64_t
steady_length(const struct feature_set *f)
{
    uint64_t most = 0;
    for (size_t i = 0; i < feature_set_count(f); i++)
        if (feature_set_is_timed(f, i) && feature_set_time_steady(f, i) > most)
            most = feature_set_time_steady(f, i);
    return most;
}

/* The automaton of the selection, if its states times `layers` are at most `most`; otherwise
 * none, which is not an error. */
static int
try_automaton(struct weight_bound *r, const struct selection *s, uint64_t layers, uint32_t most,
              struct err *e)
{
    struct err why = {0};
    r->layers = layers;
    if (layers > most)
        return 0;
    uint64_t entries = most / layers * feature_set_alphabet(r->features)->size;
    r->automaton =
        feature_automaton_new(r->features, s->chosen, s->count, r->max_length, entries, &why);
    return why.code == ERR_LIMIT ? 0 : err_pass(e, &why);
}

/* For completions of any length.  All features are also bounded separately. */
static int
choose_any_length(struct weight_bound *r, const struct selection *s, uint32_t most, struct err *e)
{
    uint64_t steady = steady_length(r->features);
    r->by_length = false;
    for (size_t i = 0; i < feature_set_count(r->features); i++)
        set_ranged(r, i);
    return try_automaton(r, s, steady < most ? steady + 1 : UINT64_MAX, most, e);
}

/* For completions within max_length, of as many features as fit; the others are bounded
 * separately.  They are dropped in growing numbers, so that there are few attempts. */
static int
choose_some(struct weight_bound *r, struct selection *s, uint32_t most, struct err *e)
{
    int rc = 0;
    r->by_length = true;
    memset(r->ranged, 0, feature_set_count(r->features) * sizeof *r->ranged);
    for (size_t drop = 1; rc == 0 && r->automaton == NULL; drop *= 2) {
        for (size_t k = 0; k < drop && s->count > 0; k++)
            set_ranged(r, s->chosen[--s->count]);
        rc = try_automaton(r, s, r->max_length + 1, most, e);
    }
    return rc;
}

/* All pairs of states and lengths if they fit.  If not, completions of any length are nearly
 * as good as those within a long maximum, unless a feature grows with the length. */
static int
choose(struct weight_bound *r, struct selection *s, uint32_t most, struct err *e)
{
    bool grows = feature_set_need_max_length(r->features), few = r->max_length < most;
    r->by_length = true;
    int rc = few ? try_automaton(r, s, r->max_length + 1, most, e) : 0;
    if (rc == 0 && r->automaton == NULL && !(few && grows))
        rc = choose_any_length(r, s, most, e);
    if (rc == 0 && r->automaton == NULL && few)
        rc = choose_some(r, s, most, e);
    return rc;
}

static int
allocate_tables(struct weight_bound *r, struct err *e)
{
    const struct feature_automaton *m = r->automaton;
    if (m == NULL)
        return 0;
    r->arc = mem_array((size_t)m->states * m->symbols, sizeof *r->arc, e);
    r->end = mem_array(m->states, sizeof *r->end, e);
    r->time = mem_array(r->layers, sizeof *r->time, e);
    r->best = mem_array(r->layers, m->states * sizeof *r->best, e);
    return r->arc != NULL && r->end != NULL && r->time != NULL && r->best != NULL ? 0 : ERR_NOMEM;
}

static int
build(struct weight_bound *r, uint32_t most, struct err *e)
{
    size_t n = feature_set_count(r->features);
    struct selection s = {0};
    r->ranged = mem_zero(n, sizeof *r->ranged, e);
    r->lambda = mem_zero(n, sizeof *r->lambda, e);
    r->ranged_lambda = mem_zero(n, sizeof *r->ranged_lambda, e);
    if (r->ranged == NULL || r->lambda == NULL || r->ranged_lambda == NULL)
        return ERR_NOMEM;
    int rc = select_features(r->features, &s, e);
    if (rc == 0)
        rc = choose(r, &s, most, e);
    mem_free(s.chosen);
    return rc == 0 ? allocate_tables(r, e) : rc;
}

struct weight_bound *
weight_bound_new(const struct feature_set *f, uint64_t max_length, uint32_t most, struct err *e)
{
    struct weight_bound *r = mem_zero(1, sizeof *r, e);
    if (r == NULL)
        return NULL;
    r->features = f;
    r->max_length = max_length;
    if (build(r, most, e) == 0)
        return r;
    weight_bound_free(r);
    return NULL;
}

void
weight_bound_free(struct weight_bound *r)
{
    if (r == NULL)
        return;
    feature_automaton_free(r->automaton);
    mem_free(r->ranged);
    mem_free(r->lambda);
    mem_free(r->ranged_lambda);
    mem_free(r->arc);
    mem_free(r->end);
    mem_free(r->time);
    mem_free(r->best);
    mem_free(r);
}

bool
weight_bound_tight(const struct weight_bound *r)
{
    if (r->by_length)
        return r->record_bytes == 0;
    return r->automaton != NULL && r->max_length == UINT64_MAX;
}

/* ---- the bound of a prefix ----------------------------------------------------------- */

/* What the separately bounded features can add within `rest` more symbols. */
static double
ranged_bound(const struct weight_bound *r, const struct prefix *p, uint64_t rest)
{
    return r->record_bytes > 0 ? feature_set_bound(r->features, p + 1, rest, r->ranged_lambda) : 0;
}

static uint64_t
layer_of(const struct weight_bound *r, uint64_t length)
{
    return length < r->layers ? length : r->layers - 1;
}

static double
prefix_bound(const struct weight_bound *r, const struct prefix *p)
{
    uint64_t rest = r->max_length == UINT64_MAX ? UINT64_MAX : r->max_length - p->length;
    double joint = INFINITY;
    if (r->automaton != NULL && p->paid > -INFINITY)
        joint = p->paid + r->best[layer_of(r, p->length) * r->automaton->states + p->state];
    else if (r->automaton != NULL)
        return -INFINITY;
    if (r->by_length)
        return joint > -INFINITY ? joint + ranged_bound(r, p, rest) : joint;
    return fmin(joint, ranged_bound(r, p, rest));
}

static double
bound_root(const void *self, void *state)
{
    const struct weight_bound *r = self;
    struct prefix *p = state;
    *p = (struct prefix){0};
    if (r->record_bytes > 0)
        feature_set_start(r->features, p + 1);
    p->bound = prefix_bound(r, p);
    return p->bound;
}

/* log w of a string that ends here. */
static double
end_weight(const struct weight_bound *r, const struct prefix *p)
{
    double weight = ranged_bound(r, p, 0);
    if (r->by_length)
        weight += p->paid + r->end[p->state] + r->time[p->length];
    return fmin(p->bound, weight);
}

static double
bound_step(const void *self, const void *state, uint8_t symbol, void *child)
{
    const struct weight_bound *r = self;
    const struct prefix *p = state;
    struct prefix *c = child;
    if (symbol == feature_set_alphabet(r->features)->size)
        return end_weight(r, p);
    *c = (struct prefix){.length = p->length + 1};
    if (r->automaton != NULL) {
        size_t k = (size_t)p->state * r->automaton->symbols + symbol;
        c->state = r->automaton->next[k];
        c->paid = p->paid + r->arc[k];
    }
    if (r->record_bytes > 0) {
        memcpy(c + 1, p + 1, feature_set_state_bytes(r->features));
        feature_set_step(r->features, c + 1, symbol);
    }
    c->bound = fmin(p->bound, prefix_bound(r, c));
    return c->bound;
}

struct sampler_bound
weight_bound_bound(const struct weight_bound *r)
{
    return (struct sampler_bound){
        .self = r,
        .state_bytes = sizeof(struct prefix) + r->record_bytes,
        .root = bound_root,
        .step = bound_step,
    };
}

double
weight_bound_root(const struct weight_bound *r)
{
    return r->root;
}

/* ---- the maximum that can still be gained -------------------------------------------- */

/* best[] of one layer from that of the next layer, which may be the same; NULL: there is
 * none.  True if a value has increased. */
static bool
raise_layer(const struct weight_bound *r, double *best, const double *next)
{
    const struct feature_automaton *m = r->automaton;
    bool risen = false;
    for (uint32_t s = m->states; next != NULL && s-- > 0;) {
        const double *arc = r->arc + (size_t)s * m->symbols;
        const uint32_t *to = m->next + (size_t)s * m->symbols;
        double most = best[s];
        for (unsigned a = 0; a < m->symbols; a++)
            if (arc[a] > -INFINITY && arc[a] + next[to[a]] > most)
                most = arc[a] + next[to[a]];
        risen |= most > best[s];
        best[s] = most;
    }
    return risen;
}

/* Ends at the length of the layer. */
static void
begin_layer(const struct weight_bound *r, uint64_t layer, double *best)
{
    for (uint32_t s = 0; s < r->automaton->states; s++)
        best[s] = r->end[s] + r->time[layer];
}

/* The last layer also represents all greater lengths, unless by_length: passes continue
 * until nothing changes.  A value that keeps growing has no bound. */
static void
find_last_layer(const struct weight_bound *r, double *best)
{
    uint32_t states = r->automaton->states;
    bool rising = feature_set_time_slope(r->features, r->lambda, r->layers - 1) > 0;
    begin_layer(r, r->layers - 1, best);
    for (int pass = 0; !r->by_length && !rising && raise_layer(r, best, best); pass++)
        rising = pass == PASSES_MAX;
    for (uint32_t s = 0; s < states && !r->by_length && rising; s++)
        best[s] = INFINITY;
}

static void
find_layers(struct weight_bound *r)
{
    uint32_t states = r->automaton->states;
    feature_automaton_weights(r->automaton, r->features, r->lambda, r->arc, r->end);
    for (uint64_t t = 0; t < r->layers; t++)
        r->time[t] = feature_set_time_weight(r->features, r->lambda, t);
    find_last_layer(r, r->best + (r->layers - 1) * states);
    for (uint64_t t = r->layers - 1; t-- > 0;) {
        begin_layer(r, t, r->best + t * states);
        raise_layer(r, r->best + t * states, r->best + (t + 1) * states);
    }
}

int
weight_bound_set_lambda(struct weight_bound *r, const double *lambda, struct err *e)
{
    for (size_t i = 0; i < feature_set_count(r->features); i++) {
        r->lambda[i] = lambda[i];
        r->ranged_lambda[i] = r->ranged[i] ? lambda[i] : 0;
    }
    if (r->automaton != NULL)
        find_layers(r);
    void *state = mem_array(1, weight_bound_bound(r).state_bytes, e);
    if (state == NULL)
        return ERR_NOMEM;
    r->root = bound_root(r, state);
    mem_free(state);
    if (r->root == -INFINITY)
        return err_set(e, ERR_EMPTY, "no string satisfies the hard constraints");
    if (r->root == INFINITY)
        return err_advise(
            e, ERR_NUMERIC, REMEDY_SET_MAX_LENGTH,
            "an unbounded feature has a positive weight, and strings have no maximum length");
    return 0;
}

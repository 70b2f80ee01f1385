/* SPDX-License-Identifier: MIT */
#include "gam/smooth.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "gam/draw_pool.h"
#include "gam/fit.h"
#include "gam/gam.h"
#include "gam/guided.h"
#include "gam/importance.h"
#include "gam/joint_fit.h"
#include "gam/moments.h"
#include "gam/newton.h"
#include "gam/product.h"
#include "mix/mix.h"
#include "mix/mix_fit.h"
#include "model/meta.h"
#include "ngram/ngram.h"
#include "pfsa/pfsa.h"
#include "text/strings.h"

enum { POOL_DRAWS = 4000, NEWTON_STEPS = 100, NGRAM_COST_MAX = 1 << 18, VALID_FEW = 50 };

#define WEIGHT_LEAST 1e-6 /* of a component */
#define LAMBDA_RANGE 12.0 /* how far lambda of a candidate may be from that of the pool */

static const double shares[] = {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 0.95, 1};

enum { SHARES = sizeof shares / sizeof *shares };

int
smooth_join(struct strings *to, const struct strings *from, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < from->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(from, i, &length);
        rc = strings_add(to, symbols, length, e);
    }
    return rc;
}

/* ---- components ---------------------------------------------------------------------------- */

/* The n-gram that is fitted with the weights. */
static struct pfsa *
fitted_ngram(const struct gam *g, const struct strings *s, const struct fit_options *o,
             struct pool *pool, struct err *e)
{
    const struct alphabet *a = &g->model.alphabet;
    size_t n = feature_set_count(g->features);
    struct joint_options how = {.order = JOINT_CHOOSE,
                                .l2 = o->l2,
                                .fixed = o->fixed,
                                .stated = o->stated,
                                .max_length = g->model.max_length,
                                .max_size = PRODUCT_SIZE_MAX,
                                .cost_max = NGRAM_COST_MAX};
    struct joint_choice choice;
    struct pfsa *p = NULL;
    double *lambda = mem_array(n, sizeof *lambda, e);
    if (lambda == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        lambda[i] = o->fixed[i] ? g->lambda[i] : 0;
    if (joint_choose(s, a, g->features, lambda, &how, pool, &choice, e) == 0)
        p = joint_fit(s, a, g->features, lambda, &how, &choice.candidate[choice.best], e);
    mem_free(lambda);
    return p;
}

static struct pfsa *
counted_ngram(const struct gam *g, const struct strings *s, struct err *e)
{
    struct ngram_choice choice;
    if (ngram_choose(s, &g->model.alphabet, NGRAM_CHOOSE, NGRAM_CHOOSE, &choice, e) != 0)
        return NULL;
    const struct ngram_candidate *best = &choice.candidate[choice.best];
    return ngram_build(s, &g->model.alphabet, best->order, best->smoothing, e);
}

/* Makes an automaton component k of a mixture, or puts it in the place of the last one. */
static int
set_part(struct mix *m, size_t k, struct pfsa *p, const struct meta *meta, struct err *e)
{
    struct model_file file;
    if (p == NULL)
        return e->code;
    if (model_pack(&p->model, meta, &file, e) != 0) {
        pfsa_free(p);
        return e->code;
    }
    if (k == m->count)
        return mix_add(m, &p->model, file, e);
    model_free(m->part[k].model);
    mem_free(m->part[k].file.bytes);
    m->part[k].model = &p->model;
    m->part[k].file = file;
    return 0;
}

static int
set_ngrams(struct mix *m, size_t parts, const struct gam *g, const struct strings *s,
           const struct fit_options *o, struct pool *pool, const struct meta *meta, struct err *e)
{
    struct err why = {0};
    struct pfsa *q = fitted_ngram(g, s, o, pool, &why);
    if (q == NULL && why.code == ERR_LIMIT) /* the features are too large */
        q = counted_ngram(g, s, e);
    else
        err_pass(e, &why);
    int rc = set_part(m, 1, q, meta, e);
    if (rc == 0 && parts > 2)
        rc = set_part(m, 2, counted_ngram(g, s, e), meta, e);
    return rc;
}

/* Gives the base r of the GAM to a mixture, which becomes the base. */
static struct mix *
mix_base(struct gam *g, struct err *e)
{
    struct mix *m = mix_new(e);
    struct model *r = g->model.base;
    struct model_file file = g->base_file;
    if (m == NULL)
        return NULL;
    g->model.base = &m->model;
    g->base_file = (struct model_file){0};
    return mix_add(m, r, file, e) == 0 ? m : NULL;
}

/* Weights of the mixture, none of them 0. */
static int
set_weights(struct gam *g, struct mix *m, const double *weight, const struct meta *meta,
            struct err *e)
{
    double kept[SMOOTH_PARTS], sum = 0;
    for (size_t k = 0; k < m->count; k++)
        sum += kept[k] = fmax(weight[k], WEIGHT_LEAST);
    for (size_t k = 0; k < m->count; k++)
        kept[k] /= sum;
    int rc = mix_set_weights(m, kept, e);
    return rc == 0 ? gam_set_base(g, &m->model, meta, e) : rc;
}

/* ---- candidates -------------------------------------------------------------------------- */

static void
list_candidates(struct smooth_result *r)
{
    static const double of_q[] = {1, 0.5, 0};
    r->candidate[r->count++].weight[0] = 1;
    for (size_t i = 0; i < SHARES; i++)
        for (size_t k = 0; k < 3; k++) {
            double *w = r->candidate[r->count++].weight, c = shares[i];
            w[0] = 1 - c;
            w[1] = c * of_q[k];
            w[2] = c * (1 - of_q[k]);
        }
}

/* Strings with the probabilities of their characters under the components. */
struct valid_strings {
    struct strings strings;
    struct mix_evidence evidence;
    double *log_b; /* [strings] of the candidate at hand */
};

struct trial {
    const struct gam *gam;
    const struct fit_options *options;
    size_t n;                                       /* features */
    double *target, *l2, *lo, *hi, *lambda, *start; /* [n] */
    struct draw_pool draws;
    struct valid_strings pool, valid;
    double *valid_phi; /* [strings][n] */
    double *logp;      /* [candidates][validation strings] */
};

/* log of the mixture's probability of each string (mix.h). */
static void
score_mixture(const struct valid_strings *s, const double *weight)
{
    const struct mix_evidence *v = &s->evidence;
    size_t at = 0;
    for (size_t i = 0; i < s->strings.count; i++) {
        size_t length;
        strings_get(&s->strings, i, &length);
        s->log_b[i] = 0;
        for (size_t end = at + length + 1; at < end; at++) {
            double sum = 0, mass = 0;
            for (size_t k = 0; k < v->parts; k++) {
                double logp = v->logp[k * v->chars + at];
                sum += isnan(logp) ? 0 : weight[k] * dm_exp(logp);
                mass += isnan(logp) ? 0 : weight[k];
            }
            s->log_b[i] += mass > 0 ? dm_log(sum / mass) : -INFINITY;
        }
    }
}

static int
solve(struct trial *t, struct importance *p, struct err *e)
{
    struct moments m = importance_moments(p);
    bool converged;
    struct newton_problem problem = {.moments = &m,
                                     .target = t->target,
                                     .fixed = t->options->fixed,
                                     .l2 = t->l2,
                                     .lo = t->lo,
                                     .hi = t->hi,
                                     .steps_max = NEWTON_STEPS};
    memcpy(t->lambda, t->start, t->n * sizeof *t->lambda);
    int rc = newton_run(&problem, t->lambda, &converged, e);
    importance_at(p, t->lambda);
    return rc;
}

/* Fits lambda of a candidate by the pool, and scores the validation strings into logp. */
static int
try_candidate(struct trial *t, struct smooth_candidate *c, double *logp, struct err *e)
{
    struct importance p = {0};
    score_mixture(&t->pool, c->weight);
    score_mixture(&t->valid, c->weight);
    int rc = draw_pool_importance(&t->draws, &p, e);
    for (size_t i = 0; rc == 0 && i < p.count; i++)
        p.log_r[i] = dm_log(p.seen[i]) + t->pool.log_b[i] - t->draws.log_density[i];
    if (rc == 0)
        rc = solve(t, &p, e);
    c->log_z = p.log_z;
    c->log_z_se = importance_log_z_se(p.ess, t->draws.draws);
    c->valid_ce = 0;
    for (size_t i = 0; rc == 0 && i < t->valid.strings.count; i++) {
        logp[i] = t->valid.log_b[i] - p.log_z +
                  feature_set_dot(t->gam->features, t->lambda, t->valid_phi + i * t->n);
        c->valid_ce -= logp[i];
    }
    c->valid_ce /= (double)t->valid.evidence.chars;
    importance_clear(&p);
    return rc;
}

/* By how much candidate i is better than candidate k, nats per character, by pairs of strings;
 * *se gets the error. */
static double
advantage(const struct trial *t, unsigned i, unsigned k, double *se)
{
    size_t n = t->valid.strings.count;
    const double *better = t->logp + i * n, *other = t->logp + k * n;
    double mean = 0, square = 0, scale = (double)t->valid.evidence.chars / (double)n;
    for (size_t x = 0; x < n; x++)
        mean += (better[x] - other[x]) / (double)n;
    for (size_t x = 0; x < n; x++)
        square += (better[x] - other[x] - mean) * (better[x] - other[x] - mean);
    *se = n > 1 ? sqrt(square / (double)(n * (n - 1))) / scale : INFINITY;
    return mean / scale;
}

/* Takes the candidate with the largest weight of q among those that are not significantly worse
 * than the best one on the validation set: within two standard errors if it is small, since the
 * best one can then be the best by chance.  The average of all candidates, weighted by the
 * likelihoods of the validation set, is worse: it leans to r, which was stopped on that set. */
static void
settle(const struct trial *t, struct smooth_result *r)
{
    unsigned chosen = r->best;
    double errors = t->valid.strings.count < VALID_FEW ? 2 : 1;
    for (unsigned i = 0; i < r->count; i++) {
        double se, worse = advantage(t, r->best, i, &se);
        const double *now = r->candidate[i].weight, *so_far = r->candidate[chosen].weight;
        if (worse <= errors * se && now[1] > so_far[1])
            chosen = i;
    }
    memcpy(r->weight, r->candidate[chosen].weight, sizeof r->weight);
    r->gain = advantage(t, chosen, 0, &r->gain_se);
    r->best = chosen;
}

static int
compare(struct trial *t, struct smooth_result *r, struct err *e)
{
    int rc = 0;
    list_candidates(r);
    for (unsigned i = 0; rc == 0 && i < r->count; i++) {
        rc = try_candidate(t, &r->candidate[i], t->logp + i * t->valid.strings.count, e);
        if (rc == 0 && r->candidate[i].valid_ce < r->candidate[r->best].valid_ce)
            r->best = i;
    }
    if (rc == 0)
        settle(t, r);
    return rc;
}

/* ---- the pool ----------------------------------------------------------------------------- */

/* Draws near P over the present base, with the weights that fit it. */
static int
draw(struct trial *t, struct gam *g, const struct strings *train, struct pool *pool, struct err *e)
{
    struct fit_options o = *t->options;
    struct fit_data data = {0};
    struct fit_result fit = {0};
    struct guided_gap gap = {0};
    struct guided *d = NULL;
    o.regime = FIT_GUIDED;
    o.optimizer = FIT_NEWTON;
    o.epoch = NULL;
    int rc = fit_data_take(&data, g, train, e);
    if (rc == 0)
        rc = fit_run(g, data.seen, pool, &o, &fit, e);
    if (rc == 0)
        d = guided_new(g, g->model.max_length, pool, o.seed, "gam-fit/smooth", e);
    t->draws.gam = g;
    if (d != NULL && guided_learn(d, g->lambda, &gap, e) == 0)
        guided_draw(d, POOL_DRAWS, false, &t->draws, e);
    for (size_t i = 0; e->code == ERR_NONE && i < t->n; i++) {
        bool stated = o.stated != NULL && !isnan(o.stated[i]);
        t->target[i] = fit.feature[i].target;
        t->l2[i] = stated ? 0 : o.l2;
        t->start[i] = g->lambda[i];
        t->lo[i] = g->lambda[i] - LAMBDA_RANGE;
        t->hi[i] = g->lambda[i] + LAMBDA_RANGE;
    }
    guided_free(d);
    fit_clear(&fit);
    fit_data_clear(&data);
    return e->code;
}

static int
gather(struct valid_strings *s, const struct mix *m, struct pool *pool, struct err *e)
{
    s->log_b = mem_array(s->strings.count, sizeof *s->log_b, e);
    return s->log_b != NULL ? mix_evidence_gather(&s->evidence, m, &s->strings, pool, e)
                            : ERR_NOMEM;
}

static int
list_draws(struct trial *t, struct err *e)
{
    uint8_t *symbols = NULL;
    size_t capacity = 0, length;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->draws.strings; i++) {
        rc = draw_pool_string(&t->draws, i, &symbols, &capacity, &length, e);
        if (rc == 0)
            rc = strings_add(&t->pool.strings, symbols, length, e);
    }
    mem_free(symbols);
    return rc;
}

static int
describe_valid(struct trial *t, struct err *e)
{
    const struct feature_set *f = t->gam->features;
    void *record = mem_array(1, feature_set_state_bytes(f), e);
    for (size_t i = 0; record != NULL && i < t->valid.strings.count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(&t->valid.strings, i, &length);
        feature_set_run(f, record, symbols, length);
        feature_set_values(f, record, t->valid_phi + i * t->n);
    }
    mem_free(record);
    return e->code;
}

static int
trial_init(struct trial *t, const struct gam *g, const struct strings *valid,
           const struct fit_options *o, struct err *e)
{
    double **vector[] = {&t->target, &t->l2, &t->lo, &t->hi, &t->lambda, &t->start};
    *t = (struct trial){.gam = g, .options = o, .n = feature_set_count(g->features)};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        *vector[i] = mem_zero(t->n, sizeof **vector[i], e);
    t->valid_phi = mem_array(valid->count, t->n * sizeof *t->valid_phi, e);
    t->logp = mem_array(valid->count, SMOOTH_CANDIDATES * sizeof *t->logp, e);
    return e->code == ERR_NONE ? smooth_join(&t->valid.strings, valid, e) : e->code;
}

static void
trial_clear(struct trial *t)
{
    double *vector[] = {t->target, t->l2,   t->lo,        t->hi,         t->lambda,
                        t->start,  t->logp, t->valid_phi, t->pool.log_b, t->valid.log_b};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        mem_free(vector[i]);
    draw_pool_clear(&t->draws);
    strings_clear(&t->pool.strings);
    strings_clear(&t->valid.strings);
    mix_evidence_clear(&t->pool.evidence);
    mix_evidence_clear(&t->valid.evidence);
}

static int
choose(struct gam *g, struct mix *m, const struct strings *train, const struct strings *valid,
       const struct fit_options *o, struct pool *pool, struct smooth_result *r, struct err *e)
{
    struct trial t;
    int rc = trial_init(&t, g, valid, o, e);
    if (rc == 0)
        rc = draw(&t, g, train, pool, e);
    if (rc == 0)
        rc = list_draws(&t, e);
    if (rc == 0)
        rc = gather(&t.pool, m, pool, e);
    if (rc == 0)
        rc = gather(&t.valid, m, pool, e);
    if (rc == 0)
        rc = describe_valid(&t, e);
    if (rc == 0)
        rc = compare(&t, r, e);
    trial_clear(&t);
    return rc;
}

/* ---- the base ----------------------------------------------------------------------------- */

int
smooth_gam(struct gam *g, const struct strings *train, const struct strings *valid, double c,
           const struct fit_options *o, struct pool *pool, struct meta *meta,
           struct smooth_result *r, struct err *e)
{
    static const double first[SMOOTH_PARTS] = {0.4, 0.4, 0.2};
    size_t parts = c < 0 ? 3 : 2;
    struct strings all = {0};
    *r = (struct smooth_result){.weight = {0}};
    if (c < 0 && valid->count == 0)
        return err_set(e, ERR_DATA, "the validation set is empty");
    struct mix *m = mix_base(g, e);
    int rc = m != NULL ? smooth_join(&all, train, e) : e->code;
    if (rc == 0)
        rc = smooth_join(&all, valid, e);
    if (rc == 0 && c < 0) {
        rc = set_ngrams(m, parts, g, train, o, pool, meta, e);
        if (rc == 0)
            rc = set_weights(g, m, first, meta, e);
        if (rc == 0)
            rc = choose(g, m, train, valid, o, pool, r, e);
    } else {
        r->weight[0] = 1 - c;
        r->weight[1] = c;
    }
    if (rc == 0)
        rc = set_ngrams(m, parts, g, &all, o, pool, meta, e);
    if (rc == 0)
        rc = set_weights(g, m, r->weight, meta, e);
    strings_clear(&all);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "gam/joint_fit.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/lbfgs.h"
#include "core/mem.h"
#include "core/pool.h"
#include "feature/feature_set.h"
#include "gam/gam.h"
#include "gam/joint_model.h"
#include "model/meta.h"
#include "pfsa/pfsa.h"
#include "text/strings.h"

const double joint_priors[JOINT_PRIORS] = {0.1, 0.3, 1, 2, 4};

enum {
    STEPS_MAX = 2000,
    CHANGE_MAX = 10, /* initial limit on the change of a weight in a step */
    PRIOR_FIRST = 1,
    /* Transitions in a pass beyond which an order is not tried if two orders in a row were worse
     * than the best; before that, beyond JOINT_COST_MAX. */
    COST_LITTLE = 1 << 18,
    WORSE_MAX = 2
};

/* The accuracy of a fit in nats per string: for comparing candidates, and for the result. */
#define LENGTH_PRIOR 10.0 /* standard deviation of the weight of one more symbol */

#define CHOICE_TOLERANCE 1e-8
#define FIT_TOLERANCE    1e-13

/* ---- one fit ------------------------------------------------------------------------------ */

/* The objective: log Z - weight . target + sum of penalty/2 weight^2, over the free weights. */
struct objective {
    struct joint_pass *pass;
    size_t n, lengths, short_words, words; /* weights, see joint_model_words */
    const double *target;                  /* [n] */
    const double *penalty;                 /* [n] */
    const bool *still;                     /* [n] weights that stay */
    double *weight, *mean;                 /* [n] scratch */
    bool begun;                            /* the first point is fine */
};

/* The diagonal of the Hessian: counts are treated as Poisson variables; features are in
 * [0,1], which bounds their variance. */
static double
curvature(const struct objective *o, size_t i)
{
    double mean = o->mean[i];
    double variance = i < o->words ? mean : mean * (1 - mean);
    return fmax(variance, 0) + o->penalty[i] + 1e-12;
}

static int
evaluate(void *self, const double *x, double *value, double *gradient, double *diagonal,
         struct err *e)
{
    struct objective *o = self;
    for (size_t i = 0; i < o->n; i++)
        if (!o->still[i])
            o->weight[i] = x[i];
    struct err why = {0};
    int rc = joint_pass_at(o->pass, o->weight, value, o->mean, &why);
    if (rc == ERR_EMPTY && o->begun) { /* the weights are so extreme that all strings vanish */
        *value = INFINITY;
        return 0;
    }
    if (rc != 0)
        return err_pass(e, &why);
    o->begun = true;
    for (size_t i = 0; i < o->n; i++) {
        diagonal[i] = curvature(o, i);
        gradient[i] = 0;
        if (o->still[i])
            continue;
        *value += x[i] * (o->penalty[i] * x[i] / 2 - o->target[i]);
        gradient[i] = o->mean[i] - o->target[i] + o->penalty[i] * x[i];
    }
    return 0;
}

/* All arrays of a fit, for one model. */
struct bench {
    struct objective objective;
    double *target, *penalty, *x; /* [n] */
    bool *still;                  /* [n] */
    const double *stated;         /* [features] of the options */
};

static void
bench_clear(struct bench *b)
{
    joint_pass_free(b->objective.pass);
    mem_free(b->objective.weight);
    mem_free(b->objective.mean);
    mem_free(b->target);
    mem_free(b->penalty);
    mem_free(b->x);
    mem_free(b->still);
}

/* Clear in either case. */
static int
bench_init(struct bench *b, const struct joint_model *m, struct err *e)
{
    size_t n = joint_model_size(m);
    *b = (struct bench){.target = mem_zero(n, sizeof *b->target, e),
                        .penalty = mem_zero(n, sizeof *b->penalty, e),
                        .x = mem_zero(n, sizeof *b->x, e),
                        .still = mem_zero(n, sizeof *b->still, e)};
    b->objective = (struct objective){.pass = joint_pass_new(m, e),
                                      .n = n,
                                      .lengths = joint_model_lengths(m),
                                      .short_words = joint_model_short(m),
                                      .words = joint_model_words(m),
                                      .target = b->target,
                                      .penalty = b->penalty,
                                      .still = b->still,
                                      .weight = mem_zero(n, sizeof *b->objective.weight, e),
                                      .mean = mem_zero(n, sizeof *b->objective.mean, e)};
    return e->code;
}

/* The starting point of a fit: the words at 0, the features at lambda, of which some are
 * fixed. */
static void
bench_start(struct bench *b, const double *lambda, const struct joint_options *o)
{
    size_t words = b->objective.words;
    b->stated = o->stated;
    memset(b->x, 0, b->objective.n * sizeof *b->x);
    for (size_t i = words; i < b->objective.n; i++) {
        b->still[i] = o->fixed != NULL && o->fixed[i - words];
        b->objective.weight[i] = lambda[i - words];
        b->x[i] = b->still[i] ? 0 : lambda[i - words];
    }
}

static double
penalty(const struct objective *o, size_t i, double strings, double prior, double l2)
{
    if (i >= o->words)
        return l2;
    double deviation = i < o->lengths ? LENGTH_PRIOR : prior;
    return 1 / (deviation * deviation * strings);
}

/* Fits to `strings` strings with the sums in b->target; longer words that do not occur get
 * no weight. */
static int
bench_fit(struct bench *b, double strings, double prior, double l2, double tolerance, struct err *e)
{
    struct objective *o = &b->objective;
    struct lbfgs_problem problem = {.n = o->n,
                                    .at = evaluate,
                                    .self = o,
                                    .tolerance = tolerance,
                                    .steps_max = STEPS_MAX,
                                    .change_max = CHANGE_MAX};
    double value;
    bool converged;
    o->begun = false;
    for (size_t i = 0; i < o->n; i++) {
        b->target[i] /= strings;
        b->penalty[i] = penalty(o, i, strings, prior, l2);
        if (b->stated != NULL && i >= o->words && !isnan(b->stated[i - o->words])) {
            b->target[i] = b->stated[i - o->words];
            b->penalty[i] = 0;
        }
        if (i >= o->short_words && i < o->words && b->target[i] == 0) {
            b->still[i] = true;
            o->weight[i] = b->x[i] = 0;
        }
    }
    return lbfgs_run(&problem, b->x, &value, &converged, e);
}

/* ---- cross-validation --------------------------------------------------------------------- */

/* One order: the model, and its folds side by side. */
struct contest {
    const struct joint_model *model;
    const struct joint_options *options;
    size_t folds, n, features, strings;
    const double *sum; /* [folds][n] */
    double *lambda;    /* [folds][features] the last ones, as a starting point */
    struct bench bench[JOINT_FOLDS];
    size_t prior; /* the current candidate, and finally the best */
    double score[JOINT_FOLDS];
    struct err error[JOINT_FOLDS];
};

/* log P of the strings left out, by the current fit; hard constraints are ignored. */
static int
score_left_out(struct bench *b, const double *left_out, double strings, double *score,
               struct err *e)
{
    struct objective *o = &b->objective;
    double log_z, sum = 0;
    for (size_t i = 0; i < o->n; i++)
        if (!b->still[i])
            o->weight[i] = b->x[i];
    int rc = joint_pass_at(o->pass, o->weight, &log_z, o->mean, e);
    for (size_t i = 0; i < o->n; i++)
        if (o->weight[i] > -INFINITY)
            sum += o->weight[i] * left_out[i];
    *score = sum - strings * log_z;
    return rc;
}

static void
fold_target(const struct contest *c, size_t fold, double *target)
{
    for (size_t i = 0; i < c->n; i++) {
        target[i] = 0;
        for (size_t k = 0; k < c->folds; k++)
            if (k != fold)
                target[i] += c->sum[k * c->n + i];
    }
}

/* Fits and scores one fold, starting from its last fit. */
static void
try_fold(void *arg, size_t fold, int worker)
{
    struct contest *c = arg;
    struct bench *b = &c->bench[fold];
    struct err *e = &c->error[fold];
    size_t held = (c->strings - fold + c->folds - 1) / c->folds;
    double rest = (double)(c->strings - held);
    (void)worker;
    fold_target(c, fold, b->target);
    int rc = bench_fit(b, rest, joint_priors[c->prior], c->options->l2 * (double)c->strings / rest,
                       CHOICE_TOLERANCE, e);
    if (rc == 0)
        score_left_out(b, c->sum + fold * c->n, (double)held, &c->score[fold], e);
}

/* Tries a prior; *loss gets its loss in nats per string. */
static int
try_prior(struct contest *c, size_t prior, struct pool *pool, double *loss, struct err *e)
{
    int rc = 0;
    *loss = 0;
    c->prior = prior;
    pool_run(pool, c->folds, try_fold, c);
    for (size_t fold = 0; fold < c->folds; fold++) {
        rc = err_pass(e, &c->error[fold]);
        *loss -= c->score[fold] / (double)c->strings;
    }
    return rc;
}

static void
add_candidate(struct joint_choice *choice, int order, double prior, double ce)
{
    struct joint_candidate *now = &choice->candidate[choice->count];
    *now = (struct joint_candidate){order, prior, ce};
    if (ce < choice->candidate[choice->best].cv_ce)
        choice->best = choice->count;
    choice->count++;
}

/* From the prior of the last order upward while that helps, else downward. */
static int
try_priors(struct contest *c, int order, double scale, struct pool *pool,
           struct joint_choice *choice, struct err *e)
{
    bool words = joint_model_words(c->model) > joint_model_lengths(c->model);
    double least, loss;
    size_t first = c->prior, best = first;
    int rc = try_prior(c, best, pool, &least, e);
    if (rc == 0)
        add_candidate(choice, order, words ? joint_priors[best] : 0, least * scale);
    for (int step = 1; words && rc == 0 && step >= -1 && best == first; step -= 2) {
        size_t at = best;
        while (rc == 0 && (step > 0 ? at + 1 < JOINT_PRIORS : at > 0)) {
            at = step > 0 ? at + 1 : at - 1;
            rc = try_prior(c, at, pool, &loss, e);
            if (rc == 0)
                add_candidate(choice, order, joint_priors[at], loss * scale);
            if (rc != 0 || !(loss < least))
                break;
            least = loss;
            best = at;
        }
    }
    c->prior = best;
    return rc;
}

static int
try_model(struct contest *c, const struct strings *s, int order, struct pool *pool,
          struct joint_choice *choice, struct err *e)
{
    size_t words = joint_model_words(c->model);
    c->n = joint_model_size(c->model);
    double *sum = mem_zero(c->folds, c->n * sizeof *sum, e);
    int rc = sum != NULL ? joint_model_tally(c->model, s, c->folds, sum, e) : ERR_NOMEM;
    c->sum = sum;
    memset(c->bench, 0, sizeof c->bench);
    for (size_t fold = 0; rc == 0 && fold < c->folds; fold++) {
        rc = bench_init(&c->bench[fold], c->model, e);
        if (rc == 0)
            bench_start(&c->bench[fold], c->lambda + fold * c->features, c->options);
    }
    if (rc == 0)
        rc = try_priors(c, order, (double)s->count / (double)(s->symbols + s->count), pool, choice,
                        e);
    for (size_t fold = 0; fold < c->folds; fold++) {
        if (rc == 0)
            memcpy(c->lambda + fold * c->features, c->bench[fold].objective.weight + words,
                   c->features * sizeof *c->lambda);
        bench_clear(&c->bench[fold]);
    }
    mem_free(sum);
    return rc;
}

/* Whether the last orders were all worse than the best. */
static bool
past_best(const struct joint_choice *choice)
{
    if (choice->count == 0)
        return false;
    const struct joint_candidate *last = &choice->candidate[choice->count - 1];
    return last->order - choice->candidate[choice->best].order >= WORSE_MAX;
}

static int
try_orders(struct contest *c, const struct strings *s, const struct alphabet *a,
           const struct feature_set *f, struct pool *pool, struct joint_choice *choice,
           struct err *e)
{
    const struct joint_options *o = c->options;
    bool all = o->order == JOINT_CHOOSE;
    int order = all ? JOINT_NO_WORDS : o->order, last = all ? JOINT_ORDER_AUTO : o->order;
    uint64_t most = o->cost_max > 0 ? o->cost_max : JOINT_COST_MAX;
    int rc = 0;
    for (; rc == 0 && order <= last; order++) {
        struct err why = {0};
        struct joint_model *m = joint_model_new(s, a, f, order, o->max_length, o->max_size, &why);
        bool enough = m != NULL && choice->count > 0 &&
                      joint_model_cost(m) > (past_best(choice) ? COST_LITTLE : most);
        if (enough || (m == NULL && why.code == ERR_LIMIT && choice->count > 0)) {
            joint_model_free(m);
            return 0;
        }
        c->model = m;
        rc = m != NULL ? try_model(c, s, order, pool, choice, &why) : why.code;
        joint_model_free(m);
        err_pass(e, &why);
    }
    return rc;
}

/* A single string cannot be left out: the simplest candidate. */
static int
choose_unseen(const struct joint_options *o, struct joint_choice *choice)
{
    int order = o->order == JOINT_CHOOSE ? JOINT_NO_WORDS : o->order;
    double prior = order == JOINT_NO_WORDS ? 0 : joint_priors[0];
    choice->candidate[choice->count++] = (struct joint_candidate){order, prior, NAN};
    return 0;
}

int
joint_choose(const struct strings *s, const struct alphabet *a, const struct feature_set *f,
             const double *lambda, const struct joint_options *o, struct pool *pool,
             struct joint_choice *choice, struct err *e)
{
    struct contest c = {.options = o,
                        .folds = s->count < JOINT_FOLDS ? s->count : JOINT_FOLDS,
                        .features = f != NULL ? feature_set_count(f) : 0,
                        .strings = s->count,
                        .prior = PRIOR_FIRST};
    *choice = (struct joint_choice){0};
    if (s->count == 1)
        return choose_unseen(o, choice);
    c.lambda = mem_array(JOINT_FOLDS, c.features * sizeof *c.lambda, e);
    if (c.lambda == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < JOINT_FOLDS * c.features; i++)
        c.lambda[i] = lambda[i % c.features];
    int rc = try_orders(&c, s, a, f, pool, choice, e);
    mem_free(c.lambda);
    return rc;
}

/* ---- the result --------------------------------------------------------------------------- */

static int
fit_model(const struct joint_model *m, const struct strings *s, double *lambda,
          const struct joint_options *o, const struct joint_candidate *candidate, double *weight,
          struct err *e)
{
    struct bench b;
    size_t words = joint_model_words(m), n = joint_model_size(m);
    int rc = bench_init(&b, m, e);
    if (rc == 0) {
        bench_start(&b, lambda, o);
        rc = joint_model_tally(m, s, 1, b.target, e);
    }
    if (rc == 0)
        rc = bench_fit(&b, (double)s->count, candidate->prior > 0 ? candidate->prior : 1, o->l2,
                       FIT_TOLERANCE, e);
    for (size_t i = 0; rc == 0 && i < n; i++)
        weight[i] = b.still[i] ? b.objective.weight[i] : b.x[i];
    if (rc == 0)
        memcpy(lambda, weight + words, (n - words) * sizeof *lambda);
    bench_clear(&b);
    return rc;
}

struct pfsa *
joint_fit(const struct strings *s, const struct alphabet *a, const struct feature_set *f,
          double *lambda, const struct joint_options *o, const struct joint_candidate *candidate,
          struct err *e)
{
    struct pfsa *p = NULL;
    struct joint_model *m =
        joint_model_new(s, a, f, candidate->order, o->max_length, o->max_size, e);
    if (m == NULL)
        return NULL;
    double *weight = mem_zero(joint_model_size(m), sizeof *weight, e);
    if (weight != NULL && fit_model(m, s, lambda, o, candidate, weight, e) == 0)
        p = joint_model_automaton(m, a, weight, e);
    mem_free(weight);
    joint_model_free(m);
    return p;
}

static int
note_choice(const struct joint_candidate *c, struct meta *meta, struct err *e)
{
    int rc = c->order == JOINT_NO_WORDS ? meta_set(meta, "order", e, "none")
                                        : meta_set(meta, "order", e, "%d", c->order);
    if (rc == 0 && c->prior > 0)
        rc = meta_set_number(meta, "prior", c->prior, e);
    if (rc == 0 && !isnan(c->cv_ce))
        rc = meta_set_number(meta, "cv_ce", c->cv_ce, e);
    return rc;
}

int
joint_fit_gam(struct gam *g, const struct strings *s, const struct joint_options *o,
              struct pool *pool, struct meta *meta, struct joint_choice *choice, struct err *e)
{
    const struct alphabet *a = &g->model.alphabet;
    int rc = joint_choose(s, a, g->features, g->lambda, o, pool, choice, e);
    const struct joint_candidate *best = &choice->candidate[choice->best];
    if (rc == 0)
        rc = note_choice(best, meta, e);
    struct pfsa *p = rc == 0 ? joint_fit(s, a, g->features, g->lambda, o, best, e) : NULL;
    return p != NULL ? gam_set_base(g, &p->model, meta, e) : e->code;
}

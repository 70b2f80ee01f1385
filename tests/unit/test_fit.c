/* SPDX-License-Identifier: MIT
 *
 * Fitting against enumeration of all strings, and the sampling regimes against the exact one.
 * Seeds are fixed; comparisons allow 5 of the stated standard errors: a false-alarm rate of
 * 6e-7 per comparison.
 */
#include "gam/fit.h"

#include "core/pool.h"
#include "core/rng.h"
#include "feature/histogram.h"
#include "gam/newton.h"
#include "gam/partition.h"
#include "support/gamtest.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { STRINGS = 1000 };

static const struct gamtest_setting settings[] = {
    {.alphabet = "01", .longest = 12, .spec = {"motif:0110", "prefix:1", "count:11"}},
    {.alphabet = "01",
     .probs = "0.7,0.3",
     .stop = 0.1,
     .longest = 12,
     .spec = {"motif:1101", "length", "lcs:01011", "prefix:01"}},
    {.alphabet = "ACGT",
     .probs = "0.4,0.3,0.2,0.1",
     .stop = 0.2,
     .longest = 7,
     .spec = {"motif:CA", "count:A", "length:4"}},
};

/* Weights with which the data are drawn, so that the fit has something to find. */
static const double truth[] = {-1.5, 0.8, -1, 0.4};

static struct pool *pool;

struct world {
    const struct gamtest_setting *setting;
    struct gam *gam;
    struct gamtest_space space;
    struct histogram *data;
    double target[GAMTEST_FEATURES];
    double *p; /* [space.count] */
};

/* phi of string x as whole numbers. */
static void
add_to_data(struct world *w, size_t x, double count)
{
    uint64_t whole[GAMTEST_FEATURES];
    size_t n = w->space.features;
    for (size_t i = 0; i < n; i++) {
        double phi = w->space.phi[x * n + i];
        whole[i] = (uint64_t)llround(phi * feature_set_denominator(w->gam->features, i));
        w->target[i] += count * phi / STRINGS;
    }
    histogram_add(w->data, whole, count, IGNORE_ERR);
}

static void
world_init(struct world *w, const struct gamtest_setting *s, const double *lambda)
{
    struct rng r;
    *w = (struct world){.setting = s, .gam = gamtest_new(s)};
    gamtest_enumerate(&w->space, s, w->gam, pool);
    w->p = calloc(w->space.count, sizeof *w->p);
    w->data = histogram_new(w->gam->features, IGNORE_ERR);
    gamtest_distribution(&w->space, lambda, w->p);
    rng_init(&r, 5, "test", 0);
    for (int k = 0; k < STRINGS; k++) {
        double u = rng_double(&r);
        size_t x = 0;
        while (x + 1 < w->space.count && (u -= w->p[x]) >= 0)
            x++;
        add_to_data(w, x, 1);
    }
}

static void
world_clear(struct world *w)
{
    free(w->p);
    histogram_free(w->data);
    gamtest_space_clear(&w->space);
    gam_free(w->gam);
}

static const bool none[GAMTEST_FEATURES];

static int
fit(struct world *w, enum fit_regime regime, enum fit_optimizer optimizer,
    struct fit_result *result)
{
    struct err e = {0};
    struct fit_options o = {.regime = (int)regime,
                            .optimizer = (int)optimizer,
                            .seed = 3,
                            .samples = 20000,
                            .accepted = optimizer == FIT_SGD ? 100 : 2000,
                            .alpha0 = 5,
                            .epochs = 100,
                            .patience = 10,
                            .l2 = optimizer == FIT_SGD ? 0 : 1e-5,
                            .fixed = none};
    memset(w->gam->lambda, 0, w->space.features * sizeof *w->gam->lambda);
    int status = fit_run(w->gam, w->data, pool, &o, result, &e);
    if (status != 0)
        printf("# %s\n", e.text);
    return status;
}

/* Mean of feature i under w->p. */
static double
enumerated_mean(const struct world *w, size_t i)
{
    double sum = 0;
    for (size_t x = 0; x < w->space.count; x++)
        sum += w->p[x] * w->space.phi[x * w->space.features + i];
    return sum;
}

/* Newton on exact moments: all reported values agree with enumeration, and the gradient
 * vanishes. */
static void
test_exact(struct world *w, const char *name)
{
    struct fit_result r;
    double worst = 0, gradient = 0, base = 0, zero[GAMTEST_FEATURES] = {0};
    ok(fit(w, FIT_EXACT, FIT_NEWTON, &r) == 0 && r.converged, "%s: converges", name);
    gamtest_distribution(&w->space, zero, w->p);
    for (size_t i = 0; i < w->space.features; i++)
        base = fmax(base, fabs(r.feature[i].base - enumerated_mean(w, i)));
    double log_z = gamtest_distribution(&w->space, w->gam->lambda, w->p);
    for (size_t i = 0; i < w->space.features; i++) {
        double mean = enumerated_mean(w, i);
        worst = fmax(worst, fabs(r.feature[i].model - mean));
        gradient = fmax(gradient, fabs(mean - w->target[i] + 1e-5 * w->gam->lambda[i]));
        ok(r.feature[i].note == FIT_FREE && r.feature[i].draws_se < 1e-8, "%s: note", name);
    }
    ok(worst < 1e-10 && base < 1e-10, "%s: moments of P and r: %g, %g", name, worst, base);
    ok(gradient < 1e-9, "%s: moments match: %g", name, gradient);
    ok(fabs(r.log_z - log_z) < 1e-10 && r.log_z_se == 0, "%s: log Z", name);
    /* The data were drawn at `truth`: 5 standard errors of the weights. */
    for (size_t i = 0; i < w->space.features; i++)
        ok(fabs(w->gam->lambda[i] - truth[i]) < 5 * r.feature[i].se, "%s: %s is %g +- %g", name,
           w->setting->spec[i], w->gam->lambda[i], r.feature[i].se);
    struct partition z;
    struct err e = {0};
    ok(gamtest_partition(w->gam, pool, 0.05, &z, &e) == 0 && fabs(z.log_z - log_z) < 1e-10,
       "%s: the partition function", name);
    w->gam->model.base->min_length = w->gam->model.max_length + 1;
    ok(gamtest_partition(w->gam, pool, 0.05, &z, &e) == ERR_DATA &&
           strstr(e.text, "no string has at most") != NULL,
       "%s: none where no string is short enough", name);
    w->gam->model.base->min_length = 0;
    fit_clear(&r);
}

/* The inverse Fisher information by central differences of enumerated means. */
static void
test_errors(struct world *w, const char *name)
{
    struct fit_result r;
    double h = 1e-4, a[GAMTEST_FEATURES * GAMTEST_FEATURES], lambda[GAMTEST_FEATURES];
    size_t n = w->space.features;
    fit(w, FIT_EXACT, FIT_NEWTON, &r);
    for (size_t j = 0; j < n; j++) {
        memcpy(lambda, w->gam->lambda, n * sizeof *lambda);
        for (int side = 1; side >= -1; side -= 2) {
            lambda[j] = w->gam->lambda[j] + side * h;
            gamtest_distribution(&w->space, lambda, w->p);
            for (size_t i = 0; i < n; i++)
                a[i * n + j] =
                    (side > 0 ? 0 : a[i * n + j]) + side * enumerated_mean(w, i) / (2 * h);
        }
        a[j * n + j] += 1e-5;
    }
    bool sound = cholesky_factor(a, n);
    for (size_t i = 0; i < n && sound; i++) {
        double column[GAMTEST_FEATURES] = {0};
        column[i] = 1;
        cholesky_solve(a, n, column);
        double se = sqrt(column[i] / STRINGS);
        ok(fabs(r.feature[i].se / se - 1) < 1e-5, "%s: error %g of weight %zu", name, se, i);
    }
    fit_clear(&r);
}

/* A sampling regime against the exact optimum. */
static void
test_drawn(struct world *w, enum fit_regime regime, const char *name)
{
    struct fit_result exact, drawn;
    double lambda[GAMTEST_FEATURES];
    size_t n = w->space.features;
    fit(w, FIT_EXACT, FIT_NEWTON, &exact);
    memcpy(lambda, w->gam->lambda, n * sizeof *lambda);
    ok(fit(w, regime, FIT_NEWTON, &drawn) == 0 && drawn.converged, "%s: converges", name);
    for (size_t i = 0; i < n; i++) {
        double d = w->gam->lambda[i] - lambda[i], se = drawn.feature[i].draws_se;
        ok(fabs(d) < 5 * se && se < 0.5, "%s: %s off by %g +- %g", name, w->setting->spec[i], d,
           se);
        ok(drawn.feature[i].se >= se, "%s: the draws are a part of the error", name);
    }
    double log_z = gamtest_distribution(&w->space, w->gam->lambda, w->p);
    ok(fabs(drawn.log_z - log_z) < 5 * drawn.log_z_se && drawn.log_z_se < 0.1,
       "%s: log Z off by %g +- %g", name, drawn.log_z - log_z, drawn.log_z_se);
    ok(drawn.ess > 500 && drawn.samples > 0, "%s: %g effective draws", name, drawn.ess);
    fit_clear(&exact);
    fit_clear(&drawn);
}

/* sgd ends near the optimum: the remaining deviance, strings times twice the difference in
 * log-likelihood, must not exceed what chance causes. */
static void
test_sgd(struct world *w, enum fit_regime regime, double most, const char *name)
{
    struct fit_result r;
    double objective[2];
    size_t n = w->space.features;
    for (int sgd = 0; sgd < 2; sgd++) {
        ok(fit(w, sgd ? regime : FIT_EXACT, sgd ? FIT_SGD : FIT_NEWTON, &r) == 0, "%s: ends", name);
        objective[sgd] = gamtest_distribution(&w->space, w->gam->lambda, w->p);
        for (size_t i = 0; i < n; i++)
            objective[sgd] -= w->gam->lambda[i] * w->target[i];
        fit_clear(&r);
    }
    double deviance = 2 * STRINGS * (objective[1] - objective[0]);
    ok(deviance < most, "%s: deviance %g", name, deviance);
}

/* ---- weights that are given, and weights without optimum */

static void
test_fixed(void)
{
    struct world w;
    struct err e = {0};
    struct fit_result r;
    static const bool fixed[] = {true, false, false};
    world_init(&w, &settings[0], (const double[]){-INFINITY, 0.5, -0.5});
    for (int regime = FIT_SNIS; regime <= FIT_EXACT; regime++) {
        struct fit_options o = {.regime = regime,
                                .optimizer = FIT_NEWTON,
                                .seed = 3,
                                .samples = 20000,
                                .accepted = 2000,
                                .epochs = 50,
                                .fixed = fixed};
        memcpy(w.gam->lambda, (const double[]){-INFINITY, 0, 0}, 3 * sizeof(double));
        ok(fit_run(w.gam, w.data, pool, &o, &r, &e) == 0, "regime %d: a hard constraint", regime);
        ok(w.gam->lambda[0] == -INFINITY && r.feature[0].note == FIT_FIXED, "stays");
        ok(r.feature[0].model == 0 && r.feature[0].se == 0 && r.feature[0].base > 0.3, "holds");
        double log_z = gamtest_distribution(&w.space, w.gam->lambda, w.p);
        ok(fabs(r.log_z - log_z) <= 5 * r.log_z_se + 1e-10, "and counts in Z");
        for (size_t i = 1; i < 3; i++)
            ok(fabs(enumerated_mean(&w, i) - w.target[i]) < (regime == FIT_EXACT ? 1e-9 : 0.05),
               "the others match");
        fit_clear(&r);
    }
    memcpy(w.gam->lambda, (const double[]){-INFINITY, 0, 0}, 3 * sizeof(double));
    world_clear(&w);
}

/* The motif is in all data, so its weight has no finite optimum: with the prior E phi = -l2
 * lambda; and a feature that never varies has no influence. */
static void
test_edges(void)
{
    static const struct gamtest_setting edge = {
        .alphabet = "01", .longest = 10, .spec = {"motif:0110", "prefix:1", "length:10"}};
    struct world w;
    struct fit_result r;
    world_init(&w, &edge, (const double[]){-INFINITY, 0.5, 0});
    for (int regime = FIT_SNIS; regime <= FIT_EXACT; regime++) {
        ok(fit(&w, (enum fit_regime)regime, FIT_NEWTON, &r) == 0, "regime %d: an edge", regime);
        ok(r.feature[0].note == FIT_PRIOR && r.feature[2].note == FIT_IDLE, "is noted");
        gamtest_distribution(&w.space, w.gam->lambda, w.p);
        double ratio = enumerated_mean(&w, 0) / (-1e-5 * w.gam->lambda[0]);
        ok(fabs(ratio - 1) < (regime == FIT_EXACT ? 1e-5 : 0.5), "the prior keeps it: %g", ratio);
        ok(w.gam->lambda[2] == 0 || fabs(w.gam->lambda[2]) < 1e-6, "no influence, no weight");
        fit_clear(&r);
    }
    ok(fit(&w, FIT_EXACT, FIT_SGD, &r) == 0 && r.feature[0].note == FIT_STOPPED, "sgd stops");
    ok(isfinite(w.gam->lambda[0]) && w.gam->lambda[0] < -3, "at a finite weight");
    fit_clear(&r);
    world_clear(&w);
}

/* A motif so rare that draws from r never have it: snis says so, rs finds it. */
static void
test_rare(void)
{
    static const struct gamtest_setting rare = {
        .alphabet = "01", .probs = "0.9,0.1", .longest = 14, .spec = {"motif:111111"}};
    struct world w;
    struct fit_result r;
    world_init(&w, &rare, (const double[]){-14});
    ok(fit(&w, FIT_SNIS, FIT_NEWTON, &r) == 0 && r.feature[0].note == FIT_UNSEEN, "snis is blind");
    ok(isfinite(w.gam->lambda[0]), "but finite");
    fit_clear(&r);
    ok(fit(&w, FIT_RS, FIT_NEWTON, &r) == 0, "rs finds it");
    ok(fabs(w.gam->lambda[0] + 14) < 5 * r.feature[0].se && r.feature[0].se < 1, "%g +- %g",
       w.gam->lambda[0], r.feature[0].se);
    fit_clear(&r);
    world_clear(&w);
}

static int
count_epochs(void *arg, const struct fit_epoch *s, struct err *e)
{
    uint64_t *seen = arg;
    (void)e;
    return s->epoch == ++*seen && s->lambda != NULL ? 0 : ERR_DATA;
}

static void
test_threads_and_epochs(void)
{
    struct world w;
    struct err e = {0};
    double lambda[2][GAMTEST_FEATURES];
    world_init(&w, &settings[1], truth);
    for (int k = 0; k < 2; k++) {
        struct pool *own = pool_new(1 + 2 * k, &e);
        uint64_t seen = 0;
        struct fit_options o = {.regime = FIT_RS,
                                .optimizer = FIT_NEWTON,
                                .seed = 3,
                                .accepted = 300,
                                .epochs = 50,
                                .fixed = none,
                                .epoch = count_epochs,
                                .arg = &seen};
        struct fit_result r;
        memset(w.gam->lambda, 0, 4 * sizeof(double));
        ok(fit_run(w.gam, w.data, own, &o, &r, &e) == 0 && seen == r.epochs && seen > 1, "epochs");
        memcpy(lambda[k], w.gam->lambda, 4 * sizeof(double));
        fit_clear(&r);
        pool_free(own);
    }
    ok(memcmp(lambda[0], lambda[1], 4 * sizeof(double)) == 0, "the same for any threads");
    world_clear(&w);
}

int
main(void)
{
    static const char *const name[] = {"white", "biased", "bases"};
    pool = pool_new(2, IGNORE_ERR);
    for (size_t k = 0; k < 3; k++) {
        struct world w;
        world_init(&w, &settings[k], truth);
        test_exact(&w, name[k]);
        test_errors(&w, name[k]);
        test_drawn(&w, FIT_SNIS, name[k]);
        test_drawn(&w, FIT_RS, name[k]);
        /* The deviance due to chance has as many degrees of freedom as features: 45 is
         * beyond 1e-8 for four.  Without chance it is what the falling rate leaves of a
         * feature as flat as count:11. */
        test_sgd(&w, FIT_EXACT, 10, name[k]);
        test_sgd(&w, FIT_SNIS, 45, name[k]);
        test_sgd(&w, FIT_RS, 45, name[k]);
        world_clear(&w);
    }
    test_fixed();
    test_edges();
    test_rare();
    test_threads_and_epochs();
    pool_free(pool);
    return tap_done();
}

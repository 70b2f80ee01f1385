/* SPDX-License-Identifier: MIT
 *
 * Guided sampling as a whole: the errors stated for log Z and for fitted weights cover the
 * exact values, and a part of P that r hardly ever shows is not missed.
 *
 * Seeds are fixed.  Of 200 z-scores 90 to 99 % must be within 1.96: correct errors fail that
 * with a probability of 1e-3 below and, being exact, 2e-2 above; errors of draws from a mixture
 * are a little too large, which the upper limit allows for.
 */
#include "gam/guided.h"

#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "feature/histogram.h"
#include "gam/fit.h"
#include "gam/guided_sampler.h"
#include "gam/partition.h"
#include "model/sampler.h"
#include "support/gamtest.h"
#include "support/tap.h"

static struct pool *pool;

/* ---- log Z ------------------------------------------------------------------------------ */

struct setting {
    struct gamtest_setting gam;
    double lambda[GAMTEST_FEATURES];
    const char *name;
};

static const struct setting settings[] = {
    {{.alphabet = "01",
      .longest = 10,
      .motif = "0110",
      .spec = {"motif:1110", "count:01", "edit:10101"}},
     {-INFINITY, -3, -4},
     "motif source"},
    {{.alphabet = "abc", .longest = 6, .lstm = true, .spec = {"edit:abca", "lcs:cab", "suffix:b"}},
     {-5, 3, -2},
     "LSTM"},
};

static struct gam *
gam_at(const struct gamtest_setting *s, const double *lambda)
{
    struct gam *g = gamtest_new(s);
    memcpy(g->lambda, lambda, feature_set_count(g->features) * sizeof *lambda);
    return g;
}

/* log Z from a guide that aims only part of the way to lambda, after one short lesson: a
 * better guide has weights so equal that their errors mean little. */
static struct draw_estimate
estimate(const struct gam *g, uint64_t seed, uint64_t draws)
{
    double aim[GAMTEST_FEATURES];
    for (size_t i = 0; i < feature_set_count(g->features); i++)
        aim[i] = 0.6 * g->lambda[i];
    struct draw_pool p = {.gam = g}, first = {.gam = g};
    struct guided *d = guided_new(g, g->model.max_length, pool, seed, "test", IGNORE_ERR);
    guided_draw(d, 100, true, &first, IGNORE_ERR);
    guided_aim(d, aim, IGNORE_ERR);
    guided_draw(d, draws, false, &p, IGNORE_ERR);
    struct draw_estimate o = draw_pool_estimate(&p, g->lambda);
    draw_pool_clear(&p);
    draw_pool_clear(&first);
    guided_free(d);
    return o;
}

static void
test_coverage(const struct setting *s)
{
    enum { RUNS = 200 };
    struct gam *g = gam_at(&s->gam, s->lambda);
    struct gamtest_space space;
    int within = 0;
    double bias = 0, variance = 0, ess = 0;
    gamtest_enumerate(&space, &s->gam, g, pool);
    double *p = calloc(space.count, sizeof *p), log_z = gamtest_distribution(&space, s->lambda, p);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct draw_estimate d = estimate(g, seed, 500);
        double z = (d.log_z - log_z) / d.log_z_se, ratio = exp(d.log_z - log_z) - 1;
        within += fabs(z) < 1.96;
        bias += ratio / RUNS;
        variance += ratio * ratio / RUNS;
        ess += d.ess / d.draws / RUNS;
    }
    ok(within >= 0.9 * RUNS && within <= 0.99 * RUNS,
       "%s: %d of %d log Z within 1.96 standard errors; ESS per draw %.2f", s->name, within, RUNS,
       ess);
    ok(fabs(bias) < 4 * sqrt(variance / RUNS), "%s: the mean of w is Z %+.1g, +- %.1g", s->name,
       bias, sqrt(variance / RUNS));
    free(p);
    gamtest_space_clear(&space);
    gam_free(g);
}

/* ---- a motif that r hardly ever shows ------------------------------------------------------ */

/* All strings of r have motif A, 1 in 1300 has B too, and both are required.  A guide that
 * treats states it has not seen as average ones shows perfect weights and misses most of P. */
static const struct gamtest_setting two_motifs = {
    .alphabet = "01",
    .longest = 30,
    .motif = "10001011111000",
    .spec = {"motif:10001011111000", "motif:011100110111"},
};

static void
test_two_motifs(void)
{
    const double lambda[] = {-INFINITY, -INFINITY};
    struct gam *g = gam_at(&two_motifs, lambda);
    struct partition exact;
    double worst = 0, least = 1, steps = 0;
    int refused = 0;
    int rc = gamtest_partition(g, pool, 0.1, &exact, IGNORE_ERR);
    ok(rc == 0 && exact.log_z_se == 0, "A and B: log Z is %.3f", exact.log_z);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct draw_estimate d;
        struct guided_gap gap;
        struct draw_pool p = {.gam = g};
        struct guided *guided = guided_new(g, 30, pool, seed, "test", IGNORE_ERR);
        guided_learn(guided, lambda, &gap, IGNORE_ERR);
        guided_draw(guided, 2000, false, &p, IGNORE_ERR);
        d = draw_pool_estimate(&p, lambda);
        guided_compare(guided, lambda, &d, &gap);
        refused += gap.wide;
        worst = fmax(worst, fabs(d.log_z - exact.log_z) / d.log_z_se);
        least = fmin(least, d.ess / d.draws);
        steps += (double)guided_steps(guided) / 20;
        draw_pool_clear(&p);
        guided_free(guided);
    }
    ok(refused == 0, "A and B: %d of 20 seeds refused", refused);
    ok(worst < 3, "A and B: log Z of 20 seeds off by at most %.2f errors", worst);
    printf("# ESS per draw at least %.2f, %.0f steps\n", least, steps);
    gam_free(g);
}

/* ---- weighted strings ------------------------------------------------------------------- */

struct weighted {
    double strings, sum, squares;
};

static int
add_weight(void *arg, const uint8_t *symbols, size_t length, double log_w, struct err *e)
{
    struct weighted *w = arg;
    (void)symbols, (void)length, (void)e;
    w->strings++;
    w->sum += exp(log_w);
    w->squares += exp(2 * log_w);
    return 0;
}

/* The base must have 11011 and cannot always do so without 0110: a tenth of the proposals
 * cannot end.  The mean weight of the strings is Z, within 4 standard errors. */
static void
test_weighted(void)
{
    static const struct gamtest_setting s = {
        .alphabet = "01", .longest = 9, .motif = "11011", .spec = {"count:0110"}};
    const double lambda[] = {-INFINITY};
    const struct guided_sampler_options o = {
        .seed = 1, .purpose = "test", .max_length = 9, .tvd = 0.01};
    struct gam *g = gam_at(&s, lambda);
    struct partition exact;
    struct weighted w = {0};
    struct sampler_stats stats;
    struct guided_sampler *sampler = guided_sampler_new(g, pool, &o, IGNORE_ERR);
    gamtest_partition(g, pool, 0.1, &exact, IGNORE_ERR);
    guided_sampler_run_weighted(sampler, 5000, add_weight, &w, IGNORE_ERR);
    guided_sampler_get_stats(sampler, &stats);
    double mean = w.sum / w.strings, se = sqrt(w.squares / w.strings - mean * mean) / sqrt(5000);
    double ended = 5000.0 / (double)stats.proposals;
    se = hypot(se / mean, sqrt((1 - ended) / ended / 5000));
    ok(w.strings == 5000 && ended < 0.95, "weighted strings of %llu proposals",
       (unsigned long long)stats.proposals);
    ok(fabs(log(mean) - exact.log_z) < 4 * se, "their mean is Z: log Z off by %+.4f, +- %.4f",
       log(mean) - exact.log_z, se);
    guided_sampler_free(sampler);
    gam_free(g);
}

/* ---- weights ------------------------------------------------------------------------------- */

enum { STRINGS = 500 };

struct world {
    struct gam *gam;
    struct gamtest_space space;
    struct histogram *data;
    struct strings strings; /* the data */
    double *p;              /* [space.count] */
    double target[GAMTEST_FEATURES];
};

static void
world_init(struct world *w, const struct gamtest_setting *s, const double *truth)
{
    struct rng r;
    *w = (struct world){.gam = gamtest_new(s)};
    gamtest_enumerate(&w->space, s, w->gam, pool);
    w->p = calloc(w->space.count, sizeof *w->p);
    w->data = histogram_new(w->gam->features, IGNORE_ERR);
    gamtest_distribution(&w->space, truth, w->p);
    rng_init(&r, 5, "test", 0);
    for (int k = 0; k < STRINGS; k++) {
        uint64_t whole[GAMTEST_FEATURES];
        size_t x = rng_categorical(&r, w->p, (unsigned)w->space.count), n = w->space.features;
        for (size_t i = 0; i < n; i++) {
            double phi = w->space.phi[x * n + i];
            whole[i] = (uint64_t)llround(phi * feature_set_denominator(w->gam->features, i));
            w->target[i] += phi / STRINGS;
        }
        histogram_add(w->data, whole, 1, IGNORE_ERR);
        uint8_t symbols[20];
        strings_add(&w->strings, symbols, space_string(&w->space.all, x, symbols), IGNORE_ERR);
    }
}

static void
world_clear(struct world *w)
{
    free(w->p);
    histogram_free(w->data);
    strings_clear(&w->strings);
    gamtest_space_clear(&w->space);
    gam_free(w->gam);
}

static const bool none[GAMTEST_FEATURES];

#define L2 1e-4

static int
fit(struct world *w, uint64_t seed, uint64_t epochs, struct fit_result *result)
{
    const struct fit_options o = {.regime = FIT_GUIDED,
                                  .optimizer = FIT_NEWTON,
                                  .seed = seed,
                                  .epochs = epochs,
                                  .l2 = L2,
                                  .fixed = none,
                                  .witness = &w->strings};
    memset(w->gam->lambda, 0, w->space.features * sizeof *w->gam->lambda);
    return fit_run(w->gam, w->data, pool, &o, result, IGNORE_ERR);
}

/* Means and covariance of the features under w->p. */
static void
find_moments(const struct world *w, double *mean, double (*cov)[GAMTEST_FEATURES])
{
    size_t n = w->space.features;
    memset(mean, 0, n * sizeof *mean);
    memset(cov, 0, n * sizeof *cov);
    for (size_t x = 0; x < w->space.count; x++)
        for (size_t i = 0; i < n; i++)
            mean[i] += w->p[x] * w->space.phi[x * n + i];
    for (size_t x = 0; x < w->space.count; x++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                cov[i][j] += w->p[x] * (w->space.phi[x * n + i] - mean[i]) *
                             (w->space.phi[x * n + j] - mean[j]);
}

/* x := a^-1 x by elimination; a is positive definite. */
static void
solve(double (*a)[GAMTEST_FEATURES], double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++)
                a[i][j] -= f * a[k][j];
            x[i] -= f * x[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
}

/* The weights of the data, by Newton's method on sums over all strings. */
static void
fit_by_enumeration(const struct world *w, double *lambda)
{
    double mean[GAMTEST_FEATURES], cov[GAMTEST_FEATURES][GAMTEST_FEATURES], step[GAMTEST_FEATURES];
    memset(lambda, 0, GAMTEST_FEATURES * sizeof *lambda);
    for (int k = 0; k < 50; k++) {
        gamtest_distribution(&w->space, lambda, w->p);
        find_moments(w, mean, cov);
        for (size_t i = 0; i < w->space.features; i++) {
            step[i] = w->target[i] - mean[i] - L2 * lambda[i];
            cov[i][i] += L2;
        }
        solve(cov, step, w->space.features);
        for (size_t i = 0; i < w->space.features; i++)
            lambda[i] += fmin(fmax(step[i], -2), 2);
    }
}

/* Each weight's error in units of draws_se: mean square near 1, none beyond 4.5 (a false-alarm
 * rate of 7e-6 each). */
static void
test_fit(const struct gamtest_setting *s, const double *truth, const char *name)
{
    enum { RUNS = 25 };
    struct world w;
    double exact[GAMTEST_FEATURES], worst = 0, square = 0;
    bool good = true;
    world_init(&w, s, truth);
    fit_by_enumeration(&w, exact);
    double log_z = gamtest_distribution(&w.space, exact, w.p), n = (double)w.space.features;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct fit_result r = {0};
        good &= fit(&w, seed, 100, &r) == 0 && r.converged && !r.unfitted && r.gap == 0 &&
                r.missed == 0;
        for (size_t i = 0; i < w.space.features; i++) {
            double z = (w.gam->lambda[i] - exact[i]) / r.feature[i].draws_se;
            worst = fmax(worst, fabs(z));
            square += z * z / n / RUNS;
            good &= r.feature[i].note == FIT_FREE && r.feature[i].draws_se > 0;
        }
        double own = gamtest_distribution(&w.space, w.gam->lambda, w.p);
        good &= fabs(r.log_z - own) < 4.5 * r.log_z_se && fabs(own - log_z) < 1;
        fit_clear(&r);
    }
    ok(good, "%s: all fits converge, with log Z at their weights", name);
    ok(worst < 4.5 && square > 0.3 && square < 1.6,
       "%s: weights within their errors: mean square %.2f, worst %.2f", name, square, worst);
    world_clear(&w);
}

/* The base has a motif that the feature does not see, and the data ask for few ones: a guide
 * puts the motif off to the end.  What comes without a complaint is right. */
static void
test_hidden(void)
{
    enum { RUNS = 20 };
    static const struct gamtest_setting s = {
        .alphabet = "01", .longest = 12, .motif = "0110100", .spec = {"count:1"}};
    const double truth[] = {-100};
    struct world w;
    double exact[GAMTEST_FEATURES];
    int right = 0, wrong = 0;
    world_init(&w, &s, truth);
    fit_by_enumeration(&w, exact);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct fit_result r = {0};
        bool told = fit(&w, seed, 30, &r) != 0 || !r.converged || r.unfitted || r.gap > 0 ||
                    r.missed > 0 || r.ess < 20;
        double z = (w.gam->lambda[0] - exact[0]) / r.feature[0].draws_se;
        double own = gamtest_distribution(&w.space, w.gam->lambda, w.p);
        bool good = fabs(z) < 4.5 && fabs(r.log_z - own) < 4.5 * r.log_z_se;
        right += !told && good;
        wrong += !told && !good;
        fit_clear(&r);
    }
    ok(wrong == 0, "hidden motif: %d fits right, %d wrong without a complaint, of %d", right, wrong,
       RUNS);
    world_clear(&w);
}

/* Strings that are given instead of drawn: log r, and weights under other draws. */
static void
test_follow(const struct gamtest_setting *s)
{
    struct gam *g = gamtest_new(s);
    struct gamtest_space space;
    struct strings all = {0};
    struct draw_pool given = {.gam = g}, drawn = {.gam = g};
    struct guided *d = guided_new(g, s->longest, pool, 1, "test", IGNORE_ERR);
    const double lambda[GAMTEST_FEATURES] = {-1, 2, -3};
    uint8_t *symbols = NULL;
    size_t capacity = 0, possible = 0, wrong = 0;
    gamtest_enumerate(&space, s, g, pool);
    for (size_t x = space.count; x-- > 0;) {
        uint8_t one[20];
        strings_add(&all, one, space_string(&space.all, x, one), IGNORE_ERR);
        possible += space.log_r[x] > -INFINITY;
    }
    guided_follow(d, &all, false, &given, IGNORE_ERR);
    guided_draw(d, 300, false, &drawn, IGNORE_ERR);
    double *log_w = calloc(given.strings, sizeof *log_w);
    draw_pool_cross_weights(&given, &drawn, lambda, log_w, IGNORE_ERR);
    for (size_t i = 0; i < given.strings; i++) {
        size_t length;
        draw_pool_string(&given, i, &symbols, &capacity, &length, IGNORE_ERR);
        size_t x = space_number(&space.all, symbols, length);
        double dot = 0;
        for (size_t k = 0; k < space.features; k++)
            dot += lambda[k] * space.phi[x * space.features + k];
        wrong += !(fabs(given.log_r[i] - space.log_r[x]) < 1e-5 && given.count[i] == 1);
        wrong += !(fabs(log_w[i] - dot) < 1e-9); /* r drew the others: w = exp(dot) */
    }
    ok(given.strings == possible && given.draws == (double)space.count && wrong == 0,
       "%zu given strings, %zu of them possible", space.count, possible);
    free(log_w);
    mem_free(symbols);
    strings_clear(&all);
    draw_pool_clear(&given);
    draw_pool_clear(&drawn);
    guided_free(d);
    gamtest_space_clear(&space);
    gam_free(g);
}

/* One round is not enough, and the result says so. */
static void
test_unfinished(const struct gamtest_setting *s)
{
    const double truth[] = {-9, 3, -6};
    struct world w;
    struct fit_result r = {0};
    bool unmatched = false;
    world_init(&w, s, truth);
    ok(fit(&w, 1, 1, &r) == 0 && !r.converged, "one round: not converged");
    for (size_t i = 0; i < w.space.features; i++) {
        double slope = r.feature[i].target - r.feature[i].model - L2 * w.gam->lambda[i];
        unmatched |= r.feature[i].note == FIT_UNMATCHED && fabs(slope) > 1e-3;
    }
    ok(r.unfitted && unmatched, "one round: a moment that is not matched is named");
    fit_clear(&r);
    world_clear(&w);
}

/* One lucky string among 1000 of r is no evidence against 4000 good draws; 25 strings are. */
static void
test_lucky(void)
{
    const struct draw_estimate good = {.draws = 4000, .log_z = -11, .log_z_se = 0.01, .ess = 3000};
    const struct draw_estimate lucky = {.draws = 1000, .log_z = -6.9, .log_z_se = 1, .ess = 1};
    const struct draw_estimate sure = {.draws = 1000, .log_z = -6.9, .log_z_se = 0.2, .ess = 25};
    struct guided_gap few = {0}, many = {0};
    guided_gap_add(&few, &good, &lucky, true);
    guided_gap_add(&many, &good, &sure, true);
    ok(!few.wide && many.wide, "log Z: one lucky string is no disagreement, 25 are");
}

int
main(void)
{
    static const struct gamtest_setting automaton = {
        .alphabet = "01",
        .probs = "0.7,0.3",
        .stop = 0.1,
        .longest = 9,
        .spec = {"motif:110", "length", "edit:01011", "suffix:01"},
    };
    static const struct gamtest_setting network = {
        .alphabet = "abc",
        .longest = 6,
        .lstm = true,
        .spec = {"motif:cab", "count:a", "lcs:bbcc"},
    };
    const double truth[] = {-1.5, 0.8, -2, 1};
    pool = pool_new(1, IGNORE_ERR);
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        test_coverage(&settings[k]);
    test_two_motifs();
    test_lucky();
    test_weighted();
    test_fit(&automaton, truth, "automaton");
    test_fit(&network, truth, "LSTM");
    test_unfinished(&network);
    test_hidden();
    test_follow(&network);
    test_follow(&automaton);
    pool_free(pool);
    return tap_done();
}

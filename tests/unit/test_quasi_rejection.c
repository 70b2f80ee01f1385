/* SPDX-License-Identifier: MIT
 * Quasi-rejection: its bound against the formula, and the total variation distance of the
 * strings it accepts, by enumeration, against the limit that it states.
 *
 * The strings accepted have a distribution proportional to q(x) min(1, w(x) / beta), so
 * the true distance is known for every run.
 *
 * The weights of a pilot alone do not show what a guide misses: one that has learned from a
 * model that is grossly wrong, or that does not see what r remembers, breaks the limit.  Such
 * runs are refused because other draws disagree with them about log Z. */
#include "gam/quasi_rejection.h"

#include "core/dmath.h"
#include "core/pool.h"
#include "core/rng.h"
#include "gam/guide.h"
#include "gam/guided.h"
#include "gam/guided_sampler.h"
#include "gam/tree_drawer.h"
#include "model/sampler.h"
#include "support/chisq.h"
#include "support/guidetest.h"
#include "support/tap.h"

static struct pool *pool;

/* ---- the bound ------------------------------------------------------------------------ */

enum { WEIGHTS = 40 };

/* U(beta) by its definition. */
static double
limit_at(const double *w, const uint64_t *count, double n, double beta)
{
    double z = 0, most = 0, lost = 0, squares = 0;
    for (size_t i = 0; i < WEIGHTS; i++) {
        z += (double)count[i] * w[i] / n;
        lost += (double)count[i] * fmax(0, w[i] - beta) / n;
        most = fmax(most, w[i]);
    }
    double d = lost / z;
    for (size_t i = 0; i < WEIGHTS; i++) {
        double v = (fmax(0, w[i] - beta) - d * w[i]) / z;
        squares += (double)count[i] * v * v / n;
    }
    return d + 1.645 * sqrt(squares / n) + 3 / n * fmax(0, 2 * most - beta) / z;
}

static void
test_bound(double spread, double tvd)
{
    struct rng r;
    double w[WEIGHTS], unit[WEIGHTS], log_w[WEIGHTS], accepted = 0, n = 50, z = 0;
    uint64_t count[WEIGHTS];
    rng_init(&r, 2, "test", 0);
    for (size_t i = 0; i < WEIGHTS; i++) {
        log_w[i] = -3 + spread * rng_double(&r);
        w[i] = exp(log_w[i]);
        count[i] = 1 + rng_below(&r, 300);
        n += (double)count[i];
        z += (double)count[i] * w[i];
    }
    z /= n;
    for (size_t i = 0; i < WEIGHTS; i++)
        unit[i] = w[i] / z;
    const struct quasi_rejection_pilot pilot = {
        .w = unit, .count = count, .strings = WEIGHTS, .draws = n, .log_z = log(z)};
    struct quasi_rejection q = quasi_rejection_choose(&pilot, NULL, tvd);
    double beta = exp(q.log_beta), u = limit_at(w, count, n, beta);
    for (size_t i = 0; i < WEIGHTS; i++)
        accepted += (double)count[i] * quasi_rejection_accept(&q, log_w[i]) / n;
    ok(fabs(u - q.tvd_hi95) < 1e-9 && u <= tvd + 1e-9 && q.tvd <= u, "spread %g: the limit is %.4f",
       spread, u);
    ok(fabs(accepted - q.acceptance) < 1e-9, "spread %g: acceptance %.3f", spread, accepted);
    /* A beta that accepts 5 % more strings breaks the limit. */
    ok(limit_at(w, count, n, beta / 1.1) > tvd, "spread %g: a smaller bound is none", spread);
}

/* ---- the true distance ---------------------------------------------------------------- */

struct setting {
    struct gamtest_setting gam;
    double lambda[GAMTEST_FEATURES];
    const char *name;
    bool lessons; /* try bad guides too */
};

static const struct setting settings[] = {
    {{.alphabet = "01",
      .longest = 9,
      .lstm = true,
      .spec = {"motif:0110", "motif:111", "count:01", "length:8"}},
     {-INFINITY, -INFINITY, 6, -1},
     "two motifs",
     true},
    {{.alphabet = "abc", .longest = 5, .lstm = true, .spec = {"edit:abca", "lcs:cab", "suffix:b"}},
     {-5, 3, -2},
     "distances",
     true},
    {{.alphabet = "01",
      .longest = 10,
      .motif = "0110",
      .spec = {"motif:1110", "count:01", "edit:10101"}},
     {-INFINITY, -3, -4},
     "motif source",
     true},
    {{.alphabet = "01", .longest = 10, .spec = {"motif:1101", "edit:0110", "prefix:01"}},
     {-INFINITY, -4, 1.5},
     "fixed length",
     false},
    {{.alphabet = "01", .longest = 9, .lstm = true, .spec = {"count:1"}},
     {-40},
     "LSTM with few ones",
     false},
    {{.alphabet = "01", .longest = 9, .lstm = true, .spec = {"suffix:011", "prefix:1", "length"}},
     {-6, 2, -4},
     "LSTM, patterns",
     false},
    /* The base has a motif that the features do not see: a guide with few ones draws them late,
       when the base requires them. */
    {{.alphabet = "01", .longest = 12, .motif = "0110100", .spec = {"count:1"}},
     {-120},
     "hidden motif",
     false},
    {{.alphabet = "01", .longest = 12, .motif = "0110100", .spec = {"count:1"}},
     {-15},
     "hidden motif, weak tilt",
     false},
};
enum { SETTINGS = sizeof settings / sizeof *settings, RUNS = 200, PILOT = 4000 };

struct world {
    const struct setting *setting;
    struct gam *gam;
    struct gamtest_space space;
    struct guidetest_rows rows;
    struct guided *witness; /* has learned at these weights */
    struct guided_gap gap;
    double *p, *log_w, *q; /* [space.count] P normalized; weights and proposal of one run */
};

static void
world_init(struct world *w, const struct setting *s)
{
    *w = (struct world){.setting = s, .gam = gamtest_new(&s->gam)};
    memcpy(w->gam->lambda, s->lambda, feature_set_count(w->gam->features) * sizeof *s->lambda);
    gamtest_enumerate(&w->space, &s->gam, w->gam, pool);
    w->rows = guidetest_rows_of(&w->space, w->gam->model.base, pool);
    w->p = calloc(w->space.count, sizeof *w->p);
    w->log_w = calloc(w->space.count, sizeof *w->log_w);
    w->q = calloc(w->space.count, sizeof *w->q);
    gamtest_distribution(&w->space, s->lambda, w->p);
    w->witness = guided_new(w->gam, s->gam.longest, pool, 1, "witness", IGNORE_ERR);
    guided_learn(w->witness, s->lambda, &w->gap, IGNORE_ERR);
}

static void
world_clear(struct world *w)
{
    guided_free(w->witness);
    free(w->p);
    free(w->log_w);
    free(w->q);
    guidetest_rows_clear(&w->rows);
    gamtest_space_clear(&w->space);
    gam_free(w->gam);
}

/* Replaces q by the distribution of the strings accepted; its distance to P. */
static double
true_distance(struct world *w, const struct quasi_rejection *q)
{
    double sum = 0, distance = 0;
    for (size_t x = 0; x < w->space.count; x++) {
        w->q[x] *= quasi_rejection_accept(q, w->log_w[x]);
        sum += w->q[x];
    }
    for (size_t x = 0; x < w->space.count; x++) {
        w->q[x] /= sum;
        distance += fabs(w->q[x] - w->p[x]) / 2;
    }
    return distance;
}

/* The result of one run. */
struct verdict {
    bool refused;
    struct quasi_rejection bound;
    double distance, ess;
};

/* Judges a pilot as guided_sampler does, by its weights and by the draws of `learned`, whose
 * own gap is in *gap. */
static struct verdict
judge(struct world *w, struct draw_pool *pilot, const struct guided *learned,
      struct guided_gap *gap, double tvd)
{
    const double *lambda = w->setting->lambda;
    struct draw_estimate d = draw_pool_estimate(pilot, lambda);
    guided_compare(learned, lambda, &d, gap);
    struct verdict v = {.refused = d.ess < GUIDED_ESS_MIN * d.draws || gap->wide,
                        .ess = d.ess / d.draws};
    double *unit = calloc(pilot->strings + 1, sizeof *unit);
    for (size_t i = 0; i < pilot->strings; i++)
        unit[i] = dm_exp(draw_pool_log_weight(pilot, lambda, i) - d.log_z);
    if (d.ess > 0) {
        const struct quasi_rejection_pilot own = {.w = unit,
                                                  .count = pilot->count,
                                                  .strings = pilot->strings,
                                                  .draws = d.draws,
                                                  .log_z = d.log_z};
        double missed;
        guided_sampler_bound(guided_learned(learned), pilot, lambda, &own, tvd, &v.bound, &missed,
                             IGNORE_ERR);
        v.refused |= missed > 0;
        guidetest_weights(&w->space, &w->rows, lambda, pilot, w->log_w, w->q);
        v.distance = true_distance(w, &v.bound);
    }
    free(unit);
    return v;
}

static struct verdict
run_learned(struct world *w, uint64_t seed, double tvd)
{
    struct draw_pool pilot = {.gam = w->gam};
    struct guided_gap gap;
    struct guided *d = guided_new(w->gam, w->setting->gam.longest, pool, seed, "test", IGNORE_ERR);
    guided_learn(d, w->setting->lambda, &gap, IGNORE_ERR);
    guided_draw(d, PILOT, false, &pilot, IGNORE_ERR);
    struct verdict v = judge(w, &pilot, d, &gap, tvd);
    draw_pool_clear(&pilot);
    guided_free(d);
    return v;
}

/* What a bad guide has learned: some draws of a model of independent symbols, or of r if
 * there are no probabilities, and then rounds of 500 of its own proposals. */
struct lesson {
    const char *name, *probs[2]; /* of 2 symbols, of 3 */
    double stop;
    uint64_t draws;
    int rounds;
};

static const struct lesson lessons[] = {
    {"one string", {NULL}, 0, 1, 0},
    {"a wrong model", {"0.7,0.3", "0.6,0.2,0.2"}, 0.1, 100, 0},
    {"the opposite", {"0.3,0.7", "0.2,0.2,0.6"}, 0.1, 100, 0},
    {"a gross error, then two rounds", {"0.9,0.1", "0.8,0.1,0.1"}, 0.3, 100, 2},
    {"a gross error", {"0.9,0.1", "0.8,0.1,0.1"}, 0.3, 100, 0},
};
enum { LESSONS = sizeof lessons / sizeof *lessons };

static void
learn_first(const struct world *w, const struct lesson *l, uint64_t seed, struct guide_source *s)
{
    struct draw_tree t = {0};
    struct gamtest_setting other = {.alphabet = w->setting->gam.alphabet,
                                    .probs = l->probs[w->rows.symbols > 2],
                                    .stop = l->stop,
                                    .longest = w->setting->gam.longest};
    struct pfsa *wrong = l->stop > 0 ? gamtest_pfsa(&other) : NULL;
    struct tree_drawer *d =
        tree_drawer_new(wrong != NULL ? &wrong->model : w->gam->model.base, pool, other.longest,
                        guide_source_parts(s), seed, "lesson", IGNORE_ERR);
    tree_drawer_run(d, NULL, 0, l->draws, &t, IGNORE_ERR);
    guide_source_learn(s, &t, 1, IGNORE_ERR);
    draw_tree_clear(&t);
    tree_drawer_free(d);
    pfsa_free(wrong);
}

/* A tenth of the draws is from the product guide. */
static void
draw_round(const struct world *w, struct guide_source *s, struct tree_drawer *d, uint64_t round,
           uint64_t draws, struct draw_pool *p)
{
    for (int product = 0; product <= 1; product++) {
        struct draw_tree t = {0};
        struct guide *g = guide_new(s, w->setting->lambda, product, IGNORE_ERR);
        uint64_t share = product ? draws / 10 : draws - draws / 10;
        tree_drawer_run(d, g, 2 * round + (uint64_t)product, share, &t, IGNORE_ERR);
        if (p == NULL)
            guide_source_learn(s, &t, product ? 1 : 0.7, IGNORE_ERR);
        if (p != NULL)
            draw_pool_add(p, guide_share(g), &t, IGNORE_ERR);
        draw_tree_clear(&t);
        guide_free(g);
    }
}

static struct verdict
run_misled(struct world *w, const struct lesson *l, uint64_t seed, double tvd)
{
    struct draw_pool pilot = {.gam = w->gam};
    uint64_t longest = w->setting->gam.longest;
    struct guide_source *s =
        guide_source_new(w->gam->features, longest, GUIDE_ENTRIES_MAX, IGNORE_ERR);
    struct tree_drawer *d = tree_drawer_new(w->gam->model.base, pool, longest,
                                            guide_source_parts(s), seed, "test", IGNORE_ERR);
    learn_first(w, l, seed, s);
    for (int k = 0; k < l->rounds; k++)
        draw_round(w, s, d, (uint64_t)k + 1, 500, NULL);
    draw_round(w, s, d, 0, PILOT, &pilot);
    struct guided_gap gap = w->gap;
    struct verdict v = judge(w, &pilot, w->witness, &gap, tvd);
    draw_pool_clear(&pilot);
    tree_drawer_free(d);
    guide_source_free(s);
    return v;
}

/* At least 95 % of the runs that are not refused keep the limit. */
static void
test_limit(struct world *w, const struct lesson *l, double tvd)
{
    int refused = 0, broken = 0;
    double ess = 0, most = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct verdict v = l != NULL ? run_misled(w, l, seed, tvd) : run_learned(w, seed, tvd);
        refused += v.refused;
        broken += !v.refused && v.distance > v.bound.tvd_hi95;
        ess += v.ess / RUNS;
        most = v.refused ? most : fmax(most, v.distance);
    }
    const char *name = w->setting->name, *which = l != NULL ? l->name : "learned as usual";
    ok(20 * broken <= RUNS - refused, "%s, %s: %d of %d runs refused, %d beyond the limit", name,
       which, refused, RUNS, broken);
    printf("# ESS per draw %.2f, largest distance %.4f\n", ess, most);
}

/* ---- the sampler ------------------------------------------------------------------------ */

static int
count_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct world *w = ((void **)arg)[0];
    uint64_t *seen = ((void **)arg)[1];
    (void)e;
    seen[space_number(&w->space.all, symbols, length)]++;
    return 0;
}

/* The sampler makes the same pilot, and its strings have the distribution that follows. */
static void
test_sampler(struct world *w)
{
    enum { STRINGS = 20000 };
    const struct guided_sampler_options o = {
        .seed = 7, .purpose = "test", .max_length = w->setting->gam.longest, .tvd = 0.01};
    struct err e = {0};
    struct guided_sampler_quality quality;
    struct sampler_stats stats;
    uint64_t *seen = calloc(w->space.count, sizeof *seen);
    void *arg[] = {w, seen};
    const struct sampler_request request = {
        .count = STRINGS, .max_proposals = INT64_MAX, .string = count_string, .arg = arg};
    struct verdict v = run_learned(w, 7, 0.01);
    struct guided_sampler *s = guided_sampler_new(w->gam, pool, &o, &e);
    guided_sampler_get_quality(s, &quality);
    ok(quality.tvd_hi95 == v.bound.tvd_hi95 && quality.tvd == v.bound.tvd &&
           fabs(quality.ess - v.ess) < 1e-9 && !quality.refused,
       "%s: the sampler states %.4f, at most %.4f", w->setting->name, quality.tvd,
       quality.tvd_hi95);
    ok(guided_sampler_run(s, &request, &e) == 0, "%s: draws", w->setting->name);
    guided_sampler_get_stats(s, &stats);
    double rate = (double)stats.accepted / (double)stats.proposals;
    ok(stats.written == STRINGS && chisq_passes(seen, w->q, w->space.count, STRINGS),
       "%s: distribution of the strings accepted", w->setting->name);
    ok(fabs(rate - v.bound.acceptance) < 0.05, "%s: acceptance %.2f, in the pilot %.2f",
       w->setting->name, rate, v.bound.acceptance);
    guided_sampler_free(s);
    free(seen);
}

int
main(void)
{
    pool = pool_new(1, IGNORE_ERR);
    test_bound(0.1, 0.01);
    test_bound(2, 0.01);
    test_bound(5, 0.05);
    for (size_t k = 0; k < SETTINGS; k++) {
        struct world w;
        world_init(&w, &settings[k]);
        if (settings[k].lessons)
            test_sampler(&w);
        test_limit(&w, NULL, 0.01);
        for (size_t i = 0; i < LESSONS && settings[k].lessons; i++)
            test_limit(&w, &lessons[i], 0.01);
        world_clear(&w);
    }
    pool_free(pool);
    return tap_done();
}

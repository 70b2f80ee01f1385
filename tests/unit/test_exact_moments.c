/* SPDX-License-Identifier: MIT
 *
 * Exact moments against enumeration of all strings, closed forms, and known values of the
 * paper's experiment.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "gam/exact_moments.h"
#include "gam/moments.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/ignore.h"
#include "support/random_model.h"
#include "support/source.h"
#include "support/tap.h"

enum { FEATURES = 16, STATE_MAX = 512 };

static int
near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance;
}

static struct pfsa *
build(const char *const (*options)[2], size_t count)
{
    struct source source = {0};
    struct err e = {0};
    for (size_t i = 0; i < count; i++)
        source_set(&source, options[i][0], options[i][1], &e);
    struct pfsa *p = source_build(&source, &e);
    source_clear(&source);
    if (p == NULL)
        printf("# %s\n", e.text);
    return p;
}

static struct feature_set *
make_features(const struct alphabet *a, const char *const *specs, size_t count, uint64_t max_length)
{
    struct err e = {0};
    struct feature_set *f = feature_set_new(a, &e);
    for (size_t i = 0; i < count; i++)
        if (feature_set_add(f, specs[i], &e) < 0)
            printf("# %s\n", e.text);
    feature_set_set_max_length(f, max_length);
    return f;
}

/* ---- enumeration ---------------------------------------------------------------- */

struct sums {
    size_t n;
    double z, mean[FEATURES], square[FEATURES][FEATURES]; /* of phi phi' */
    double lo[FEATURES], hi[FEATURES];
};

/* Adds a string of weight w. */
static void
add_string(struct sums *s, const double *phi, double w)
{
    s->z += w;
    for (size_t i = 0; i < s->n; i++) {
        s->mean[i] += w * phi[i];
        s->lo[i] = fmin(s->lo[i], phi[i]);
        s->hi[i] = fmax(s->hi[i], phi[i]);
        for (size_t j = 0; j < s->n; j++)
            s->square[i][j] += w * phi[i] * phi[j];
    }
}

/* Adds all strings of up to `left` more symbols that follow the prefix x. */
static void
enumerate(const struct pfsa *p, const struct feature_set *f, const double *lambda, uint8_t *x,
          size_t n, size_t left, const uint32_t *state, struct sums *s)
{
    double phi[FEATURES];
    feature_set_values(f, state, phi);
    double w = exp(pfsa_log_prob(p, x, n) + feature_set_dot(f, lambda, phi));
    if (w > 0)
        add_string(s, phi, w);
    for (unsigned a = 0; left > 0 && a < p->model.alphabet.size; a++) {
        uint32_t child[STATE_MAX / 4];
        memcpy(child, state, feature_set_state_bytes(f));
        feature_set_step(f, child, (uint8_t)a);
        x[n] = (uint8_t)a;
        enumerate(p, f, lambda, x, n + 1, left - 1, child, s);
    }
}

static struct sums
enumerate_all(const struct pfsa *p, const struct feature_set *f, const double *lambda,
              size_t longest)
{
    struct sums s = {.n = feature_set_count(f)};
    uint32_t state[STATE_MAX / 4];
    uint8_t x[64];
    for (size_t i = 0; i < s.n; i++) {
        s.lo[i] = INFINITY;
        s.hi[i] = -INFINITY;
    }
    feature_set_start(f, state);
    enumerate(p, f, lambda, x, 0, longest, state, &s);
    for (size_t i = 0; i < s.n; i++) {
        s.mean[i] /= s.z;
        for (size_t j = 0; j < s.n; j++)
            s.square[i][j] /= s.z;
    }
    return s;
}

/* The number of values of m that differ from the sums. */
static int
wrong_moments(const struct moments *m, const struct sums *s, double tolerance)
{
    int wrong = !near(m->log_z, log(s->z), tolerance);
    for (size_t i = 0; i < s->n; i++) {
        wrong += !near(m->mean[i], s->mean[i], tolerance);
        for (size_t j = 0; j < s->n; j++)
            wrong += !near(m->covariance[i * s->n + j], s->square[i][j] - s->mean[i] * s->mean[j],
                           tolerance);
    }
    return wrong;
}

/* The number of derivatives of log Z and of the means, by differences in lambda, that differ
 * from the means and the covariances. */
static int
wrong_differences(struct moments *m, const double *lambda)
{
    const double h = 1e-4;
    double at[FEATURES], mean[FEATURES], covariance[FEATURES][FEATURES], low[FEATURES];
    struct err e = {0};
    int wrong = 0;
    memcpy(mean, m->mean, m->n * sizeof *mean);
    for (size_t i = 0; i < m->n; i++)
        memcpy(covariance[i], m->covariance + i * m->n, m->n * sizeof *mean);
    for (size_t i = 0; i < m->n; i++) {
        if (lambda[i] == -INFINITY)
            continue;
        memcpy(at, lambda, m->n * sizeof *at);
        at[i] -= h;
        m->at(m, at, &e);
        double low_z = m->log_z;
        memcpy(low, m->mean, m->n * sizeof *low);
        at[i] += 2 * h;
        m->at(m, at, &e);
        wrong += !near((m->log_z - low_z) / (2 * h), mean[i], 1e-7);
        for (size_t j = 0; j < m->n; j++)
            wrong += !near((m->mean[j] - low[j]) / (2 * h), covariance[i][j], 1e-7);
    }
    m->at(m, lambda, &e);
    return wrong + e.code;
}

/* Moments at lambda against enumeration up to `max_length`, with tables of `bytes`. */
static void
check_moments(const struct pfsa *p, const struct feature_set *f, uint64_t max_length,
              const double *lambda, size_t bytes, const char *name)
{
    struct err e = {0};
    double lo[FEATURES], hi[FEATURES];
    struct sums s = enumerate_all(p, f, lambda, max_length);
    struct exact_moments *x = exact_moments_new(p, f, max_length, lambda, bytes, &e);
    if (x == NULL) {
        ok(e.code == ERR_EMPTY && s.z == 0, "%s: %s", name, e.text);
        return;
    }
    struct moments *m = exact_moments_get(x);
    m->at(m, lambda, &e);
    m->spread(m, &e);
    int wrong = wrong_moments(m, &s, 1e-11), differences = wrong_differences(m, lambda), ranges = 0;
    exact_ranges(x, lo, hi, &e);
    for (size_t i = 0; i < s.n; i++)
        ranges += lo[i] != s.lo[i] || hi[i] != s.hi[i];
    ok(e.code == 0 && wrong == 0 && differences == 0 && ranges == 0,
       "%s: %d moments, %d differences, %d ranges wrong", name, wrong, differences, ranges);
    exact_moments_free(x);
}

/* Random automata and features; a hard constraint every other time; tables for all features
 * or for one. */
static void
test_tilted(const char *alphabet, size_t longest, int trials)
{
    struct rng r;
    rng_init(&r, 2, "test_exact_moments", strlen(alphabet));
    for (int i = 0; i < trials; i++) {
        char name[256];
        double lambda[FEATURES];
        struct pfsa *p =
            random_model_pfsa(&r, alphabet, i % 3 == 0, 2 + (uint32_t)rng_below(&r, 4));
        struct feature_set *f =
            random_model_features(&r, &p->model.alphabet, true, 6, name, sizeof name);
        feature_set_set_max_length(f, longest);
        for (size_t k = 0; k < feature_set_count(f); k++)
            lambda[k] = 6 * rng_double(&r) - 3;
        if (i % 2 == 0)
            lambda[rng_below(&r, feature_set_count(f))] = -INFINITY;
        uint64_t max_length = i % 4 == 1 ? longest - 2 : longest;
        if (p->model.min_length <= max_length)
            check_moments(p, f, max_length, lambda, i % 2 == 0 ? 1 : EXACT_MOMENTS_BYTES, name);
        feature_set_free(f);
        pfsa_free(p);
    }
}

/* Cycles and no maximum length: only differences. */
static void
test_cyclic(int trials)
{
    struct rng r;
    rng_init(&r, 3, "test_exact_moments", 0);
    for (int i = 0; i < trials; i++) {
        char name[256];
        double lambda[FEATURES];
        struct err e = {0};
        struct pfsa *p = random_model_pfsa(&r, "abc", false, 2 + (uint32_t)rng_below(&r, 4));
        struct feature_set *f =
            random_model_features(&r, &p->model.alphabet, false, 4, name, sizeof name);
        for (size_t k = 0; k < feature_set_count(f); k++)
            lambda[k] = 4 * rng_double(&r) - 2;
        struct exact_moments *x =
            exact_moments_new(p, f, MODEL_UNBOUNDED, lambda, EXACT_MOMENTS_BYTES, &e);
        struct moments *m = exact_moments_get(x);
        m->at(m, lambda, &e);
        m->spread(m, &e);
        int wrong = wrong_differences(m, lambda);
        ok(e.code == 0 && wrong == 0, "%s, any length: %d differences wrong", name, wrong);
        exact_moments_free(x);
        feature_set_free(f);
        pfsa_free(p);
    }
}

static void
check(const char *name, struct pfsa *p, const char *const *specs, size_t count, size_t longest)
{
    struct err e = {0};
    struct feature_set *f = make_features(&p->model.alphabet, specs, count, longest);
    const double none[FEATURES] = {0};
    double mean[FEATURES];
    for (size_t max_length = longest; max_length + 3 > longest; max_length -= 2) {
        struct sums s = enumerate_all(p, f, none, max_length);
        if (s.z == 0)
            continue;
        int rc = exact_means(p, f, max_length, EXACT_MEANS_SIZE_MAX, mean, &e), wrong = 0;
        for (size_t i = 0; i < count; i++)
            if (!near(mean[i], s.mean[i], 1e-12)) {
                wrong++;
                printf("# %s: %.17g, wanted %.17g\n", specs[i], mean[i], s.mean[i]);
            }
        ok(rc == 0 && wrong == 0, "%s: means up to %zu symbols", name, max_length);
    }
    check_moments(p, f, longest, none, EXACT_MOMENTS_BYTES, name);
    feature_set_free(f);
    pfsa_free(p);
}

static void
test_enumeration(void)
{
    static const char *const bits[] = {"motif:0110", "prefix:01",  "suffix:11", "length:12",
                                       "length",     "length2",    "count:11",  "count:010",
                                       "lcs:01101",  "edit:11011", "motif:1"};
    static const char *const dna[] = {"motif:CA", "prefix:T", "suffix:AC", "length:5", "length",
                                      "length2",  "count:A",  "count:CC",  "lcs:GATT", "edit:TACA"};
    static const char *const noise[][2] = {{"l", "12"}, {"p1", ".3"}};
    static const char *const motif[][2] = {{"l", "12"}, {"m", "1101"}};
    static const char *const mixed[][2] = {{"l", "12"}, {"m", "01101"}, {"mix", ".9"}};
    static const char *const genes[][2] = {
        {"a", "ACGT"}, {"l", "6"}, {"probs", ".4,.3,.2,.1"}, {"x", "GG"}};
    check("biased bits", build(noise, 2), bits, sizeof bits / sizeof *bits, 12);
    check("with a motif", build(motif, 2), bits, sizeof bits / sizeof *bits, 12);
    check("mixture", build(mixed, 3), bits, sizeof bits / sizeof *bits, 12);
    check("ACGT without GG", build(genes, 4), dna, sizeof dna / sizeof *dna, 6);
}

/* A random machine that is acyclic but not of one length. */
static void
test_random_machines(void)
{
    static const char *const specs[] = {"motif:101", "length",   "length2", "count:1",
                                        "suffix:0",  "length:3", "lcs:110"};
    struct rng r;
    rng_init(&r, 3, "test_moments", 0);
    for (int trial = 0; trial < 5; trial++) {
        struct pfsa_builder d = {0};
        struct err e = {0};
        uint32_t q;
        alphabet_init(&d.alphabet, "01", &e);
        for (int i = 0; i < 9; i++)
            pfsa_builder_state(
                &d, i == 8 || rng_below(&r, 3) == 0 ? log(rng_double(&r)) : -INFINITY, &q, &e);
        for (uint32_t i = 0; i < 8; i++)
            for (uint8_t a = 0; a < 2; a++)
                pfsa_builder_arc(&d, i, a, i + 1 + (uint32_t)rng_below(&r, 8 - i),
                                 log(rng_double(&r)), &e);
        struct pfsa *p = pfsa_builder_finish(&d, &e);
        pfsa_builder_clear(&d);
        check("random machine", p, specs, sizeof specs / sizeof *specs, 8);
    }
}

/* ---- closed forms ---------------------------------------------------------------- */

/* Length N geometric, P(N = n) = s (1-s)^n: E N = (1-s)/s, E N^2 = (1-s)(2-s)/s^2.
 * Of fair bits a pair 11 ends at each place from the second on with 1/4.  The
 * probabilities are given to 2^-53, which 1/s steps magnify: so the tolerances. */
static void
test_geometric(void)
{
    static const char *const stops[] = {".5", ".1", ".0001", ".000001"};
    static const char *const specs[] = {"length",   "length2",  "count:11",
                                        "prefix:0", "length:2", "motif:1"};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        const char *const options[][2] = {{"stop", stops[i]}};
        struct err e = {0};
        struct pfsa *p = build(options, 1);
        struct feature_set *f = make_features(&p->model.alphabet, specs, 6, 10);
        double mean[6], s = atof(stops[i]), g = 1 - s, rounding = 1e-15 / s;
        int rc = exact_means(p, f, MODEL_UNBOUNDED, EXACT_MEANS_SIZE_MAX, mean, &e);
        ok(rc == 0 && near(mean[0] * 10, g / s, rounding / s), "stop %s: E|x|", stops[i]);
        ok(near(mean[1] * 100, g * (2 - s) / (s * s), 4 * rounding / (s * s)),
           "stop %s: E|x|^2 = %.17g", stops[i], mean[1] * 100);
        ok(near(mean[2] * 10, g * g / s / 4, rounding / s), "stop %s: E count", stops[i]);
        ok(near(mean[3], 1 - g / 2, 1e-14), "stop %s: P(no leading 0)", stops[i]);
        ok(near(mean[4], 1 - s * g * g, 1e-14), "stop %s: P(|x| != 2)", stops[i]);
        ok(near(mean[5], s / (1 - g / 2), 1e-14), "stop %s: P(no 1)", stops[i]);
        feature_set_free(f);
        pfsa_free(p);
    }
}

/* ---- the paper's process ------------------------------------------------------------ */

static void
test_anchors(void)
{
    static const double want[] = {0, 0.52921321, 0, 0.529, 0.99988506, 0.99998743, 0.91106282};
    static const char motif[] = "10001011111000";
    const char *const options[][2] = {{"l", "30"}, {"m", motif}};
    struct err e = {0};
    struct pfsa *p = build(options, 2);
    struct feature_set *f = feature_set_new(&p->model.alphabet, &e);
    feature_paper_add(f, motif, "1111111", &e);
    double mean[7], joint[7] = {0};
    int rc = exact_means(p, f, MODEL_UNBOUNDED, EXACT_MEANS_SIZE_MAX, mean, &e);
    for (size_t i = 0; i < 7; i++)
        ok(rc == 0 && near(mean[i], want[i], i == 3 ? 5e-4 : 5e-9), "E[%s] = %.10f",
           feature_set_name(f, i), mean[i]);
    struct exact_moments *x =
        exact_moments_new(p, f, MODEL_UNBOUNDED, joint, EXACT_MOMENTS_BYTES, &e);
    struct moments *m = exact_moments_get(x);
    ok(m->at(m, joint, &e) == 0 && near(m->log_z, 0, 1e-13), "at lambda 0, log Z is %g", m->log_z);
    int same = 1;
    for (size_t k = 0; k < 7; k++)
        same &= near(m->mean[k], mean[k], 1e-13);
    ok(same, "and the means are those of each feature by itself");
    exact_moments_free(x);
    feature_set_free(f);

    struct alphabet dna;
    alphabet_init(&dna, "ACGT", &e);
    f = feature_set_new(&dna, &e);
    ok(exact_means(p, f, MODEL_UNBOUNDED, EXACT_MEANS_SIZE_MAX, mean, IGNORE_ERR) == ERR_DATA,
       "another alphabet is refused");
    feature_set_free(f);
    pfsa_free(p);
}

/* Symbols with probabilities p_i and a geometric length N: the counts have the covariance
 * p_i p_j Var N, and p_i E N more if i = j.  No maximum length, so the states are on a cycle. */
static void
test_cycle(void)
{
    static const char *const specs[] = {"count:0", "count:1", "length", "motif:1", "length:1"};
    const char *const options[][2] = {{"stop", ".01"}, {"p1", ".3"}};
    const double s = .01, mean = (1 - s) / s, variance = (1 - s) / (s * s), p[] = {.7, .3};
    const double zero[5] = {0};
    struct err e = {0};
    struct pfsa *base = build(options, 2);
    struct feature_set *f = make_features(&base->model.alphabet, specs, 5, 1);
    struct exact_moments *x = exact_moments_new(base, f, MODEL_UNBOUNDED, zero, 1, &e);
    struct moments *m = exact_moments_get(x);
    double lo[5], hi[5];
    ok(m->at(m, zero, &e) == 0 && m->spread(m, &e) == 0, "a cycle: %s", e.text);
    int wrong = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            wrong += !near(m->covariance[i * 5 + j],
                           p[i] * p[j] * variance +
                               (i == j ? p[i] * (mean - p[i] * mean) : -p[0] * p[1] * mean),
                           1e-8);
    ok(wrong == 0 && near(m->covariance[12], variance, 1e-8), "covariances of counts and length");
    double none = s / (1 - .7 * (1 - s));
    ok(near(m->mean[3], none, 1e-13) && near(m->covariance[18], none * (1 - none), 1e-13),
       "of a motif");
    ok(exact_ranges(x, lo, hi, &e) == 0 && lo[0] == 0 && hi[0] == INFINITY && hi[3] == 1,
       "counts have no greatest value");
    exact_moments_free(x);
    feature_set_free(f);
    pfsa_free(base);
}

/* ---- the parts ------------------------------------------------------------------------- */

static void
test_intern(void)
{
    struct err e = {0};
    struct intern *t = intern_new(4, 1000, &e);
    uint32_t number;
    int wrong = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t record = i * 7 % 1000;
        wrong += intern_add(t, &record, &number, &e) != 0;
        wrong +=
            memcmp(intern_get(t, number), &record, 4) != 0 || intern_find(t, &record) != number;
    }
    uint32_t other = 5000;
    ok(wrong == 0 && intern_count(t) == 1000, "a thousand records, three times each");
    ok(intern_find(t, &other) == INTERN_NONE, "a record that never came");
    ok(intern_add(t, &other, &number, IGNORE_ERR) == ERR_LIMIT, "one too many");
    intern_free(t);
    t = intern_new(0, 2, &e);
    ok(intern_add(t, "", &number, &e) == 0 && intern_add(t, "", &number, &e) == 0 && number == 0 &&
           intern_count(t) == 1,
       "records without bytes are all the same");
    intern_free(t);
}

int
main(void)
{
    test_enumeration();
    test_random_machines();
    test_geometric();
    test_tilted("01", 9, 30);
    test_tilted("abcd", 5, 20);
    test_tilted("abcdef", 4, 12);
    test_cyclic(20);
    test_cycle();
    test_anchors();
    test_intern();
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 *
 * Exact moments against enumeration of all strings, closed forms, and the
 * anchors of the paper's experiment.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "feature/record_automaton.h"
#include "gam/exact_moments.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/ignore.h"
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
    double mass, mean[FEATURES];
    struct histogram *hist; /* may be NULL */
};

/* Adds all strings of up to `left` more symbols that follow the prefix x. */
static void
enumerate(const struct pfsa *p, const struct feature_set *f, uint8_t *x, size_t n, size_t left,
          const uint32_t *state, struct sums *s)
{
    double probability = exp(pfsa_log_prob(p, x, n)), phi[FEATURES];
    uint64_t whole[FEATURES];
    feature_set_values(f, state, phi);
    feature_set_numerators(f, state, whole);
    if (probability > 0) {
        s->mass += probability;
        for (size_t i = 0; i < feature_set_count(f); i++)
            s->mean[i] += probability * phi[i];
        if (s->hist != NULL)
            histogram_add(s->hist, whole, probability, IGNORE_ERR);
    }
    for (unsigned a = 0; left > 0 && a < p->model.alphabet.size; a++) {
        uint32_t child[STATE_MAX / 4];
        memcpy(child, state, feature_set_state_bytes(f));
        feature_set_step(f, child, (uint8_t)a);
        x[n] = (uint8_t)a;
        enumerate(p, f, x, n + 1, left - 1, child, s);
    }
}

static struct sums
enumerate_all(const struct pfsa *p, const struct feature_set *f, size_t longest,
              struct histogram *h)
{
    struct sums s = {.hist = h};
    uint32_t state[STATE_MAX / 4];
    uint8_t x[64];
    feature_set_start(f, state);
    enumerate(p, f, x, 0, longest, state, &s);
    return s;
}

/* Every vector of one histogram has the same weight in the other. */
static int
same_hist(const struct histogram *a, const struct histogram *b, size_t n)
{
    if (histogram_count(a) != histogram_count(b))
        return 0;
    for (size_t i = 0; i < histogram_count(a); i++) {
        size_t k = 0;
        while (k < histogram_count(b) &&
               memcmp(histogram_numerators(a, i), histogram_numerators(b, k),
                      n * sizeof(uint64_t)) != 0)
            k++;
        if (k == histogram_count(b) || !near(histogram_weight(a, i), histogram_weight(b, k), 1e-13))
            return 0;
    }
    return 1;
}

static void
check(const char *name, struct pfsa *p, const char *const *specs, size_t count, size_t longest)
{
    struct err e = {0};
    struct feature_set *f = make_features(&p->model.alphabet, specs, count, longest);
    struct histogram *want = histogram_new(f, &e), *got = histogram_new(f, &e);
    struct sums s = enumerate_all(p, f, longest, want);
    double mean[FEATURES];
    int rc = exact_means(p, f, mean, &e);
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        if (!near(mean[i], s.mean[i], 1e-12)) {
            wrong++;
            printf("# %s: %.17g, wanted %.17g\n", specs[i], mean[i], s.mean[i]);
        }
    ok(rc == 0 && near(s.mass, 1, 1e-12) && wrong == 0, "%s: means", name);
    rc = exact_histogram(p, f, MODEL_UNBOUNDED, got, &e);
    ok(rc == 0 && same_hist(want, got, count), "%s: histogram of %zu vectors", name,
       histogram_count(got));
    histogram_free(got);
    histogram_free(want);
    want = histogram_new(f, &e);
    got = histogram_new(f, &e);
    s = enumerate_all(p, f, longest - 2, want);
    rc = exact_histogram(p, f, longest - 2, got, &e);
    ok(rc == 0 && same_hist(want, got, count) && near(histogram_total(got), s.mass, 1e-12),
       "%s: histogram of shorter strings, mass %g", name, histogram_total(got));
    histogram_free(got);
    histogram_free(want);
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
        int rc = exact_means(p, f, mean, &e);
        ok(rc == 0 && near(mean[0] * 10, g / s, rounding / s), "stop %s: E|x|", stops[i]);
        ok(near(mean[1] * 100, g * (2 - s) / (s * s), 4 * rounding / (s * s)),
           "stop %s: E|x|^2 = %.17g", stops[i], mean[1] * 100);
        ok(near(mean[2] * 10, g * g / s / 4, rounding / s), "stop %s: E count", stops[i]);
        ok(near(mean[3], 1 - g / 2, 1e-14), "stop %s: P(no leading 0)", stops[i]);
        ok(near(mean[4], 1 - s * g * g, 1e-14), "stop %s: P(|x| != 2)", stops[i]);
        ok(near(mean[5], s / (1 - g / 2), 1e-14), "stop %s: P(no 1)", stops[i]);
        struct histogram *h = histogram_new(f, &e);
        ok(exact_histogram(p, f, MODEL_UNBOUNDED, h, IGNORE_ERR) == ERR_DATA,
           "infinitely many vectors are refused");
        rc = exact_histogram(p, f, 5, h, &e);
        ok(rc == 0 && near(histogram_total(h), 1 - pow(g, 6), 1e-14), "stop %s: P(|x| <= 5)",
           stops[i]);
        histogram_free(h);
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
    double mean[7], joint[7] = {0}, phi[7];
    int rc = exact_means(p, f, mean, &e);
    for (size_t i = 0; i < 7; i++)
        ok(rc == 0 && near(mean[i], want[i], i == 3 ? 5e-4 : 5e-9), "E[%s] = %.10f",
           feature_set_name(f, i), mean[i]);
    struct histogram *h = histogram_new(f, &e);
    rc = exact_histogram(p, f, MODEL_UNBOUNDED, h, &e);
    ok(rc == 0 && near(histogram_total(h), 1, 1e-13), "%zu vectors of total %.17g",
       histogram_count(h), histogram_total(h));
    for (size_t i = 0; i < histogram_count(h); i++) {
        histogram_values(h, i, phi);
        for (size_t k = 0; k < 7; k++)
            joint[k] += histogram_weight(h, i) * phi[k];
    }
    int same = 1;
    for (size_t k = 0; k < 7; k++)
        same &= near(joint[k], mean[k], 1e-13);
    ok(same, "the histogram's means are the means");
    histogram_free(h);
    feature_set_free(f);

    struct alphabet dna;
    alphabet_init(&dna, "ACGT", &e);
    f = feature_set_new(&dna, &e);
    ok(exact_means(p, f, mean, IGNORE_ERR) == ERR_DATA, "another alphabet is refused");
    feature_set_free(f);
    pfsa_free(p);
}

/* ---- the parts ------------------------------------------------------------------------- */

static void
test_fsm(void)
{
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, "01", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    feature_paper_add(f, "10001011111000", "1111111", &e);
    struct record_automaton *m = record_automaton_new(f, SIZE_MAX, &e);
    struct rng r;
    uint32_t record[STATE_MAX / 4], state = 0, last = 0;
    int wrong = 0;
    rng_init(&r, 5, "test_moments/fsm", 0);
    for (int i = 0; i < 200000; i++) {
        if (i % 200 == 0) {
            feature_set_start(f, record);
            state = 0;
        }
        uint8_t symbol = (uint8_t)rng_below(&r, 2);
        feature_set_step(f, record, symbol);
        record_automaton_step(m, state, symbol, &state, &e);
        last = state > last ? state : last;
        wrong += memcmp(record, record_automaton_record(m, state), feature_set_state_bytes(f)) != 0;
    }
    ok(e.code == 0 && wrong == 0 && last < 4000, "fsm follows, with %u states", last + 1);
    record_automaton_free(m);
    m = record_automaton_new(f, 1 << 12, &e);
    int status = 0;
    state = 0;
    for (int i = 0; status == 0 && i < 10000; i++)
        status = record_automaton_step(m, state, (uint8_t)rng_below(&r, 2), &state, &e);
    ok(status == ERR_LIMIT, "4096 bytes: %s", e.text);
    record_automaton_free(m);
    feature_set_free(f);
}

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
    test_anchors();
    test_fsm();
    test_intern();
    return tap_done();
}

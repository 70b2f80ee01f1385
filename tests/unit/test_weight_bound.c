/* SPDX-License-Identifier: MIT
 * The bound of every prefix against the maximum over all its completions. */
#include "gam/weight_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "model/sampler.h"
#include "support/tap.h"

enum { FEATURES = 6, STATE_BYTES = 4096, PAIRS = 10000 };

static struct feature_set *
make_features(const char *chars, const char *const *spec, uint64_t max_length)
{
    struct err e = {0};
    struct alphabet a;
    alphabet_init(&a, chars, &e);
    struct feature_set *f = feature_set_new(&a, &e);
    for (; *spec != NULL; spec++)
        if (feature_set_add(f, *spec, &e) != 0)
            printf("# %s\n", e.text);
    feature_set_set_max_length(f, max_length);
    return f;
}

static double
dot_of(const struct feature_set *f, const void *record, const double *lambda)
{
    double phi[FEATURES];
    feature_set_values(f, record, phi);
    return feature_set_dot(f, lambda, phi);
}

/* ---- by brute force ------------------------------------------------------------- */

struct brute {
    const struct feature_set *f;
    const double *lambda;
    struct sampler_bound bound;
    unsigned symbols;
    int wrong;   /* prefixes whose bound is not the maximum */
    int growing; /* prefixes whose bound is above their parent's */
};

/* Sums over arcs have other rounding errors than lambda . phi. */
static bool
differs(double a, double b)
{
    return !(a == b || fabs(a - b) < 1e-11);
}

/* The maximum over all completions, while every bound on the way is checked. */
static double
visit(struct brute *b, const void *record, const void *state, double log_bound, unsigned rest)
{
    unsigned char child[256], child_state[256];
    double best = dot_of(b->f, record, b->lambda);
    b->wrong += differs(b->bound.step(b->bound.self, state, (uint8_t)b->symbols, NULL), best);
    for (unsigned a = 0; a < b->symbols && rest > 0; a++) {
        memcpy(child, record, feature_set_state_bytes(b->f));
        feature_set_step(b->f, child, (uint8_t)a);
        double below = b->bound.step(b->bound.self, state, (uint8_t)a, child_state);
        b->growing += below > log_bound;
        double reached = visit(b, child, child_state, below, rest - 1);
        best = reached > best ? reached : best;
    }
    b->wrong += differs(best, log_bound);
    return best;
}

static void
test_tight(const char *chars, const char *const *spec, unsigned longest, uint64_t seed)
{
    static const double special[] = {-INFINITY, 0, -20, 20};
    struct err e = {0};
    struct rng rng;
    struct feature_set *f = make_features(chars, spec, longest);
    struct weight_bound *r = weight_bound_new(f, longest, PAIRS, &e);
    unsigned char record[256], state[256];
    rng_init(&rng, seed, "test", 0);
    ok(r != NULL && weight_bound_tight(r), "%s, %s, ...: tight", chars, spec[0]);
    for (int trial = 0; trial < 12; trial++) {
        double lambda[FEATURES];
        for (size_t i = 0; i < feature_set_count(f); i++) {
            uint64_t kind = rng_below(&rng, 10);
            lambda[i] = kind < 4 ? special[kind] : 6 * rng_double(&rng) - 3;
        }
        int status = weight_bound_set_lambda(r, lambda, &e);
        struct brute b = {.f = f, .lambda = lambda, .bound = weight_bound_bound(r), .symbols = 0};
        b.symbols = feature_set_alphabet(f)->size;
        feature_set_start(f, record);
        double root = b.bound.root(b.bound.self, state);
        double best = visit(&b, record, state, root, longest);
        ok(b.wrong == 0 && b.growing == 0 && !differs(weight_bound_root(r), best),
           "trial %d: the maximum", trial);
        ok(status == (best == -INFINITY ? ERR_EMPTY : 0), "and whether there is one");
    }
    weight_bound_free(r);
    feature_set_free(f);
}

static void
test_all_tight(void)
{
    static const char *const words[] = {"motif:0110", "motif:11", "prefix:01", "suffix:0", NULL};
    static const char *const lengths[] = {"length", "length2", "length:5", "motif:000", NULL};
    static const char *const dna[] = {"motif:GAT", "lcs:TACA", "count:AC", "prefix:G", NULL};
    static const char *const distances[] = {"edit:01101", "lcs:11010", "count:010", NULL};
    static const char *const single[] = {"length:5", "motif:aaa", "suffix:aa", NULL};
    test_tight("01", words, 9, 1);
    test_tight("01", lengths, 9, 2);
    test_tight("ACGT", dna, 5, 3);
    test_tight("01", distances, 9, 4);
    test_tight("01", words, 0, 5);
    test_tight("a", single, 7, 6);
}

/* ---- bounds that are not attained ------------------------------------------------- */

/* Random strings: no weight, and no later bound, is above a bound before it. */
static void
test_valid(const char *const *spec, const double *lambda, uint64_t longest, bool tight,
           const char *name)
{
    struct err e = {0};
    struct rng rng;
    struct feature_set *f = make_features("01", spec, longest < 1000000 ? longest : 1000);
    struct weight_bound *r = weight_bound_new(f, longest, PAIRS, &e);
    int above = 0, wrong = 0;
    rng_init(&rng, 7, "test", 0);
    ok(r != NULL && weight_bound_tight(r) == tight, "%s: %s", name, tight ? "tight" : "not tight");
    ok(weight_bound_set_lambda(r, lambda, &e) == 0, "%s: has a bound", name);
    struct sampler_bound b = weight_bound_bound(r);
    unsigned char *state = malloc(STATE_BYTES), *next = malloc(STATE_BYTES);
    unsigned char *record = malloc(STATE_BYTES);
    for (int trial = 0; trial < 200; trial++) {
        feature_set_start(f, record);
        double log_bound = b.root(b.self, state);
        uint64_t length = rng_below(&rng, longest < 300 ? longest + 1 : 300);
        for (uint64_t i = 0; i < length; i++) {
            uint8_t a = (uint8_t)rng_below(&rng, 2);
            double child = b.step(b.self, state, a, next);
            above += child > log_bound;
            log_bound = child;
            memcpy(state, next, b.state_bytes);
            feature_set_step(f, record, a);
        }
        double weight = b.step(b.self, state, 2, NULL);
        above += weight > log_bound;
        wrong += differs(weight, dot_of(f, record, lambda));
    }
    ok(above == 0 && wrong == 0, "%s: bounds", name);
    free(state);
    free(next);
    free(record);
    weight_bound_free(r);
    feature_set_free(f);
}

static void
test_fallbacks(void)
{
    static const char *const words[] = {"motif:011010", "motif:1111", NULL};
    static const char *const counts[] = {"length", "count:110", "count:01", NULL};
    static const char *const some[] = {"count:11", "edit:0110100110010110", "motif:0101",
                                       "lcs:0010110111010001", NULL};
    static const double mixed[] = {-3, 2, -1, -5};
    test_valid(words, mixed, UINT64_MAX, true, "any length");
    test_valid(words, mixed, 100000000, false, "a long maximum");
    test_valid(words, mixed, 5000, false, "a maximum too long for the states");
    test_valid(counts, mixed, 290, true, "counts need few states");
    test_valid(counts, mixed, 9000, false, "counts, a long maximum");
    test_valid(some, mixed, 60, false, "without the largest features");
    test_valid(some, mixed, 100000000, false, "ranges");
}

static void
test_no_bound(void)
{
    static const char *const length[] = {"length", NULL};
    struct err e = {0};
    struct feature_set *f = make_features("01", length, 10);
    struct weight_bound *r = weight_bound_new(f, UINT64_MAX, PAIRS, &e);
    ok(weight_bound_set_lambda(r, (const double[]){0.5}, &e) == ERR_NUMERIC, "no bound");
    ok(e.remedy == REMEDY_SET_MAX_LENGTH, "says what would help");
    e.code = 0;
    ok(weight_bound_set_lambda(r, (const double[]){-0.5}, &e) == 0 && weight_bound_root(r) == 0,
       "a bound again");
    weight_bound_free(r);
    feature_set_free(f);
}

int
main(void)
{
    test_all_tight();
    test_fallbacks();
    test_no_bound();
    return tap_done();
}

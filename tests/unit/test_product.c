/* SPDX-License-Identifier: MIT
 *
 * The product of an automaton and features against enumeration: random automata, cyclic and
 * acyclic, over 2 to 6 symbols, every kind of feature and mixtures, hard constraints, weights
 * of both signs, maximum lengths below and above those of the automaton.
 */
#include "gam/product.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/random_model.h"
#include "support/space.h"
#include "support/tap.h"

enum { FEATURES = 6, STATE_MAX = 1024 };

/* ---- against all strings ---------------------------------------------------------- */

struct trial {
    const struct pfsa *base;
    const struct feature_set *f;
    const double *lambda;
    uint64_t max_length;
    struct space all;
};

/* log P(x), not normalized, by definition. */
static double
log_weight(const struct trial *t, const uint8_t *codes, size_t length)
{
    uint32_t record[STATE_MAX / 4];
    double phi[FEATURES];
    if (length > t->max_length)
        return -INFINITY;
    feature_set_run(t->f, record, codes, length);
    feature_set_values(t->f, record, phi);
    return pfsa_log_prob(t->base, codes, length) + feature_set_dot(t->f, t->lambda, phi);
}

/* Strings whose log-probability is wrong, and the sum of all weights. */
static int
compare(const struct trial *t, const struct pfsa *p, double *sum)
{
    int wrong = 0;
    uint8_t codes[20];
    *sum = 0;
    for (size_t x = 0; x < t->all.count; x++) {
        size_t length = space_string(&t->all, x, codes);
        double want = log_weight(t, codes, length);
        double got = pfsa_log_prob(p, codes, length) + p->log_partition;
        wrong += !(got == want || fabs(got - want) < 1e-10);
        *sum += exp(want);
    }
    return wrong;
}

static void
random_weights(struct rng *r, size_t n, double *lambda)
{
    for (size_t i = 0; i < n; i++)
        lambda[i] = 8 * rng_double(r) - 4;
    if (rng_below(r, 2) == 0)
        lambda[rng_below(r, n)] = -INFINITY;
}

/* Sets weights twice; the second time all except the hard constraints differ. */
static void
test_trial(struct trial *t, struct rng *r, const char *name)
{
    struct err e = {0};
    size_t n = feature_set_count(t->f);
    double lambda[FEATURES], sum;
    random_weights(r, n, lambda);
    t->lambda = lambda;
    struct product *x =
        product_new(t->base, t->f, NULL, 0, t->max_length, lambda, PRODUCT_SIZE_MAX, &e);
    if (x == NULL) {
        compare(t, t->base, &sum);
        ok(e.code == ERR_EMPTY && sum == 0, "%s: %s", name, e.text);
        return;
    }
    int wrong = 0, rc = 0;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            lambda[i] = lambda[i] == -INFINITY ? lambda[i] : 8 * rng_double(r) - 4;
        rc |= product_set_lambda(x, lambda, &e);
        wrong += compare(t, x->pfsa, &sum);
        wrong += pfsa_check_result(x->pfsa, &e) != 0;
        if (t->max_length != MODEL_UNBOUNDED || t->base->acyclic)
            wrong += !(fabs(log(sum) - x->pfsa->log_partition) < 1e-10);
    }
    ok(rc == 0 && wrong == 0, "%s: %u states, %d wrong%s%s", name, x->pfsa->states, wrong,
       e.code != 0 ? ", " : "", e.text);
    product_free(x);
}

static void
test_machines(const char *alphabet, size_t longest, int trials)
{
    struct rng r;
    rng_init(&r, 1, "test_product", strlen(alphabet));
    for (int i = 0; i < trials; i++) {
        bool acyclic = i % 3 == 0, bounded = i % 3 != 1;
        char name[256], features[200];
        struct pfsa *base =
            random_model_pfsa(&r, alphabet, acyclic, 2 + (uint32_t)rng_below(&r, 4));
        struct feature_set *f = random_model_features(&r, &base->model.alphabet, bounded,
                                                      FEATURES - 1, features, sizeof features);
        struct trial t = {
            .base = base, .f = f, .all = space_of(base->model.alphabet.size, longest)};
        t.max_length = !bounded ? MODEL_UNBOUNDED : i % 2 == 0 ? longest : 1 + rng_below(&r, 3);
        feature_set_set_max_length(f, 6);
        snprintf(name, sizeof name, "%s%s, L %lld", acyclic ? "acyclic" : "cyclic", features,
                 (long long)t.max_length);
        if (base->model.min_length <= t.max_length)
            test_trial(&t, &r, name);
        feature_set_free(f);
        pfsa_free(base);
    }
}

/* ---- features with and without states -------------------------------------------- */

static struct pfsa *
geometric(const char *alphabet, double stop)
{
    struct pfsa_builder d = {0};
    uint32_t q;
    alphabet_init(&d.alphabet, alphabet, IGNORE_ERR);
    pfsa_builder_state(&d, log(stop), &q, IGNORE_ERR);
    for (uint8_t a = 0; a < d.alphabet.size; a++)
        pfsa_builder_arc(&d, q, a, q, log((1 - stop) / d.alphabet.size), IGNORE_ERR);
    struct pfsa *p = pfsa_builder_finish(&d, IGNORE_ERR);
    pfsa_builder_clear(&d);
    return p;
}

static struct product *
product_of(const struct pfsa *base, const char *const *specs, const double *lambda, uint64_t l,
           struct feature_set **f, struct err *e)
{
    *f = feature_set_new(&base->model.alphabet, e);
    for (; *specs != NULL; specs++)
        feature_set_add(*f, *specs, e);
    feature_set_set_max_length(*f, 100);
    return product_new(base, *f, NULL, 0, l, lambda, PRODUCT_SIZE_MAX, e);
}

static void
test_states(void)
{
    static const char *const additive[] = {"count:a", "count:b", "length", NULL};
    static const char *const timed[] = {"length:3", "length", NULL};
    static const char *const motif[] = {"motif:aba", "count:bb", NULL};
    const double hard[] = {-INFINITY, -INFINITY};
    struct err e = {0};
    struct feature_set *f;
    struct pfsa *base = geometric("abcd", .01);
    struct product *x = product_of(base, additive, NULL, MODEL_UNBOUNDED, &f, &e);
    ok(x != NULL && x->pfsa->states == 1, "counts of symbols and the length need no states");
    product_free(x);
    feature_set_free(f);
    x = product_of(base, timed, NULL, MODEL_UNBOUNDED, &f, &e);
    ok(x != NULL && x->pfsa->states == 5, "length:3 needs lengths up to 4");
    product_free(x);
    feature_set_free(f);
    x = product_of(base, motif, hard, 20, &f, &e);
    int dead = 0;
    for (uint32_t q = 0; x != NULL && q < x->pfsa->states; q++)
        dead += x->pfsa->first[q] == x->pfsa->first[q + 1] && x->pfsa->final_logp[q] < -1e-12;
    ok(x != NULL && dead == 0 && x->time_max == 20, "hard constraints leave no dead states");
    product_free(x);
    feature_set_free(f);
    pfsa_free(base);
}

/* Z of geometric lengths with a weight w per symbol: stop / (1 - (1 - stop) exp(w/100)),
 * exact also where loops are left rarely. */
static void
test_rare_ends(void)
{
    static const char *const specs[] = {"length", NULL};
    for (double stop = .1; stop > 1e-9; stop /= 100) {
        struct err e = {0};
        struct feature_set *f;
        struct pfsa *base = geometric("ab", stop);
        double s = exp(base->final_logp[0]), lambda = -100 * stop, w = lambda / 100;
        struct product *x = product_of(base, specs, NULL, MODEL_UNBOUNDED, &f, &e);
        int rc = product_set_lambda(x, &lambda, &e);
        double want = log(s / (s - (1 - s) * expm1(w)));
        ok(rc == 0 && fabs(x->pfsa->log_partition - want) < 1e-12,
           "stop %g: log Z %.15g, wanted %.15g", stop, x->pfsa->log_partition, want);
        product_free(x);
        feature_set_free(f);
        pfsa_free(base);
    }
}

static void
test_refusals(void)
{
    static const char *const square[] = {"length2", NULL};
    static const char *const length[] = {"length", NULL};
    static const char *const words[] = {"motif:abab", NULL};
    const double hard = -INFINITY, grows = 100;
    struct err e = {0};
    struct feature_set *f;
    struct pfsa *base = geometric("ab", .1);
    ok(product_of(base, square, NULL, MODEL_UNBOUNDED, &f, &e) == NULL && e.code == ERR_DATA, "%s",
       e.text);
    feature_set_free(f);
    e = (struct err){0};
    ok(product_of(base, square, NULL, UINT64_C(1) << 40, &f, &e) == NULL && e.code == ERR_LIMIT,
       "%s", e.text);
    feature_set_free(f);
    e = (struct err){0};
    ok(product_of(base, words, NULL, 5000000, &f, &e) == NULL && e.code == ERR_LIMIT, "%s", e.text);
    feature_set_free(f);
    e = (struct err){0};
    ok(product_of(base, words, &hard, 3, &f, &e) == NULL && e.code == ERR_EMPTY, "%s", e.text);
    feature_set_free(f);
    e = (struct err){0};
    struct product *x = product_of(base, length, NULL, MODEL_UNBOUNDED, &f, &e);
    ok(product_set_lambda(x, &grows, &e) == ERR_NUMERIC, "%s", e.text);
    product_free(x);
    feature_set_free(f);
    pfsa_free(base);
}

int
main(void)
{
    test_machines("01", 10, 60);
    test_machines("abc", 6, 30);
    test_machines("abcdef", 4, 30);
    test_states();
    test_rare_ends();
    test_refusals();
    return tap_done();
}

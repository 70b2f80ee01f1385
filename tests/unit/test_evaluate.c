/* SPDX-License-Identifier: MIT
 *
 * Cross-entropy, divergence and errors against direct sums over the strings, each weighted by
 * its definition, for a model with and without a source and for a GAM.
 */
#include "gam/evaluate.h"

#include <math.h>
#include <stdbool.h>

#include "core/pool.h"
#include "core/rng.h"
#include "gam/partition.h"
#include "model/scorer.h"
#include "support/gamtest.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "support/toy.h"

enum { STRINGS = 3000, LONGEST = 12, BLOCKS = 3 };

struct text {
    uint8_t symbols[LONGEST];
    size_t length;
};

static void
random_text(struct rng *r, unsigned letters, struct text *t)
{
    t->length = rng_below(r, LONGEST + 1);
    for (size_t i = 0; i < t->length; i++)
        t->symbols[i] = (uint8_t)rng_below(r, letters);
}

/* The mean of x per character and its error, from the definition. */
static bool
is_mean(const struct ratio *r, const double *x, const struct text *t, size_t n, double *error)
{
    long double sum = 0, chars = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        chars += (long double)t[i].length + 1;
    }
    for (size_t i = 0; i < n; i++) {
        long double rest = x[i] - sum / chars * ((long double)t[i].length + 1);
        squares += rest * rest;
    }
    *error = (double)(sqrtl(squares * (long double)n / (long double)(n - 1)) / chars);
    return fabs(ratio_value(r) - (double)(sum / chars)) < 1e-12 &&
           fabs(ratio_error(r) - *error) < 1e-7 * *error;
}

/* Gives the strings to the evaluation in blocks of different size; true if
 * each string's log-probability is the one expected. */
static bool
run(struct evaluate *v, const struct text *t, const double *logp)
{
    static const size_t from[BLOCKS + 1] = {0, 1, STRINGS / 3, STRINGS};
    struct strings block = {0};
    bool same = true;
    for (int k = 0; k < BLOCKS; k++) {
        strings_reset(&block);
        for (size_t i = from[k]; i < from[k + 1]; i++)
            same = strings_add(&block, t[i].symbols, t[i].length, IGNORE_ERR) == 0 && same;
        same = evaluate_block(v, &block, IGNORE_ERR) == 0 && same;
        for (size_t i = from[k]; i < from[k + 1]; i++) {
            double got = v->model.logp[i - from[k]];
            same = same && (got == logp[i] || fabs(got - logp[i]) < 1e-12 * fabs(logp[i]));
        }
    }
    strings_clear(&block);
    return same;
}

static void
test_models(struct pool *pool, bool with_truth)
{
    static struct text t[STRINGS];
    static double logp[STRINGS], ce[STRINGS], true_ce[STRINGS], kl[STRINGS];
    struct toy model, truth;
    struct rng r;
    double error;
    uint64_t chars = 0;
    toy_init(&model, "abc", 0.1, false, 1);
    toy_init(&truth, "abc", 0.2, false, 2);
    rng_init(&r, 1, "test_evaluate", 0);
    for (size_t i = 0; i < STRINGS; i++) {
        random_text(&r, 3, &t[i]);
        logp[i] = toy_log_prob(&model, t[i].symbols, t[i].length);
        ce[i] = -logp[i];
        true_ce[i] = -toy_log_prob(&truth, t[i].symbols, t[i].length);
        kl[i] = ce[i] - true_ce[i];
        chars += t[i].length + 1;
    }
    struct evaluate v;
    evaluate_init(&v, &model.model, MODEL_UNBOUNDED, NULL, with_truth ? &truth.model : NULL, pool,
                  IGNORE_ERR);
    ok(run(&v, t, logp), "log-probabilities %s a truth", with_truth ? "with" : "without");
    ok(v.strings == STRINGS && v.chars == chars && v.too_long == 0, "strings and characters");
    ok(is_mean(&v.ce, ce, t, STRINGS, &error), "cross-entropy");
    ok(evaluate_error(&v, &v.ce) == ratio_error(&v.ce), "its error is the strings' alone");
    if (with_truth) {
        ok(is_mean(&v.true_ce, true_ce, t, STRINGS, &error), "the truth's own");
        ok(is_mean(&v.kl, kl, t, STRINGS, &error), "the divergence");
    } else
        ok(isnan(ratio_value(&v.kl)), "no divergence from nobody");
    ok(evaluate_steps(&v) > 0 && evaluate_steps(&v) < chars, "prefixes are shared");
    evaluate_clear(&v);
}

/* I.i.d. symbols with p(b) = 0.3 that end with probability 0.2; strings beyond L = 9 and
 * those that a hard constraint forbids have probability 0. */
static void
test_gam(struct pool *pool, bool hard)
{
    static const struct gamtest_setting setting = {.alphabet = "ab",
                                                   .probs = "0.7,0.3",
                                                   .stop = 0.2,
                                                   .longest = 9,
                                                   .spec = {"motif:ab", "count:bb", "length"}};
    static struct text t[STRINGS];
    static double logp[STRINGS], ce[STRINGS];
    struct partition z = {.log_z = -0.75, .log_z_se = 0.02};
    struct gam *g = gamtest_new(&setting);
    struct rng r;
    uint64_t too_long = 0, infinite = 0;
    double error;
    g->lambda[0] = hard ? -INFINITY : -1.5;
    g->lambda[1] = 2;
    g->lambda[2] = 0.5;
    rng_init(&r, 1, "test_evaluate", 1);
    for (size_t i = 0; i < STRINGS; i++) {
        char text[LONGEST + 1] = {0};
        do
            random_text(&r, 2, &t[i]);
        while (!hard && t[i].length > 9);
        alphabet_decode(&g->model.base->alphabet, t[i].symbols, t[i].length, text);
        logp[i] = log(0.2) - z.log_z;
        for (size_t k = 0; k < t[i].length; k++)
            logp[i] += log(0.8) + log(text[k] == 'b' ? 0.3 : 0.7);
        for (int k = 0; k < 3; k++)
            if (gamtest_phi(setting.spec[k], text, 9) != 0)
                logp[i] += g->lambda[k] * gamtest_phi(setting.spec[k], text, 9);
        if (t[i].length > 9)
            logp[i] = -INFINITY;
        ce[i] = -logp[i];
        too_long += t[i].length > 9;
        infinite += logp[i] == -INFINITY;
    }
    struct evaluate v;
    evaluate_init(&v, &g->model, 9, &z, NULL, pool, IGNORE_ERR);
    ok(run(&v, t, logp), "a GAM's log-probabilities, %s", hard ? "some -inf" : "all finite");
    ok(v.too_long == too_long && (too_long > 0) == hard, "%d beyond L", (int)too_long);
    ok(v.ce.infinite == infinite && (infinite > too_long) == hard, "%d impossible", (int)infinite);
    if (hard)
        ok(ratio_value(&v.ce) == INFINITY, "the cross-entropy is infinite");
    else {
        ok(is_mean(&v.ce, ce, t, STRINGS, &error), "cross-entropy");
        double rate = (double)v.strings / (double)v.chars;
        ok(fabs(evaluate_error(&v, &v.ce) - hypot(error, 0.02 * rate)) < 1e-9,
           "its error has log Z's in it");
    }
    evaluate_clear(&v);
    gam_free(g);
}

/* The probability that the toy's strings have at most n symbols, over all of them. */
static double
mass_within(const struct toy *t, size_t n)
{
    uint8_t x[8] = {0};
    double sum = 0;
    for (size_t length = 0; length <= n; length++) {
        size_t count = 1;
        for (size_t k = 0; k < length; k++)
            count *= t->model.alphabet.size;
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0, rest = i; k < length; k++, rest /= t->model.alphabet.size)
                x[k] = (uint8_t)(rest % t->model.alphabet.size);
            sum += exp(toy_log_prob(t, x, length));
        }
    }
    return sum;
}

struct seen {
    uint64_t calls, draws, wanted;
};

static void
count_progress(void *arg, uint64_t draws, uint64_t wanted)
{
    struct seen *s = arg;
    s->calls += draws >= s->draws && draws <= wanted + 10;
    s->draws = draws;
    s->wanted = wanted;
}

/* Given |x| <= 7, an autoregressive model is divided by the probability of that, which is
 * estimated; strings that are longer have none. */
static void
test_shorter(struct pool *pool)
{
    static struct text t[STRINGS];
    static double logp[STRINGS];
    struct seen seen = {0};
    struct partition_options o = {
        .max_length = 7, .seed = 3, .error = 0.004, .progress = count_progress, .arg = &seen};
    struct partition z;
    struct toy model;
    struct rng r;
    uint64_t too_long = 0;
    toy_init(&model, "abc", 0.1, false, 1);
    double log_z = log(mass_within(&model, 7));
    ok(partition_find(&model.model, pool, &o, &z, IGNORE_ERR) == 0 && z.enough, "enough draws");
    ok(fabs(z.log_z - log_z) < 4 * z.log_z_se && z.log_z_se <= 0.004 && z.log_z_se > 0.002,
       "log P(|x| <= 7) is %g +- %g, exactly %g", z.log_z, z.log_z_se, log_z);
    double p = exp(log_z);
    ok(fabs(z.log_z_se / sqrt((1 - p) / p / (double)z.samples) - 1) < 0.05, "its error is honest");
    ok(seen.calls >= 2 && seen.draws == z.samples, "progress is told");
    rng_init(&r, 1, "test_evaluate", 2);
    for (size_t i = 0; i < STRINGS; i++) {
        random_text(&r, 3, &t[i]);
        bool fits = t[i].length <= 7;
        logp[i] = fits ? toy_log_prob(&model, t[i].symbols, t[i].length) - z.log_z : -INFINITY;
        too_long += !fits;
    }
    struct evaluate v;
    evaluate_init(&v, &model.model, 7, &z, NULL, pool, IGNORE_ERR);
    ok(run(&v, t, logp), "log-probabilities given |x| <= 7");
    ok(v.too_long == too_long && v.ce.infinite == too_long, "%d are longer", (int)too_long);
    evaluate_clear(&v);
}

/* The same of a GAM is a smaller sum, exact over an automaton. */
static void
test_shorter_gam(struct pool *pool)
{
    static const struct gamtest_setting setting = {.alphabet = "ab",
                                                   .probs = "0.7,0.3",
                                                   .stop = 0.2,
                                                   .longest = 9,
                                                   .spec = {"motif:ab", "count:bb", "length"}};
    struct gam *g = gamtest_new(&setting);
    struct partition z;
    double log_z = -INFINITY;
    g->lambda[0] = -1.5, g->lambda[1] = 2, g->lambda[2] = 0.5;
    g->log_z = 5, g->log_z_se = 1e-9, g->ess = 1e9;
    for (uint64_t n = 0; n <= 4; n++)
        for (uint64_t i = 0; i < UINT64_C(1) << n; i++) {
            char text[8] = {0};
            double logp = log(0.2);
            for (uint64_t k = 0; k < n; k++) {
                text[k] = i >> k & 1 ? 'b' : 'a';
                logp += log(0.8) + log(text[k] == 'b' ? 0.3 : 0.7);
            }
            for (int k = 0; k < 3; k++)
                logp += g->lambda[k] * gamtest_phi(setting.spec[k], text, 9);
            log_z = log(exp(log_z) + exp(logp));
        }
    struct partition_options o = {.max_length = 4, .seed = 1, .error = 0.01};
    ok(partition_find(&g->model, pool, &o, &z, IGNORE_ERR) == 0 && fabs(z.log_z - log_z) < 1e-12 &&
           z.log_z_se == 0,
       "Z of a GAM given |x| <= 4: %g, exactly %g", z.log_z, log_z);
    gam_free(g);
}

int
main(void)
{
    struct pool *pool = pool_new(2, IGNORE_ERR);
    test_shorter(pool);
    test_shorter_gam(pool);
    test_models(pool, false);
    test_models(pool, true);
    test_gam(pool, false);
    test_gam(pool, true);
    pool_free(pool);
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * The base is an automaton here, so that what the pool says has an exact answer. */
#include "gam/smooth.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/pool.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "gam/fit.h"
#include "gam/gam.h"
#include "gam/joint_fit.h"
#include "gam/product.h"
#include "mix/mix.h"
#include "model/meta.h"
#include "pfsa/motif_process.h"
#include "pfsa/pfsa.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/strings.h"

enum { LENGTH = 10, TRAIN = 60, VALID = 30, FEW = 40 };

static const bool no_fixed[2];

/* Strings of 1s with probability 0.6, of which nine in ten have 101. */
static void
make_strings(struct strings *s, size_t count, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "test", 0);
    for (size_t i = 0; i < count; i++) {
        uint8_t x[LENGTH];
        for (size_t k = 0; k < LENGTH; k++)
            x[k] = rng_double(&r) < 0.6;
        size_t at = (size_t)(rng_double(&r) * (LENGTH - 2));
        if (i % 10 != 0)
            memcpy(x + at, (const uint8_t[]){1, 0, 1}, 3);
        strings_add(s, x, LENGTH, IGNORE_ERR);
    }
}

/* A GAM over bits that are 1 with a probability. */
static struct gam *
make_gam_of(const struct alphabet *a, double one)
{
    struct gam *g = gam_without_base(a, IGNORE_ERR);
    struct feature_set *f = feature_set_new(a, IGNORE_ERR);
    struct meta *meta = meta_new(IGNORE_ERR);
    struct motif_process process = {
        .alphabet = *a, .prob = {1 - one, one}, .has_length = true, .length = LENGTH};
    struct pfsa *r = motif_process_build(&process, IGNORE_ERR);
    feature_set_add(f, "motif:101", IGNORE_ERR);
    gam_set_features(g, f, LENGTH, IGNORE_ERR);
    gam_set_base(g, &r->model, meta, IGNORE_ERR);
    meta_free(meta);
    return g;
}

static struct gam *
make_gam(const struct alphabet *a)
{
    return make_gam_of(a, 0.3);
}

static struct fit_options
make_options(void)
{
    struct fit_options o;
    fit_options_init(&o);
    o.optimizer = FIT_NEWTON;
    o.epochs = 100;
    o.accepted = o.samples = 1;
    o.seed = 1;
    o.l2 = 1.0 / (100 * TRAIN);
    o.fixed = no_fixed;
    return o;
}

static int
smooth(struct gam *g, const struct strings *train, const struct strings *valid, double c,
       struct pool *pool, struct smooth_result *r)
{
    struct fit_options o = make_options();
    struct meta *meta = meta_new(IGNORE_ERR);
    int rc = smooth_gam(g, train, valid, c, &o, pool, meta, r, IGNORE_ERR);
    meta_free(meta);
    return rc;
}

/* Loss of the validation set, nats per character, of a GAM over an automaton. */
static double
exact_loss(const struct gam *g, const struct strings *valid)
{
    struct pfsa *p = product_of_gam(g, LENGTH, IGNORE_ERR);
    double sum = 0;
    for (size_t i = 0; i < valid->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(valid, i, &length);
        sum -= pfsa_log_prob(p, x, length);
    }
    pfsa_free(p);
    return sum / (double)(valid->symbols + valid->count);
}

/* Candidate c, of which the exact loss is known. */
static void
check_candidate(const struct smooth_candidate *c, double exact, const char *name)
{
    double error = fabs(c->valid_ce - exact);
    ok(error < (5 * c->log_z_se + 0.01) / (LENGTH + 1),
       "%s: loss %.5f, exactly %.5f, error of log Z %.4f", name, c->valid_ce, exact, c->log_z_se);
}

static void
test_auto(const struct alphabet *a, const struct strings *train, const struct strings *valid,
          struct pool *pool, struct pool *single)
{
    struct smooth_result r, other;
    struct gam *g = make_gam(a), *h = make_gam(a), *exact = make_gam(a);
    struct fit_options o = make_options();
    struct fit_data data = {0};
    struct fit_result fit = {0};
    struct meta *meta = meta_new(IGNORE_ERR);
    ok(smooth(g, train, valid, SMOOTH_AUTO, pool, &r) == 0 && mix_of(g->model.base) != NULL,
       "the base becomes a mixture");
    double sum = r.weight[0] + r.weight[1] + r.weight[2];
    ok(r.count == SMOOTH_CANDIDATES && fabs(sum - 1) < 1e-12, "weights sum to 1");
    ok(r.weight[0] < 0.3 && r.gain > 2 * r.gain_se, "a bad base gets a weight of %.3f: gain %.4f",
       r.weight[0], r.gain);
    smooth(h, train, valid, SMOOTH_AUTO, single, &other);
    ok(memcmp(r.weight, other.weight, sizeof r.weight) == 0 &&
           g->base_file.size == h->base_file.size &&
           memcmp(g->base_file.bytes, h->base_file.bytes, g->base_file.size) == 0,
       "the same for any number of threads");
    o.regime = FIT_EXACT;
    fit_data_take(&data, exact, train, IGNORE_ERR);
    fit_run(exact, data.seen, pool, &o, &fit, IGNORE_ERR);
    check_candidate(&r.candidate[0], exact_loss(exact, valid), "the base alone");
    struct joint_options how = {
        .order = JOINT_CHOOSE, .l2 = o.l2, .max_length = LENGTH, .max_size = 1 << 20};
    struct joint_choice choice;
    exact->lambda[0] = 0;
    joint_fit_gam(exact, train, &how, pool, meta, &choice, IGNORE_ERR);
    size_t q = 0;
    while (r.candidate[q].weight[1] < 1)
        q++;
    check_candidate(&r.candidate[q], exact_loss(exact, valid), "the fitted n-gram alone");
    meta_free(meta);
    fit_clear(&fit);
    fit_data_clear(&data);
    gam_free(g);
    gam_free(h);
    gam_free(exact);
}

/* Few strings are trusted less than their error says: each string twice is a sample of the same
 * mean and 0.7 times the error, but the error counts once instead of twice. */
static void
test_few(const struct alphabet *a, struct pool *pool)
{
    struct smooth_result few, many;
    struct strings train = {0}, valid = {0}, twice = {0};
    struct gam *g = make_gam_of(a, 0.6), *h = make_gam_of(a, 0.6);
    make_strings(&train, 5, 9);
    make_strings(&valid, FEW, 3);
    smooth_join(&twice, &valid, IGNORE_ERR);
    smooth_join(&twice, &valid, IGNORE_ERR);
    smooth(g, &train, &valid, SMOOTH_AUTO, pool, &few);
    smooth(h, &train, &twice, SMOOTH_AUTO, pool, &many);
    ok(few.weight[1] > many.weight[1],
       "the fitted n-gram weighs %.2f by %d strings, %.2f by twice as many", few.weight[1], FEW,
       many.weight[1]);
    gam_free(g);
    gam_free(h);
    strings_clear(&valid);
    strings_clear(&twice);
    strings_clear(&train);
}

static void
test_stated(const struct alphabet *a, const struct strings *train, struct pool *pool)
{
    struct smooth_result r;
    struct strings none = {0};
    struct gam *g = make_gam(a);
    ok(smooth(g, train, &none, 0.25, pool, &r) == 0 && mix_of(g->model.base)->count == 2 &&
           fabs(mix_of(g->model.base)->part[1].weight - 0.25) < 1e-9,
       "a weight that is stated");
    gam_free(g);
    g = make_gam(a);
    ok(smooth(g, train, &none, SMOOTH_AUTO, pool, &r) == ERR_DATA, "no validation strings");
    gam_free(g);
}

int
main(void)
{
    struct pool *pool = pool_new(3, IGNORE_ERR), *single = pool_new(1, IGNORE_ERR);
    struct strings train = {0}, valid = {0};
    struct alphabet a;
    alphabet_init(&a, "01", IGNORE_ERR);
    make_strings(&train, TRAIN, 1);
    make_strings(&valid, VALID, 2);
    test_auto(&a, &train, &valid, pool, single);
    test_few(&a, pool);
    test_stated(&a, &train, pool);
    strings_clear(&train);
    strings_clear(&valid);
    pool_free(pool);
    pool_free(single);
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 *
 * Samples of GAMs, by both samplers, against the distribution over all strings up to the
 * maximum length, and against each other, by chi-square with a false-alarm rate of 1e-6 per
 * test.
 */
#include "model/sampler.h"

#include "core/pool.h"
#include "gam/weight_bound.h"
#include "support/chisq.h"
#include "support/gamtest.h"
#include "support/tap.h"

enum { TREE_DRAWS = 100000, PLAIN_PROPOSALS = 30000 };

struct text_statistics {
    const struct gamtest_space *space;
    uint64_t *seen; /* by number */
    uint64_t done;  /* maximum reported by progress */
};

static void
note_progress(void *arg, uint64_t done)
{
    struct text_statistics *t = arg;
    t->done = done > t->done ? done : t->done;
}

static int
count_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct text_statistics *t = arg;
    (void)e;
    t->seen[space_number(&t->space->all, symbols, length)]++;
    return 0;
}

/* Pearson's statistic for two samples of one distribution; cells with few are
 * pooled. */
static int
agree(const uint64_t *a, const uint64_t *b, size_t cells, double na, double nb)
{
    double sum = 0, degrees = -1, ka = sqrt(nb / na), kb = sqrt(na / nb), few_a = 0, few_b = 0;
    for (size_t i = 0; i < cells; i++) {
        double x = (double)a[i], y = (double)b[i];
        if ((x + y) * fmin(na, nb) / (na + nb) < 10) {
            few_a += x;
            few_b += y;
            continue;
        }
        sum += (ka * x - kb * y) * (ka * x - kb * y) / (x + y);
        degrees++;
    }
    if (few_a + few_b > 0) {
        sum += (ka * few_a - kb * few_b) * (ka * few_a - kb * few_b) / (few_a + few_b);
        degrees++;
    }
    double d = degrees > 0 ? degrees : 1, h = 2 / (9 * d);
    return (cbrt(sum / d) - (1 - h)) / sqrt(h) < CHISQ_LEVEL_1E6;
}

static void
test_lambda(const struct gam *g, const struct gamtest_space *sp, struct weight_bound *reach,
            struct pool *pool, const double *lambda, const char *name)
{
    struct err e = {0};
    double *p = calloc(sp->count, sizeof *p);
    uint64_t *tree = calloc(sp->count, sizeof *tree), *plain = calloc(sp->count, sizeof *plain);
    struct text_statistics tally = {sp, tree, 0};
    struct sampler_stats st = {0}, st_plain = {0};
    struct sampler_request goal = {.count = TREE_DRAWS,
                                   .max_proposals = INT64_MAX,
                                   .string = count_string,
                                   .progress = note_progress,
                                   .arg = &tally};
    double log_z = gamtest_distribution(sp, lambda, p);
    ok(weight_bound_set_lambda(reach, lambda, &e) == 0, "%s: a bound", name);
    struct sampler_bound bound = weight_bound_bound(reach);
    struct sampler_options o = {
        .seed = 8, .purpose = "test", .max_length = g->model.max_length, .bound = &bound};
    struct sampler *s = sampler_new(g->model.base, pool, &o, &e);
    ok(sampler_run(s, &goal, &e) == 0, "%s: draws", name);
    sampler_get_stats(s, &st);
    sampler_free(s);
    ok(tally.done <= TREE_DRAWS, "%s: progress stays below the goal: %llu", name,
       (unsigned long long)tally.done);
    double rate = exp(log_z - weight_bound_root(reach)), plain_draws = ceil(PLAIN_PROPOSALS * rate);
    goal.count = (uint64_t)plain_draws;
    tally.seen = plain;
    sampler_plain(g->model.base, pool, &o, &goal, &st_plain, &e);
    ok(chisq_passes(tree, p, sp->count, TREE_DRAWS), "%s: distribution of the tree", name);
    ok(chisq_passes(plain, p, sp->count, plain_draws), "%s: of the textbook loop", name);
    ok(agree(tree, plain, sp->count, TREE_DRAWS, plain_draws), "%s: they agree", name);
    /* Both accept a fraction Z / b of proposals: 5 standard errors. */
    double got = (double)st.accepted / (double)st.proposals;
    double got_plain = (double)st_plain.accepted / (double)st_plain.proposals;
    double se = sqrt(rate * (1 - rate));
    ok(fabs(got - rate) <= 5 * se / sqrt((double)st.proposals) + 1e-12, "%s: rate of the tree",
       name);
    ok(fabs(got_plain - rate) <= 5 * se / sqrt((double)st_plain.proposals) + 1e-12,
       "%s: rate of the loop", name);
    free(p);
    free(tree);
    free(plain);
}

static void
test_setting(const struct gamtest_setting *s, const double (*lambda)[3], size_t lambdas,
             const char *name)
{
    struct err e = {0};
    struct pool *pool = pool_new(2, &e);
    struct gam *g = gamtest_new(s);
    struct gamtest_space sp;
    gamtest_enumerate(&sp, s, g, pool);
    struct weight_bound *reach =
        weight_bound_new(g->features, g->model.max_length, WEIGHT_BOUND_PAIRS_MAX, &e);
    for (size_t k = 0; k < lambdas; k++) {
        char test[64];
        snprintf(test, sizeof test, "%s, lambda %zu", name, k);
        test_lambda(g, &sp, reach, pool, lambda[k], test);
    }
    weight_bound_free(reach);
    gamtest_space_clear(&sp);
    gam_free(g);
    pool_free(pool);
}

int
main(void)
{
    static const double weights[][3] = {
        {-3, 0.5, 2}, {-20, 3, -4}, {-INFINITY, -1, 5}, {15, -INFINITY, 0}};
    struct gamtest_setting bits = {.alphabet = "01",
                                   .stop = 0.12,
                                   .longest = 12,
                                   .spec = {"motif:0110", "prefix:1", "count:11"}};
    struct gamtest_setting dna = {.alphabet = "ACGT",
                                  .probs = "0.5,0.3,0.1,0.1",
                                  .stop = 0.2,
                                  .longest = 8,
                                  .spec = {"motif:CA", "length", "lcs:GAC"}};
    static const double dna_weights[][3] = {{-3, 0.5, 2}, {-20, 3, -4}, {-INFINITY, -8, 5}};
    test_setting(&bits, weights, 4, "bits from an automaton");
    test_setting(&dna, dna_weights, 3, "bases from an automaton");
    bits.lstm = dna.lstm = true;
    test_setting(&bits, weights, 4, "bits from an LSTM");
    test_setting(&dna, dna_weights, 3, "bases from an LSTM");
    return tap_done();
}

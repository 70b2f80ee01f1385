/* SPDX-License-Identifier: MIT
 *
 * Samples against the enumerated distribution of all strings up to the maximum length, by
 * chi-square with a false-alarm rate of 1e-6 per test.
 */
#include "model/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/err.h"
#include "core/pool.h"
#include "lstm/lstm.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/chisq.h"
#include "support/ignore.h"
#include "support/space.h"
#include "support/tap.h"
#include "support/toy.h"

/* ---- a weight with a bound: exp(lambda) for each of two things that a string
 * lacks, an occurrence of the symbols 0 1 and being of even length */

struct lack {
    double lambda[2];
    unsigned symbols;
};

struct lack_state {
    uint16_t found, last, odd, unused;
};

static double
best(const struct lack *l, const struct lack_state *s)
{
    double motif = s->found || l->lambda[0] < 0 ? 0 : l->lambda[0];
    double even = l->lambda[1] > 0 ? l->lambda[1] : 0;
    return motif + even;
}

static double
lack_root(const void *self, void *state)
{
    struct lack_state *s = state;
    *s = (struct lack_state){.last = 99};
    return best(self, s);
}

static double
lack_step(const void *self, const void *state, uint8_t symbol, void *child)
{
    const struct lack *l = self;
    const struct lack_state *s = state;
    if (symbol == l->symbols)
        return (s->found ? 0 : l->lambda[0]) + (s->odd ? l->lambda[1] : 0);
    struct lack_state *c = child;
    *c = (struct lack_state){
        .found = s->found || (s->last == 0 && symbol == 1), .last = symbol, .odd = !s->odd};
    return best(l, c);
}

static double
lack_weight(const struct lack *l, const uint8_t *symbols, size_t length)
{
    int found = 0;
    for (size_t i = 1; i < length; i++)
        found |= symbols[i - 1] == 0 && symbols[i] == 1;
    return exp((found ? 0 : l->lambda[0]) + (length % 2 == 1 ? l->lambda[1] : 0));
}

/* ---- one comparison */

struct text_statistics {
    const struct space *space;
    uint64_t *seen;
    uint64_t ascending, pairs; /* neighbors in the output, by string number */
    size_t last;
};

static int
count_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct text_statistics *t = arg;
    size_t number = space_number(t->space, symbols, length);
    (void)e;
    t->seen[number]++;
    if (number != t->last) {
        t->ascending += number > t->last;
        t->pairs++;
    }
    t->last = number;
    return 0;
}

/* log-probability, one symbol at a time. */
static double
log_prob(struct model_run *run, const struct model *m, const uint8_t *symbols, size_t length)
{
    static const uint32_t only = 0;
    _Alignas(64) uint8_t state[2][1024];
    double logp[TOY_ALPHABET_MAX + 1], sum = 0;
    model_root(run, state[0], logp);
    for (size_t i = 0; i < length; i++) {
        sum += logp[symbols[i]];
        model_step(run, 1, state[i % 2], &only, &symbols[i], state[(i + 1) % 2], logp);
    }
    return sum + logp[m->alphabet.size];
}

/* Probabilities of all strings under model and weight, given the length. */
static double *
enumerate(const struct model *m, const struct lack *lack, const struct space *sp)
{
    double *p = calloc(sp->count, sizeof *p), sum = 0;
    uint8_t symbols[16];
    struct pool *pool = pool_new(1, IGNORE_ERR);
    struct model_run *run = model_begin(m, pool, 1, IGNORE_ERR);
    for (size_t i = 0; i < sp->count; i++) {
        size_t length = space_string(sp, i, symbols);
        p[i] = exp(log_prob(run, m, symbols, length));
        if (lack != NULL)
            p[i] *= lack_weight(lack, symbols, length);
        sum += p[i];
    }
    for (size_t i = 0; i < sp->count; i++)
        p[i] /= sum;
    model_end(run);
    pool_free(pool);
    return p;
}

struct setting {
    const struct model_kind *kind; /* NULL: a toy */
    const char *alphabet;
    size_t longest;
    double end;
    bool holes;       /* of a toy */
    double lambda[2]; /* NAN: no weight */
};

static int
draw(const struct model *m, const struct sampler_options *o, const struct sampler_request *goal,
     bool plain, struct sampler_stats *stats)
{
    struct err e = {0};
    struct pool *pool = pool_new(2, &e);
    int status;
    if (plain) {
        status = sampler_plain(m, pool, o, goal, stats, &e);
    } else {
        struct sampler *s = sampler_new(m, pool, o, &e);
        status = sampler_run(s, goal, &e);
        sampler_get_stats(s, stats);
        sampler_free(s);
    }
    pool_free(pool);
    return status;
}

/* Two states; in the second every other symbol is impossible. */
static struct model *
small_pfsa(const char *alphabet, double end)
{
    struct pfsa_builder d = {0};
    uint32_t q[2];
    alphabet_init(&d.alphabet, alphabet, IGNORE_ERR);
    pfsa_builder_state(&d, log(end), &q[0], IGNORE_ERR);
    pfsa_builder_state(&d, log(2 * end), &q[1], IGNORE_ERR);
    for (unsigned a = 0; a < d.alphabet.size; a++) {
        pfsa_builder_arc(&d, q[0], (uint8_t)a, q[a % 2], log((1 - end) * (a + 1) / 10), IGNORE_ERR);
        if (a % 2 == 0)
            pfsa_builder_arc(&d, q[1], (uint8_t)a, q[1 - a / 2 % 2], log((1 - 2 * end) / 2),
                             IGNORE_ERR);
    }
    struct pfsa *p = pfsa_builder_finish(&d, IGNORE_ERR);
    pfsa_builder_clear(&d);
    return &p->model;
}

/* Random weights, large enough for the past to matter. */
static struct model *
small_lstm(const char *alphabet, double end)
{
    struct alphabet a;
    alphabet_init(&a, alphabet, IGNORE_ERR);
    struct lstm *l = lstm_new(&a, 5, 2, 12, IGNORE_ERR);
    lstm_init(l, 3);
    for (size_t i = 0; i < l->layout.count; i++)
        l->params[i] *= i < l->layout.decoder_weight ? 4 : 8;
    l->params[l->layout.decoder_bias + a.size] = (float)log(end);
    return &l->model;
}

/* Frees as the model's kind does. */
static struct model *
make_model(const struct setting *set)
{
    if (set->kind == &pfsa_kind)
        return small_pfsa(set->alphabet, set->end);
    if (set->kind == &lstm_kind)
        return small_lstm(set->alphabet, set->end);
    static struct toy toy;
    toy_init(&toy, set->alphabet, set->end, set->holes, 11);
    return &toy.model;
}

static void
test_distribution(const struct setting *set, uint64_t count, bool plain, const char *name)
{
    struct sampler_stats st;
    struct model *m = make_model(set);
    struct space sp = space_of(m->alphabet.size, set->longest);
    struct lack lack = {{set->lambda[0], set->lambda[1]}, sp.alphabet_size};
    const struct lack *weight = isnan(lack.lambda[0]) ? NULL : &lack;
    struct sampler_bound bound = {&lack, sizeof(struct lack_state), lack_root, lack_step};
    struct sampler_options o = {.seed = 5, .purpose = "test", .max_length = set->longest};
    o.bound = weight != NULL ? &bound : NULL;
    double *p = enumerate(m, weight, &sp);
    struct text_statistics t = {.space = &sp, .seen = calloc(sp.count, sizeof *t.seen)};
    struct sampler_request goal = {
        .count = count, .max_proposals = UINT64_MAX, .string = count_string, .arg = &t};
    ok(draw(m, &o, &goal, plain, &st) == 0 && st.written == count, "%s: draws", name);
    ok(chisq_passes(t.seen, p, sp.count, (double)count), "%s: distribution", name);
    ok(plain ? st.accepted == count : st.accepted >= count, "%s: accepted", name);
    ok(weight != NULL || st.proposals == st.accepted + st.too_long, "%s: proposals", name);
    /* Neighbors that differ rise and fall equally often: 5 standard errors
     * of runs up and down, whose variance is a third of independent signs'. */
    double excess = fabs((double)t.ascending - 0.5 * (double)t.pairs);
    ok(excess < 5 * sqrt((double)t.pairs / 12) + 2, "%s: in random order", name);
    free(t.seen);
    free(p);
    model_free(m);
}

static void
test_distributions(void)
{
    static const struct setting settings[] = {
        {NULL, "01", 12, 0.1, true, {NAN, NAN}},
        {NULL, "01", 12, 0.02, false, {NAN, NAN}},
        {NULL, "ACGT", 6, 0.15, true, {NAN, NAN}},
        {NULL, "a", 9, 0.2, true, {NAN, NAN}},
        {NULL, "01", 0, 0.2, true, {NAN, NAN}},
        {NULL, "01", 10, 0.1, true, {-3, 0.5}},
        {NULL, "01", 10, 0.1, false, {4, -2}},
        {NULL, "ACGT", 5, 0.2, true, {-8, -0.1}},
        {NULL, "01", 10, 0.1, true, {-INFINITY, 1}},
        {&pfsa_kind, "01", 12, 0.1, true, {NAN, NAN}},
        {&pfsa_kind, "ACGT", 6, 0.2, true, {-4, 1}},
        {&lstm_kind, "01", 12, 0.1, true, {NAN, NAN}},
        {&lstm_kind, "01", 12, 0.1, true, {-4, 0.2}},
        {&lstm_kind, "ACGT", 6, 0.2, true, {NAN, NAN}},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree, setting %zu", i);
        test_distribution(&settings[i], 100000, false, name);
        snprintf(name, sizeof name, "plain, setting %zu", i);
        test_distribution(&settings[i], 15000, true, name);
    }
}

/* ---- the same bytes */

static int
hash_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    uint64_t *hash = arg;
    (void)e;
    *hash = XXH3_64bits_withSeed(symbols, length, *hash + length);
    return 0;
}

static void
test_threads(void)
{
    uint64_t first = 0;
    struct toy toy;
    toy_init(&toy, "01", 0.03, false, 3);
    static const int counts[] = {1, 2, 3, 8};
    for (int i = 0; i < 4; i++) {
        int threads = counts[i];
        struct err e = {0};
        struct pool *pool = pool_new(threads, &e);
        struct sampler_options o = {.seed = 9, .purpose = "test", .max_length = 40};
        struct sampler *s = sampler_new(&toy.model, pool, &o, &e);
        uint64_t hash = 0;
        struct sampler_request goal = {
            .count = 50000, .max_proposals = UINT64_MAX, .string = hash_string, .arg = &hash};
        ok(sampler_run(s, &goal, &e) == 0, "%d threads", threads);
        first = i == 0 ? hash : first;
        ok(hash == first, "%d threads give the same strings", threads);
        sampler_free(s);
        pool_free(pool);
    }
}

/* ---- budgets and counts */

static int
ignore_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    (void)symbols, (void)length, (void)e;
    ++*(uint64_t *)arg;
    return 0;
}

static void
test_budget(bool plain)
{
    struct toy toy;
    struct sampler_stats st;
    uint64_t seen = 0;
    struct lack lack = {{-9, 0}, 2};
    struct sampler_bound bound = {&lack, sizeof(struct lack_state), lack_root, lack_step};
    struct sampler_options o = {.seed = 1, .purpose = "test", .max_length = 2, .bound = &bound};
    struct sampler_request goal = {
        .count = 1000, .max_proposals = 5000, .string = ignore_string, .arg = &seen};
    toy_init(&toy, "01", 0.01, true, 1);
    ok(draw(&toy.model, &o, &goal, plain, &st) == 0, "%s: a budget is no error",
       plain ? "plain" : "tree");
    ok(st.proposals == 5000 && st.written < 1000 && st.written == seen, "the budget is spent");
    ok(st.accepted == seen, "what was accepted is handed out");
    goal.count = seen = 0;
    ok(draw(&toy.model, &o, &goal, plain, &st) == 0 && seen == 0 && st.proposals == 0,
       "no strings");
}

static int
ignore_leaf(void *arg, const uint8_t *symbols, size_t length, uint64_t count, struct err *e)
{
    (void)arg, (void)symbols, (void)length, (void)count, (void)e;
    return 0;
}

/* A huge number of strings: the work is that of the tree. */
static void
test_sharing(void)
{
    struct toy toy;
    struct err e = {0};
    struct pool *pool = pool_new(1, &e);
    struct sampler_options o = {.seed = 1, .purpose = "test", .max_length = 6};
    struct sampler_stats st;
    toy_init(&toy, "01", 0.1, true, 1);
    struct sampler *s = sampler_new(&toy.model, pool, &o, &e);
    ok(sampler_round(s, UINT64_C(1) << 62, ignore_leaf, NULL, &e) == 0, "a round of 2^62");
    sampler_get_stats(s, &st);
    ok(st.model_steps <= 127, "2^62 strings cost no more steps than there are prefixes");
    ok(st.accepted + st.too_long == UINT64_C(1) << 62, "and each has been counted");
    sampler_free(s);
    pool_free(pool);
}

int
main(void)
{
    test_distributions();
    test_threads();
    test_budget(false);
    test_budget(true);
    test_sharing();
    return tap_done();
}

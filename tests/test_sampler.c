/* SPDX-License-Identifier: MIT
 * Samples against the enumerated distribution of all strings up to the maximum
 * length, by chi-square with a false-alarm rate of 1e-6 a test. */
#include "sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "chisq.h"
#include "err.h"
#include "pool.h"
#include "tap.h"
#include "toy.h"

/* ---- all strings up to a length, numbered: shorter first, then as numbers */

struct space {
    unsigned symbols;
    size_t longest;
    size_t first[16]; /* number of the first string of each length */
    size_t count;
};

static struct space
space_of(unsigned symbols, size_t longest)
{
    struct space sp = {.symbols = symbols, .longest = longest};
    size_t width = 1;
    for (size_t n = 0; n <= longest; n++, width *= symbols) {
        sp.first[n] = sp.count;
        sp.count += width;
    }
    return sp;
}

static size_t
space_number(const struct space *sp, const uint8_t *codes, size_t length)
{
    size_t value = 0;
    for (size_t i = 0; i < length; i++)
        value = value * sp->symbols + codes[i];
    return sp->first[length] + value;
}

static size_t
space_string(const struct space *sp, size_t number, uint8_t *codes)
{
    size_t length = sp->longest;
    while (sp->first[length] > number)
        length--;
    size_t value = number - sp->first[length];
    for (size_t i = length; i-- > 0; value /= sp->symbols)
        codes[i] = (uint8_t)(value % sp->symbols);
    return length;
}

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
lack_weight(const struct lack *l, const uint8_t *codes, size_t length)
{
    int found = 0;
    for (size_t i = 1; i < length; i++)
        found |= codes[i - 1] == 0 && codes[i] == 1;
    return exp((found ? 0 : l->lambda[0]) + (length % 2 == 1 ? l->lambda[1] : 0));
}

/* ---- one comparison */

struct tally {
    const struct space *space;
    uint64_t *seen;
    uint64_t ascending, pairs; /* neighbours in the output, by string number */
    size_t last;
};

static int
count_string(void *arg, const uint8_t *codes, size_t length, struct err *e)
{
    struct tally *t = arg;
    size_t number = space_number(t->space, codes, length);
    (void)e;
    t->seen[number]++;
    if (number != t->last) {
        t->ascending += number > t->last;
        t->pairs++;
    }
    t->last = number;
    return 0;
}

/* Probabilities of all strings under model and weight, given the length. */
static double *
enumerate(const struct toy *toy, const struct lack *lack, const struct space *sp)
{
    double *p = calloc(sp->count, sizeof *p), sum = 0;
    uint8_t codes[16];
    for (size_t i = 0; i < sp->count; i++) {
        size_t length = space_string(sp, i, codes);
        p[i] = exp(toy_log_prob(toy, codes, length));
        if (lack != NULL)
            p[i] *= lack_weight(lack, codes, length);
        sum += p[i];
    }
    for (size_t i = 0; i < sp->count; i++)
        p[i] /= sum;
    return p;
}

struct setting {
    const char *alphabet;
    size_t longest;
    double end;
    double lambda[2]; /* NAN: no weight */
};

static int
draw(const struct toy *toy, const struct sampler_options *o, const struct sampler_goal *goal,
     bool plain, struct sampler_stats *stats)
{
    struct err e = {0};
    struct pool *pool = pool_new(2, &e);
    int status;
    if (plain) {
        status = sampler_plain(&toy->model, pool, o, goal, stats, &e);
    } else {
        struct sampler *s = sampler_new(&toy->model, pool, o, &e);
        status = sampler_run(s, goal, &e);
        sampler_get_stats(s, stats);
        sampler_free(s);
    }
    pool_free(pool);
    return status;
}

static void
test_distribution(const struct setting *set, uint64_t count, bool plain, const char *name)
{
    struct toy toy;
    struct sampler_stats st;
    toy_init(&toy, set->alphabet, set->end, 11);
    struct space sp = space_of(toy.model.alphabet.size, set->longest);
    struct lack lack = {{set->lambda[0], set->lambda[1]}, sp.symbols};
    const struct lack *weight = isnan(lack.lambda[0]) ? NULL : &lack;
    struct sampler_bound bound = {&lack, sizeof(struct lack_state), lack_root, lack_step};
    struct sampler_options o = {.seed = 5, .purpose = "test", .max_length = set->longest};
    o.bound = weight != NULL ? &bound : NULL;
    double *p = enumerate(&toy, weight, &sp);
    struct tally t = {.space = &sp, .seen = calloc(sp.count, sizeof *t.seen)};
    struct sampler_goal goal = {count, UINT64_MAX, count_string, NULL, &t};
    ok(draw(&toy, &o, &goal, plain, &st) == 0 && st.written == count, "%s: draws", name);
    ok(chisq_passes(t.seen, p, sp.count, (double)count), "%s: distribution", name);
    ok(plain ? st.accepted == count : st.accepted >= count, "%s: accepted", name);
    ok(weight != NULL || st.proposals == st.accepted + st.dropped, "%s: proposals", name);
    /* Neighbours that differ rise and fall equally often: 5 standard errors
     * of runs up and down, whose variance is a third of independent signs'. */
    double excess = fabs((double)t.ascending - 0.5 * (double)t.pairs);
    ok(excess < 5 * sqrt((double)t.pairs / 12) + 2, "%s: in random order", name);
    free(t.seen);
    free(p);
}

static void
test_distributions(void)
{
    static const struct setting settings[] = {
        {"01", 12, 0.1, {NAN, NAN}}, {"01", 12, 0.02, {NAN, NAN}}, {"ACGT", 6, 0.15, {NAN, NAN}},
        {"a", 9, 0.2, {NAN, NAN}},   {"01", 0, 0.2, {NAN, NAN}},   {"01", 10, 0.1, {-3, 0.5}},
        {"01", 10, 0.1, {4, -2}},    {"ACGT", 5, 0.2, {-8, -0.1}}, {"01", 10, 0.1, {-INFINITY, 1}},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree, setting %zu", i);
        test_distribution(&settings[i], 200000, false, name);
        snprintf(name, sizeof name, "plain, setting %zu", i);
        test_distribution(&settings[i], 30000, true, name);
    }
}

/* ---- the same bytes */

static int
hash_string(void *arg, const uint8_t *codes, size_t length, struct err *e)
{
    uint64_t *hash = arg;
    (void)e;
    *hash = XXH3_64bits_withSeed(codes, length, *hash + length);
    return 0;
}

static void
test_threads(void)
{
    uint64_t first = 0;
    struct toy toy;
    toy_init(&toy, "01", 0.03, 3);
    for (int threads = 1; threads <= 8; threads++) {
        struct err e = {0};
        struct pool *pool = pool_new(threads, &e);
        struct sampler_options o = {.seed = 9, .purpose = "test", .max_length = 40};
        struct sampler *s = sampler_new(&toy.model, pool, &o, &e);
        uint64_t hash = 0;
        struct sampler_goal goal = {50000, UINT64_MAX, hash_string, NULL, &hash};
        ok(sampler_run(s, &goal, &e) == 0, "%d threads", threads);
        first = threads == 1 ? hash : first;
        ok(hash == first, "%d threads give the same strings", threads);
        sampler_free(s);
        pool_free(pool);
    }
}

/* ---- budgets and counts */

static int
ignore_string(void *arg, const uint8_t *codes, size_t length, struct err *e)
{
    (void)codes, (void)length, (void)e;
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
    struct sampler_goal goal = {1000, 5000, ignore_string, NULL, &seen};
    toy_init(&toy, "01", 0.01, 1);
    ok(draw(&toy, &o, &goal, plain, &st) == 0, "%s: a budget is no error",
       plain ? "plain" : "tree");
    ok(st.proposals == 5000 && st.written < 1000 && st.written == seen, "the budget is spent");
    ok(st.accepted == seen, "what was accepted is handed out");
    goal.count = seen = 0;
    ok(draw(&toy, &o, &goal, plain, &st) == 0 && seen == 0 && st.proposals == 0, "no strings");
}

static int
ignore_leaf(void *arg, const uint8_t *codes, size_t length, uint64_t count, struct err *e)
{
    (void)arg, (void)codes, (void)length, (void)count, (void)e;
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
    toy_init(&toy, "01", 0.1, 1);
    struct sampler *s = sampler_new(&toy.model, pool, &o, &e);
    ok(sampler_round(s, UINT64_C(1) << 62, ignore_leaf, NULL, &e) == 0, "a round of 2^62");
    sampler_get_stats(s, &st);
    ok(st.model_steps <= 127, "2^62 strings cost no more steps than there are prefixes");
    ok(st.accepted + st.dropped == UINT64_C(1) << 62, "and each has been counted");
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

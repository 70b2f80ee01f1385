/* SPDX-License-Identifier: MIT
 * Scores of blocks against sums taken symbol by symbol. */
#include "model/scorer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/pool.h"
#include "io/input.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "support/toy.h"
#include "text/string_reader.h"
#include "text/strings.h"

static bool
same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Random strings of up to `longest` symbols, some of them repeated. */
static void
fill(struct strings *b, unsigned letters, size_t longest, size_t count, uint64_t seed)
{
    struct rng r;
    uint8_t symbols[1000];
    rng_init(&r, seed, "test_score", 0);
    strings_reset(b);
    for (size_t i = 0; i < count; i++) {
        size_t length = rng_below(&r, longest + 1);
        for (size_t k = 0; k < length; k++)
            symbols[k] = (uint8_t)rng_below(&r, letters);
        for (uint64_t copies = 1 + rng_below(&r, 3); copies > 0; copies--)
            strings_add(b, symbols, length, IGNORE_ERR);
    }
}

static bool
agrees(const struct toy *t, const struct strings *b, const double *logp)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(b, i, &length);
        if (!same_bits(logp[i], toy_log_prob(t, symbols, length)))
            return false;
    }
    return true;
}

/* Distinct prefixes of possible strings: what a walk must step through. */
static uint64_t
count_prefixes(const struct toy *t, const struct strings *b)
{
    uint64_t distinct = 1;
    for (size_t i = 0; i < b->count; i++) {
        size_t shared = 0, length;
        const uint8_t *x = strings_get(b, i, &length);
        for (size_t j = 0; j < i; j++) {
            size_t other, same = 0;
            const uint8_t *y = strings_get(b, j, &other);
            while (same < length && same < other && x[same] == y[same])
                same++;
            shared = same > shared ? same : shared;
        }
        uint16_t none = (uint16_t)t->model.alphabet.size;
        struct toy_state s = {.last = none, .before = none};
        for (size_t k = 0; k < length && toy_row(t, &s)[x[k]] > -INFINITY; k++) {
            distinct += k >= shared;
            s = (struct toy_state){.last = x[k], .before = s.last, .length = s.length + 1};
        }
    }
    return distinct;
}

/* Whether the characters of a trace are those of the toy: their probabilities up to the first
 * impossible one, then NaN. */
static bool
traces(const struct toy *t, const struct strings *b, const double *trace)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(b, i, &length);
        uint16_t none = (uint16_t)t->model.alphabet.size;
        struct toy_state s = {.last = none, .before = none};
        bool possible = true;
        for (size_t k = 0; k <= length; k++, trace++) {
            double want = toy_row(t, &s)[k < length ? x[k] : none];
            if (possible ? !same_bits(*trace, want) : !isnan(*trace))
                return false;
            possible = possible && want > -INFINITY;
            if (k < length)
                s = (struct toy_state){.last = x[k], .before = s.last, .length = s.length + 1};
        }
    }
    return true;
}

static void
test_alphabet(const char *alphabet, bool holes, size_t longest, size_t count, int threads)
{
    struct toy toy;
    struct err e = {0};
    struct strings b = {0};
    toy_init(&toy, alphabet, 0.1, holes, 8);
    fill(&b, toy.model.alphabet.size, longest, count, 2);
    double *logp = calloc(b.count, sizeof *logp);
    struct pool *pool = pool_new(threads, &e);
    struct scorer *s = scorer_new(&toy.model, pool, &e);
    ok(scorer_score(s, &b, 0, logp, &e) == 0, "'%s', %d threads: scores", alphabet, threads);
    ok(agrees(&toy, &b, logp), "'%s', %d threads: as symbol by symbol", alphabet, threads);
    if (count < 2000)
        ok(scorer_steps(s) == count_prefixes(&toy, &b), "one step per distinct prefix");
    memset(logp, 0, b.count * sizeof *logp);
    ok(scorer_score(s, &b, 0, logp, &e) == 0 && agrees(&toy, &b, logp), "again");
    double *trace = calloc(b.symbols + b.count, sizeof *trace);
    ok(scorer_trace(s, &b, trace, &e) == 0 && traces(&toy, &b, trace), "single characters");
    free(trace);
    scorer_free(s);
    pool_free(pool);
    free(logp);
    strings_clear(&b);
}

/* A toy as the base of a model with weights of whole strings, of which some are 0. */
static size_t
weight_bytes(const struct model *m)
{
    (void)m;
    return sizeof(double);
}

static double
log_weight(const struct model *m, const uint8_t *symbols, size_t length, void *scratch)
{
    double *sum = scratch;
    (void)m;
    *sum = 0;
    for (size_t i = 0; i < length; i++)
        *sum += 0.1 * symbols[i];
    return length == 7 ? -INFINITY : 1e6 + *sum;
}

static const struct model_kind weighted_kind = {
    .name = "weighted", .weight_bytes = weight_bytes, .log_weight = log_weight};

static void
test_weighted(void)
{
    struct toy toy;
    struct err e = {0};
    struct strings b = {0};
    const double log_z = 1e6 + 0.3;
    double scratch;
    toy_init(&toy, "01", 0.1, false, 8);
    struct model m = {.kind = &weighted_kind, .base = &toy.model, .alphabet = toy.model.alphabet};
    fill(&b, 2, 12, 200, 3);
    double *logp = calloc(b.count, sizeof *logp);
    struct pool *pool = pool_new(2, &e);
    struct scorer *s = scorer_new(&m, pool, &e);
    ok(scorer_score(s, &b, log_z, logp, &e) == 0, "a model with a base: scores");
    unsigned wrong = 0, impossible = 0;
    for (size_t i = 0; i < b.count; i++) {
        size_t length;
        const uint8_t *x = strings_get(&b, i, &length);
        double weight = log_weight(&m, x, length, &scratch);
        wrong += !same_bits(logp[i], toy_log_prob(&toy, x, length) + (weight - log_z));
        impossible += logp[i] == -INFINITY;
    }
    ok(wrong == 0 && impossible > 0, "weight and log Z are added as one term");
    scorer_free(s);
    pool_free(pool);
    free(logp);
    strings_clear(&b);
}

/* More strings than a block holds come back whole and in order. */
static void
test_read(void)
{
    enum { COUNT = 150000 };
    struct err e = {0};
    struct alphabet a;
    alphabet_init(&a, "01", &e);
    char *text = malloc(COUNT * 18u), *p = text;
    for (unsigned i = 0; i < COUNT; i++, *p++ = '\n')
        for (unsigned v = i; v > 0; v /= 2)
            *p++ = (char)('0' + v % 2);
    struct input *in = input_from_memory(text, (size_t)(p - text), "text", &e);
    struct string_reader *l = string_reader_new(in, &a, &(struct string_format){0}, &e);
    struct strings b = {0};
    unsigned number = 0, blocks = 0, wrong = 0;
    while (scorer_read_block(&b, l, &e) == 1) {
        blocks++;
        for (size_t i = 0; i < b.count; i++, number++) {
            unsigned value = 0;
            size_t length;
            for (const uint8_t *x = strings_get(&b, i, &length); length > 0; length--)
                value = value * 2 + x[length - 1];
            wrong += value != number;
        }
    }
    ok(number == COUNT && wrong == 0 && e.code == 0, "all strings, in order");
    ok(blocks > 1, "in several blocks");
    strings_clear(&b);
    string_reader_free(l);
    input_close(in);
    free(text);
}

static void
test_empty(void)
{
    struct toy toy;
    struct err e = {0};
    struct strings b = {0};
    double logp = 1;
    toy_init(&toy, "01", 0.1, true, 8);
    struct pool *pool = pool_new(1, &e);
    struct scorer *s = scorer_new(&toy.model, pool, &e);
    ok(scorer_score(s, &b, 0, &logp, &e) == 0 && scorer_steps(s) == 0, "no strings, no steps");
    strings_add(&b, (const uint8_t *)"", 0, &e);
    ok(scorer_score(s, &b, 0, &logp, &e) == 0 && same_bits(logp, toy.logp[(2 * 5 + 2) * 3][2]),
       "the empty string");
    scorer_free(s);
    pool_free(pool);
    strings_clear(&b);
}

int
main(void)
{
    test_alphabet("01", true, 20, 1000, 1);
    test_alphabet("01", false, 20, 1000, 3);
    test_alphabet("ACGT", true, 9, 1500, 2);
    test_alphabet("a", false, 900, 40, 2);
    /* More prefixes at a time than a batch holds. */
    test_alphabet("01", false, 60, 30000, 2);
    test_alphabet("ACGT", false, 20, 30000, 1);
    test_weighted();
    test_read();
    test_empty();
    return tap_done();
}

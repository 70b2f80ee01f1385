/* SPDX-License-Identifier: MIT
 * The modules of discover/ against sums over all tables, brute-force counts, enumeration of
 * all strings, and levels of error on data without features. */
#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "discover/discovery.h"
#include "discover/significance.h"
#include "discover/tilted_chain.h"
#include "discover/word_census.h"
#include "discover/word_search.h"
#include "feature/feature_set.h"
#include "support/chisq.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/alphabet.h"
#include "text/strings.h"

/* ---- Fisher's test */

static long double
choose(unsigned n, unsigned k)
{
    long double result = 1;
    for (unsigned i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return result;
}

/* All tables with c or more (c or fewer) of c + b in the first row. */
static long double
tail(unsigned n, unsigned m, unsigned c, unsigned b, bool upper)
{
    long double sum = 0;
    for (unsigned i = 0; i <= n && i <= c + b; i++)
        if (c + b - i <= m && (upper ? i >= c : i <= c))
            sum += choose(n, i) * choose(m, c + b - i);
    return sum / choose(n + m, c + b);
}

static void
test_fisher(void)
{
    double worst = 0;
    for (unsigned n = 1; n <= 9; n++)
        for (unsigned m = 1; m <= 40; m += 3) {
            struct fisher f;
            fisher_init(&f, n, m, IGNORE_ERR);
            for (unsigned c = 0; c <= n; c++)
                for (unsigned b = 0; b <= m; b++) {
                    double up = fisher_log_upper(&f, c, b), down = fisher_log_lower(&f, c, b);
                    worst = fmax(worst, fabs(up - (double)logl(tail(n, m, c, b, true))));
                    worst = fmax(worst, fabs(down - (double)logl(tail(n, m, c, b, false))));
                }
            fisher_clear(&f);
        }
    ok(worst < 1e-12, "both tails are sums over all tables (off by %.1e)", worst);
    struct fisher f;
    fisher_init(&f, 50, 20000, IGNORE_ERR);
    /* 1 / C(20050, 50) in the extreme */
    double all = 0;
    for (int i = 1; i <= 50; i++)
        all += log(i) - log(20000 + i);
    ok(fabs(fisher_log_upper(&f, 50, 0) - all) < 1e-9, "far beyond the smallest double");
    fisher_clear(&f);
}

/* ---- p-values */

static double
exponential(struct rng *r)
{
    return -dm_log1p(-rng_double(r));
}

/* The share of p-values up to `level` if the score comes from the same distribution, an
 * exponential with mean `scale`, as all null scores do. */
static double
level_of_p(double scale, size_t r, double level, int runs)
{
    double null[64];
    int below = 0;
    struct rng rng;
    rng_init(&rng, 7, "test/p", (uint64_t)r);
    for (int run = 0; run < runs; run++) {
        for (size_t i = 0; i < r; i++) {
            double x = scale * exponential(&rng);
            size_t at = i;
            for (; at > 0 && null[at - 1] < x; at--)
                null[at] = null[at - 1];
            null[at] = x;
        }
        below += significance_p(scale * exponential(&rng), null, r) <= level;
    }
    return (double)below / runs;
}

static void
test_p(void)
{
    double null[] = {9, 7, 6, 5, 4, 3, 2, 1, 0};
    ok(significance_p(-1, null, 9) == 1, "below all null scores");
    ok(significance_p(2.5, null, 9) == 0.7, "by rank among the null scores");
    ok(significance_p(4, null, 9) == 0.6, "equal scores count");
    ok(fabs(significance_p(4 + 1e-9, null, 9) - 0.5) < 1e-8,
       "the tail begins at (k + 1) / (r + 1)");
    /* k = 4, g = (5 + 3 + 2 + 1) / 4 */
    ok(fabs(significance_p(15, null, 9) - 0.5 * pow(2, -4)) < 1e-12, "and falls as stated");
    double none[] = {5, 4, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    ok(significance_p(6, none, 7) == 0.125, "by rank if most null sets have no candidate");
    enum { RUNS = 40000 };
    static const double levels[] = {0.2, 0.05, 0.01, 0.002};
    for (int i = 0; i < 4; i++) {
        double share = level_of_p(5, 39, levels[i], RUNS);
        double se = sqrt(levels[i] * (1 - levels[i]) / RUNS);
        ok(fabs(share - levels[i]) < 4 * se, "exponential tails: level %g is %.5f", levels[i],
           share);
    }
    double sum = 0;
    significance_q(0.01, 1, &sum);
    ok(fabs(significance_q(0.03, 2, &sum) + (log(0.99) + log(0.97)) / 2) < 1e-15, "ForwardStop");
}

/* ---- words */

enum { TEXT_MAX = 12 };

/* Random strings of 1 to `longest` symbols, TEXT_MAX at most. */
static void
random_strings(struct strings *s, uint64_t index, size_t count, unsigned symbols, size_t longest)
{
    struct rng r;
    rng_init(&r, 1, "test/strings", index);
    for (size_t i = 0; i < count; i++) {
        uint8_t x[TEXT_MAX];
        size_t length = 1 + rng_below(&r, longest);
        for (size_t t = 0; t < length; t++)
            x[t] = (uint8_t)rng_below(&r, symbols);
        strings_add(s, x, length, IGNORE_ERR);
    }
}

/* Whether some candidate of the census stands for a word: ends with it, anchors included,
 * and has the same count. */
static bool
has_candidate(const struct word_census *w, const uint32_t *count, const uint8_t *text, size_t n,
              size_t strings)
{
    for (uint32_t q = 1; q < w->automaton.states; q++)
        if (w->length[q] >= n && count[q] == strings &&
            memcmp(w->text + w->automaton.end[q] - n, text, n) == 0)
            return true;
    return false;
}

/* Words of all kinds at all places of all strings. */
static bool
all_words_counted(const struct word_census *w, const struct strings *s, const uint32_t *count,
                  unsigned symbols, size_t max_word)
{
    struct string_range all = {s, 0, s->count};
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(s, i, &length);
        for (size_t from = 0; from < length; from++)
            for (size_t n = 1; n <= max_word && from + n <= length; n++) {
                uint8_t text[TEXT_MAX + 2];
                memcpy(text + 1, x + from, n);
                text[0] = (uint8_t)symbols;
                text[n + 1] = (uint8_t)symbols;
                struct word word = {WORD_MOTIF, x + from, n, 0, 0};
                if (!has_candidate(w, count, text + 1, n, word_count(&word, &all)))
                    return false;
                word.kind = WORD_PREFIX;
                if (from == 0 && n < max_word && n < length &&
                    !has_candidate(w, count, text, n + 1, word_count(&word, &all)))
                    return false;
                word.kind = WORD_SUFFIX;
                if (from + n == length &&
                    !has_candidate(w, count, text + 1, n + 1, word_count(&word, &all)))
                    return false;
            }
    }
    return true;
}

/* Whether each candidate has its count in a set, by looking. */
static bool
counts_right(const struct word_census *w, const struct strings *s, const uint32_t *count,
             size_t max_word)
{
    struct string_range all = {s, 0, s->count};
    for (uint32_t q = 1; q < w->automaton.states; q++) {
        if (w->length[q] == 0)
            continue;
        struct word word = word_census_word(w, q);
        if (word.length == 0 || word.length > max_word || count[q] != word_count(&word, &all))
            return false;
    }
    return true;
}

static void
test_census(void)
{
    static const unsigned kinds[] = {7, 1, 2, 4, 3, 6};
    bool counted = true, right = true, wanted = true;
    for (uint64_t run = 0; run < 60; run++) {
        unsigned symbols = run % 20 == 0 ? ALPHABET_MAX : 1 + (unsigned)run % 4;
        size_t max_word = run % 3 == 0 ? 3 : TEXT_MAX;
        struct strings from = {0}, other = {0};
        struct word_census w;
        random_strings(&from, run, 1 + run % 9, symbols, TEXT_MAX);
        random_strings(&other, run + 1000, 15, symbols, TEXT_MAX);
        struct string_range all = {&from, 0, from.count}, others = {&other, 0, other.count};
        unsigned kind = kinds[run / 4 % 6];
        word_census_init(&w, &all, symbols, kind, max_word, IGNORE_ERR);
        uint32_t *count = mem_array(2 * (size_t)w.automaton.states, sizeof *count, IGNORE_ERR);
        uint32_t *scratch = count + w.automaton.states;
        word_census_count(&w, &all, count, scratch);
        right = right && counts_right(&w, &from, count, max_word);
        if (kind == 7)
            counted = counted && all_words_counted(&w, &from, count, symbols, max_word);
        word_census_count(&w, &others, count, scratch);
        right = right && counts_right(&w, &other, count, max_word);
        for (uint32_t q = 1; q < w.automaton.states; q++)
            wanted = wanted && (w.length[q] == 0 || (word_census_word(&w, q).kind & kind) != 0);
        mem_free(count);
        word_census_clear(&w);
        strings_clear(&from);
        strings_clear(&other);
    }
    ok(right, "candidates have their counts in both sets");
    ok(counted, "every word of the set is stood for by a candidate in the same strings");
    ok(wanted, "of the kinds that are wanted");
}

/* ---- words with edits and in windows */

/* The least edit distance between the word and a part of the string, by the textbook table. */
static size_t
edit_distance(const struct word *w, const uint8_t *x, size_t length)
{
    size_t row[TEXT_MAX + 1], least = w->length;
    for (size_t i = 0; i <= w->length; i++)
        row[i] = i;
    for (size_t t = 0; t < length; t++) {
        size_t corner = 0; /* a part can begin anywhere */
        for (size_t i = 1; i <= w->length; i++) {
            size_t up = row[i], change = corner + (w->symbols[i - 1] != x[t]);
            size_t step = (row[i - 1] < up ? row[i - 1] : up) + 1;
            row[i] = change < step ? change : step;
            corner = up;
        }
        least = row[w->length] < least ? row[w->length] : least;
    }
    return least;
}

static bool
is_within(const struct word *w, const uint8_t *x, size_t length)
{
    for (size_t from = w->number - 1; from + w->length <= w->last && from + w->length <= length;
         from++)
        if (memcmp(x + from, w->symbols, w->length) == 0)
            return true;
    return false;
}

static void
test_variants(void)
{
    bool edits = true, windows = true;
    int near = 0, inside = 0;
    struct rng r;
    rng_init(&r, 1, "test/variants", 0);
    for (uint64_t run = 0; run < 4000; run++) {
        struct strings s = {0};
        random_strings(&s, 5000 + run, 2, 2 + (unsigned)run % 3, TEXT_MAX);
        size_t n, length;
        const uint8_t *x = strings_get(&s, 0, &n), *y = strings_get(&s, 1, &length);
        struct word w = {WORD_EDIT, x, n, rng_below(&r, n), 0};
        edits =
            edits && word_in_string(&w, y, length) == (edit_distance(&w, y, length) <= w.number);
        near += word_in_string(&w, y, length);
        w = (struct word){WORD_WITHIN, x, 1 + run % 3, 1 + rng_below(&r, TEXT_MAX), 0};
        w.length = w.length < n ? w.length : n;
        w.last = w.number - 1 + rng_below(&r, TEXT_MAX);
        windows = windows && word_in_string(&w, y, length) == is_within(&w, y, length);
        inside += word_in_string(&w, y, length);
        strings_clear(&s);
    }
    ok(edits && near > 400 && near < 3600, "edits as by the textbook table (%d near)", near);
    ok(windows && inside > 400, "windows as by looking (%d inside)", inside);
}

/* Whether a word has the counts and the score that counting it gives. */
static bool
found_right(const struct word_search *s, const struct word_found *f, const struct string_range *set,
            double price)
{
    struct word w = word_found_word(f);
    uint64_t c = word_count(&w, set), b = word_count(&w, &s->background);
    double score = -fisher_log_upper(&s->fisher, c, b) - price;
    return f->c == c && f->b == b && fabs(f->score - score) < 1e-9;
}

/* Strings of one length, the first `n` of them with more of the symbols 0 and 1. */
static void
uneven_strings(struct strings *s, uint64_t index, size_t n, size_t count)
{
    struct rng r;
    rng_init(&r, 1, "test/uneven", index);
    for (size_t i = 0; i < count; i++) {
        uint8_t x[TEXT_MAX];
        for (size_t t = 0; t < TEXT_MAX; t++)
            x[t] = (uint8_t)(i < n && rng_below(&r, 3) == 0 ? rng_below(&r, 2) : rng_below(&r, 4));
        strings_add(s, x, TEXT_MAX, IGNORE_ERR);
    }
}

/* What is found of each kind has its counts, among drawn strings and among divided ones. */
static void
test_found(void)
{
    static const struct word_search_options how[] = {
        {.counts = true},  {.classes = true, .class_member = {true, true, true, true}},
        {.edits = true},   {.positions = true},
        {.windows = true}, {.kinds = WORD_MOTIF}};
    static const char *const names[] = {"count", "class", "edit", "at", "within", "motif"};
    for (size_t k = 0; k < 6; k++) {
        bool right = true, as_well = true;
        for (uint64_t run = 0; run < 40; run++) {
            enum { N = 30, M = 90 };
            struct strings s = {0};
            uneven_strings(&s, run, N, N + M);
            struct string_range set = {&s, 0, N}, others = {&s, N, M}, all = {&s, 0, N + M};
            struct word_search_options o = how[k];
            struct word_search drawn, divided;
            struct word_found best, other;
            o.symbols = 4;
            o.max_word = 8;
            o.length = TEXT_MAX;
            word_search_init(&drawn, &o, &others, N, IGNORE_ERR);
            word_search_best(&drawn, &set, 1, NULL, 0, &best, IGNORE_ERR);
            word_search_init_divided(&divided, &o, &all, &others, N, IGNORE_ERR);
            word_search_best_divided(&divided, &set, NULL, 0, &other, IGNORE_ERR);
            right = right && found_right(&drawn, &best, &set, 0);
            as_well = as_well && found_right(&drawn, &other, &set, 0);
            word_search_clear(&drawn);
            word_search_clear(&divided);
            strings_clear(&s);
        }
        ok(right, "%s: what is found has its counts and its score", names[k]);
        ok(as_well, "%s: so among strings that are divided", names[k]);
    }
}

/* ---- the model: all strings of up to LENGTH bits, order 1 */

enum { LENGTH = 5, ALL = (1 << (LENGTH + 1)) - 1 };

/* String number i: its length, and its bits from the first on. */
static size_t
string_of(size_t i, uint8_t *x)
{
    size_t length = 0;
    while (i + 1 >= (size_t)2 << length)
        length++;
    for (size_t t = 0; t < length; t++)
        x[t] = (i + 1) >> (length - 1 - t) & 1;
    return length;
}

static size_t
number_of(const uint8_t *x, size_t length)
{
    size_t i = 1;
    for (size_t t = 0; t < length; t++)
        i = 2 * i + x[t];
    return i - 1;
}

struct oracle {
    double data[ALL], p[ALL]; /* shares in the data, probabilities of the model */
    double phi[ALL];
    double theta[3][2], lambda;
};

/* p from theta and lambda, by the formula, with the lengths of the data. */
static void
oracle_update(struct oracle *o)
{
    double weight[LENGTH + 1] = {0}, share[LENGTH + 1] = {0};
    uint8_t x[LENGTH];
    for (size_t i = 0; i < ALL; i++) {
        size_t length = string_of(i, x);
        o->p[i] = exp(o->lambda * o->phi[i]);
        for (size_t t = 0; t < length; t++)
            o->p[i] *= o->theta[t == 0 ? 2 : x[t - 1]][x[t]];
        weight[length] += o->p[i];
        share[length] += o->data[i];
    }
    for (size_t i = 0; i < ALL; i++) {
        size_t length = string_of(i, x);
        o->p[i] *= weight[length] > 0 ? share[length] / weight[length] : 0;
    }
}

/* The share of `symbol` after `context` under p; 2 is the beginning. */
static double
oracle_share(const double *p, unsigned context, unsigned symbol)
{
    double with = 0, all = 0;
    uint8_t x[LENGTH];
    for (size_t i = 0; i < ALL; i++) {
        size_t length = string_of(i, x);
        for (size_t t = 0; t < length; t++)
            if ((t == 0 ? 2u : x[t - 1]) == context) {
                all += p[i];
                with += x[t] == symbol ? p[i] : 0;
            }
    }
    return with / all;
}

static double
oracle_mean(const struct oracle *o, const double *p)
{
    double mean = 0;
    for (size_t i = 0; i < ALL; i++)
        mean += p[i] * o->phi[i];
    return mean;
}

/* Fits theta and lambda by brute force. */
static void
oracle_fit(struct oracle *o)
{
    double target = oracle_mean(o, o->data);
    for (int pass = 0; pass < 300; pass++) {
        oracle_update(o);
        double ratio[3][2];
        for (unsigned c = 0; c < 3; c++)
            for (unsigned a = 0; a < 2; a++)
                ratio[c][a] = oracle_share(o->data, c, a) / oracle_share(o->p, c, a);
        for (unsigned c = 0; c < 3; c++) {
            double one = o->theta[c][1] * ratio[c][1], zero = o->theta[c][0] * ratio[c][0];
            o->theta[c][1] = one / (one + zero);
            o->theta[c][0] = zero / (one + zero);
        }
        oracle_update(o);
        double mean = oracle_mean(o, o->p);
        if (mean > 0 && mean < 1)
            o->lambda += log(target / (1 - target)) - log(mean / (1 - mean));
    }
    oracle_update(o);
}

static void
check_draws(const struct tilted_chain *c, const struct oracle *o, const char *name)
{
    enum { DRAWS = 60000 };
    struct strings drawn = {0};
    uint64_t seen[ALL] = {0};
    tilted_chain_draw(c, 1, 0, DRAWS, &drawn, IGNORE_ERR);
    for (size_t i = 0; i < drawn.count; i++) {
        size_t length;
        const uint8_t *x = strings_get(&drawn, i, &length);
        seen[number_of(x, length)]++;
    }
    struct chisq result = chisq_test(seen, o->p, ALL, DRAWS);
    ok(!result.impossible && result.z < CHISQ_LEVEL_1E6,
       "%s: draws agree with probabilities by enumeration (z = %.2f)", name, result.z);
    strings_clear(&drawn);
}

static void
check_tilt(struct tilted_chain *c, struct oracle *o, const struct strings *s, const char *spec)
{
    struct alphabet a;
    alphabet_init(&a, "01", IGNORE_ERR);
    struct feature_set *f = feature_set_new(&a, IGNORE_ERR);
    feature_set_add(f, spec, IGNORE_ERR);
    uint32_t state[64];
    for (size_t i = 0; i < ALL; i++) {
        uint8_t x[LENGTH];
        size_t length = string_of(i, x);
        feature_set_run(f, state, x, length);
        feature_set_values(f, state, &o->phi[i]);
    }
    oracle_fit(o);
    ok(tilted_chain_add(c, spec, IGNORE_ERR) == 0, "%s is added", spec);
    double mean = tilted_chain_mean(c, 0), target = oracle_mean(o, o->data);
    double se = sqrt(target * (1 - target) / (double)s->count);
    ok(fabs(mean - target) < 0.03 * se, "%s has its mean in the data: %.4f, %.4f", spec, mean,
       target);
    double worst = 0;
    for (unsigned context = 0; context < 3; context++) {
        uint8_t symbol = (uint8_t)context;
        double share = tilted_chain_share(c, &symbol, context < 2, 1);
        worst = fmax(worst, fabs(share - oracle_share(o->data, context, 1)));
    }
    ok(worst < 0.03 * sqrt(0.25 / (double)s->symbols) * 3,
       "symbols have their shares (off by %.1e)", worst);
    check_draws(c, o, spec);
    feature_set_free(f);
}

static void
test_chain(void)
{
    static const char *const specs[] = {"motif:101", "prefix:11", "suffix:00", "motif:0"};
    struct alphabet a;
    alphabet_init(&a, "01", IGNORE_ERR);
    for (uint64_t run = 0; run < 4; run++) {
        struct strings s = {0};
        struct oracle o = {.theta = {{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}};
        random_strings(&s, 50 + run, 60, 2, LENGTH);
        for (size_t i = 0; i < s.count; i++) {
            size_t length;
            const uint8_t *x = strings_get(&s, i, &length);
            o.data[number_of(x, length)] += 1.0 / (double)s.count;
        }
        struct tilted_chain *c = tilted_chain_new(&s, &a, 1, IGNORE_ERR);
        for (unsigned context = 0; context < 3; context++)
            for (unsigned symbol = 0; symbol < 2; symbol++)
                o.theta[context][symbol] = oracle_share(o.data, context, symbol);
        oracle_update(&o);
        check_draws(c, &o, "no feature");
        check_tilt(c, &o, &s, specs[run]);
        tilted_chain_free(c);
        strings_clear(&s);
    }
}

/* ---- the search */

enum { BITS = 20 };

/* `count` strings of BITS fair bits, of which `with` contain the motif. */
static void
planted(struct strings *s, uint64_t index, size_t count, size_t with, const uint8_t *motif,
        size_t length)
{
    struct rng r;
    rng_init(&r, 3, "test/planted", index);
    for (size_t i = 0; i < count; i++) {
        uint8_t x[BITS];
        for (size_t t = 0; t < BITS; t++)
            x[t] = (uint8_t)rng_below(&r, 2);
        if (i < with)
            memcpy(x + rng_below(&r, BITS - length + 1), motif, length);
        strings_add(s, x, BITS, IGNORE_ERR);
    }
}

struct collected {
    size_t count;
    char spec[300];
    double p;
};

static int
collect(void *arg, const struct discovered *d, struct err *e)
{
    struct collected *c = arg;
    (void)e;
    if (c->count++ == 0) {
        snprintf(c->spec, sizeof c->spec, "%s", d->spec);
        c->p = d->p;
    }
    return 0;
}

static const struct discovery_options small = {.background = {.seed = 1, .order = 1},
                                               .kinds = WORD_MOTIF | WORD_PREFIX | WORD_SUFFIX,
                                               .absent = WORD_MOTIF | WORD_PREFIX | WORD_SUFFIX,
                                               .alpha = 1,
                                               .max_word = 24,
                                               .max_features = 1,
                                               .samples = 1000,
                                               .nulls = 19};

static void
test_discovery(void)
{
    static const uint8_t motif[] = {1, 0, 0, 0, 1, 0, 1, 1, 1, 1};
    struct alphabet a;
    struct pool *pool = pool_new(2, IGNORE_ERR);
    struct discovery_outcome outcome;
    enum { SETS = 60 };
    int below = 0, found = 0;
    alphabet_init(&a, "01", IGNORE_ERR);
    for (uint64_t i = 0; i < SETS; i++) {
        struct strings s = {0};
        struct collected c = {0};
        struct discovery_options o = small;
        o.background.seed = i;
        planted(&s, i, 20, 0, motif, sizeof motif);
        discovery_run(&s, &a, &o, pool, collect, &c, &outcome, IGNORE_ERR);
        below += c.count > 0 && c.p <= 0.2;
        strings_clear(&s);
    }
    ok(below <= 0.2 * SETS + 2.33 * sqrt(0.2 * 0.8 * SETS),
       "fair bits: p <= 0.2 in %d of %d sets, by chance more in 1 of 100 tests", below, SETS);
    for (uint64_t i = 0; i < 8; i++) {
        struct strings s = {0};
        struct collected c = {0};
        struct discovery_options o = small;
        o.alpha = 0.05;
        o.max_features = 4;
        o.samples = 5000;
        planted(&s, 100 + i, 30, 20, motif, sizeof motif);
        discovery_run(&s, &a, &o, pool, collect, &c, &outcome, IGNORE_ERR);
        found += c.count == 1 && strcmp(c.spec, "motif:1000101111") == 0;
        strings_clear(&s);
    }
    ok(found >= 7, "a motif in 20 of 30 strings is found, and nothing else, in %d of 8 sets",
       found);
    pool_free(pool);
}

int
main(void)
{
    test_fisher();
    test_p();
    test_census();
    test_variants();
    test_found();
    test_chain();
    test_discovery();
    return tap_done();
}

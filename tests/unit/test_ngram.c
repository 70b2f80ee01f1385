/* SPDX-License-Identifier: MIT
 * ngram and positional against the formulas, computed by searching the strings for every
 * count, and by leaving strings out literally. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "ngram/ngram.h"
#include "ngram/positional.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/alphabet.h"
#include "text/strings.h"

enum { STRINGS_MAX = 12, LENGTH_MAX = 6, ORDER_MAX = 3 };

/* The strings with '^' in front and '$' behind, symbols as 'a', 'b', ... */
struct data {
    char text[STRINGS_MAX][LENGTH_MAX + 3];
    size_t count, skip; /* skip: a string that is left out, or `count` */
    int symbols;
    bool has_end;
};

/* ---- the formulas */

static int
starts_with(const char *text, const char *word, size_t n)
{
    return strncmp(text, word, n) == 0;
}

/* How often `word` followed by `symbol` occurs; the mark is no symbol that follows. */
static int
raw_count(const struct data *d, const char *word, char symbol)
{
    int n = 0;
    size_t k = strlen(word);
    for (size_t i = 0; i < d->count; i++)
        for (const char *at = d->text[i]; i != d->skip && *at != '\0'; at++)
            n += starts_with(at, word, k) && strlen(at) > k && at[k] == symbol;
    return n;
}

static int
lower_count(const struct data *d, const char *word, char symbol)
{
    char longer[LENGTH_MAX + 4];
    int n = 0;
    if (word[0] == '^')
        return raw_count(d, word, symbol);
    for (int b = -1; b < d->symbols; b++) {
        sprintf(longer, "%c%s", b < 0 ? '^' : 'a' + b, word);
        n += raw_count(d, longer, symbol) > 0;
    }
    return n;
}

static char
symbol_of(const struct data *d, int i)
{
    return i < d->symbols ? (char)('a' + i) : '$';
}

static int
event_symbols(const struct data *d)
{
    return d->symbols + d->has_end;
}

typedef int count_function(const struct data *d, const char *word, char symbol);

/* Adds up which counts of 1 to 4 the events of all contexts of `depth` have: those that end
 * with `word`. */
static void
count_counts(const struct data *d, const char *word, size_t depth, count_function *count, int *n)
{
    char longer[LENGTH_MAX + 4];
    if (strlen(word) < depth && word[0] == '^')
        return;
    if (strlen(word) == depth) {
        for (int i = 0; i < event_symbols(d); i++) {
            int c = count(d, word, symbol_of(d, i));
            if (c >= 1 && c <= 4)
                n[c]++;
        }
        return;
    }
    for (int b = -1; b < d->symbols; b++) {
        sprintf(longer, "%c%s", b < 0 ? '^' : 'a' + b, word);
        count_counts(d, longer, depth, count, n);
    }
}

static double
discount(const struct data *d, size_t depth, count_function *count, int c)
{
    int n[5] = {0};
    count_counts(d, "", depth, count, n);
    double y = (n[1] + 0.5) / (n[1] + 2 * n[2] + 1), x;
    if (c <= 1)
        return c * y;
    c = c > 3 ? 3 : c;
    x = c - (c + 1) * y * (c < 4 ? n[c + 1] + 0.5 : 0) / (n[c] + 0.5);
    return x < y ? y : x > c - 1 + y ? c - 1 + y : x;
}

static double
probability(const struct data *d, const char *word, char symbol, size_t order, int smoothing)
{
    size_t depth = strlen(word);
    count_function *count = smoothing == NGRAM_KN && depth < order ? lower_count : raw_count;
    double total = 0, mass = 0, types = 0;
    double lower =
        depth == 0 ? 1.0 / event_symbols(d) : probability(d, word + 1, symbol, order, smoothing);
    for (int i = 0; i < event_symbols(d); i++) {
        int c = count(d, word, symbol_of(d, i));
        total += c;
        types += c > 0;
        if (smoothing == NGRAM_KN)
            mass += discount(d, depth, count, c);
    }
    int c = count(d, word, symbol);
    if (total == 0)
        return lower;
    if (smoothing == NGRAM_WB)
        return (c + types * lower) / (total + types);
    return (c - discount(d, depth, count, c) + mass * lower) / total;
}

/* The log-probability of a text "^...$", or "^..." if the end is not counted. */
static double
log_probability(const struct data *d, const char *text, size_t order, int smoothing)
{
    double sum = 0;
    for (size_t i = 1; text[i] != '\0'; i++) {
        size_t begin = i > order ? i - order : 0;
        char word[LENGTH_MAX + 3] = "";
        memcpy(word, text + begin, i - begin);
        sum += log(probability(d, word, text[i], order, smoothing));
    }
    return sum;
}

/* ---- random data */

static void
random_text(struct rng *r, const struct data *d, size_t length, char *text)
{
    *text++ = '^';
    for (size_t i = 0; i < length; i++)
        *text++ = (char)('a' + rng_below(r, 3) * rng_below(r, (uint64_t)d->symbols) %
                                   (uint64_t)d->symbols);
    if (d->has_end)
        *text++ = '$';
    *text = '\0';
}

static size_t
symbols_of(const char *text, uint8_t *symbols)
{
    size_t n = strcspn(text + 1, "$");
    for (size_t i = 0; i < n; i++)
        symbols[i] = (uint8_t)(text[1 + i] - 'a');
    return n;
}

static void
to_strings(const struct data *d, struct strings *s)
{
    uint8_t symbols[LENGTH_MAX];
    for (size_t i = 0; i < d->count; i++)
        if (i != d->skip) {
            size_t n = symbols_of(d->text[i], symbols);
            strings_add(s, symbols, n, IGNORE_ERR);
        }
}

static void
random_data(struct rng *r, struct data *d, struct strings *s, bool has_end)
{
    *d = (struct data){.symbols = 2 + (int)rng_below(r, 3), .has_end = has_end};
    size_t fixed = rng_below(r, LENGTH_MAX + 1);
    d->count = d->skip = 2 + rng_below(r, STRINGS_MAX - 1);
    for (size_t i = 0; i < d->count; i++)
        random_text(r, d, !has_end ? fixed : i < 2 ? i : rng_below(r, LENGTH_MAX + 1), d->text[i]);
    *s = (struct strings){0};
    to_strings(d, s);
}

static void
alphabet_of(const struct data *d, struct alphabet *a)
{
    char chars[8] = "abcd";
    chars[d->symbols] = '\0';
    alphabet_init(a, chars, IGNORE_ERR);
}

/* ---- n-grams */

/* The largest difference of log-probabilities, for strings of the data and others. */
static double
worst_string(struct rng *r, const struct data *d, const struct pfsa *p, size_t order, int smoothing)
{
    double worst = 0;
    for (size_t i = 0; i < d->count + 8; i++) {
        char text[LENGTH_MAX + 3];
        uint8_t symbols[LENGTH_MAX];
        if (i < d->count)
            strcpy(text, d->text[i]);
        else
            random_text(r, d, d->has_end ? rng_below(r, LENGTH_MAX + 1) : p->model.max_length,
                        text);
        size_t n = symbols_of(text, symbols);
        worst = fmax(
            worst, fabs(pfsa_log_prob(p, symbols, n) - log_probability(d, text, order, smoothing)));
    }
    return worst;
}

/* The largest deviation from 1 of the probabilities of a state. */
static double
worst_state(const struct pfsa *p)
{
    double worst = 0;
    for (uint32_t q = 0; q < p->states; q++) {
        double sum = exp(p->final_logp[q]);
        for (uint64_t i = p->first[q]; i < p->first[q + 1]; i++)
            sum += exp(p->logp[i]);
        worst = fmax(worst, fabs(sum - 1));
    }
    return worst;
}

/* The log of the sum over all strings, solved with the loops of the automaton. */
static double
log_total(const struct pfsa *p)
{
    struct pfsa_builder b = {.alphabet = p->model.alphabet};
    uint32_t state;
    double total = INFINITY;
    for (uint32_t q = 0; q < p->states; q++) {
        pfsa_builder_state(&b, p->final_logp[q], &state, IGNORE_ERR);
        for (uint64_t i = p->first[q]; i < p->first[q + 1]; i++)
            pfsa_builder_arc(&b, q, p->symbol[i], p->next[i], p->logp[i], IGNORE_ERR);
    }
    struct pfsa *again = pfsa_builder_finish(&b, IGNORE_ERR);
    if (again != NULL)
        total = again->log_partition;
    pfsa_free(again);
    pfsa_builder_clear(&b);
    return total;
}

static void
test_automata(bool has_end)
{
    const char *what = has_end ? "several lengths" : "one length";
    double string = 0, state = 0, total = 0;
    struct rng r;
    rng_init(&r, 1, "test/automata", has_end);
    for (int trial = 0; trial < 30; trial++) {
        struct data d;
        struct strings s;
        struct alphabet a;
        random_data(&r, &d, &s, has_end);
        alphabet_of(&d, &a);
        unsigned order = (unsigned)rng_below(&r, ORDER_MAX + 1);
        for (int smoothing = 0; smoothing < NGRAM_SMOOTHINGS; smoothing++) {
            struct pfsa *p =
                ngram_build(&s, &a, order, (enum ngram_smoothing)smoothing, IGNORE_ERR);
            string = p == NULL ? INFINITY : fmax(string, worst_string(&r, &d, p, order, smoothing));
            state = p == NULL ? INFINITY : fmax(state, worst_state(p));
            total = p == NULL ? INFINITY : fmax(total, fabs(log_total(p)));
            pfsa_free(p);
        }
        strings_clear(&s);
    }
    ok(string < 1e-12, "%s: strings have the probabilities of the formulas (%g)", what, string);
    ok(state < 1e-14, "%s: states sum to 1 (%g)", what, state);
    ok(total < 1e-12, "%s: all strings sum to 1 (%g)", what, total);
}

/* The cross-entropy of each string by the formulas on all others. */
static double
left_out(const struct data *d, size_t order, int smoothing)
{
    double sum = 0, characters = 0;
    for (size_t i = 0; i < d->count; i++) {
        struct data others = *d;
        others.skip = i;
        sum -= log_probability(&others, d->text[i], order, smoothing);
        characters += (double)strcspn(d->text[i] + 1, "$") + 1;
    }
    return sum / characters;
}

static void
test_leave_one_out(bool has_end)
{
    double worst = 0;
    int best = 1;
    struct rng r;
    rng_init(&r, 2, "test/left-out", has_end);
    for (int trial = 0; trial < 6; trial++) {
        struct data d;
        struct strings s;
        struct alphabet a;
        struct ngram_choice choice;
        random_data(&r, &d, &s, has_end);
        alphabet_of(&d, &a);
        if (ngram_choose(&s, &a, NGRAM_CHOOSE, NGRAM_CHOOSE, &choice, IGNORE_ERR) != 0)
            worst = INFINITY;
        for (size_t i = 0; i < choice.count; i++) {
            const struct ngram_candidate *c = &choice.candidate[i];
            best &= choice.candidate[choice.best].loo_ce <= c->loo_ce;
            if (c->order <= ORDER_MAX)
                worst = fmax(worst, fabs(c->loo_ce - left_out(&d, c->order, (int)c->smoothing)));
        }
        strings_clear(&s);
    }
    ok(worst < 1e-12, "leave-one-out is what leaving one out gives (%g)", worst);
    ok(best, "the best is chosen");
}

/* Automata trained literally on all strings but one. */
static void
test_literally(void)
{
    struct data d = {.symbols = 2, .has_end = true, .count = 5};
    static const char *const text[] = {"^abba$", "^ab$", "^babab$", "^aab$", "^abab$"};
    struct strings all = {0};
    struct alphabet a;
    struct ngram_choice choice;
    double sum = 0, characters = 0;
    alphabet_of(&d, &a);
    for (size_t i = 0; i < d.count; i++)
        strcpy(d.text[i], text[i]);
    d.skip = d.count;
    to_strings(&d, &all);
    ngram_choose(&all, &a, 2, NGRAM_KN, &choice, IGNORE_ERR);
    for (d.skip = 0; d.skip < d.count; d.skip++) {
        struct strings others = {0};
        uint8_t symbols[LENGTH_MAX];
        to_strings(&d, &others);
        struct pfsa *p = ngram_build(&others, &a, 2, NGRAM_KN, IGNORE_ERR);
        size_t n = symbols_of(text[d.skip], symbols);
        sum -= pfsa_log_prob(p, symbols, n);
        characters += (double)n + 1;
        pfsa_free(p);
        strings_clear(&others);
    }
    ok(choice.count == 1 && choice.candidate[0].order == 2, "a stated order is the only candidate");
    ok(fabs(choice.candidate[0].loo_ce - sum / characters) < 1e-13,
       "leave-one-out is what training on all but one gives");
    strings_clear(&all);
}

/* ---- position-specific symbols */

/* The formulas of positional.h over the strings that are not left out. */
static double
positional_log(const struct data *d, const char *text, const struct positional *m)
{
    double sum = 0, n = (double)(d->count - (d->skip < d->count));
    for (size_t t = 1; text[t] != '\0'; t++) {
        double here = 0, in_all = 0, total = 0, pair = 0, before = 0;
        for (size_t i = 0; i < d->count; i++) {
            const char *x = d->text[i];
            if (i == d->skip)
                continue;
            here += x[t] == text[t];
            before += x[t - 1] == text[t - 1];
            pair += x[t - 1] == text[t - 1] && x[t] == text[t];
            for (size_t u = 1; x[u] != '\0'; u++, total++)
                in_all += x[u] == text[t];
        }
        double f = (in_all + 1) / (total + d->symbols);
        double p = (here + m->pseudo_count[0] * f) / (n + m->pseudo_count[0]);
        if (m->order > 0 && t > 1)
            p = (pair + m->pseudo_count[1] * p) / (before + m->pseudo_count[1]);
        sum += log(p);
    }
    return sum;
}

static double
positional_left_out(struct data *d, const struct positional *m)
{
    double sum = 0;
    for (d->skip = 0; d->skip < d->count; d->skip++)
        sum -= positional_log(d, d->text[d->skip], m);
    return sum / (double)(d->count * strlen(d->text[0]));
}

/* Whether no other pseudo-count of the grid does better. */
static int
best_pseudo_count(struct data *d, const struct positional *m)
{
    struct positional other = *m;
    int best = 1;
    for (int g = 0; g < POSITIONAL_GRID; g++) {
        other.pseudo_count[m->order] = ldexp(1, POSITIONAL_LEAST + g);
        best &= positional_left_out(d, m) <= positional_left_out(d, &other) + 1e-12;
    }
    return best;
}

static void
test_positional(void)
{
    double string = 0, state = 0, total = 0, left = 0;
    int best = 1;
    struct rng r;
    rng_init(&r, 3, "test/positional", 0);
    for (int trial = 0; trial < 40; trial++) {
        struct data d;
        struct strings s;
        struct alphabet a;
        struct positional m = {0};
        uint8_t symbols[LENGTH_MAX];
        random_data(&r, &d, &s, false);
        alphabet_of(&d, &a);
        positional_choose(&s, &a, trial % 2, &m, IGNORE_ERR);
        struct pfsa *p = positional_build(&s, &a, &m, IGNORE_ERR);
        for (size_t i = 0; p != NULL && i < d.count; i++) {
            size_t n = symbols_of(d.text[i], symbols);
            string = fmax(string,
                          fabs(pfsa_log_prob(p, symbols, n) - positional_log(&d, d.text[i], &m)));
        }
        state = p == NULL ? INFINITY : fmax(state, worst_state(p));
        total = p == NULL ? INFINITY : fmax(total, fabs(log_total(p)));
        left = fmax(left, fabs(m.loo_ce[m.order] - positional_left_out(&d, &m)));
        best &= best_pseudo_count(&d, &m);
        pfsa_free(p);
        strings_clear(&s);
    }
    ok(string < 1e-12, "positional: strings have the probabilities of the formulas (%g)", string);
    ok(state < 1e-14, "positional: states sum to 1 (%g)", state);
    ok(total < 1e-12, "positional: all strings sum to 1 (%g)", total);
    ok(left < 1e-12, "positional: leave-one-out is what leaving one out gives (%g)", left);
    ok(best, "positional: the best pseudo-count is chosen");
}

/* ---- limits */

static void
test_limits(void)
{
    struct strings s = {0};
    struct alphabet a;
    struct ngram_choice choice;
    struct positional m;
    struct err e = {0};
    alphabet_init(&a, "01", IGNORE_ERR);
    ok(ngram_choose(&s, &a, NGRAM_CHOOSE, NGRAM_CHOOSE, &choice, &e) == ERR_DATA, "no strings");
    e = (struct err){0};
    ok(positional_choose(&s, &a, 0, &m, &e) == ERR_DATA, "positional: no strings");
    strings_add(&s, (const uint8_t *)"", 0, IGNORE_ERR);
    struct pfsa *p = ngram_build(&s, &a, 3, NGRAM_KN, IGNORE_ERR);
    ok(p != NULL && p->states == 1 && pfsa_log_prob(p, NULL, 0) == 0, "only the empty string");
    pfsa_free(p);
    positional_choose(&s, &a, POSITIONAL_CHOOSE, &m, IGNORE_ERR);
    p = positional_build(&s, &a, &m, IGNORE_ERR);
    ok(p != NULL && p->states == 1, "positional: only the empty string");
    pfsa_free(p);
    strings_add(&s, (const uint8_t *)"\0\1\1", 3, IGNORE_ERR);
    struct pfsa *low = ngram_build(&s, &a, 4, NGRAM_KN, IGNORE_ERR);
    struct pfsa *high = ngram_build(&s, &a, 1000000, NGRAM_KN, IGNORE_ERR);
    const uint8_t *x = (const uint8_t *)"\0\1\0";
    ok(low != NULL && high != NULL && low->states == high->states &&
           pfsa_log_prob(low, x, 3) == pfsa_log_prob(high, x, 3),
       "an order beyond the longest string changes nothing");
    pfsa_free(low);
    pfsa_free(high);
    strings_clear(&s);
}

/* 6,000 random bits have as many contexts of 12 symbols and more. */
static void
test_too_large(void)
{
    struct strings s = {0};
    struct alphabet a;
    struct ngram_choice choice;
    struct err e = {0};
    struct rng r;
    uint8_t x[6000];
    rng_init(&r, 4, "test/large", 0);
    alphabet_init(&a, "01", IGNORE_ERR);
    for (size_t i = 0; i < sizeof x; i++)
        x[i] = (uint8_t)rng_below(&r, 2);
    strings_add(&s, x, sizeof x, IGNORE_ERR);
    ok(ngram_build(&s, &a, 20, NGRAM_WB, &e) == NULL && e.code == ERR_LIMIT,
       "too many contexts times positions are refused: %s", e.text);
    ok(ngram_choose(&s, &a, NGRAM_CHOOSE, NGRAM_WB, &choice, IGNORE_ERR) == 0 &&
           choice.count == NGRAM_ORDER_AUTO + 1,
       "lower orders are not");
    strings_clear(&s);
}

int
main(void)
{
    test_automata(true);
    test_automata(false);
    test_leave_one_out(true);
    test_leave_one_out(false);
    test_literally();
    test_positional();
    test_limits();
    test_too_large();
    return tap_done();
}

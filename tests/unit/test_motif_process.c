/* SPDX-License-Identifier: MIT
 * process against the sum over every string, and against closed forms where
 * there are too many: the first occurrence of a word is a renewal process. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"
#include "support/ignore.h"
#include "support/source.h"
#include "support/tap.h"

enum { LENGTH_MAX = 14, WORD_MAX = 6, STRINGS_MAX = 1 << 14 };

/* A process as options, and the same in a form to enumerate with. */
struct trial {
    struct source p;
    char alphabet[5], probs[128], number[3][32];
    char word[5][WORD_MAX + 1];
    size_t symbols, length, wanted, unwanted;
    double prob[4], mix;
    int mixed;
};

static void
random_word(struct rng *r, struct trial *t, char *word)
{
    size_t n = 1 + rng_below(r, WORD_MAX);
    for (size_t i = 0; i < n; i++)
        word[i] = t->alphabet[rng_below(r, t->symbols)];
    word[n] = '\0';
}

static void
random_probs(struct rng *r, struct trial *t)
{
    char *at = t->probs;
    double left = 1;
    for (size_t i = 0; i < t->symbols; i++) {
        double p = i + 1 == t->symbols ? left : floor(left * rng_double(r) * 64) / 64;
        t->prob[i] = p;
        left -= p;
        at += sprintf(at, "%s%.17g", i > 0 ? "," : "", p);
    }
    source_set(&t->p, "probs", t->probs, IGNORE_ERR);
}

static void
random_trial(struct rng *r, struct trial *t)
{
    *t = (struct trial){.symbols = 1 + rng_below(r, 4)};
    memcpy(t->alphabet, "ACGT", t->symbols);
    source_set(&t->p, "a", t->alphabet, IGNORE_ERR);
    size_t most = t->symbols == 1 ? LENGTH_MAX : t->symbols == 2 ? 11 : t->symbols == 3 ? 7 : 6;
    t->length = rng_below(r, most + 1);
    sprintf(t->number[0], "%zu", t->length);
    source_set(&t->p, "l", t->number[0], IGNORE_ERR);
    for (size_t i = 0; i < t->symbols; i++)
        t->prob[i] = 1 / (double)t->symbols;
    if (rng_below(r, 2) == 0)
        random_probs(r, t);
    t->mixed = rng_below(r, 3) == 0;
    t->wanted = t->mixed ? 1 : rng_below(r, 3);
    t->unwanted = rng_below(r, 3);
    for (size_t i = 0; i < t->wanted + t->unwanted; i++) {
        random_word(r, t, t->word[i]);
        source_set(&t->p, i < t->wanted ? "m" : "x", t->word[i], IGNORE_ERR);
    }
    t->mix = t->mixed ? floor(rng_double(r) * 17) / 16 : 1;
    sprintf(t->number[1], "%.17g", t->mix);
    if (t->mixed)
        source_set(&t->p, "mix", t->number[1], IGNORE_ERR);
}

/* Class of a string: 0 impossible, 1 without a motif, 2 with all. */
static int
class_of(const struct trial *t, const char *text)
{
    int all = 1;
    for (size_t i = 0; i < t->unwanted; i++)
        if (strstr(text, t->word[t->wanted + i]) != NULL)
            return 0;
    for (size_t i = 0; i < t->wanted; i++)
        all &= strstr(text, t->word[i]) != NULL;
    return all ? 2 : 1;
}

/* Exact answers by adding up all strings. */
struct exact {
    size_t strings;
    long double mass[3]; /* under i.i.d. symbols, by class */
    long double entropy, support;
    uint8_t code[STRINGS_MAX][LENGTH_MAX];
    long double p[STRINGS_MAX]; /* of each string; first under i.i.d. symbols */
    int class[STRINGS_MAX];
};

static void
enumerate(const struct trial *t, struct exact *x)
{
    memset(x, 0, offsetof(struct exact, code));
    x->strings = 1;
    for (size_t i = 0; i < t->length; i++)
        x->strings *= t->symbols;
    for (size_t s = 0; s < x->strings; s++) {
        char text[LENGTH_MAX + 1] = "";
        size_t rest = s;
        x->p[s] = 1;
        for (size_t i = 0; i < t->length; i++, rest /= t->symbols) {
            x->code[s][i] = (uint8_t)(rest % t->symbols);
            text[i] = t->alphabet[rest % t->symbols];
            x->p[s] *= t->prob[rest % t->symbols];
        }
        x->class[s] = class_of(t, text);
        x->mass[x->class[s]] += x->p[s];
    }
    for (size_t s = 0; s < x->strings; s++) {
        long double share = x->class[s] == 2               ? t->mix
                            : x->class[s] == 1 && t->mixed ? 1 - t->mix
                                                           : 0;
        x->p[s] = share > 0 && x->p[s] > 0 ? x->p[s] * share / x->mass[x->class[s]] : 0;
        if (x->p[s] > 0) {
            x->entropy -= x->p[s] * logl(x->p[s]);
            x->support++;
        }
    }
}

static int
is_possible(const struct trial *t, const struct exact *x)
{
    return (t->mix == 0 || x->mass[2] > 0) && (!t->mixed || t->mix == 1 || x->mass[1] > 0);
}

/* The largest difference from the exact values. */
static double
compare(const struct trial *t, const struct exact *x, const struct pfsa *p)
{
    struct pfsa_stats s;
    double worst = 0, partition = t->mixed ? 1 : (double)x->mass[2];
    double support = (double)x->support;
    pfsa_stats(p, &s, IGNORE_ERR);
    worst = fmax(worst, fabs(s.entropy - (double)x->entropy));
    worst = fmax(worst, fabs(s.mean_length - (double)t->length));
    worst = fmax(worst, fabs(exp(p->log_partition) - partition) / partition);
    worst = fmax(worst, fabs(s.support - support) + fabs((double)s.support_exact - support));
    worst = fmax(worst, p->model.max_length != t->length);
    for (size_t i = 0; i < x->strings; i++) {
        double q = exp(pfsa_log_prob(p, x->code[i], t->length)), exact = (double)x->p[i];
        worst = fmax(worst, exact == 0 ? q : fabs(q / exact - 1));
    }
    return worst;
}

static void
test_enumeration(void)
{
    static struct exact x;
    struct rng r;
    double worst = 0;
    int wrong = 0, empty = 0, trials = 400;
    rng_init(&r, 1, "test_process", 0);
    for (int i = 0; i < trials; i++) {
        struct trial t;
        struct err e = {0};
        random_trial(&r, &t);
        enumerate(&t, &x);
        struct pfsa *p = source_build(&t.p, &e);
        if (p == NULL)
            wrong += e.code != ERR_EMPTY || is_possible(&t, &x);
        else if (!is_possible(&t, &x))
            wrong++;
        else
            worst = fmax(worst, compare(&t, &x, p));
        empty += p == NULL;
        pfsa_free(p);
        source_clear(&t.p);
    }
    ok(wrong == 0, "refuses exactly what no string satisfies (%d of %d)", empty, trials);
    if (tap_extended())
        ok(worst < 2e-14, "agrees with the sum over all strings: %.2g", worst);
    else
        tap_skip("agrees with the sum over all strings",
                 "long double is no better than double here");
}

/* overlap[k] = probability of word's last k symbols if its first n-k symbols
 * are also its last n-k, else 0; overlap[0] = 1. */
static void
find_overlaps(const char *word, const double *prob, double *overlap)
{
    size_t n = strlen(word);
    for (size_t k = 0; k < n; k++) {
        overlap[k] = memcmp(word, word + k, n - k) == 0;
        for (size_t i = n - k; i < n; i++)
            overlap[k] *= prob[word[i] - '0'];
    }
}

static double
word_prob(const char *word, const double *prob)
{
    double p = 1;
    for (; *word != '\0'; word++)
        p *= prob[*word - '0'];
    return p;
}

/* P(the word occurs before a geometric stop) = F(1 - stop), where F is the
 * generating function of the time of first occurrence,
 * F(z) = w z^n / (w z^n + (1 - z) sum_k overlap[k] z^k). */
static double
occurs_before_stop(const char *word, const double *prob, double stop)
{
    double overlap[64], z = 1 - stop, c = 0;
    size_t n = strlen(word);
    find_overlaps(word, prob, overlap);
    for (size_t k = 0; k < n; k++)
        c += overlap[k] * pow(z, (double)k);
    double w = word_prob(word, prob) * pow(z, (double)n);
    return w / (w + stop * c);
}

static struct pfsa *
build(const char *const *option, struct err *e)
{
    struct source p = {0};
    int rc = 0;
    for (; rc == 0 && option[0] != NULL; option += 2)
        rc = source_set(&p, option[0], option[1], e);
    struct pfsa *built = rc == 0 ? source_build(&p, e) : NULL;
    source_clear(&p);
    return built;
}

static void
test_geometric(void)
{
    static const char *const words[] = {
        "1", "11", "10", "101", "1011011", "0000000000", "10001011111000"};
    static const struct {
        const char *text;
        double value;
    } stops[] = {{"0.5", 0.5}, {"0.01", 0.01}, {"0.0001", 0.0001}, {"0.000001", 0.000001}};
    double worst = 0, prob[2] = {0.7, 0.3};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
            const char *o[] = {"stop", stops[k].text, "m", words[i], "p1", "0.3", NULL};
            struct pfsa *p = build(o, IGNORE_ERR);
            double exact = occurs_before_stop(words[i], prob, stops[k].value);
            worst = fmax(worst, fabs(exp(p->log_partition) / exact - 1));
            pfsa_free(p);
        }
    ok(worst < 2e-14, "geometric length: partition by its closed form, %.2g", worst);
}

/* A mixture over geometric lengths: each part's probabilities are white
 * noise's, scaled. */
static void
test_geometric_mixture(void)
{
    const char *o[] = {"stop", "0.2", "m", "11", "mix", "0.75", NULL};
    double prob[2] = {0.5, 0.5}, with = occurs_before_stop("11", prob, 0.2), worst = 0;
    struct pfsa *p = build(o, IGNORE_ERR);
    for (size_t n = 0; n <= 10; n++)
        for (unsigned s = 0; s < 1u << n; s++) {
            uint8_t code[10];
            for (size_t i = 0; i < n; i++)
                code[i] = s >> i & 1;
            double noise = 0.2 * pow(0.4, (double)n);
            double exact = (s & s >> 1) != 0 ? noise * 0.75 / with : noise * 0.25 / (1 - with);
            worst = fmax(worst, fabs(exp(pfsa_log_prob(p, code, n)) / exact - 1));
        }
    ok(worst < 1e-13, "geometric mixture: probabilities of short strings, %.2g", worst);
    ok(p->log_partition == 0, "a mixture has partition 1");
    pfsa_free(p);
}

/* log P(word in n fair bits), by the times of first occurrence; long double
 * for its range of exponents. */
static double
log_occurs(const char *word, size_t n)
{
    size_t m = strlen(word);
    long double w = powl(0.5L, (long double)m), sum = 0;
    long double *first = mem_zero(n + 1, sizeof *first, IGNORE_ERR);
    long double *before = mem_zero(n + 1, sizeof *before, IGNORE_ERR);
    for (size_t t = m; t <= n; t++) {
        first[t] = w * (1 - before[t - m]);
        for (size_t k = 1; k < m && t >= m + k; k++)
            if (memcmp(word, word + k, m - k) == 0)
                first[t] -= first[t - k] * powl(0.5L, (long double)k);
        before[t] = before[t - 1] + first[t];
    }
    sum = before[n];
    mem_free(first);
    mem_free(before);
    return (double)logl(sum);
}

/* All strings are equally likely, so the entropy is the log of their number. */
static void
test_long(size_t length, size_t word_length)
{
    char n[32], *word = mem_zero(word_length + 1, 1, IGNORE_ERR);
    struct rng r;
    struct pfsa_stats s;
    rng_init(&r, 1, "test_process/long", word_length);
    for (size_t i = 0; i < word_length; i++)
        word[i] = (char)('0' + rng_below(&r, 2));
    sprintf(n, "%zu", length);
    const char *o[] = {"l", n, "m", word, NULL};
    struct pfsa *p = build(o, IGNORE_ERR);
    double exact = log_occurs(word, length), entropy = (double)length * log(2) + exact;
    ok(fabs(p->log_partition / exact - 1) < 1e-13,
       "length %zu, motif of %zu: partition off by %.2g", length, word_length,
       fabs(p->log_partition / exact - 1));
    pfsa_stats(p, &s, IGNORE_ERR);
    ok(fabs(s.entropy / entropy - 1) < 1e-12, "its entropy off by %.2g",
       fabs(s.entropy / entropy - 1));
    pfsa_free(p);
    mem_free(word);
}

static void
test_sizes(void)
{
    const char *pure[] = {"l", "30", "m", "10001011111000", NULL};
    struct pfsa *p = build(pure, IGNORE_ERR);
    ok(p->states == 255, "the pruned automaton of the paper's motif: %u states", p->states);
    pfsa_free(p);
    const char *wide[] = {"a", "0-o", "l", "100", "m", "0@_o", NULL};
    p = build(wide, IGNORE_ERR);
    ok(p != NULL && p->model.alphabet.size == 64, "an alphabet of 64");
    pfsa_free(p);
}

static void
refuses(const char *const *option, int code, const char *text)
{
    struct err e = {0};
    struct pfsa *p = build(option, &e);
    ok(p == NULL && e.code == code && strstr(e.text, text) != NULL, "%s", e.text);
    pfsa_free(p);
}

static void
test_refusals(void)
{
    const struct {
        const char *option[9];
        int code;
        const char *text;
    } bad[] = {
        {{"l", "3", "stop", "0.1"}, ERR_USAGE, "--length cannot be combined with --stop"},
        {{"m", "01"}, ERR_USAGE, "--length N or --stop P"},
        {{"l", "3", "p1", "0.1", "probs", "0.5,0.5"},
         ERR_USAGE,
         "--p1 cannot be combined with --probs"},
        {{"l", "3", "mix", "0.5"}, ERR_USAGE, "--mix"},
        {{"l", "3", "mix", "0.5", "m", "0", "m", "1"}, ERR_USAGE, "--mix"},
        {{"l", "3", "a", "abc", "p1", "0.5"}, ERR_USAGE, "--p1"},
        {{"l", "3", "probs", "0.5"}, ERR_USAGE, "--probs"},
        {{"l", "3", "probs", "0.5,0.25,0.25"}, ERR_USAGE, "--probs"},
        {{"l", "3", "probs", "0.5,0.4"}, ERR_USAGE, "--probs"},
        {{"l", "3", "probs", "0.5,half"}, ERR_USAGE, "--probs"},
        {{"l", "3", "a", "00"}, ERR_USAGE, "--alphabet"},
        {{"l", "3", "m", "2"}, ERR_USAGE, "--motif"},
        {{"l", "3x"}, ERR_USAGE, "3x"},
        {{"stop", "0"}, ERR_USAGE, "'0'"},
        {{"l", "3", "m", "0000"}, ERR_EMPTY, "no string of length 3"},
        {{"l", "3", "m", "01", "x", "1"}, ERR_EMPTY, "no string of length 3"},
        {{"l", "3", "m", "1", "p1", "0"}, ERR_EMPTY, "no string of length 3"},
        {{"stop", "0.5", "x", "0", "x", "1", "m", "0"}, ERR_EMPTY, "no string"},
        {{"l", "3", "m", "0000", "mix", "0.5"}, ERR_EMPTY, "--mix: no string"},
        {{"l", "1048576", "m",
          "0110100110010110100101100110100101101001100101100110100110010110"
          "01101001100101101001011001101001011010011001011001101001100101100110100110010110"
          "01101001100101101001011001101001011010011001011001101001100101100110100110010110"
          "01101001100101101001011001101001011010011001011001101001100101100110100110010110"
          "01101001100101101001011001101001011010011001011001101001100101100110100110010110"
          "01101001100101101001011001101001011010011001011001101001100101100110100110010110"
          "01101001100101101001011001101001011010011001011001101001100101100110100110010110"},
         ERR_LIMIT,
         "too large"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(bad[i].option, bad[i].code, bad[i].text);
}

int
main(void)
{
    test_enumeration();
    test_geometric();
    test_geometric_mixture();
    test_long(10000, 100);
    test_long(1500, 1000);
    test_sizes();
    test_refusals();
    return tap_done();
}

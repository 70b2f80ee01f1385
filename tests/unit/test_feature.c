/* SPDX-License-Identifier: MIT
 *
 * Features against their definitions, computed naively on all short strings; ranges against all
 * completions; records against all continuations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { MAX_L = 10, MAX_FEATURES = 16, STATE_MAX = 512 };

/* ---- the definitions -------------------------------------------------------- */

static int
occurrences(const char *x, const char *s)
{
    int n = 0;
    for (size_t i = 0; i + strlen(s) <= strlen(x); i++)
        n += strncmp(x + i, s, strlen(s)) == 0;
    return n;
}

static double
longest_common_substring(const char *x, const char *s)
{
    size_t best = 0;
    for (size_t i = 0; x[i] != '\0'; i++)
        for (size_t j = 0; s[j] != '\0'; j++) {
            size_t k = 0;
            while (x[i + k] != '\0' && x[i + k] == s[j + k])
                k++;
            best = k > best ? k : best;
        }
    return (double)best;
}

static int
edit_distance(const char *x, size_t n, const char *s)
{
    int d[MAX_L + 2][MAX_L + 2];
    size_t m = strlen(s);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            int best = i == 0 ? (int)j : j == 0 ? (int)i : d[i - 1][j - 1] + (x[i - 1] != s[j - 1]);
            if (i > 0 && j > 0 && d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (i > 0 && j > 0 && d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

static double
bucket_queue_edit(const char *x, const char *s)
{
    int best = (int)strlen(s);
    for (size_t i = 0; i < strlen(x); i++)
        for (size_t n = 1; i + n <= strlen(x); n++) {
            int d = edit_distance(x + i, n, s);
            best = d < best ? d : best;
        }
    return best;
}

static double
defined(const char *spec, const char *x, double max_length)
{
    const char *s = strchr(spec, ':') == NULL ? "" : strchr(spec, ':') + 1;
    double n = (double)strlen(x), m = (double)strlen(s);
    if (strncmp(spec, "motif:", 6) == 0)
        return strstr(x, s) == NULL;
    if (strncmp(spec, "prefix:", 7) == 0)
        return strncmp(x, s, strlen(s)) != 0;
    if (strncmp(spec, "suffix:", 7) == 0)
        return n < m || strcmp(x + strlen(x) - strlen(s), s) != 0;
    if (strncmp(spec, "length:", 7) == 0)
        return n != atof(s);
    if (strcmp(spec, "length") == 0)
        return n / max_length;
    if (strcmp(spec, "length2") == 0)
        return n / max_length * (n / max_length);
    if (strncmp(spec, "count:", 6) == 0)
        return occurrences(x, s) / max_length;
    if (strncmp(spec, "lcs:", 4) == 0)
        return 1 - longest_common_substring(x, s) / m;
    return bucket_queue_edit(x, s) / m;
}

/* ---- all strings up to a length ------------------------------------------------ */

struct trial {
    struct feature_set *f;
    const char *alphabet;
    unsigned symbols;
    size_t max_length;
    double lo[MAX_L + 1][MAX_FEATURES], hi[MAX_L + 1][MAX_FEATURES]; /* of the present node */
    int wrong_values, wrong_ranges, wrong_bounds;
};

static int
differs(double a, double b)
{
    return !(fabs(a - b) <= 1e-12);
}

/* Visits every extension of x.  On return t->lo[r], t->hi[r] are the minimum and maximum
 * values, by definition, over completions of x with up to r symbols. */
static void
visit(struct trial *t, char *x, size_t n, const uint32_t *state)
{
    size_t count = feature_set_count(t->f), bytes = feature_set_state_bytes(t->f);
    double phi[MAX_FEATURES], lo[MAX_L + 1][MAX_FEATURES], hi[MAX_L + 1][MAX_FEATURES];
    feature_set_values(t->f, state, phi);
    for (size_t i = 0; i < count; i++) {
        double want = defined(feature_set_spec(t->f, i), x, (double)t->max_length);
        t->wrong_values += differs(phi[i], want);
        for (size_t r = 0; r <= t->max_length - n; r++)
            lo[r][i] = hi[r][i] = want;
    }
    for (unsigned a = 0; n < t->max_length && a < t->symbols; a++) {
        uint32_t child[STATE_MAX / 4];
        memcpy(child, state, bytes);
        feature_set_step(t->f, child, (uint8_t)a);
        x[n] = t->alphabet[a];
        x[n + 1] = '\0';
        visit(t, x, n + 1, child);
        x[n] = '\0';
        for (size_t r = 1; r <= t->max_length - n; r++)
            for (size_t i = 0; i < count; i++) {
                lo[r][i] = fmin(lo[r][i], t->lo[r - 1][i]);
                hi[r][i] = fmax(hi[r][i], t->hi[r - 1][i]);
            }
    }
    for (size_t r = 0; r <= t->max_length - n; r++) {
        double got_lo[MAX_FEATURES], got_hi[MAX_FEATURES], lambda[MAX_FEATURES], bound = 0;
        feature_set_range(t->f, state, r, got_lo, got_hi);
        for (size_t i = 0; i < count; i++) {
            t->wrong_ranges += differs(got_lo[i], lo[r][i]) || differs(got_hi[i], hi[r][i]);
            lambda[i] = i % 2 ? 1.5 : -2.5;
            bound += lambda[i] * (i % 2 ? hi[r][i] : lo[r][i]);
        }
        t->wrong_bounds += differs(feature_set_bound(t->f, state, r, lambda), bound);
    }
    memcpy(t->lo, lo, sizeof lo);
    memcpy(t->hi, hi, sizeof hi);
}

static void
random_word(struct rng *r, const char *alphabet, size_t most, char *word)
{
    size_t n = 1 + rng_below(r, most);
    for (size_t i = 0; i < n; i++)
        word[i] = alphabet[rng_below(r, strlen(alphabet))];
    word[n] = '\0';
}

static void
test_all_strings(const char *alphabet, size_t max_length, size_t word_max, uint64_t seed)
{
    static const char *const with_word[] = {"motif", "prefix", "suffix", "count", "lcs", "edit"};
    struct alphabet a;
    struct err e = {0};
    struct rng r;
    struct trial t = {.alphabet = alphabet, .max_length = max_length};
    alphabet_init(&a, alphabet, &e);
    t.symbols = a.size;
    t.f = feature_set_new(&a, &e);
    rng_init(&r, seed, "test_feature", 0);
    for (size_t i = 0; i < 6; i++) {
        char word[32], spec[64];
        random_word(&r, alphabet, word_max, word);
        snprintf(spec, sizeof spec, "%s:%s", with_word[i], word);
        feature_set_add(t.f, spec, &e);
    }
    feature_set_add(t.f, "length:5", &e);
    feature_set_add(t.f, "length", &e);
    feature_set_add(t.f, "length2", &e);
    feature_set_set_max_length(t.f, max_length);
    uint32_t state[STATE_MAX / 4];
    char x[MAX_L + 2] = "";
    feature_set_start(t.f, state);
    visit(&t, x, 0, state);
    int good = e.code == 0 && t.wrong_values == 0 && t.wrong_ranges == 0 && t.wrong_bounds == 0;
    ok(good, "alphabet %s, seed %d: %d values, %d ranges, %d bounds wrong", alphabet, (int)seed,
       t.wrong_values, t.wrong_ranges, t.wrong_bounds);
    for (size_t i = 0; !good && i < feature_set_count(t.f); i++)
        printf("#   %s\n", feature_set_spec(t.f, i));
    feature_set_free(t.f);
}

/* ---- canonical records ---------------------------------------------------------- */

/* The value of x y for every y of up to `depth` symbols, as one text. */
static void
futures(const struct feature_set *f, unsigned symbols, const uint32_t *state, int depth, char **out)
{
    uint64_t whole;
    feature_set_numerators(f, state, &whole);
    *(*out)++ = (char)('A' + whole);
    for (unsigned a = 0; depth > 0 && a < symbols; a++) {
        uint32_t child[STATE_MAX / 4];
        memcpy(child, state, feature_set_state_bytes(f));
        feature_set_step(f, child, (uint8_t)a);
        futures(f, symbols, child, depth - 1, out);
    }
}

/* Counts the pairs of strings of `n` symbols over 01 that have equal values for all
 * continuations up to `depth` symbols but different records.  The reverse cannot happen:
 * values are computed from the records. */
static int
split_records(const char *spec, int n, int depth)
{
    enum { STRINGS = 128, FUTURE = 512 };
    static char future[STRINGS][FUTURE];
    static uint32_t record[STRINGS][STATE_MAX / 4];
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, "01", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    feature_set_add(f, spec, &e);
    int split = 0;
    for (int x = 0; x < 1 << n; x++) {
        feature_set_start(f, record[x]);
        for (int i = 0; i < n; i++)
            feature_set_step(f, record[x], (uint8_t)(x >> i & 1));
        char *end = future[x];
        futures(f, 2, record[x], depth, &end);
        *end = '\0';
        for (int y = 0; y < x; y++)
            split += strcmp(future[x], future[y]) == 0 &&
                     memcmp(record[x], record[y], feature_set_state_bytes(f)) != 0;
    }
    feature_set_free(f);
    return split;
}

static void
test_canonical(void)
{
    static const char *const specs[] = {"motif:0110", "prefix:0110", "suffix:1010", "length:4",
                                        "count:101",  "lcs:01101",   "edit:0110",   "length"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        ok(split_records(specs[i], 7, 7) == 0, "%s: equal futures, equal records", specs[i]);
}

/* ---- building --------------------------------------------------------------------- */

static void
test_paper(void)
{
    static const char *const want[][2] = {
        {"m", "motif:10001011111000"},  {"m+0", "motif:100010111110000"},
        {"m/2", "motif:1000101"},       {"d0", "prefix:0"},
        {"d1", "motif:10101101011010"}, {"d2", "motif:1001001100100110"},
        {"d3", "motif:0011001"},
    };
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, "01", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    ok(feature_paper_add(f, "10001011111000", "1111111", &e) == 0, "all seven bits");
    ok(feature_set_count(f) == 7, "seven features");
    for (size_t i = 0; i < 7; i++)
        ok(strcmp(feature_set_name(f, i), want[i][0]) == 0 &&
               strcmp(feature_set_spec(f, i), want[i][1]) == 0,
           "%s is %s", feature_set_name(f, i), feature_set_spec(f, i));
    ok(!feature_set_need_max_length(f), "none needs L");
    ok(feature_paper_add(f, "1000", "1000000", &e) == ERR_USAGE, "a name is taken once");
    feature_set_free(f);

    f = feature_set_new(&a, &e);
    ok(feature_paper_add(f, "10001011111000", "1001111", &e) == ERR_NONE &&
           feature_set_count(f) == 5 && strcmp(feature_set_name(f, 1), "d0") == 0,
       "bits select in order");
    feature_set_free(f);
}

static void
test_bad(void)
{
    static const char *const specs[][2] = {
        {"", "empty"},
        {"motif", "not a feature"},
        {"motif:", "empty"},
        {"motif:012", "character 3"},
        {"length:", "''"},
        {"length:x", "'x'"},
        {"length:-1", "'-1'"},
        {"length2:3", "not a feature"},
        {"moti:0", "not a feature"},
        {"length:4294967295", "4294967295"},
        {"motif:\xc3\xa9", "character 1"},
        {"lcs: 0", "character 1"},
    };
    static const char *const bits[] = {"", "1", "101010", "10101010", "100000x", "0000000"};
    struct alphabet a, dna;
    struct err e = {0};
    alphabet_init(&a, "01", &e);
    alphabet_init(&dna, "ACGT", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct err bad = {0};
        int rc = feature_set_add(f, specs[i][0], &bad);
        ok(rc == ERR_USAGE && strstr(bad.text, specs[i][1]) != NULL, "refused: '%s': %s",
           specs[i][0], bad.text);
    }
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct err bad = {0};
        ok(feature_paper_add(f, "1000", bits[i], &bad) == ERR_USAGE, "bad bits: %s", bad.text);
    }
    char edit[5 + FEATURE_EDIT_MAX + 2] = "edit:";
    memset(edit + 5, '1', FEATURE_EDIT_MAX);
    ok(feature_set_add(f, edit, &e) == 0, "edit of %d symbols", FEATURE_EDIT_MAX);
    edit[5 + FEATURE_EDIT_MAX] = '1';
    ok(feature_set_add(f, edit, IGNORE_ERR) == ERR_USAGE, "edit of one more is refused");
    ok(feature_paper_add(f, "1", "0010000", IGNORE_ERR) == ERR_USAGE, "no half of one symbol");
    ok(feature_paper_add(f, "1x", "1000000", IGNORE_ERR) == ERR_USAGE,
       "motif outside the alphabet");
    ok(feature_set_add(f, "motif:1", &e) == 0 &&
           feature_set_add(f, "motif:1", IGNORE_ERR) == ERR_USAGE,
       "duplicate name");
    ok(feature_set_add_named(f, "other", "motif:1", &e) == 0, "another name for the same spec");
    ok(feature_set_count(f) == 3, "failures add nothing");
    feature_set_free(f);
    f = feature_set_new(&dna, &e);
    ok(feature_paper_add(f, "ACG", "1000000", IGNORE_ERR) == ERR_USAGE,
       "bits need the alphabet 01");
    feature_set_free(f);
}

static void
test_weights(void)
{
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, "01", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    feature_set_add(f, "motif:111", &e);
    feature_set_add(f, "length", &e);
    feature_set_set_max_length(f, 10);
    uint32_t state[STATE_MAX / 4];
    feature_set_start(f, state);
    const double hard[] = {-INFINITY, 0}, grows[] = {-1, 2}, shrinks[] = {-1, -2};
    ok(feature_set_bound(f, state, 3, hard) == 0, "a hard constraint still in reach");
    ok(feature_set_bound(f, state, 2, hard) == -INFINITY, "and out of reach");
    ok(feature_set_bound(f, state, UINT64_MAX, hard) == 0, "weight 0 of an unbounded value");
    ok(feature_set_bound(f, state, UINT64_MAX, grows) == INFINITY, "no bound: unbounded length");
    ok(feature_set_bound(f, state, UINT64_MAX, shrinks) == 0, "a bound at any length");
    const double phi[] = {0, 0.5};
    ok(feature_set_dot(f, hard, phi) == 0, "-inf times 0 is 0");
    feature_set_free(f);
}

static void
test_long_words(void)
{
    enum { M = 3000 };
    static char word[M + 1], spec[M + 8];
    struct alphabet a;
    struct err e = {0};
    struct rng r;
    alphabet_init(&a, "ACGT", &e);
    rng_init(&r, 7, "test_feature/long", 0);
    for (int i = 0; i < M; i++)
        word[i] = "ACGT"[rng_below(&r, 4)];
    struct feature_set *f = feature_set_new(&a, &e);
    snprintf(spec, sizeof spec, "motif:%s", word);
    feature_set_add(f, spec, &e);
    snprintf(spec, sizeof spec, "lcs:%s", word);
    feature_set_add(f, spec, &e);
    snprintf(spec, sizeof spec, "count:%s", word);
    feature_set_add(f, spec, &e);
    uint32_t state[STATE_MAX / 4];
    uint64_t whole[3];
    feature_set_start(f, state);
    for (int i = 0; i < M - 1; i++)
        feature_set_step(f, state, a.symbol[(unsigned char)word[i]]);
    feature_set_numerators(f, state, whole);
    ok(e.code == 0 && whole[0] == 1 && whole[1] == 1 && whole[2] == 0, "one symbol short of 3000");
    feature_set_step(f, state, a.symbol[(unsigned char)word[M - 1]]);
    feature_set_numerators(f, state, whole);
    ok(whole[0] == 0 && whole[1] == 0 && whole[2] == 1, "all 3000 symbols");
    feature_set_free(f);
}

int
main(void)
{
    for (uint64_t seed = 1; seed <= 12; seed++)
        test_all_strings("01", 9, 6, seed);
    for (uint64_t seed = 1; seed <= 3; seed++)
        test_all_strings("01", MAX_L, 9, 100 + seed);
    for (uint64_t seed = 1; seed <= 6; seed++)
        test_all_strings("ACGT", 6, 4, seed);
    test_all_strings("x", 6, 3, 1);
    test_canonical();
    test_paper();
    test_bad();
    test_weights();
    test_long_words();
    return tap_done();
}

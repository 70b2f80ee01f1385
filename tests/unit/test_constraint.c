/* SPDX-License-Identifier: MIT
 *
 * Models given hard constraints, against enumeration: the number of strings and the
 * probability for every kind that tests for something, over 2, 4 and 6 symbols, for its
 * complement and for pairs of kinds; an LSTM and GAMs; and which constraints are named if no
 * string is left.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/option_groups.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "feature/feature_set.h"
#include "gam/constraint.h"
#include "gam/gam.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"
#include "support/gamtest.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { STATE_MAX = 64 };

/* ---- automata ------------------------------------------------------------------------------- */

/* What an automaton given constraints is to be. */
struct expected {
    uint64_t strings;
    double probability;
};

/* Adds all strings of up to `length` symbols, or of just as many, whose features are all 0. */
static struct expected
enumerate(const struct feature_set *f, size_t length, double stop)
{
    struct expected x = {0, 0};
    size_t symbols = feature_set_alphabet(f)->size, width = 1;
    double p = stop > 0 ? stop : 1;
    for (size_t n = 0; n <= length; n++, width *= symbols, p *= (1 - stop) / (double)symbols)
        for (size_t k = 0; (stop > 0 || n == length) && k < width; k++) {
            uint32_t state[STATE_MAX];
            uint64_t whole[4];
            bool allowed = true;
            feature_set_start(f, state);
            for (size_t i = 0, rest = k; i < n; i++, rest /= symbols)
                feature_set_step(f, state, (uint8_t)(rest % symbols));
            feature_set_numerators(f, state, whole);
            for (size_t i = 0; i < feature_set_count(f); i++)
                allowed &= whole[i] == 0;
            x.strings += allowed;
            x.probability += allowed ? p : 0;
        }
    return x;
}

static struct feature_set *
constraints(const char *alphabet, const char *require, const char *forbid, struct err *e)
{
    struct alphabet a;
    struct constraint_options o = {0};
    alphabet_init(&a, alphabet, e);
    if (require != NULL)
        text_list_add(&o.required, require, e);
    if (forbid != NULL)
        text_list_add(&o.forbidden, forbid, e);
    struct feature_set *f = constraint_options_build(&o, &a, e);
    text_list_clear(&o.required);
    text_list_clear(&o.forbidden);
    return f;
}

/* Whether strings of `length` fair symbols, given the constraints, are as many and as probable as
 * counted. */
static bool
agrees(const char *alphabet, size_t length, const char *require, const char *forbid)
{
    struct gamtest_setting s = {.alphabet = alphabet, .longest = length};
    struct err e = {0};
    struct pfsa_stats stats = {0};
    struct feature_set *f = constraints(alphabet, require, forbid, &e);
    struct expected want = f != NULL ? enumerate(f, length, 0) : (struct expected){0, 0};
    struct pfsa *p = constraint_automaton(gamtest_pfsa(&s), f, &e);
    if (p != NULL)
        pfsa_stats(p, &stats, &e);
    bool good = want.strings == 0 ? e.code == ERR_EMPTY
                                  : e.code == 0 && stats.support_exact == want.strings &&
                                        fabs(exp(p->log_partition) - want.probability) < 1e-13;
    if (!good)
        printf("# %s: require %s, forbid %s: %llu strings, not %llu %s\n", alphabet,
               require != NULL ? require : "-", forbid != NULL ? forbid : "-",
               (unsigned long long)stats.support_exact, (unsigned long long)want.strings, e.text);
    pfsa_free(p);
    return good;
}

static const char *const binary[] = {
    "motif:101",          "prefix:01",       "suffix:110",      "length:9",        "regex:^1(01)*$",
    "regex:(00|11)1?$",   "at:-3:101",       "within:2..-2:11", "length@3..9",     "count:11@1..2",
    "count:[1]@3..5",     "matches:1+0@2..", "run@..3",         "run:0@3..",       "edit:0110@..1",
    "lcs:01101@..3",      "count:1@40%..",   "count:[1]@..50%", "matches:10$@..0", "run@..50%",
    "dfa:-1,.;+1,2;-1,2",
};
static const char *const dna[] = {
    "motif:AC",     "prefix:G",       "suffix:CG",       "site:GAT",
    "site+:RYN",    "regex:A[CG]T?$", "at:2:GC",         "run@..2",
    "run:G@..1",    "edit:GAT@..1",   "count:[GC]@2..3", "count:[GC]@40%..60%",
    "lcs:GATC@..2", "length@5..6",    "within:1..3:A",
};
static const char *const letters[] = {
    "regex:^[a-c]+f", "matches:[ae].@1..", "count:[ae]@2..",   "at:-2:fe",
    "edit:bad@..1",   "motif:ab",          "count:[ae]@..50%", "run@..2",
};

/* Every kind by itself, its complement, and all pairs of kinds. */
static void
test_kinds(const char *alphabet, const char *const *spec, size_t n, size_t length)
{
    int wrong = 0, pairs = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += !agrees(alphabet, length, spec[i], NULL);
        wrong += !agrees(alphabet, length, NULL, spec[i]);
        for (size_t k = 0; k < n; k++)
            pairs += k != i && !agrees(alphabet, length, spec[i], spec[k]);
    }
    ok(wrong == 0, "%zu kinds over %s and their complements: %d wrong", n, alphabet, wrong);
    ok(pairs == 0, "their products: %d wrong", pairs);
}

static void
test_automata(void)
{
    test_kinds("01", binary, sizeof binary / sizeof *binary, 9);
    test_kinds("ACGT", dna, sizeof dna / sizeof *dna, 5);
    test_kinds("abcdef", letters, sizeof letters / sizeof *letters, 4);
}

/* ---- models of any kind ------------------------------------------------------------------- */

/* The probability of the constraints given |x| <= L, by enumeration. */
static double
enumerated_probability(struct gamtest_setting s, const char *require, const char *forbid)
{
    struct err e = {0};
    struct feature_set *f = constraints(s.alphabet, require, forbid, &e);
    struct expected all = {0, 0}, given = enumerate(f, s.longest, s.stop);
    struct feature_set *none = constraints(s.alphabet, NULL, NULL, &e);
    all = enumerate(none, s.longest, s.stop);
    feature_set_free(none);
    feature_set_free(f);
    return given.probability / all.probability;
}

static void
test_probability(void)
{
    struct gamtest_setting s = {.alphabet = "01", .stop = 0.2, .longest = 7};
    struct err e = {0};
    struct pool *pool = pool_new(1, &e);
    struct constrained x;
    struct constraint_probability p = {0};
    struct feature_set *c = constraints("01", "motif:01", "run@4..", &e);
    int rc = constrained_init(&x, &gamtest_pfsa(&s)->model, c, s.longest, &e);
    if (rc == 0)
        rc = constraint_probability(&x, pool, 1, 0.01, &p, &e);
    ok(fabs(p.value - enumerated_probability(s, "motif:01", "run@4..")) < 1e-14,
       "the probability given |x| <= L");
    ok(rc == 0 && p.se == 0, "is exact");
    constrained_clear(&x);
    feature_set_free(c);
    pool_free(pool);
}

/* A second set of constraints comes on top of the first: P(A and B) = P(A) P(B | A). */
static void
test_chain(void)
{
    struct gamtest_setting s = {.alphabet = "01", .longest = 9};
    struct err e = {0};
    struct pool *pool = pool_new(1, &e);
    struct constrained first, second;
    struct constraint_probability a = {0}, b = {0};
    struct feature_set *one = constraints("01", "motif:011", NULL, &e);
    struct feature_set *two = constraints("01", "motif:011", "suffix:1", &e);
    constrained_init(&first, &gamtest_pfsa(&s)->model, one, s.longest, &e);
    constraint_probability(&first, pool, 1, 0.01, &a, &e);
    struct model *given = &first.gam->model;
    first.gam = NULL;
    constrained_init(&second, given, two, s.longest, &e);
    ok(feature_set_count(second.gam->features) == 2, "a constraint that is there is not added");
    constraint_probability(&second, pool, 1, 0.01, &b, &e);
    ok(fabs(a.value * b.value - enumerated_probability(s, "motif:011", "suffix:1")) < 1e-14,
       "constraints on a GAM");
    constrained_clear(&first);
    constrained_clear(&second);
    feature_set_free(one);
    feature_set_free(two);
    pool_free(pool);
}

/* ---- contradictions ------------------------------------------------------------------------- */

static void
test_conflict(void)
{
    struct gamtest_setting s = {.alphabet = "01", .longest = 8};
    struct alphabet a;
    struct err e = {0};
    struct constraint_options o = {0};
    static const char *const required[] = {"motif:11", "run@..4", "motif:0000", "count:1@2.."};
    alphabet_init(&a, "01", &e);
    for (size_t i = 0; i < 4; i++)
        text_list_add(&o.required, required[i], &e);
    text_list_add(&o.forbidden, "prefix:1", &e);
    text_list_add(&o.forbidden, "count:00@1..", &e);
    struct pfsa *p =
        constraint_automaton(gamtest_pfsa(&s), constraint_options_build(&o, &a, &e), &e);
    ok(p == NULL && e.code == ERR_EMPTY, "no string is left");
    ok(strcmp(e.text, "no string of at most 8 symbols satisfies the constraints: require "
                      "motif:0000, forbid count:00@1..") == 0,
       "the message names the two that contradict each other: %s", e.text);
    text_list_clear(&o.required);
    text_list_clear(&o.forbidden);
}

int
main(void)
{
    test_automata();
    test_probability();
    test_chain();
    test_conflict();
    return tap_done();
}

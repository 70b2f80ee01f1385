/* SPDX-License-Identifier: MIT
 *
 * Features given by expressions, sites, positions, runs and ranges: values against their
 * definitions, computed naively on all short strings over 2, 4 and 6 symbols (and by the C
 * library's regular expressions); ranges against all completions; invalid specs.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "support/definition.h"
#include "support/tap.h"

enum { MAX_L = 9, STATE_MAX = 64 };

/* ---- all strings ------------------------------------------------------------------------- */

struct trial {
    struct feature_set *f;
    const char *spec;
    size_t longest;
    bool bounds_only;                    /* ranges need not be attained */
    double lo[MAX_L + 1], hi[MAX_L + 1]; /* of the present node, by rest */
    int wrong_values, wrong_ranges;
};

static void
check_range(struct trial *t, const uint32_t *state, size_t rest, double lo, double hi)
{
    double got_lo, got_hi;
    feature_set_range(t->f, state, rest, &got_lo, &got_hi);
    if (t->bounds_only)
        t->wrong_ranges += got_lo > lo || got_hi < hi;
    else
        t->wrong_ranges += fabs(got_lo - lo) > 1e-12 || fabs(got_hi - hi) > 1e-12;
}

/* On return t->lo[r], t->hi[r] are by definition those of completions by up to r symbols. */
static void
visit(struct trial *t, char *x, size_t n, const uint32_t *state)
{
    const struct alphabet *a = feature_set_alphabet(t->f);
    double phi, want = definition_value(t->spec, x, (double)t->longest), lo[MAX_L + 1],
                hi[MAX_L + 1];
    feature_set_values(t->f, state, &phi);
    t->wrong_values += !(fabs(phi - want) < 1e-12);
    for (size_t r = 0; r <= t->longest - n; r++)
        lo[r] = hi[r] = want;
    for (unsigned c = 0; n < t->longest && c < a->size; c++) {
        uint32_t child[STATE_MAX];
        memcpy(child, state, feature_set_state_bytes(t->f));
        feature_set_step(t->f, child, (uint8_t)c);
        x[n] = a->text[c];
        x[n + 1] = '\0';
        visit(t, x, n + 1, child);
        x[n] = '\0';
        for (size_t r = 1; r <= t->longest - n; r++) {
            lo[r] = fmin(lo[r], t->lo[r - 1]);
            hi[r] = fmax(hi[r], t->hi[r - 1]);
        }
    }
    for (size_t r = 0; r <= t->longest - n; r++)
        check_range(t, state, r, lo[r], hi[r]);
    memcpy(t->lo, lo, sizeof lo);
    memcpy(t->hi, hi, sizeof hi);
}

static void
test_spec(const char *alphabet, const char *spec, size_t longest)
{
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, alphabet, &e);
    struct trial t = {.f = feature_set_new(&a, &e), .spec = spec, .longest = longest};
    t.bounds_only = strchr(spec, '%') != NULL;
    feature_set_set_max_length(t.f, longest);
    if (feature_set_add(t.f, spec, &e) == 0) {
        uint32_t state[STATE_MAX];
        char x[MAX_L + 2] = "";
        feature_set_start(t.f, state);
        visit(&t, x, 0, state);
    }
    ok(e.code == 0 && t.wrong_values == 0 && t.wrong_ranges == 0,
       "%s over %s: %d values, %d ranges wrong%s%s", spec, alphabet, t.wrong_values, t.wrong_ranges,
       e.code != 0 ? ": " : "", e.text);
    feature_set_free(t.f);
}

static const char *const binary[] = {
    "regex:101",
    "regex:^1(01)*$",
    "regex:(00|11)1?$",
    "regex:^",
    "regex:1{3,}|^0$",
    "matches:101",
    "matches:1+0|00",
    "matches:10$",
    "matches:(1|10$)",
    "matches:0*",
    "count:[1]",
    "count:[01]",
    "run",
    "run:1",
    "at:1:10",
    "at:3:1",
    "at:-1:1",
    "at:-3:101",
    "at:-4:01",
    "within:1..4:11",
    "within:2..5:101",
    "within:-4..-1:11",
    "within:-5..-2:00",
    "within:2..-2:11",
    "within:-4..5:01",
    "length@3..5",
    "length@..4",
    "length@6..",
    "length@0..",
    "count:1@2..4",
    "count:11@1..",
    "count:101@..1",
    "count:[1]@3..3",
    "matches:1+0@2..",
    "matches:10$@..0",
    "run@..3",
    "run@2..3",
    "run:0@3..",
    "edit:0110@..1",
    "edit:0110@1..2",
    "edit:01101@2..",
    "edit:0110@0..",
    "lcs:01101@3..",
    "lcs:0110@2..3",
    "count:1@40%..60%",
    "count:1@..33.3%",
    "count:[1]@50%..50%",
    "run@..50%",
    "matches:10@25%..",
    "not:regex:^1(01)*$",
    "not:at:-3:101",
    "not:length@3..5",
    "not:count:1@2..4",
    "not:count:1@40%..60%",
};
static const char *const dna[] = {
    "regex:A[CG]T?$",
    "matches:[AG]C",
    "count:[GC]",
    "count:[^A]",
    "site:GAT",
    "site+:GAT",
    "site:RY",
    "site:GWC",
    "site+:BDH",
    "site:ACK",
    "run",
    "run:G",
    "at:2:GC",
    "within:1..3:A",
    "edit:GAT@..1",
    "count:A@1..2",
    "run@..2",
    "count:[GC]@2..3",
    "count:[GC]@40%..60%",
    "lcs:GATC@..2",
    "site:VM",
};
static const char *const letters[] = {
    "regex:^[a-c]+f",
    "matches:[aeiou].",
    "count:[aeiou]",
    "count:[[:alpha:]]",
    "run",
    "run:e",
    "at:-2:fe",
    "count:[ae]@2..",
    "edit:bad@..1",
    "within:2..4:ab",
    "count:[ae]@..50%",
};

static void
test_values(void)
{
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        test_spec("01", binary[i], 8);
    for (size_t i = 0; i < sizeof dna / sizeof *dna; i++)
        test_spec("ACGT", dna[i], 5);
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        test_spec("abcdef", letters[i], 4);
    test_spec("a", "run@2..4", 6);
}

/* ---- spellings that mean the same ---------------------------------------------------------- */

/* Whether two specs agree on all strings of up to 5 symbols. */
static bool
same(const char *alphabet, const char *one, const char *two)
{
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, alphabet, &e);
    struct feature_set *f = feature_set_new(&a, &e);
    feature_set_add_named(f, "one", one, &e);
    feature_set_add_named(f, "two", two, &e);
    bool agree = e.code == 0;
    for (size_t n = 0, width = 1; agree && n <= 5; n++, width *= a.size)
        for (size_t x = 0; x < width; x++) {
            uint32_t state[STATE_MAX];
            uint64_t whole[2];
            feature_set_start(f, state);
            for (size_t i = 0, rest = x; i < n; i++, rest /= a.size)
                feature_set_step(f, state, (uint8_t)(rest % a.size));
            feature_set_numerators(f, state, whole);
            agree &= whole[0] == whole[1];
        }
    if (e.code != 0)
        printf("# %s\n", e.text);
    feature_set_free(f);
    return agree;
}

static void
test_spellings(void)
{
    ok(same("ACGT", "site:GAT", "regex:GAT|ATC"), "a site is on either strand");
    ok(same("ACGT", "site:gnw", "site:GNW"), "small letters");
    ok(same("ACGT", "site+:SUN", "site+:STN"), "U is T");
    ok(same("ACGU", "site:GAT", "regex:GAU|AUC"), "RNA");
    ok(same("acgtn", "site:GAT", "regex:gat|atc"), "an alphabet of small letters");
    ok(same("a@.12", "count:a\\@1..2", "matches:a@1\\.\\.2"), "an escaped @ is a symbol");
    ok(same("a@.12", "motif:a@1..2", "regex:a@1\\.\\.2"), "a motif has no number and no range");
    ok(same("a@b", "count:a@b", "matches:a@b"), "@ is a symbol where no range follows");
    ok(same("a[]", "count:\\[a]", "matches:\\[a\\]"), "an escaped bracket");
    ok(same("a[]", "count:[", "matches:\\["), "a single bracket is a symbol");
    ok(same("a:", "at:1:\\:a", "at:1::a"), "a colon");
    ok(same("a\\", "motif:a\\\\", "regex:a\\\\"), "a backslash");
    ok(same("a\\", "motif:\\a", "regex:\\\\a"), "a backslash before other symbols is one");
    ok(same("01", "not:prefix:01", "not:regex:^01"), "complements of a prefix");
    ok(same("01", "not:length:3", "not:length@3..3"), "complements of a length");
    ok(same("01", "not:motif:011", "count:011@..0"), "complements of a motif");
    ok(same("01", "dfa:-1,.;+1,2;-1,2", "regex:^0$|^0.*0$"), "an automaton as a table");
    ok(same("01", "dfa:-.,2;+0,0;+2,.", "regex:^10*$"), "states in any order, one not reached");
    ok(same("abc", "dfa:+0,0,.", "regex:^[ab]*$"), "three symbols");
    ok(same("ab@", "count:[@a]", "matches:@|a"), "@ in brackets");
}

/* ---- specs that are refused ---------------------------------------------------------------- */

static const char *const refused[][2] = {
    {"regex:A(C", "position 2"},
    {"regex:AX", "'X' is not in the alphabet"},
    {"regex:A**", "position 3"},
    {"matches:[A", "position 1: missing ']'"},
    {"count:[XY]", "position 1"},
    {"count:[A]C", "position 4"},
    {"count:[A", "missing ']'"},
    {"site:GAX", "position 3: 'X'"},
    {"site:", "empty"},
    {"site:G\xc3\xa9", "position 2"},
    {"run:AC", "one symbol"},
    {"run:", "empty"},
    {"at:0:A", "position 0"},
    {"at:x:A", "'x' is not a position"},
    {"at:1", "at:I:S"},
    {"at:1:", "empty"},
    {"at:-1:AC", "cannot begin"},
    {"at:5000:A", "beyond 1000"},
    {"within:3..2:A", "end before"},
    {"within:1..2:ACG", "does not fit"},
    {"within:1:A", "within:I..J:S"},
    {"within:1..2", "within:I..J:S"},
    {"count:A@5..3", "ends before"},
    {"count:A@..", "LO..HI"},
    {"count:A@5", "LO..HI"},
    {"count:A@x..3", "x"},
    {"count:A@1..2..3", "2..3"},
    {"count:A@10%..20", "'20'"},
    {"count:A@10%..120%", "'120%'"},
    {"count:A@1.2345%..", "'1.2345%'"},
    {"count:A@99999999999..", "99999999999"},
    {"length@10%..20%", "no range in percent"},
    {"not:count:A", "0 or 1"},
    {"dfa:", "expected + or -"},
    {"dfa:+0,0,0", "4 arcs"},
    {"dfa:+0,0,0,0,0", "4 arcs"},
    {"dfa:+0,0,0,1", "'1'"},
    {"dfa:+0,0,0,x", "expected the number of a state"},
    {"dfa:+0,0,0,0;", "expected + or -"},
    {"dfa:+0,0,0,99999999999", "expected the number of a state"},
    {"not:edit:AC", "0 or 1"},
    {"not:not:motif:A", "not a feature"},
    {"not:", "not a feature"},
    {"length2@1..2", "needs a number"},
    {"motif:A@1..2", "needs a number"},
    {"regex:A@1..2", "needs a number"},
    {"nothing@1..2", "not a feature"},
    {"@1..2", "not a feature"},
    {"lcs:ACGT@-1..2", "-1"},
};

static void
test_bad(void)
{
    struct alphabet a, bits;
    struct err e = {0};
    alphabet_init(&a, "ACGT", &e);
    alphabet_init(&bits, "01", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct err bad = {0};
        int rc = feature_set_add(f, refused[i][0], &bad);
        ok(rc == ERR_USAGE && strstr(bad.text, refused[i][1]) != NULL, "refused: '%s': %s",
           refused[i][0], bad.text);
    }
    feature_set_free(f);
    f = feature_set_new(&bits, &e);
    struct err bad = {0};
    ok(feature_set_add(f, "site:GAT", &bad) == ERR_USAGE, "%s", bad.text);
    bad = (struct err){0};
    ok(feature_set_add(f, "count:1@..600000", &bad) == ERR_LIMIT, "%s", bad.text);
    feature_set_free(f);
}

/* ---- long words ------------------------------------------------------------------------- */

/* Ranges of distances need far fewer states than distances. */
static void
test_long_edit(void)
{
    struct alphabet a;
    struct err e = {0};
    alphabet_init(&a, "ACGT", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    feature_set_add(f, "edit:TTGACATATAATGCGCGATTACAGG@..1", &e);
    const struct feature *one = e.code == 0 ? feature_set_feature(f, 0) : NULL;
    uint32_t states = one == NULL ? 0 : one->pattern.dfa.states;
    ok(e.code == 0 && states > 25 && states < 500, "one edit in 25 symbols: %u states %s", states,
       e.text);
    feature_set_free(f);
}

int
main(void)
{
    test_values();
    test_spellings();
    test_bad();
    test_long_edit();
    regfree(&definition_compiled);
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 *
 * Features given by expressions, sites, positions, runs and ranges: values against their
 * definitions, computed in the plainest way on all short strings over 2, 4 and 6 symbols (and
 * by the C library's regular expressions); ranges against all completions; specs that are
 * refused.
 */
#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "support/tap.h"

enum { MAX_L = 9, STATE_MAX = 64 };

/* ---- the definitions -------------------------------------------------------------------- */

/* The last expression stays compiled. */
static regex_t compiled; /* all zero is free */
static char compiled_from[64];

static bool
matches(const char *expression, const char *x)
{
    if (strcmp(expression, compiled_from) != 0) {
        regfree(&compiled);
        snprintf(compiled_from, sizeof compiled_from, "%s", expression);
        if (regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) != 0)
            return false;
    }
    return regexec(&compiled, x, 0, NULL, 0) == 0;
}

/* Positions where a match of an expression without anchors ends. */
static int
match_ends(const char *expression, const char *x)
{
    char whole[64], part[MAX_L + 1];
    int n = 0;
    snprintf(whole, sizeof whole, "^(%s)$", expression);
    for (size_t i = 1; i <= strlen(x); i++) {
        bool found = false;
        for (size_t j = 0; j < i && !found; j++) {
            snprintf(part, sizeof part, "%.*s", (int)(i - j), x + j);
            found = matches(whole, part);
        }
        n += found;
    }
    return n;
}

static int
longest_run(const char *x, char symbol)
{
    int best = 0;
    for (size_t i = 0; x[i] != '\0'; i++) {
        int n = 0;
        while (x[i] == x[i + (size_t)n] && (symbol == '\0' || x[i] == symbol))
            n++;
        best = n > best ? n : best;
    }
    return best;
}

static int
occurrences(const char *x, const char *s)
{
    int n = 0;
    for (size_t i = 0; i + strlen(s) <= strlen(x); i++)
        n += strncmp(x + i, s, strlen(s)) == 0;
    return n;
}

static const char *
letters_of(char c)
{
    static const char *const codes[] = {"AA",  "CC",  "GG",   "TT",   "RAG",  "YCT",  "SCG",  "WAT",
                                        "KGT", "MAC", "BCGT", "DAGT", "HACT", "VACG", "NACGT"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i][0] == c)
            return codes[i] + 1;
    return "";
}

/* Whether the site stands at x[i]; with `other` on the other strand, read backward. */
static bool
site_at(const char *x, size_t i, const char *word, bool other)
{
    size_t m = strlen(word);
    for (size_t k = 0; k < m; k++) {
        static const char bases[] = "ACGT", paired[] = "TGCA";
        char c = x[other ? i + m - 1 - k : i + k];
        if (other)
            c = paired[strchr(bases, c) - bases];
        if (strchr(letters_of(word[k]), c) == NULL)
            return false;
    }
    return true;
}

static bool
has_site(const char *x, const char *word, bool both)
{
    for (size_t i = 0; i + strlen(word) <= strlen(x); i++)
        if (site_at(x, i, word, false) || (both && site_at(x, i, word, true)))
            return true;
    return false;
}

/* A word inside positions first to last, which count from the end if negative. */
static bool
is_within(const char *x, int first, int last, const char *word)
{
    int n = (int)strlen(x), m = (int)strlen(word);
    first = first < 0 ? n + first + 1 : first;
    last = last < 0 ? n + last + 1 : last;
    for (int i = 0; i + m <= n; i++)
        if (strncmp(x + i, word, (size_t)m) == 0 && i + 1 >= first && i + m <= last)
            return true;
    return false;
}

static int
common_substring(const char *x, const char *s)
{
    int best = 0;
    for (size_t i = 0; i < strlen(s); i++)
        for (size_t n = 1; i + n <= strlen(s); n++) {
            char part[16];
            snprintf(part, sizeof part, "%.*s", (int)n, s + i);
            best = strstr(x, part) != NULL && (int)n > best ? (int)n : best;
        }
    return best;
}

static int
edit_distance(const char *x, size_t n, const char *s, size_t m)
{
    if (n == 0 || m == 0)
        return (int)(n + m);
    int a = edit_distance(x + 1, n - 1, s + 1, m - 1) + (*x != *s);
    int b = edit_distance(x + 1, n - 1, s, m) + 1, c = edit_distance(x, n, s + 1, m - 1) + 1;
    return a < b ? (a < c ? a : c) : b < c ? b : c;
}

static int
least_edits(const char *x, const char *s)
{
    size_t m = strlen(s);
    int best = (int)m;
    for (size_t i = 0; i < strlen(x); i++)
        for (size_t n = 1; i + n <= strlen(x) && n <= m + 1; n++) {
            int d = edit_distance(x + i, n, s, m);
            best = d < best ? d : best;
        }
    return best;
}

/* The number of a spec without its range, for ranges and values alike. */
static double
number(const char *kind, const char *argument, const char *x)
{
    if (strcmp(kind, "length") == 0)
        return (double)strlen(x);
    if (strcmp(kind, "run") == 0)
        return longest_run(x, argument == NULL ? '\0' : argument[0]);
    if (strcmp(kind, "count") == 0 && argument[0] != '[')
        return occurrences(x, argument);
    if (strcmp(kind, "lcs") == 0)
        return common_substring(x, argument);
    if (strcmp(kind, "edit") == 0)
        return least_edits(x, argument);
    if (strcmp(argument, "10$") == 0 || strcmp(argument, "(1|10$)") == 0) {
        size_t n = strlen(x);
        bool ends = n > 1 && strcmp(x + n - 2, "10") == 0;
        return ends + (argument[0] == '(' ? occurrences(x, "1") : 0);
    }
    return match_ends(argument, x);
}

static bool
in_range(double value, const char *range, double length)
{
    const char *dots = strstr(range, "..");
    double scale = strchr(range, '%') != NULL ? length / 100 : 1;
    bool low = dots == range || value >= atof(range) * scale - 1e-9;
    bool high = dots[2] == '\0' || value <= atof(dots + 2) * scale + 1e-9;
    return low && high;
}

static double
defined(const char *spec, const char *x, double max_length)
{
    char text[64], *argument, *range;
    snprintf(text, sizeof text, "%s", spec);
    if ((range = strrchr(text, '@')) != NULL)
        *range++ = '\0';
    if ((argument = strchr(text, ':')) != NULL)
        *argument++ = '\0';
    if (range != NULL)
        return !in_range(number(text, argument, x), range, (double)strlen(x));
    if (strcmp(text, "regex") == 0)
        return !matches(argument, x);
    if (strcmp(text, "site") == 0 || strcmp(text, "site+") == 0)
        return !has_site(x, argument, text[4] == '\0');
    if (strcmp(text, "at") == 0) {
        const char *word = strchr(argument, ':') + 1;
        int first = atoi(argument);
        return !is_within(x, first, first + (int)strlen(word) - 1, word);
    }
    if (strcmp(text, "within") == 0)
        return !is_within(x, atoi(argument), atoi(strstr(argument, "..") + 2),
                          strchr(argument, ':') + 1);
    return number(text, argument, x) / max_length;
}

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
    double phi, want = defined(t->spec, x, (double)t->longest), lo[MAX_L + 1], hi[MAX_L + 1];
    feature_set_values(t->f, state, &phi);
    t->wrong_values += !(fabs(phi - want) < 1e-12);
    for (size_t r = 0; r <= t->longest - n; r++)
        lo[r] = hi[r] = want;
    for (unsigned c = 0; n < t->longest && c < a->size; c++) {
        uint32_t child[STATE_MAX];
        memcpy(child, state, feature_set_state_bytes(t->f));
        feature_set_step(t->f, child, (uint8_t)c);
        x[n] = a->chars[c];
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
    ok(same("ab@", "count:[@a]", "matches:@|a"), "@ in brackets");
}

/* ---- specs that are refused ---------------------------------------------------------------- */

static void
test_bad(void)
{
    static const char *const specs[][2] = {
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
        {"length@10%..20%", "relative to the length"},
        {"length2@1..2", "needs a number"},
        {"motif:A@1..2", "needs a number"},
        {"regex:A@1..2", "needs a number"},
        {"nothing@1..2", "not a feature"},
        {"@1..2", "not a feature"},
        {"lcs:ACGT@-1..2", "-1"},
    };
    struct alphabet a, bits;
    struct err e = {0};
    alphabet_init(&a, "ACGT", &e);
    alphabet_init(&bits, "01", &e);
    struct feature_set *f = feature_set_new(&a, &e);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct err bad = {0};
        int rc = feature_set_add(f, specs[i][0], &bad);
        ok(rc == ERR_USAGE && strstr(bad.text, specs[i][1]) != NULL, "refused: '%s': %s",
           specs[i][0], bad.text);
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
    regfree(&compiled);
    return tap_done();
}

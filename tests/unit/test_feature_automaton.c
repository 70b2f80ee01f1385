/* SPDX-License-Identifier: MIT
 *
 * The joint automaton of features against feature_set_values on all short strings, for
 * every kind by itself and for random mixtures; its sizes; its limits.
 */
#include "feature/feature_automaton.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { MAX_FEATURES = 24, STATE_MAX = 4096, ENTRIES = 1 << 20 };

static struct feature_set *
set_of(const char *alphabet, const char *const *specs, struct err *e)
{
    struct alphabet a;
    alphabet_init(&a, alphabet, e);
    struct feature_set *f = feature_set_new(&a, e);
    for (; *specs != NULL; specs++)
        feature_set_add(f, *specs, e);
    return f;
}

/* ---- all strings ------------------------------------------------------------------ */

struct trial {
    const struct feature_set *f;
    const struct feature_automaton *m;
    size_t longest;
    double lambda[MAX_FEATURES];
    double *arc, *end;
    uint64_t followed; /* bit i: feature i is in the automaton */
    int wrong_values, wrong_weights;
};

static void
add_terms(double *whole, const struct feature_term *from, const struct feature_term *to)
{
    for (; from < to; from++)
        whole[from->feature] += from->numerator;
}

/* x has n symbols, is in `state`, has the record `record`, paid `whole` and `weight`. */
static void
visit(struct trial *t, size_t n, uint32_t state, const uint32_t *record, const double *whole,
      double weight)
{
    const struct feature_automaton *m = t->m;
    double phi[MAX_FEATURES], total[MAX_FEATURES], want = 0;
    memcpy(total, whole, sizeof total);
    add_terms(total, m->end_term + m->end_first[state], m->end_term + m->end_first[state + 1]);
    feature_set_values(t->f, record, phi);
    for (size_t i = 0; i < m->features; i++) {
        double by_length = 0;
        if (feature_set_is_timed(t->f, i))
            by_length = phi[i];
        else if (t->followed >> i & 1)
            want += feature_weight(t->lambda[i], phi[i]);
        else
            phi[i] = 0;
        double got = total[i] / feature_set_denominator(t->f, i) + by_length;
        t->wrong_values += !(fabs(got - phi[i]) < 1e-12);
    }
    double got = weight + t->end[state];
    t->wrong_weights += !(got == want || fabs(got - want) < 1e-9);
    for (unsigned a = 0; n < t->longest && a < m->symbols; a++) {
        uint32_t child[STATE_MAX / 4];
        uint64_t k = (uint64_t)state * m->symbols + a;
        memcpy(child, record, feature_set_state_bytes(t->f));
        feature_set_step(t->f, child, (uint8_t)a);
        memcpy(total, whole, sizeof total);
        add_terms(total, m->arc_term + m->arc_first[k], m->arc_term + m->arc_first[k + 1]);
        visit(t, n + 1, m->next[k], child, total, weight + t->arc[k]);
    }
}

/* Weights of both signs, and one hard constraint. */
static void
choose_weights(struct trial *t, struct rng *r)
{
    for (size_t i = 0; i < MAX_FEATURES; i++)
        t->lambda[i] = 6 * rng_double(r) - 3;
    t->lambda[rng_below(r, MAX_FEATURES)] = -INFINITY;
}

static void
test_strings(struct feature_set *f, const size_t *chosen, size_t count, size_t longest,
             struct rng *r, const char *name)
{
    struct err e = {0};
    struct trial t = {.f = f, .longest = longest, .followed = chosen == NULL ? UINT64_MAX : 0};
    feature_set_set_max_length(f, longest > 0 ? longest : 1);
    for (size_t k = 0; chosen != NULL && k < count; k++)
        t.followed |= UINT64_C(1) << chosen[k];
    struct feature_automaton *m = feature_automaton_new(f, chosen, count, longest, ENTRIES, &e);
    t.m = m;
    if (m == NULL) {
        ok(false, "%s: %s", name, e.text);
        return;
    }
    t.arc = mem_array((size_t)m->states * m->symbols, sizeof *t.arc, &e);
    t.end = mem_array(m->states, sizeof *t.end, &e);
    choose_weights(&t, r);
    feature_automaton_weights(m, f, t.lambda, t.arc, t.end);
    uint32_t record[STATE_MAX / 4];
    double whole[MAX_FEATURES] = {0};
    feature_set_start(f, record);
    visit(&t, 0, 0, record, whole, 0);
    ok(t.wrong_values == 0 && t.wrong_weights == 0, "%s: %d values, %d weights wrong, %u states",
       name, t.wrong_values, t.wrong_weights, m->states);
    mem_free(t.arc);
    mem_free(t.end);
    feature_automaton_free(m);
}

static void
random_spec(struct rng *r, const char *alphabet, size_t word_max, char *spec, size_t size)
{
    static const char *const kinds[] = {"motif", "prefix", "suffix", "count", "lcs", "edit"};
    size_t kind = rng_below(r, 9), n = 1 + rng_below(r, word_max);
    char word[16] = "";
    for (size_t i = 0; i < n; i++)
        word[i] = alphabet[rng_below(r, strlen(alphabet))];
    if (kind < 6)
        snprintf(spec, size, "%s:%s", kinds[kind], word);
    else
        snprintf(spec, size, kind == 6 ? "length" : kind == 7 ? "length2" : "length:%zu", n);
}

static void
test_mixtures(const char *alphabet, size_t longest, size_t word_max, int mixtures)
{
    struct alphabet a;
    struct err e = {0};
    struct rng r;
    alphabet_init(&a, alphabet, &e);
    rng_init(&r, 3, "test_feature_automaton", a.size);
    for (int i = 0; i < mixtures; i++) {
        struct feature_set *f = feature_set_new(&a, &e);
        char spec[32], name[256] = "";
        for (size_t n = 2 + rng_below(&r, 3); feature_set_count(f) < n;) {
            random_spec(&r, alphabet, word_max, spec, sizeof spec);
            if (feature_set_add(f, spec, IGNORE_ERR) == 0) /* not twice */
                snprintf(name + strlen(name), sizeof name - strlen(name), "%s ", spec);
        }
        test_strings(f, NULL, 0, longest, &r, name);
        size_t last = feature_set_count(f) - 1;
        test_strings(f, &last, 1, longest, &r, "its last alone");
        feature_set_free(f);
    }
}

static void
test_kinds(void)
{
    static const char *const binary[] = {
        "motif:0110",  "prefix:0110",     "prefix:1",  "suffix:1010", "count:101", "count:1",
        "lcs:0110",    "edit:01101",      "length:4",  "length",      "length2",   "regex:1(00)*1$",
        "matches:1+0", "matches:(1|10$)", "count:[1]", "run",         "run:1",     "count:11@1..2",
        "run@..3",     "length@3..6",     "at:-2:01",  NULL};
    static const char *const dna[] = {
        "motif:ACA",           "prefix:GA",      "suffix:TT",      "count:AA",   "count:C",
        "lcs:GATTA",           "edit:GAT",       "site:GRC",       "count:[GC]", "count:[GC]@2..3",
        "count:[GC]@40%..60%", "within:2..4:GA", "edit:GATTA@..1", "run",        NULL};
    struct err e = {0};
    struct rng r;
    rng_init(&r, 4, "test_feature_automaton", 0);
    struct feature_set *f = set_of("01", binary, &e), *g = set_of("ACGT", dna, &e);
    for (size_t i = 0; binary[i] != NULL; i++)
        test_strings(f, &i, 1, 10, &r, binary[i]);
    for (size_t i = 0; dna[i] != NULL; i++)
        test_strings(g, &i, 1, 6, &r, dna[i]);
    test_strings(f, NULL, 0, 10, &r, "all over 01");
    test_strings(g, NULL, 0, 6, &r, "all over ACGT");
    test_strings(f, NULL, 0, 0, &r, "the empty string");
    ok(e.code == 0, "no errors");
    feature_set_free(f);
    feature_set_free(g);
}

/* ---- sizes and limits --------------------------------------------------------------- */

static uint32_t
states_of(struct feature_set *f)
{
    struct err e = {0};
    struct feature_automaton *m = feature_automaton_new(f, NULL, 0, UINT64_MAX, UINT64_MAX, &e);
    uint32_t states = m == NULL ? 0 : m->states;
    feature_automaton_free(m);
    feature_set_free(f);
    return states;
}

#define STATES(alphabet, ...)                                                                      \
    states_of(set_of(alphabet, (const char *const[]){__VA_ARGS__, NULL}, &e))

static void
test_sizes(void)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    struct err e = {0};
    struct alphabet a;
    uint32_t n = STATES(letters, "length:4", "length:5", "length:6", "length:7", "length:8",
                        "length:9", "length:10", "suffix:s", "suffix:ed", "suffix:ing", "suffix:er",
                        "suffix:ly", "count:a", "count:e", "count:i", "count:o", "count:u");
    ok(n > 0 && n <= 13, "17 features of words: %u states", n);
    alphabet_init(&a, "01", &e);
    struct feature_set *paper = feature_set_new(&a, &e);
    feature_paper_add(paper, "10001011111000", "1001111", &e);
    n = states_of(paper);
    ok(n > 0 && n <= 498, "--ft 1001111: %u states", n);
    n = STATES("ACGT", "edit:TATAAT");
    ok(n >= 50 && n <= 70, "edit of 6 letters: %u states", n);
    n = STATES(letters, "count:a", "count:b", "count:c", "length", "length2");
    ok(n == 1, "symbols and lengths need no states: %u", n);
    n = STATES("01", "prefix:0110");
    ok(n == 5, "prefix of 4: %u states", n);
    ok(e.code == 0, "no errors");
}

static void
test_limits(void)
{
    static const char *const one[] = {"motif:0110", NULL};
    static const char *const large[] = {"edit:GATTACAGATTACAGATTACAGATTACAGATTACA",
                                        "edit:TTGACATATAATTTGACATATAATTTGACATATAA", NULL};
    struct err e = {0};
    struct feature_set *f = set_of("01", one, &e);
    struct feature_automaton *m = feature_automaton_new(f, NULL, 0, UINT64_MAX, 10, &e);
    ok(m != NULL && m->states == 5, "just enough entries");
    feature_automaton_free(m);
    ok(feature_automaton_new(f, NULL, 0, UINT64_MAX, 9, &e) == NULL && e.code == ERR_LIMIT, "%s",
       e.text);
    feature_set_free(f);
    e = (struct err){0};
    f = set_of("ACGT", large, &e);
    ok(feature_automaton_new(f, NULL, 0, UINT64_MAX, UINT64_MAX, &e) == NULL && e.code == ERR_LIMIT,
       "%s", e.text);
    feature_set_free(f);
}

static void
test_time(void)
{
    static const char *const specs[] = {"length", "motif:1", "length2", "length:3", NULL};
    struct err e = {0};
    struct feature_set *f = set_of("01", specs, &e);
    double lambda[] = {2, 5, -3, -INFINITY};
    feature_set_set_max_length(f, 10);
    ok(feature_set_is_timed(f, 0) && !feature_set_is_timed(f, 1) && feature_set_is_timed(f, 3),
       "which features are of the length alone");
    ok(fabs(feature_set_time_weight(f, lambda, 3) - (2 * .3 - 3 * .09)) < 1e-15, "at length 3");
    ok(feature_set_time_weight(f, lambda, 4) == -INFINITY, "a hard constraint on the length");
    feature_set_free(f);
}

int
main(void)
{
    test_kinds();
    test_mixtures("01", 10, 5, 40);
    test_mixtures("ACGT", 6, 4, 25);
    test_mixtures("a", 10, 4, 4);
    test_sizes();
    test_limits();
    test_time();
    return tap_done();
}

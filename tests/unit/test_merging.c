/* SPDX-License-Identifier: MIT
 * merging: known automata are found, all strings sum to 1, and the automata at the two extremes,
 * one state and the tree of prefixes, have the probabilities of the formulas. */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "ngram/merging.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/alphabet.h"
#include "text/strings.h"

static void
add_text(struct strings *s, const char *text)
{
    uint8_t symbols[64];
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        symbols[i] = (uint8_t)(text[i] - 'a');
    strings_add(s, symbols, n, IGNORE_ERR);
}

/* A string over a and b that ends, with probability 1/4, only after an even number of b. */
static void
add_even(struct strings *s, struct rng *r)
{
    uint8_t symbols[4096];
    size_t n = 0;
    for (int odd = 0; n < sizeof symbols && (odd || rng_below(r, 4) > 0); n++) {
        symbols[n] = rng_below(r, 3) == 0;
        odd ^= symbols[n];
    }
    strings_add(s, symbols, n, IGNORE_ERR);
}

static void
random_strings(struct strings *s, struct rng *r, int count, unsigned symbols)
{
    for (int i = 0; i < count; i++) {
        uint8_t x[8];
        size_t n = rng_below(r, sizeof x + 1);
        for (size_t t = 0; t < n; t++)
            x[t] = (uint8_t)rng_below(r, symbols);
        strings_add(s, x, n, IGNORE_ERR);
    }
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
test_known(void)
{
    struct strings s = {0};
    struct alphabet a;
    struct merging_choice choice;
    struct rng r;
    uint8_t text[] = {0, 1, 0, 0, 1};
    alphabet_init(&a, "ab", IGNORE_ERR);
    rng_init(&r, 1, "test/known", 0);
    for (int i = 0; i < 20000; i++)
        add_even(&s, &r);
    ok(merging_choose(&s, &a, &choice, IGNORE_ERR) == 0, "a threshold is chosen");
    struct pfsa *p = merging_build(&s, &a, choice.threshold, IGNORE_ERR);
    ok(p != NULL && p->states == 2, "an automaton of two states is found");
    double want =
        log(3. / 4 * 2 / 3) + log(3. / 4 / 3) + 2 * log(2. / 3) + log(1. / 3) + log(1. / 4);
    double got = p != NULL ? pfsa_log_prob(p, text, sizeof text) : NAN;
    ok(fabs(got - want) < 0.05, "its probabilities are those of the source (%g, %g)", got, want);
    text[0] = 1;
    got = p != NULL ? pfsa_log_prob(p, text, sizeof text) : NAN;
    ok(got < -9, "strings that the source cannot make are improbable (%g)", got);
    pfsa_free(p);
    strings_clear(&s);
}

static void
test_random(void)
{
    double total = 0;
    int same = 1;
    struct rng r;
    struct alphabet a;
    alphabet_init(&a, "abc", IGNORE_ERR);
    rng_init(&r, 2, "test/random", 0);
    for (int trial = 0; trial < 30; trial++) {
        struct strings s = {0}, reversed = {0};
        random_strings(&s, &r, 40, 2 + (unsigned)trial % 2);
        for (size_t i = s.count; i-- > 0;) {
            size_t n;
            const uint8_t *x = strings_get(&s, i, &n);
            strings_add(&reversed, x, n, IGNORE_ERR);
        }
        struct pfsa *p = merging_build(&s, &a, 1 + trial % 4, IGNORE_ERR);
        struct pfsa *q = merging_build(&reversed, &a, 1 + trial % 4, IGNORE_ERR);
        total = p == NULL ? INFINITY : fmax(total, fabs(log_total(p)));
        same &= p != NULL && q != NULL && p->states == q->states && p->arcs == q->arcs &&
                memcmp(p->logp, q->logp, p->arcs * sizeof *p->logp) == 0;
        pfsa_free(p);
        pfsa_free(q);
        strings_clear(&s);
        strings_clear(&reversed);
    }
    ok(total < 1e-12, "all strings sum to 1 (%g)", total);
    ok(same, "the order of the strings does not matter");
}

/* The formula for n of `total` in a state, where `share` of all characters are the same. */
static double
smoothed(double n, double total, double k, double share)
{
    return (n + k * share) / (total + k);
}

/* The pseudo-count that predicts left-out characters of these states best. */
static double
best_pseudo_count(const double (*count)[3], int states, const double *share)
{
    double best = -INFINITY, chosen = 0;
    for (double k = 1. / 64; k <= 32; k *= 2) {
        double sum = 0;
        for (int q = 0; q < states; q++)
            for (int a = 0; a < 3; a++) {
                double total = count[q][0] + count[q][1] + count[q][2];
                if (count[q][a] > 0)
                    sum += count[q][a] * log(smoothed(count[q][a] - 1, total - 1, k, share[a]));
            }
        if (sum > best) {
            best = sum;
            chosen = k;
        }
    }
    return chosen;
}

static void
test_formulas(void)
{
    static const char *const text[] = {"", "a", "a", "ab", "ab", "ab", "b"};
    /* a, b and the end: at the start, after a, after ab, after b; and in all */
    static const double tree[][3] = {{5, 1, 1}, {0, 3, 2}, {0, 0, 3}, {0, 0, 1}};
    static const double one[][3] = {{5, 4, 7}};
    static const double share[] = {6. / 19, 5. / 19, 8. / 19};
    struct strings s = {0};
    struct alphabet a;
    const uint8_t aab[] = {0, 0, 1}, ab[] = {0, 1};
    alphabet_init(&a, "ab", IGNORE_ERR);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        add_text(&s, text[i]);

    struct pfsa *p = merging_build(&s, &a, INFINITY, IGNORE_ERR);
    double k = best_pseudo_count(one, 1, share), want = 0;
    for (int i = 0; i < 4; i++) {
        int at = i < 2 ? 0 : i - 1;
        want += log(smoothed(one[0][at], 16, k, share[at]));
    }
    double got = p != NULL && p->states == 1 ? pfsa_log_prob(p, aab, 3) : NAN;
    ok(fabs(got - want) < 1e-12, "one state has the formula (%g)", got - want);
    pfsa_free(p);

    p = merging_build(&s, &a, -INFINITY, IGNORE_ERR);
    k = best_pseudo_count(tree, 4, share);
    want = log(smoothed(5, 7, k, share[0])) + log(smoothed(3, 5, k, share[1])) +
           log(smoothed(3, 3, k, share[2]));
    got = p != NULL && p->states == 4 ? pfsa_log_prob(p, ab, 2) : NAN;
    ok(fabs(got - want) < 1e-12, "the tree of prefixes has the formula (%g)", got - want);
    /* a after a has not been seen, and most a lead to the state after a */
    want = log(smoothed(5, 7, k, share[0])) + log(smoothed(0, 5, k, share[0])) +
           log(smoothed(3, 5, k, share[1])) + log(smoothed(3, 3, k, share[2]));
    got = p != NULL ? pfsa_log_prob(p, aab, 3) : NAN;
    ok(fabs(got - want) < 1e-12, "an unseen symbol leads where it usually does (%g)", got - want);
    pfsa_free(p);
    strings_clear(&s);
}

static void
test_errors(void)
{
    struct strings s = {0};
    struct alphabet a;
    struct merging_choice choice;
    struct rng r;
    alphabet_init(&a, "abcd", IGNORE_ERR);
    struct err e = {0};
    ok(merging_choose(&s, &a, &choice, &e) == ERR_DATA, "no strings");
    add_text(&s, "ab");
    add_text(&s, "ba");
    e = (struct err){0};
    ok(merging_choose(&s, &a, &choice, &e) == ERR_DATA, "strings of one length");
    add_text(&s, "b");
    e = (struct err){0};
    ok(merging_choose(&s, &a, &choice, &e) == 0 && isnan(choice.ce), "few strings choose nothing");
    rng_init(&r, 3, "test/errors", 0);
    random_strings(&s, &r, 2000, 4);
    ok(merging_build(&s, &a, -INFINITY, &e) == NULL && e.code == ERR_LIMIT, "too many states");
    strings_clear(&s);
}

int
main(void)
{
    test_known();
    test_random();
    test_formulas();
    test_errors();
    return tap_done();
}

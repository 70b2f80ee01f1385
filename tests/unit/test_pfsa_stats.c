/* SPDX-License-Identifier: MIT
 * pfsa_stats: closed forms for cyclic machines, sums over all strings for
 * acyclic ones, and the identities that tie entropy and divergence together. */
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "pfsa/pfsa_stats.h"
#include "support/ignore.h"
#include "support/source.h"
#include "support/tap.h"

/* A process of up to three options besides the alphabet; an option NULL is none. */
static struct pfsa *
build(const char *alphabet, const char *key, const char *value, const char *key2,
      const char *value2, const char *key3, const char *value3)
{
    struct source p = {0};
    source_set(&p, "a", alphabet, IGNORE_ERR);
    source_set(&p, key, value, IGNORE_ERR);
    if (key2 != NULL)
        source_set(&p, key2, value2, IGNORE_ERR);
    if (key3 != NULL)
        source_set(&p, key3, value3, IGNORE_ERR);
    struct pfsa *built = source_build(&p, IGNORE_ERR);
    source_clear(&p);
    return built;
}

static double
relative_error(double got, double exact)
{
    return exact == 0 ? fabs(got) : fabs(got / exact - 1);
}

/* Geometric length: mean (1-s)/s, entropy (h(s) + (1-s) H) / s for symbols of
 * entropy H. */
static void
test_geometric(void)
{
    static const char *const stops[] = {"1", "0.5", "0.1", "0.001", "0.000001"};
    static const double value[] = {1, 0.5, 0.1, 0.001, 0.000001};
    double worst = 0;
    for (int i = 0; i < 5; i++) {
        double s = value[i], go = 1 - s;
        double h = s < 1 ? -s * log(s) - go * log1p(-s) : 0;
        double symbol = -0.5 * log(0.5) - 0.25 * log(0.25) * 2;
        struct pfsa_stats got;
        struct pfsa *p = build("xyz", "stop", stops[i], "probs", "0.5,0.25,0.25", NULL, "");
        pfsa_stats(p, &got, IGNORE_ERR);
        worst = fmax(worst, relative_error(got.mean_length, go / s));
        worst = fmax(worst, relative_error(got.entropy, (h + go * symbol) / s));
        worst = fmax(worst, (s < 1) != (got.support == INFINITY && got.support_exact == 0));
        pfsa_free(p);
    }
    ok(worst < 2e-14, "geometric length: mean and entropy by their closed forms, %.2g", worst);
}

/* Adding up the chances to be in each state after 0, 1, 2, ... symbols. */
static void
test_visits(void)
{
    struct pfsa *p = build("01", "stop", "0.05", "x", "11", "m", "00");
    double *now = mem_zero(p->states, sizeof *now, IGNORE_ERR);
    double *next = mem_zero(p->states, sizeof *next, IGNORE_ERR);
    double *sum = mem_zero(p->states, sizeof *sum, IGNORE_ERR);
    double *visits = mem_zero(p->states, sizeof *visits, IGNORE_ERR), worst = 0;
    now[0] = 1;
    for (int t = 0; t < 4000; t++) {
        memset(next, 0, p->states * sizeof *next);
        for (uint32_t q = 0; q < p->states; q++) {
            sum[q] += now[q];
            for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
                next[p->next[a]] += now[q] * exp(p->logp[a]);
        }
        memcpy(now, next, p->states * sizeof *now);
    }
    pfsa_stats_visits(p, visits, IGNORE_ERR);
    for (uint32_t q = 0; q < p->states; q++)
        worst = fmax(worst, relative_error(visits[q], sum[q]));
    ok(p->states > 3 && worst < 1e-12, "visits of a cyclic machine against iteration, %.2g", worst);
    mem_free(now);
    mem_free(next);
    mem_free(sum);
    mem_free(visits);
    pfsa_free(p);
}

/* P(|x| <= n) in closed form, where it is near 0, near 1, and so small that only logarithms
 * have it. */
static void
test_log_within(void)
{
    struct pfsa *p = build("01", "stop", "1e-6", NULL, NULL, NULL, NULL),
                *fixed = build("01", "length", "5", NULL, NULL, NULL, NULL);
    double got, worst = 0;
    static const uint64_t n[] = {0, 1, 10, 1000};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        pfsa_stats_log_within(p, n[i], &got, IGNORE_ERR);
        worst = fmax(worst, relative_error(got, log(-expm1((double)(n[i] + 1) * log1p(-1e-6)))));
    }
    ok(worst < 1e-12, "probability of few symbols where strings are long: %.2g", worst);
    pfsa_free(p);
    p = build("01", "stop", "0.5", NULL, NULL, NULL, NULL);
    pfsa_stats_log_within(p, 50, &got, IGNORE_ERR);
    ok(relative_error(got, log1p(-0x1p-51)) < 1e-12, "and of many where they are short: %g", got);
    pfsa_stats_log_within(p, UINT64_MAX - 1, &got, IGNORE_ERR);
    ok(fabs(got) < 1e-300, "nearly all strings are shorter than 2^64 symbols");
    pfsa_stats_log_within(fixed, 5, &got, IGNORE_ERR);
    ok(got == 0, "all of a fixed length");
    pfsa_stats_log_within(fixed, 4, &got, IGNORE_ERR);
    ok(got == -INFINITY, "none is shorter");
    pfsa_free(p);
    pfsa_free(fixed);
}

/* Strings 0^n 1^m with geometric run lengths: mean and entropy add up. */
static void
test_run_lengths(void)
{
    struct pfsa_builder d = {0};
    uint32_t q;
    double a = 0.9, b = 0.99, h_a, h_b;
    alphabet_init(&d.alphabet, "01", IGNORE_ERR);
    pfsa_builder_state(&d, -INFINITY, &q, IGNORE_ERR);
    pfsa_builder_state(&d, log1p(-b), &q, IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 0, 0, log(a), IGNORE_ERR);
    pfsa_builder_arc(&d, 0, 1, 1, log1p(-a), IGNORE_ERR);
    pfsa_builder_arc(&d, 1, 1, 1, log(b), IGNORE_ERR);
    struct pfsa *p = pfsa_builder_finish(&d, IGNORE_ERR);
    struct pfsa_stats s;
    pfsa_stats(p, &s, IGNORE_ERR);
    h_a = (-a * log(a) - (1 - a) * log1p(-a)) / (1 - a);
    h_b = (-b * log(b) - (1 - b) * log1p(-b)) / (1 - b);
    ok(relative_error(s.mean_length, a / (1 - a) + 1 + b / (1 - b)) < 1e-13,
       "mean of two runs: %.15g", s.mean_length);
    ok(relative_error(s.entropy, h_a + h_b) < 1e-13, "entropy of two runs: %.15g", s.entropy);
    pfsa_builder_clear(&d);
    pfsa_free(p);
}

static void
test_anchors(void)
{
    static const struct {
        const char *length, *motif, *mix;
        double entropy;
        uint64_t support;
    } paper[] = {{"30", "10001011111000", NULL, 13.9231444875, 1113640},
                 {"30", "10001011111000", "0.9", 14.9352507842, 1u << 30},
                 {"10", "1111111", NULL, 2.9957322736, 20}};
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++) {
        struct pfsa_stats s;
        struct pfsa *p = build("01", "l", paper[i].length, "m", paper[i].motif,
                               paper[i].mix != NULL ? "mix" : 0, paper[i].mix);
        pfsa_stats(p, &s, IGNORE_ERR);
        ok(fabs(s.entropy - paper[i].entropy) < 5e-11, "entropy %.10f", s.entropy);
        ok(s.support_exact == paper[i].support, "support %llu",
           (unsigned long long)s.support_exact);
        pfsa_free(p);
    }
}

static void
test_support(void)
{
    struct pfsa_stats s;
    struct pfsa *p = build("ACGT", "l", "31", NULL, "", NULL, "");
    pfsa_stats(p, &s, IGNORE_ERR);
    ok(s.support_exact == (uint64_t)1 << 62, "4^31 strings fit 64 bits");
    pfsa_free(p);
    p = build("01", "l", "64", NULL, "", NULL, "");
    pfsa_stats(p, &s, IGNORE_ERR);
    ok(s.support_exact == 0 && s.support == 0x1p64, "2^64 do not, and are a double");
    pfsa_free(p);
    p = build("01", "l", "64", "x", "1", NULL, "");
    pfsa_stats(p, &s, IGNORE_ERR);
    ok(s.support_exact == 1 && s.entropy == 0 && s.mean_length == 64, "a single string");
    pfsa_free(p);
}

/* Cross-entropy and divergence by adding up all strings of p. */
static void
sum_strings(const struct pfsa *p, const struct pfsa *q, uint8_t *code, size_t length, double *ce,
            double *kl)
{
    double a = pfsa_log_prob(p, code, length), b = pfsa_log_prob(q, code, length);
    if (a > -INFINITY) {
        *ce -= exp(a) * b;
        *kl += exp(a) * (a - b);
    }
    for (uint8_t c = 0; length < p->model.max_length && c < p->model.alphabet.size; c++) {
        code[length] = c;
        sum_strings(p, q, code, length + 1, ce, kl);
    }
}

static void
check_relative(struct pfsa *p, struct pfsa *q, const char *what)
{
    struct pfsa_relative r;
    uint8_t code[64];
    double ce = 0, kl = 0;
    pfsa_stats_relative(p, q, &r, IGNORE_ERR);
    sum_strings(p, q, code, 0, &ce, &kl);
    ok((ce == r.cross_entropy && kl == r.kl) ||
           (relative_error(r.cross_entropy, ce) < 1e-13 && fabs(r.kl - kl) < 1e-12),
       "%s: cross-entropy %.12g, divergence %.12g", what, r.cross_entropy, r.kl);
    pfsa_free(p);
    pfsa_free(q);
}

static void
test_relative(void)
{
    check_relative(build("01", "l", "10", "m", "101", NULL, ""),
                   build("01", "l", "10", NULL, "", NULL, ""), "motif against noise");
    check_relative(build("01", "l", "10", "m", "101", "mix", "0.25"),
                   build("01", "l", "10", "m", "0110", "mix", "0.5"), "mixture against mixture");
    check_relative(build("ACGT", "l", "5", "x", "CA", NULL, ""),
                   build("ACGT", "stop", "0.1", "probs", "0.1,0.2,0.3,0.4", NULL, ""),
                   "fixed length against geometric");
    check_relative(build("01", "l", "8", NULL, "", NULL, ""),
                   build("01", "l", "8", "m", "11", NULL, ""), "noise against motif, not covered");
    check_relative(build("01", "l", "8", NULL, "", NULL, ""),
                   build("01", "l", "9", NULL, "", NULL, ""), "other lengths, not covered");
}

/* Two geometric processes with the same symbols: the divergence is that of
 * the lengths. */
static void
test_relative_cyclic(void)
{
    struct pfsa_relative r;
    struct pfsa_stats s;
    struct pfsa *p = build("01", "stop", "0.001", NULL, "", NULL, "");
    struct pfsa *q = build("01", "stop", "0.01", NULL, "", NULL, "");
    double a = 0.001, b = 0.01;
    double exact = (a * log(a / b) + (1 - a) * log((1 - a) / (1 - b))) / a;
    pfsa_stats(p, &s, IGNORE_ERR);
    pfsa_stats_relative(p, q, &r, IGNORE_ERR);
    ok(relative_error(r.kl, exact) < 1e-12, "divergence of geometric lengths: %.13g", r.kl);
    ok(relative_error(r.cross_entropy, s.entropy + exact) < 1e-13, "and the cross-entropy");
    pfsa_stats_relative(p, p, &r, IGNORE_ERR);
    ok(r.kl == 0 && relative_error(r.cross_entropy, s.entropy) < 1e-13, "nothing from itself");
    pfsa_free(q);
    q = build("ab", "stop", "0.01", NULL, "", NULL, "");
    struct err e = {0};
    ok(pfsa_stats_relative(p, q, &r, &e) == ERR_DATA, "other alphabets: %s", e.text);
    pfsa_free(p);
    pfsa_free(q);
}

/* Divergences of processes that hardly differ: visits * d^2 / (2 p (1 - p)) for a
 * probability p that is larger by d, up to terms of the order d. */
static void
test_small_divergence(void)
{
    struct pfsa_relative r;
    struct pfsa *p = build("01", "l", "30", "p1", "0.5", NULL, "");
    struct pfsa *q = build("01", "l", "30", "p1", "0.5000001", NULL, "");
    pfsa_stats_relative(p, q, &r, IGNORE_ERR);
    ok(relative_error(r.kl, 30 * 1e-14 / 0.5) < 1e-6, "p1 larger by 1e-7: divergence %.9g", r.kl);
    pfsa_free(p);
    pfsa_free(q);
    p = build("01", "stop", "0.1", NULL, "", NULL, "");
    q = build("01", "stop", "0.1000000001", NULL, "", NULL, "");
    pfsa_stats_relative(p, q, &r, IGNORE_ERR);
    ok(relative_error(r.kl, 10 * 1e-20 / 0.18) < 1e-5, "stop larger by 1e-10: %.9g", r.kl);
    pfsa_free(p);
    pfsa_free(q);
    p = build("01", "l", "30", "p1", "0", NULL, "");
    q = build("01", "l", "30", "p1", "1e-15", NULL, "");
    pfsa_stats_relative(p, q, &r, IGNORE_ERR);
    ok(relative_error(r.kl, 30e-15) < 1e-9, "a rare symbol that p lacks: %.9g", r.kl);
    pfsa_free(p);
    pfsa_free(q);
}

/* Pairs of states that split each other's loops: the divergence is summed separately, so it
 * must equal the cross-entropy minus the entropy. */
static void
test_identity(void)
{
    struct pfsa_relative r;
    struct pfsa_stats s;
    struct pfsa *p = build("01", "stop", "0.01", "m", "0110", "mix", "0.5");
    struct pfsa *q = build("01", "stop", "0.02", "m", "10101", "mix", "0.5");
    pfsa_stats(p, &s, IGNORE_ERR);
    pfsa_stats_relative(p, q, &r, IGNORE_ERR);
    ok(relative_error(r.cross_entropy - s.entropy, r.kl) < 1e-11 && r.kl > 0,
       "cross-entropy less entropy is %.12g", r.kl);
    pfsa_free(p);
    pfsa_free(q);
}

int
main(void)
{
    test_geometric();
    test_visits();
    test_log_within();
    test_run_lengths();
    test_anchors();
    test_support();
    test_relative();
    test_relative_cyclic();
    test_small_divergence();
    test_identity();
    return tap_done();
}

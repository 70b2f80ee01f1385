/* SPDX-License-Identifier: MIT
 *
 * significance: Fisher's exact test, and p-values of the best of many dependent tests.
 *
 * Thousands of overlapping words are tested at once, so the best of their tests has no
 * distribution in closed form.  It is compared with the best in null sets, which go through
 * the same search.
 *
 * Tested by tests/unit/test_discover.c.
 */
#ifndef GAMUT_SIGNIFICANCE_H
#define GAMUT_SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* Tests of two sets of n and m strings. */
struct fisher {
    uint64_t n, m;
    double *log_factorial; /* [n + m + 1] */
};

/* n + m is below 2^32; 0 or ERR_NOMEM. */
int fisher_init(struct fisher *f, uint64_t n, uint64_t m, struct err *e);
void fisher_clear(struct fisher *f); /* a zeroed struct is fine */

/* The logarithm of the hypergeometric probability that exactly c of c + b strings with a
 * property are among the first n; c <= n, b <= m. */
double fisher_log_point(const struct fisher *f, uint64_t c, uint64_t b);

/* The logarithm of the probability of c or more; and of c or fewer. */
double fisher_log_upper(const struct fisher *f, uint64_t c, uint64_t b);
double fisher_log_lower(const struct fisher *f, uint64_t c, uint64_t b);

/* The p-value of a score, given the scores of r >= 1 null sets, in descending order.
 *
 * Let k = (r - 1) / 2, rounded down, and u the score number k + 1.  Without an effect, score
 * and null scores are exchangeable: a score is above u with probability (k + 1) / (r + 1) at
 * most, whatever their distribution.  There the best of many tests has an exponential tail, so
 * that with the mean excess g of the k best null scores over u
 *
 *     p = (k + 1) / (r + 1) (1 + (score - u) / (k g))^-k,
 *
 * which accounts exactly for g being estimated.  Scores are negative logarithms of
 * probabilities, whose tail falls by e per unit or faster: g is at least 1.  Below u, and if u is
 * -INFINITY, as most null sets have no candidate, p = (1 + null scores that are as great) / (r +
 * 1).
 */
double significance_p(double score, const double *null, size_t r);

/* ForwardStop (G'Sell et al., 2016): the false discovery rate if discoveries stop here is
 * -(1/j) sum_i ln(1 - p_i) over the p-values so far.  `sum` keeps it, 0 at first. */
double significance_q(double p, size_t j, double *sum);

#endif

/* SPDX-License-Identifier: MIT */
#include "discover/significance.h"

#include <math.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"

int
fisher_init(struct fisher *f, uint64_t n, uint64_t m, struct err *e)
{
    struct compensated_sum sum = {0};
    *f = (struct fisher){.n = n, .m = m, .log_factorial = mem_array(n + m + 1, sizeof(double), e)};
    if (f->log_factorial == NULL)
        return ERR_NOMEM;
    f->log_factorial[0] = 0;
    for (uint64_t i = 1; i <= n + m; i++) {
        compensated_sum_add(&sum, dm_log((double)i));
        f->log_factorial[i] = compensated_sum_total(&sum);
    }
    return 0;
}

void
fisher_clear(struct fisher *f)
{
    mem_free(f->log_factorial);
    *f = (struct fisher){0};
}

static double
log_choose(const struct fisher *f, uint64_t n, uint64_t k)
{
    return f->log_factorial[n] - f->log_factorial[k] - f->log_factorial[n - k];
}

double
fisher_log_point(const struct fisher *f, uint64_t c, uint64_t b)
{
    return log_choose(f, f->n, c) + log_choose(f, f->m, b) - log_choose(f, f->n + f->m, c + b);
}

/* The logarithm of 1 + r_1 + r_1 r_2 + ...: the sum of the tail in units of its first term,
 * that of c strings among n and b among m, as strings move from the second set to the first. */
static double
log_tail(uint64_t n, uint64_t m, uint64_t c, uint64_t b)
{
    double term = 1, sum = 1;
    while (c < n && b > 0 && term > sum * 1e-17) {
        term *= (double)(n - c) * (double)b / ((double)(c + 1) * (double)(m - b + 1));
        sum += term;
        c++;
        b--;
    }
    return dm_log(sum);
}

/* Terms grow up to the mode.  A tail that contains the mode would be more exact from the
 * other side, but only tails beyond it are used, or tails where a few ulp do not matter. */
double
fisher_log_upper(const struct fisher *f, uint64_t c, uint64_t b)
{
    double log_p = fisher_log_point(f, c, b) + log_tail(f->n, f->m, c, b);
    return log_p < 0 ? log_p : 0;
}

double
fisher_log_lower(const struct fisher *f, uint64_t c, uint64_t b)
{
    double log_p = fisher_log_point(f, c, b) + log_tail(f->m, f->n, b, c);
    return log_p < 0 ? log_p : 0;
}

static double
rank_p(double score, const double *null, size_t r)
{
    size_t as_great = 0;
    while (as_great < r && null[as_great] >= score)
        as_great++;
    return (double)(as_great + 1) / (double)(r + 1);
}

double
significance_p(double score, const double *null, size_t r)
{
    size_t k = (r - 1) / 2;
    double u = null[k], g = 0;
    if (score <= u || k == 0 || u == -INFINITY)
        return rank_p(score, null, r);
    for (size_t i = 0; i < k; i++)
        g += (null[i] - u) / (double)k;
    double excess = (score - u) / ((double)k * (g > 1 ? g : 1));
    return (double)(k + 1) / (double)(r + 1) * dm_exp(-(double)k * dm_log1p(excess));
}

double
significance_q(double p, size_t j, double *sum)
{
    *sum -= dm_log1p(-p);
    double q = *sum / (double)j;
    return q < 1 ? q : 1;
}

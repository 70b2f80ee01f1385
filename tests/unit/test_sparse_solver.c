/* SPDX-License-Identifier: MIT
 * sparse_solver: matrices whose solution is known. */
#include "pfsa/sparse_solver.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { N = 500, EACH = 4 };

/* Each row has EACH elements of random size that sum to 1 - leak, one of them in the next column;
 * D is 1, as a sum if `parts`. */
static struct sparse_matrix *
random_matrix(double leak, bool parts)
{
    struct rng r;
    rng_init(&r, 1, "random_matrix", 0);
    struct sparse_matrix *m = sparse_matrix_new(N, N * EACH, IGNORE_ERR);
    for (uint32_t i = 0; i < N; i++) {
        double sum = 0, weight[EACH];
        for (int k = 0; k < EACH; k++)
            sum += weight[k] = 0.1 + rng_double(&r);
        compensated_sum_add(&m->diagonal[i], parts ? leak : 1);
        for (int k = 0; k < EACH; k++) {
            uint64_t at = m->first[i] + (uint64_t)k;
            m->column[at] = (i + 1 + (k > 0 ? (uint32_t)rng_below(&r, N - 1) : 0)) % N;
            m->weight[at] = (1 - leak) * weight[k] / sum;
            if (parts)
                compensated_sum_add(&m->diagonal[i], m->weight[at]);
        }
        m->first[i + 1] = m->first[i] + EACH;
    }
    return m;
}

/* With b = leak, the solution is 1, and with the transpose its sum is N times the sum of b. */
static void
test_known(double leak, bool parts, double most)
{
    double x[N], worst = 0, total = 0;
    struct sparse_matrix *m = random_matrix(leak, parts);
    struct sparse_matrix *t = sparse_matrix_transpose(m, IGNORE_ERR);
    for (int i = 0; i < N; i++)
        x[i] = 700 + log(leak); /* exp overflows */
    int rc = sparse_solve(m, x, IGNORE_ERR);
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(x[i] - 700));
    ok(rc == 0 && worst < most, "a leak of %g: %.2g", leak, worst);
    for (int i = 0; i < N; i++)
        x[i] = i == 7 ? log(leak) : -INFINITY;
    rc = sparse_solve(t, x, IGNORE_ERR);
    for (int i = 0; i < N; i++)
        total += exp(x[i]);
    ok(rc == 0 && fabs(total - 1) < most, "the transpose, from one row: %.2g", total - 1);
    sparse_matrix_free(m);
    sparse_matrix_free(t);
}

static void
test_no_proof(void)
{
    double x[N];
    struct err e = {0}, other = {0};
    struct sparse_matrix *m = random_matrix(-0.1, false);
    memset(x, 0, sizeof x);
    ok(sparse_solve(m, x, &e) == ERR_NUMERIC && x[3] == 0, "rows above D: %s", e.text);
    sparse_matrix_free(m);
    m = random_matrix(0.1, false);
    x[3] = -1000;
    ok(sparse_solve(m, x, &other) == ERR_NUMERIC, "a range beyond doubles: %s", other.text);
    for (int i = 0; i < N; i++)
        x[i] = -INFINITY;
    ok(sparse_solve(m, x, IGNORE_ERR) == 0 && isinf(x[0]), "nothing in, nothing out");
    sparse_matrix_free(m);
}

int
main(void)
{
    test_known(0.25, false, 1e-12);
    test_known(0.25, true, 1e-12);
    test_known(1e-6, false, 1e-8);
    test_known(1e-6, true, 1e-12);
    test_no_proof();
    return tap_done();
}

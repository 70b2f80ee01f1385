/* SPDX-License-Identifier: MIT
 *
 * sparse_solver: x = D^-1 (b + A x) for a large sparse matrix A >= 0 and b >= 0, by iteration,
 * with a proof of the result.
 *
 * This is the total weight of infinitely many paths, as in state_elimination.h, for graphs
 * that elimination would make dense.  BiCGSTAB (van der Vorst, 1992) finds corrections to x from
 * residuals in twice the precision of a double, until the following holds.
 *
 * Let r be the residual b - (D - A) x, P = D^-1 A, and let S and T be the sums of P^i D^-1 |r|
 * and P^i D^-1 b for i = 0 .. k.  If x > 0, T > 0 and S <= t T with t < 1 in every component, then
 * the sum over all i converges, and x has a relative error of at most t in every component:
 * the error is (1 - P^(k+1))^-1 S at most, and the solution is (1 - P^(k+1))^-1 T.  A k that is a
 * few times the diameter of the graph is enough, however long the paths are.
 */
#ifndef GAMUT_SPARSE_SOLVER_H
#define GAMUT_SPARSE_SOLVER_H

#include <stdint.h>

struct compensated_sum;
struct err;

struct sparse_matrix {
    uint32_t n;
    uint64_t *first;  /* [n+1] the elements of row i of A are first[i] .. first[i+1]-1 */
    uint32_t *column; /* [first[n]] never i */
    double *weight;   /* [first[n]] */
    struct compensated_sum *diagonal; /* [n] of D, positive */
};

/* Its arrays are not filled, except for first[0] = 0.  NULL on failure. */
struct sparse_matrix *sparse_matrix_new(uint32_t n, uint64_t elements, struct err *e);
void sparse_matrix_free(struct sparse_matrix *m); /* NULL is fine */

/* The same D with the transpose of A; NULL on failure. */
struct sparse_matrix *sparse_matrix_transpose(const struct sparse_matrix *m, struct err *e);

/* On entry x[i] = log b[i], on return the log of the solution, with a proved relative error of at
 * most 2^-52 before it is rounded.  ERR_NUMERIC if that was not reached, ERR_NOMEM; x is then
 * unchanged. */
int sparse_solve(const struct sparse_matrix *m, double *x, struct err *e);

#endif

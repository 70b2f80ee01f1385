/* SPDX-License-Identifier: MIT
 *
 * chol: small symmetric positive-definite systems, by Cholesky's factors.
 *
 * Matrices are n x n, row by row; only the lower triangle is looked at.
 */
#ifndef GAMUT_CHOL_H
#define GAMUT_CHOL_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces a by L with a = L L'.  False if a is not positive definite, within
 * rounding; then a is spoilt. */
bool chol_factor(double *a, size_t n);

/* Replaces b by the solution of L L' x = b. */
void chol_solve(const double *l, size_t n, double *b);

#endif

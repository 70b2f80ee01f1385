/* SPDX-License-Identifier: MIT
 *
 * feature: the global features phi(x) of a string, followed symbol by symbol.
 *
 * A `struct features` is an ordered set of named features over one alphabet.
 * Each is given by a spec text, from which it can be rebuilt:
 *
 *     motif:S   0 iff S occurs in x         prefix:S  0 iff x begins with S
 *     length:N  0 iff |x| = N               suffix:S  0 iff x ends with S
 *     length    |x| / L                     length2   (|x| / L)^2
 *     count:S   occurrences of S / L, overlapping ones included
 *     lcs:S     1 - longest common substring of x and S / |S|
 *     edit:S    least edit distance from a substring of x to S / |S|
 *
 * What the set knows about a prefix is one record of features_state_bytes()
 * bytes, aligned to 4, which starts as zero bytes and is stepped in place.
 * Records are canonical: detail that no continuation can bring to bear on a
 * value is dropped (once a motif was found, where the prefix stands in it no
 * longer matters), so records can be compared and hashed as bytes.
 *
 * Every value is a whole number over a divisor: 1, |S|, L or L^2.  Sums of the
 * whole numbers are exact, whatever the order, and L may be settled last.
 *
 * A set is built by one owner and then only read, by any number of threads.
 */

#ifndef GAMUT_FEATURE_SET_H
#define GAMUT_FEATURE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feature/feature.h"
#include "text/alphabet.h"

struct err;
struct features;

enum { FEATURES_MAX = 4096 }; /* features in a set */

struct features *features_new(const struct alphabet *a, struct err *e);
void features_free(struct features *f); /* NULL is fine */

/* Adds one feature at the end; 0, ERR_USAGE (bad spec, empty word, character
 * outside the alphabet, name taken) or ERR_NOMEM.  features_add takes the spec
 * as the name. */
int features_add(struct features *f, const char *spec, struct err *e);
int features_add_named(struct features *f, const char *name, const char *spec, struct err *e);

size_t features_count(const struct features *f);
const struct alphabet *features_alphabet(const struct features *f);
const char *features_name(const struct features *f, size_t i);
const char *features_spec(const struct features *f, size_t i);
enum feature_kind features_kind(const struct features *f, size_t i);

/* What stands behind the colon of the spec, or NULL. */
const char *features_argument(const struct features *f, size_t i);

/* L, at least 1.  Until it is set L is 1. */
void features_set_max_length(struct features *f, uint64_t max_length);

/* Whether any value depends on L; whether that of feature i does. */
bool features_need_max_length(const struct features *f);
bool feature_needs_max_length(const struct features *f, size_t i);

/* The prefix: its record, and one more symbol. */
size_t features_state_bytes(const struct features *f);
void features_start(const struct features *f, void *state);
void features_step(const struct features *f, void *state, uint8_t symbol);

/* The record of a whole string, from the start. */
void features_follow(const struct features *f, void *state, const uint8_t *codes, size_t length);

/* phi of the prefix taken as a whole string: phi[i] = whole[i] / divisor(i). */
void features_values(const struct features *f, const void *state, double *phi);
void features_whole(const struct features *f, const void *state, uint64_t *whole);
double features_divisor(const struct features *f, size_t i);

/* For each feature by itself, the least and the greatest value over all
 * strings that begin with the prefix and have at most `rest` more symbols
 * (UINT64_MAX: any number).  Both are attained. */
void features_range(const struct features *f, const void *state, uint64_t rest, double *lo,
                    double *hi);

/* An upper bound of lambda . phi over the same strings, from the ranges.
 * A weight of -inf forbids every value but 0: -inf if that is out of reach. */
double features_bound(const struct features *f, const void *state, uint64_t rest,
                      const double *lambda);

/* lambda . phi, where -inf times 0 is 0. */
double features_dot(const struct features *f, const double *lambda, const double *phi);

/* feature_paper: the seven features of the paper for one motif: the motif m,
 * parts of it (m+0, m/2) and distractors (d0 .. d3).
 */

enum { FEATURE_PAPER_BITS = 7 };

/* Adds those of m, m+0, m/2, d0, d1, d2, d3 of `motif` whose bit is '1' in
 * `bits`; the alphabet must be "01".  0, ERR_USAGE or ERR_NOMEM. */
int feature_paper_add(struct features *f, const char *motif, const char *bits, struct err *e);

#endif

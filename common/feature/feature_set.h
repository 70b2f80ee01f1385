/* SPDX-License-Identifier: MIT
 *
 * feature_set: the global features phi(x) of a string, followed symbol by symbol.
 *
 * A `struct feature_set` is an ordered set of named features over one alphabet.
 * Each is given by a spec text, from which it can be rebuilt:
 *
 *     motif:S   0 iff S occurs in x         prefix:S  0 iff x begins with S
 *     length:N  0 iff |x| = N               suffix:S  0 iff x ends with S
 *     length    |x| / L                     length2   (|x| / L)^2
 *     count:S   occurrences of S / L, overlapping ones included
 *     lcs:S     1 - longest common substring of x and S / |S|
 *     edit:S    least edit distance from a substring of x to S / |S|
 *     regex:RE  0 iff the expression matches somewhere in x (regex_nfa.h)
 *     matches:RE    positions where a nonempty match ends / L
 *     count:[...]   symbols of the class / L
 *     site:WORD     0 iff a word of IUPAC letters occurs on either strand
 *     site+:WORD    the same on the given strand
 *     at:I:S        0 iff S begins at position I; 1 is the first, -1 the last
 *     within:I..J:S 0 iff S occurs inside the positions I to J
 *     run, run:S    longest run of one symbol, of the symbol S / L
 *     SPEC@LO..HI   0 iff the number of SPEC is in the range; SPEC is length, count, matches,
 *                   lcs (its number is the longest common substring), edit or run
 *     SPEC@LO%..HI% the same relative to |x|
 *     dfa:TEXT      0 iff the automaton in TEXT accepts x (feature_dfa.c)
 *     not:SPEC      1 - SPEC, for a SPEC that is 0 or 1
 *
 * In a word S, a backslash makes [ @ : and itself literal.
 *
 * The state of a prefix is one record of feature_set_state_bytes() bytes, aligned to 4, which
 * starts as zero bytes and is stepped in place.  Records are canonical: detail that cannot
 * affect a value under any continuation is dropped.  For example, once a motif was found, the
 * position in the motif no longer matters.  So records can be compared and hashed as bytes.
 *
 * Every value is an integer divided by 1, |S|, L or L^2.  Sums of the integers are exact in any
 * order, and L can be set last.
 *
 * A set is built by one owner and then only read, by any number of threads.
 *
 * Tested by tests/unit/test_feature.c.
 */

#ifndef GAMUT_FEATURE_SET_H
#define GAMUT_FEATURE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feature/feature.h"
#include "text/alphabet.h"

struct err;
struct feature_set;

enum { FEATURE_SET_MAX = 4096 }; /* features in a set */

struct feature_set *feature_set_new(const struct alphabet *a, struct err *e);
void feature_set_free(struct feature_set *f); /* NULL is fine */

/* Adds one feature at the end; 0, ERR_USAGE (invalid spec, empty word, character outside the
 * alphabet, name in use) or ERR_NOMEM.  feature_set_add uses the spec as the name. */
int feature_set_add(struct feature_set *f, const char *spec, struct err *e);
int feature_set_add_named(struct feature_set *f, const char *name, const char *spec, struct err *e);

size_t feature_set_count(const struct feature_set *f);
const struct alphabet *feature_set_alphabet(const struct feature_set *f);
const char *feature_set_name(const struct feature_set *f, size_t i);
const char *feature_set_spec(const struct feature_set *f, size_t i);
enum feature_type feature_set_type(const struct feature_set *f, size_t i);

const struct feature *feature_set_feature(const struct feature_set *f, size_t i);

/* The part of the spec after the colon, or NULL. */
const char *feature_set_argument(const struct feature_set *f, size_t i);

/* The share of strings that have the property of feature i, from the mean of the feature: tests
 * are 0 if a string has it.  NaN if the feature is not a test. */
double feature_set_share(const struct feature_set *f, size_t i, double mean);

/* L, at least 1.  The initial value is 1. */
void feature_set_set_max_length(struct feature_set *f, uint64_t max_length);

/* Whether any value depends on L; whether that of feature i does. */
bool feature_set_need_max_length(const struct feature_set *f);
bool feature_needs_max_length(const struct feature_set *f, size_t i);

/* Steps the record of a prefix by one symbol. */
size_t feature_set_state_bytes(const struct feature_set *f);
void feature_set_start(const struct feature_set *f, void *state);
void feature_set_step(const struct feature_set *f, void *state, uint8_t symbol);

/* Computes the record of a whole string. */
void feature_set_run(const struct feature_set *f, void *state, const uint8_t *symbols,
                     size_t length);

/* phi of the prefix taken as a whole string: phi[i] = whole[i] / divisor(i). */
void feature_set_values(const struct feature_set *f, const void *state, double *phi);
void feature_set_numerators(const struct feature_set *f, const void *state, uint64_t *whole);
double feature_set_denominator(const struct feature_set *f, size_t i);

/* For each feature by itself, the minimum and maximum over all strings that begin with the
 * prefix and have at most `rest` more symbols (UINT64_MAX: any number).  Both are attained,
 * except that they are only bounds for SPEC@LO%..HI%, and for counts of matches within many
 * symbols (match_counter.h). */
void feature_set_range(const struct feature_set *f, const void *state, uint64_t rest, double *lo,
                       double *hi);

/* An upper bound of lambda . phi over the same strings, from these ranges.  A weight of -inf
 * forbids every value but 0: the bound is -inf if 0 is out of reach. */
double feature_set_bound(const struct feature_set *f, const void *state, uint64_t rest,
                         const double *lambda);

/* lambda times value, where infinity times 0 is 0: a hard constraint that is satisfied costs
 * nothing, and an unbounded value does not matter at weight 0. */
double feature_weight(double lambda, double value);

/* lambda . phi, with such products. */
double feature_set_dot(const struct feature_set *f, const double *lambda, const double *phi);

/* Whether feature i depends on |x| alone (length, length2, length:N). */
bool feature_set_is_timed(const struct feature_set *f, size_t i);

/* The contribution of these features to lambda . phi for strings of `length` symbols. */
double feature_set_time_weight(const struct feature_set *f, const double *lambda, uint64_t length);

/* The change of this contribution with one more symbol than `length`. */
double feature_set_time_slope(const struct feature_set *f, const double *lambda, uint64_t length);

/* The numerator of such a feature; and the length from which each symbol adds the same,
 * UINT64_MAX if there is none. */
uint64_t feature_set_time_numerator(const struct feature_set *f, size_t i, uint64_t length);
uint64_t feature_set_time_steady(const struct feature_set *f, size_t i);

/* ---- the seven features of the paper for one motif: the motif m, parts of it (m+0, m/2) and
 * distractors (d0 to d3) */

enum { FEATURE_PAPER_BITS = 7 };

/* Adds the features among m, m+0, m/2, d0, d1, d2, d3 of `motif` whose bit is '1' in `bits`;
 * the alphabet must be "01".  0, ERR_USAGE or ERR_NOMEM. */
int feature_paper_add(struct feature_set *f, const char *motif, const char *bits, struct err *e);

#endif

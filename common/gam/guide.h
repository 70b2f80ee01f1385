/* SPDX-License-Identifier: MIT
 *
 * guide: a proposal that looks ahead.
 *
 * To draw from P(x) = r(x) exp(lambda . phi(x)) [|x| <= L], the next symbol is drawn
 * from
 *
 *     q(a|u)   proportional to   r(a|u) G_t(s, a)
 *     G_t(s, a)   = exp(lambda . what the arc contributes) h_{t+1}(s')
 *     G_t(s, end) = exp(lambda . what ending in s after t symbols contributes)
 *
 * where s is the state of the features' automaton after the prefix u of t symbols, and h
 * the look-ahead of a surrogate of r (surrogate.h).  If the surrogate were r, q would
 * be P / Z.  In general the importance weight P(x) / q(x) corrects it, whatever the guide.
 *
 * The product guide has an automaton for each feature that needs states and combines their
 * look-aheads as
 *
 *     h_t = h0_t prod_i (h^i_t(s_i) / h0_t),
 *
 * where h0 has only the features without states, and h^i these and feature i.  The joint guide
 * follows all features in one automaton.  If that is too large, it is the product of the
 * automata of groups: features that depend on each other, such as two words that overlap, are in
 * one group.  The product guide serves as a probe that does not share the joint guide's blind
 * spots.
 */
#ifndef GAMUT_GUIDE_H
#define GAMUT_GUIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct draw_tree;
struct err;
struct feature_set;

/* Shared by all guides of a GAM: the automata, and what was learned about r. */
struct guide_source;

/* Entries of the table of what was learned, for each feature and for all joint automata: 40 MB
 * of counts, and as much again while a guide is built. */
#define GUIDE_ENTRIES_MAX UINT64_C(10000000)

/* For strings of at most `max_length` symbols; `entries` is normally GUIDE_ENTRIES_MAX.
 * ERR_LIMIT if even the automata of single features are too large.  The features must outlive the
 * result. */
struct guide_source *guide_source_new(const struct feature_set *f, uint64_t max_length,
                                      uint64_t entries, struct err *e);
void guide_source_free(struct guide_source *s); /* NULL is fine */

/* Learns from r's probabilities at the prefixes of a tree; earlier counts are multiplied by
 * `keep`. */
int guide_source_learn(struct guide_source *s, const struct draw_tree *t, double keep,
                       struct err *e);

/* Maximum number of automata in a guide. */
size_t guide_source_parts(const struct guide_source *s);

/* Whether some features share an automaton, so that the joint guide differs from the product
 * guide. */
bool guide_source_has_probe(const struct guide_source *s);

struct guide;

/* The guide at lambda, from what was learned so far; the source must outlive it.  NULL on
 * failure: ERR_EMPTY if no string has positive weight. */
struct guide *guide_new(const struct guide_source *s, const double *lambda, bool product,
                        struct err *e);
struct guide *guide_share(struct guide *g); /* adds an owner; NULL is fine */
void guide_free(struct guide *g);           /* removes an owner; NULL is fine */

/* States: an array of guide_source_parts numbers, all 0 for the empty prefix. */
void guide_step(const struct guide *g, const uint32_t *state, unsigned symbol, uint32_t *child);

/* log G_t(s, .) into tilt[A+1], the end last.  All 0 if the guide knows no way to positive
 * weight; -inf beyond the maximum length. */
void guide_tilt(const struct guide *g, const uint32_t *state, uint64_t length, double *tilt);

/* log q of the string at each leaf, from r's probabilities in the tree. */
int guide_log_q(const struct guide *g, const struct draw_tree *t, double *log_q, struct err *e);

#endif

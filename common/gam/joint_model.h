/* SPDX-License-Identifier: MIT
 *
 * joint_model: a log-linear n-gram and features in one model, whose moments are exact.
 *
 *     P(x) = exp(u . n(x) + lambda . phi(x)) / Z    for |x| <= L
 *
 * n(x) counts the places of words: one symbol after a context of at most `order` symbols
 * (ngram_counts.h), the beginning of a string and its end included.  Words of one symbol are
 * counted all, longer ones if a string of the training set has them.  If all strings have one
 * length, so have those of P; else L is the maximum, and the number of symbols is counted, too:
 * without it, weights near 0 would mean long strings.  Without an order there are no words, and
 * all symbols are equal.
 *
 * States are pairs of a context and a state of the features' automaton, the same at every
 * position.  log Z and the means of n and phi take one pass backwards and one forwards:
 *
 *     beta_t(s) = end_t(s) + sum_a w(s,a) beta_(t+1)(s.a),    log Z = log beta_0(start)
 *
 * where w is exp of the weights of all words that end with the symbol and of what it adds to
 * lambda . phi.
 *
 * A model is only read, by any number of threads, each with a pass of its own.
 *
 * Tested by tests/unit/test_joint_fit.c.
 */
#ifndef GAMUT_JOINT_MODEL_H
#define GAMUT_JOINT_MODEL_H

#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;
struct feature_set;
struct joint_model;
struct joint_pass;
struct pfsa;
struct strings;

enum { JOINT_NO_WORDS = -1 }; /* an order */

/* The model of words that occur in the strings.  `order` is JOINT_NO_WORDS or more.  The
 * features, which must outlive the model, may be none (NULL).  NULL on failure: ERR_DATA if
 * there are no strings or one is longer than max_length; ERR_LIMIT if states and transitions of
 * all positions are more than `max_size`; ERR_NOMEM. */
struct joint_model *joint_model_new(const struct strings *s, const struct alphabet *a,
                                    const struct feature_set *f, int order, uint64_t max_length,
                                    uint64_t max_size, struct err *e);
void joint_model_free(struct joint_model *m); /* NULL is fine */

/* Weights are those of the words, then those of the features.  The words begin with the number of
 * symbols, if it is counted, and the words of one symbol. */
size_t joint_model_words(const struct joint_model *m);
size_t joint_model_lengths(const struct joint_model *m); /* 1 if the number of symbols counts */
size_t joint_model_short(const struct joint_model *m);   /* both of these kinds */
size_t joint_model_size(const struct joint_model *m);

/* Transitions in a pass, at all positions: what its time is proportional to. */
uint64_t joint_model_cost(const struct joint_model *m);

/* sum[folds][size] += n and phi of the strings, string i in fold i mod folds. */
int joint_model_tally(const struct joint_model *m, const struct strings *s, size_t folds,
                      double *sum, struct err *e);

struct joint_pass *joint_pass_new(const struct joint_model *m, struct err *e);
void joint_pass_free(struct joint_pass *p); /* NULL is fine */

/* log Z and mean[size] at the weights; features may have -inf.  ERR_EMPTY if that leaves no
 * string. */
int joint_pass_at(struct joint_pass *p, const double *weight, double *log_z, double *mean,
                  struct err *e);

/* The automaton of P without the features, exp(u . n(x)) given |x| <= L.  NULL on failure. */
struct pfsa *joint_model_automaton(const struct joint_model *m, const struct alphabet *a,
                                   const double *weight, struct err *e);

#endif

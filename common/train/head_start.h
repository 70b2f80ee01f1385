/* SPDX-License-Identifier: MIT
 *
 * head_start: a simple model of the training set, for comparison, and to start from.
 *
 * From a few dozen strings, an LSTM hardly learns what an automaton counts: which symbols follow
 * each other, or which symbol a position prefers.  So the automaton that predicts the training
 * set best by leave-one-out is a baseline for the LSTM.  And an LSTM that was trained on many
 * samples of the automaton first, each seen once, continues from there with the training set.  If
 * many strings determine the automaton well, its samples alone can be the better training set.
 *
 * Tested by tests/cli/lstm-train.t.
 */
#ifndef GAMUT_HEAD_START_H
#define GAMUT_HEAD_START_H

#include <signal.h>
#include <stdint.h>

struct alphabet;
struct err;
struct lstm;
struct pfsa;
struct pool;
struct training_data;
struct training_options;

/* The automaton of the training set, without the validation set: an n-gram model, or the one
 * that predicts left-out strings better: of strings of one length, one with separate
 * probabilities for each position; of others, one of merged states.  *command becomes the one that
 * learns it.  NULL on failure; ERR_LIMIT if it would be too large. */
struct pfsa *head_start_automaton(const struct training_data *d, const struct alphabet *a,
                                  const char **command, struct err *e);

/* Cross-entropy of the validation set under the automaton, in nats per character. */
double head_start_valid_ce(const struct pfsa *p, const struct training_data *d);

/* How many samples of the automaton have so many characters, but 1000 to `most`. */
uint64_t head_start_strings(const struct training_data *d, double characters, double most);

/* Trains `m` in place on that many samples, with the settings `o` but without dropout, for one
 * epoch, or until `stop`; 0 or the first error. */
int head_start_train(struct lstm *m, const struct pfsa *p, uint64_t strings,
                     const struct training_options *o, struct pool *pool,
                     const volatile sig_atomic_t *stop, struct err *e);

#endif

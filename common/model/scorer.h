/* SPDX-License-Identifier: MIT
 *
 * scorer: log-probabilities of many strings under a model, one model step per
 * distinct prefix; for an automaton, whose steps cost less than sharing them, one per symbol.
 *
 * Strings are scored in blocks.  A walk down the prefix tree of a block
 * carries ranges of an index of its strings; each prefix sorts its range by
 * the next symbol, so the tree is never built.  Each string's sum is taken
 * from left to right, so a score does not depend on the block or on the
 * number of threads.
 */
#ifndef GAMUT_SCORER_H
#define GAMUT_SCORER_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct model;
struct pool;
struct scorer;
struct string_reader;
struct strings;

/* Replaces a block by the next strings, up to the block size of the scorer.  1, 0 if there
 * are no more, or an error. */
int scorer_read_block(struct strings *block, struct string_reader *r, struct err *e);

/* Model and pool must outlive the result; NULL on failure. */
struct scorer *scorer_new(const struct model *m, struct pool *pool, struct err *e);
void scorer_free(struct scorer *s); /* NULL is fine */

/* logp[i] = log-probability of string i, end-of-string included; -inf if the
 * model cannot generate it: log r(x) + (log_weight(x) - log_z), where an autoregressive model
 * has no weight.  0 or ERR_NOMEM. */
int scorer_score(struct scorer *s, const struct strings *block, double log_z, double *logp,
                 struct err *e);

/* logp[..] = log-probability of each character of an autoregressive model given those before
 * it: string after string, the end of each last, block->symbols + block->count in all.  What
 * follows an impossible character is NaN.  0 or ERR_NOMEM. */
int scorer_trace(struct scorer *s, const struct strings *block, double *logp, struct err *e);

/* Model steps so far. */
uint64_t scorer_steps(const struct scorer *s);

/* Strings scored so far, including those of the current block; any thread may call it. */
uint64_t scorer_finished(const struct scorer *s);

#endif

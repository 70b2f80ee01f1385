/* SPDX-License-Identifier: MIT
 *
 * scorer: log-probabilities of many strings under a model, one model step per
 * distinct prefix.
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
struct line_reader;
struct model;
struct pool;
struct scorer;
struct strings;

/* Replaces a block by the next strings, as many as scoring takes at a time within
 * bounded memory.  1, 0 if there are no more, or an error. */
int scorer_read_block(struct strings *block, struct line_reader *l, struct err *e);

/* Model and pool must outlive the result; NULL on failure. */
struct scorer *scorer_new(const struct model *m, struct pool *pool, struct err *e);
void scorer_free(struct scorer *s); /* NULL is fine */

/* logp[i] = log-probability of string i, end-of-string included; -inf if the
 * model cannot generate it.  Of a model with a base, log r(x) + (log_weight(x) - log_z);
 * an autoregressive one has log_z = 0.  0 or ERR_NOMEM. */
int scorer_score(struct scorer *s, const struct strings *block, double log_z, double *logp,
                 struct err *e);

/* Prefixes evaluated so far. */
uint64_t scorer_steps(const struct scorer *s);

#endif

/* SPDX-License-Identifier: MIT
 *
 * alias_sampler: random strings of an automaton, as lines of text, fast.
 *
 * A draw does not take one arc but a whole path of up to eight symbols: each
 * state where a draw can begin has a table of the paths from there, with
 * the text they write and the state they lead to (the start again once the
 * string has ended).  Which path is one look-up with one 64-bit random number
 * (Walker's alias method in integers: probabilities are exact to 2^-62).
 *
 * Strings come in blocks, each with a random stream of its own, so that the
 * text is the same for any number of threads, and the first n strings are the
 * same for any count.
 */
#ifndef GAMUT_ALIAS_SAMPLER_H
#define GAMUT_ALIAS_SAMPLER_H

#include <stdint.h>

struct err;
struct model;
struct output;
struct pfsa;
struct alias_sampler;
struct pool;

/* Longer strings, on average, are not drawn: a string is held in memory.  --stop
 * goes down to a millionth, and motifs can make the strings a few times longer. */
#define ALIAS_SAMPLER_MEAN_MAX 1e7

/* Whether the sampler (sampler.h) can draw strings of at most `max_length` symbols,
 * MODEL_UNBOUNDED for any, from a model: if they are longer than its limit on
 * average, the first ones will be.  One that is not an automaton has a maximum.
 * 0, or ERR_LIMIT. */
int alias_sampler_check(const struct model *m, uint64_t max_length, struct err *e);

/* Makes the tables; `p` is not needed afterwards.  NULL on failure. */
struct alias_sampler *alias_sampler_new(const struct pfsa *p, struct err *e);
void alias_sampler_free(struct alias_sampler *s); /* NULL is fine */

/* Called now and then with the number of strings written so far. */
typedef void alias_sampler_progress(void *arg, uint64_t done);

/* Writes `count` strings, a line each, to `out`; `progress` may be NULL.
 * 0, ERR_NOMEM or ERR_IO. */
int alias_sampler_write(const struct alias_sampler *s, uint64_t seed, uint64_t count,
                        struct pool *pool, struct output *out, alias_sampler_progress *progress,
                        void *arg, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * pfsa_sample: random strings of an automaton, as lines of text, fast.
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
struct out;
struct pfsa;
struct pfsa_sample;
struct pool;

/* Longer strings, on average, are not drawn: a string is held in memory.  --stop
 * goes down to a millionth, and motifs can make the strings a few times longer. */
#define PFSA_SAMPLE_MEAN_MAX 1e7

/* Whether the sampler (sampler.h) can draw strings of at most `max_length` symbols,
 * MODEL_UNBOUNDED for any, from a model: if they are longer than its limit on
 * average, the first ones will be.  One that is not an automaton has a maximum.
 * 0, or ERR_LIMIT. */
int pfsa_sample_check(const struct model *m, uint64_t max_length, struct err *e);

/* Makes the tables; `p` is not needed afterwards.  NULL on failure. */
struct pfsa_sample *pfsa_sample_new(const struct pfsa *p, struct err *e);
void pfsa_sample_free(struct pfsa_sample *s); /* NULL is fine */

/* Called now and then with the number of strings written so far. */
typedef void pfsa_sample_progress(void *arg, uint64_t done);

/* Writes `count` strings, a line each, to `out`; `progress` may be NULL.
 * 0, ERR_NOMEM or ERR_IO. */
int pfsa_sample_write(const struct pfsa_sample *s, uint64_t seed, uint64_t count, struct pool *pool,
                      struct out *out, pfsa_sample_progress *progress, void *arg, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * sampler: strings from an autoregressive model, or from the model times a weight with known
 * upper bounds for prefixes.
 *
 * N samples are a count N at the empty prefix.  At each prefix the count is split among the
 * next symbols by an exact multinomial draw, so N samples cost one model step per distinct
 * prefix.  Strings longer than the maximum length L are rejected: the result is distributed as
 * the model given |x| <= L.
 *
 * With a bound, the result is that of rejection sampling: a proposal x from the model is
 * accepted with probability w(x)/b(empty prefix).  But the test is made at each prefix: the
 * step from a prefix to its child is accepted with probability b(child)/b(prefix), and the
 * product telescopes.  Prefixes with a low bound are rejected early (thinning), for many
 * proposals at once.
 *
 * Samples are drawn in rounds of bounded memory.  Each round is shuffled, so the strings come
 * in random order; surplus strings of the last round are dropped at random.  Random numbers are
 * keyed by seed, round and prefix: the strings are the same for any number of threads.
 */
#ifndef GAMUT_SAMPLER_H
#define GAMUT_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/line_reader.h"

struct err;
struct model;
struct output;
struct pool;

/* An upper bound b(prefix) on the weight w of all strings that begin with the prefix; the
 * bound of a child is never larger.  A state of fixed size holds what the weight depends on
 * in a prefix.  Called from several threads. */
struct sampler_bound {
    const void *self;
    size_t state_bytes; /* a multiple of 8 */
    /* State and log b of the empty prefix. */
    double (*root)(const void *self, void *state);
    /* `state` followed by `symbol`: its state into `child`, and log b.  For
     * end-of-string (symbol = size of the alphabet): log w, no child. */
    double (*step)(const void *self, const void *state, uint8_t symbol, void *child);
};

/* Maximum length of a sample: longer strings might never end, and could not be read as
 * lines.  A string that would exceed it, although the maximum length of the model allows it,
 * is ERR_LIMIT; to drop it would change the distribution. */
enum { SAMPLER_LENGTH_MAX = LINE_SYMBOLS_MAX };

struct sampler_options {
    uint64_t seed;
    const char *purpose;               /* key of the random numbers: "gam-sample" */
    uint64_t part;                     /* of the run, see rng_part_index */
    uint64_t max_length;               /* L, without end-of-string; UINT64_MAX if none */
    const struct sampler_bound *bound; /* NULL: the model as it is */
};

struct sampler_stats {
    uint64_t proposals;   /* strings started */
    uint64_t accepted;    /* complete and accepted, including surplus */
    uint64_t too_long;    /* longer than the maximum length */
    uint64_t written;     /* passed to the request */
    uint64_t model_steps; /* prefixes the model evaluated */
};

/* Takes `count` equal samples; a negative result ends the sampling. */
typedef int sampler_emit(void *arg, const uint8_t *symbols, size_t length, uint64_t count,
                         struct err *e);

struct sampler;

/* Model, pool and bound must outlive the sampler; NULL on failure, which is
 * ERR_DATA if the model's shortest string is longer than o->max_length. */
struct sampler *sampler_new(const struct model *m, struct pool *pool,
                            const struct sampler_options *o, struct err *e);
void sampler_free(struct sampler *s); /* NULL is fine */

/* One walk with `proposals` < 2^63 strings.  Accepted strings go to `emit` in tree order,
 * equal ones together.  Rounds of one sampler are independent. */
int sampler_round(struct sampler *s, uint64_t proposals, sampler_emit *emit, void *arg,
                  struct err *e);

void sampler_get_stats(const struct sampler *s, struct sampler_stats *stats);

/* What to draw, and the callbacks for strings and progress. */
struct sampler_request {
    uint64_t count;         /* strings wanted */
    uint64_t max_proposals; /* stop after this many proposals */
    uint64_t max_steps;     /* stop after this many model steps; 0: no limit */
    uint64_t max_round;     /* strings of a round; 0: as many as memory allows */
    /* One string in random order. */
    int (*string)(void *arg, const uint8_t *symbols, size_t length, struct err *e);
    /* Called from time to time with the share of the work done, as a number of strings.  The
     * expected surplus of a round is not counted.  May be NULL. */
    void (*progress)(void *arg, uint64_t done);
    void *arg;
    /* Not 0: a signal asks to stop.  Strings that were passed on are a sample all the same; the
     * round under way is given up, with ERR_STOPPED.  NULL: none does. */
    const volatile sig_atomic_t *stop;
    /* Where a method may write text by itself, without `string`; may be NULL.  With `fasta` it
     * is FASTA, numbered after the `first` strings of earlier parts. */
    struct output *text;
    bool fasta;
    uint64_t first;
};

/* ERR_STOPPED if a request's signal has come, else 0. */
int sampler_check_stop(const struct sampler_request *request, struct err *e);

/* Draws rounds until there are enough strings or the budget is used up (then stats.written <
 * count); 0 or the first error. */
int sampler_run(struct sampler *s, const struct sampler_request *request, struct err *e);

/* The textbook loop, one string and one symbol at a time, as a reference: the same
 * distribution and errors, different strings. */
int sampler_plain(const struct model *m, struct pool *pool, const struct sampler_options *o,
                  const struct sampler_request *request, struct sampler_stats *stats,
                  struct err *e);

#endif

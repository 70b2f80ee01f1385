/* SPDX-License-Identifier: MIT
 *
 * alias_sampler: random strings of an automaton, as text, fast.
 *
 * A draw takes not one arc but a whole path of up to eight symbols.  Each state where a draw
 * can begin has a table of the paths from it, with their text and their target (the start again
 * once the string has ended).  Selecting a path is one look-up with one 64-bit random number
 * (Walker's alias method in integers: probabilities are exact to 2^-62).
 *
 * Where the text is lines of characters of one byte, paths have its bytes.  Otherwise they have
 * symbols, and each block is translated when it is complete.
 *
 * Strings come in blocks, each with its own random stream, so the text is the same for any
 * number of threads, and the first n strings are the same for any count.
 */
#ifndef GAMUT_ALIAS_SAMPLER_H
#define GAMUT_ALIAS_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct feature_set;
struct model;
struct output;
struct pfsa;
struct alias_sampler;
struct pool;

/* Maximum mean length: a string is held in memory.  --stop has a minimum of one millionth,
 * and motifs can make the strings a few times longer. */
#define ALIAS_SAMPLER_MEAN_MAX 1e7

/* Whether the sampler (sampler.h) can draw strings of at most `max_length` symbols,
 * MODEL_UNBOUNDED for any, from a model: if their mean length exceeds its limit, the first
 * strings will exceed it too.  A model that is not an automaton has a maximum length.  0, or
 * ERR_LIMIT. */
int alias_sampler_check(const struct model *m, uint64_t max_length, struct err *e);

/* How strings are written: in lines or FASTA; lines can begin with the values of features, each
 * with a TAB after it (NULL: none). */
struct alias_sampler_format {
    bool fasta;
    const struct feature_set *values;
};

/* Builds the tables; `p` is not needed afterward, the features are.  NULL on failure. */
struct alias_sampler *alias_sampler_new(const struct pfsa *p, struct alias_sampler_format f,
                                        struct err *e);
void alias_sampler_free(struct alias_sampler *s); /* NULL is fine */

/* Called from time to time with the number of strings written so far. */
typedef void alias_sampler_progress(void *arg, uint64_t done);

struct alias_sampler_request {
    uint64_t seed;
    const char *purpose; /* key of the random numbers, with the seed */
    uint64_t part;       /* see rng_part_index */
    uint64_t count;
    uint64_t first; /* strings of earlier parts, which FASTA numbers first */
    struct output *out;
    alias_sampler_progress *progress; /* may be NULL */
    void *arg;
    const volatile sig_atomic_t *stop; /* as in sampler.h; may be NULL */
    uint64_t *written;                 /* strings so far; may be NULL */
};

/* Writes `count` strings; *characters (may be NULL) gets how many, with the ends of strings.  0,
 * ERR_NOMEM, ERR_IO, ERR_STOPPED, or ERR_DATA for an empty string in FASTA. */
int alias_sampler_write(const struct alias_sampler *s, struct pool *pool,
                        const struct alias_sampler_request *r, uint64_t *characters, struct err *e);

#endif

/* SPDX-License-Identifier: MIT
 *
 * discovery: finds the features that distinguish strings from a background, one after the
 * other.
 *
 * In each step, strings are drawn from the current model (background.h), and the word that best
 * distinguishes the data from them is found (word_search.h).  Null sets, drawn from the same
 * model and as large as the data, go through the same search and give its p-value
 * (significance.h).  A significant word becomes a feature of the model, which is fitted again.
 * So the next step finds what the features so far do not explain.
 *
 * If the background is a chain, it is fitted to the data themselves.  So the data are closer to
 * it than null sets are, and p-values are too large rather than too small.  If the background is
 * a set of other strings, null sets are random parts of both sets together.
 *
 * Tested by tests/unit/test_discover.c and tests/cli/gam-features.t.
 */
#ifndef GAMUT_DISCOVERY_H
#define GAMUT_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/background.h"
#include "discover/word_search.h"

enum { DISCOVERY_STRINGS_MIN = 5 };

struct discovery_options {
    struct background_options background;
    unsigned kinds;       /* of words that are more frequent than expected, by word_kind */
    unsigned absent;      /* of words that are rarer: the same kinds, others only if those are 0 */
    bool lengths, counts; /* ranges of the length, of the number of a symbol */
    bool classes;         /* and of the number of symbols of a class */
    bool edits;           /* words with a few edits */
    bool positions;       /* words at a position, of strings of one length */
    bool windows;         /* words in a window of positions, of strings of one length */
    double alpha;         /* p-values up to this are discoveries */
    double min_gain;      /* nats per string */
    uint64_t max_word, max_features;
    uint64_t samples; /* strings of the background; 0: by the number of strings */
    uint64_t nulls;   /* null sets */
};

struct discovered {
    const char *spec;  /* as feature_set.h takes it */
    double gain;       /* gain in log-likelihood by this feature, in nats per string */
    double data;       /* share of strings in the data that have it */
    double background; /* the same in the first model */
    double model;      /* the same in the model with the features so far */
    double score, p, q;
    const char *note; /* "" or a remark */
};

/* Receives each feature as it is discovered; a negative result ends the search. */
typedef int discovery_emit(void *arg, const struct discovered *d, struct err *e);

/* Why a search ended. */
enum discovery_stop {
    DISCOVERY_NO_CANDIDATE, /* no word is more frequent than expected */
    DISCOVERY_NOT_SIGNIFICANT,
    DISCOVERY_LITTLE_GAIN,
    DISCOVERY_ENOUGH,    /* max_features */
    DISCOVERY_TOO_LARGE, /* the model with one more feature would be */
    DISCOVERY_TOO_RARE   /* strings with the features, in the background */
};

/* Bytes of a spec: a word of tokens, each of whose characters may need a backslash. */
enum { DISCOVERY_SPEC_MAX = 2 * (WORD_SEARCH_LENGTH_MAX + 1) * 256 };

struct discovery_outcome {
    size_t features;
    enum discovery_stop stop;
    char spec[DISCOVERY_SPEC_MAX]; /* of the best candidate that was not taken, "" if none */
    double p;                      /* its p-value */
};

/* ERR_DATA if the strings, or the others, are fewer than DISCOVERY_STRINGS_MIN, if the strings are
 * all the same, or have one symbol only and are compared with a chain, if positions are requested
 * and they have several lengths, or if the others are the same strings; the errors of
 * background_draw; ERR_NOMEM. */
int discovery_run(const struct strings *data, const struct alphabet *a,
                  const struct discovery_options *o, struct pool *pool, discovery_emit *emit,
                  void *arg, struct discovery_outcome *outcome, struct err *e);

#endif

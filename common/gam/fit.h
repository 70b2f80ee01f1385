/* SPDX-License-Identifier: MIT
 *
 * fit: the weights of a GAM from data, by moment matching (Training-1 of
 * Parshakova, Andreoli and Dymetman, 2019).
 *
 * With the base fixed the log-likelihood of the data is concave in lambda, and
 * at its maximum the features' means under P equal those in the data.  All
 * that matters of a string is its feature vector, so the data and all draws
 * are histograms.  The means under P come from
 *
 *     guided  draws from proposals that look ahead, weighted: all of them (guided.h)
 *     snis    draws from the base, weighted: the last `samples` of them
 *     rs      draws from P itself, by rejection
 *     exact   the automaton that P is over a base that is an automaton (exact_moments.h)
 *
 * and the weights from
 *
 *     sgd     the paper's method: an update per 500 strings of the data, at a
 *             rate of alpha0 / (1 + epochs before), until the l1 distance of
 *             the moments has not improved for `patience` epochs
 *     newton  Newton's method on the same objective (newton.h).  With rs, it
 *             alternates between drawing from P and solving with all that
 *             was drawn so far, until what was drawn last is near the solution
 */

#ifndef GAMUT_FIT_H
#define GAMUT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/strings.h"

struct err;
struct gam;
struct histogram;
struct pool;
struct string_format;
struct strings;

enum fit_regime { FIT_GUIDED, FIT_RS, FIT_SNIS, FIT_EXACT };
enum fit_optimizer { FIT_SGD, FIT_NEWTON };
extern const char *const fit_regimes[], *const fit_optimizers[]; /* names; end with NULL */

/* The state of the fit after an epoch of sgd, a step of newton, or a draw of
 * newton with rs. */
struct fit_epoch {
    uint64_t epoch;   /* from 1 */
    double rate;      /* of sgd; 1 for newton */
    double l1_mom;    /* distance of moments; of sgd as averaged over the epoch */
    uint64_t samples; /* proposals from the base so far */
    const double *lambda;
};

struct fit_options {
    int regime;         /* enum fit_regime */
    bool may_fall_back; /* from exact to guided to rs, where the features are too large */
    int optimizer;      /* enum fit_optimizer */
    uint64_t seed;
    uint64_t samples;  /* snis: draws kept */
    uint64_t accepted; /* rs: strings from P in a draw */
    double alpha0;     /* sgd: rate of the first epoch */
    uint64_t epochs;   /* at most: of sgd, steps or draws of newton */
    uint64_t patience; /* sgd: epochs without a better l1 distance */
    double l2;         /* weight of the Gaussian prior, per string of data */
    const bool *fixed; /* [features]: the GAM's weight is given and stays */
    /* guided: strings that P should have, to find what the draws miss; NULL: none */
    const struct strings *witness;
    /* [features] means that are stated instead of the data's, without a prior; NaN: the data's.
     * NULL: none. */
    const double *stated;
    int (*epoch)(void *arg, const struct fit_epoch *state, struct err *e);
    void *arg;
};

/* A note about a weight. */
enum fit_note {
    FIT_FREE,      /* nothing */
    FIT_FIXED,     /* it was given */
    FIT_IDLE,      /* the feature has one value for all strings: no influence */
    FIT_PRIOR,     /* no finite optimum: the prior keeps it finite */
    FIT_STOPPED,   /* no finite optimum: the stopping rule keeps it finite */
    FIT_UNSEEN,    /* no draw has the target value: not fitted */
    FIT_UNMATCHED, /* the moment is not the target, by more than its error */
    FIT_NEVER,     /* exact: no string of the base has it: kept in bounds */
    FIT_BOUND      /* it would have to leave its bounds for the moments to match */
};
const char *fit_note_text(enum fit_note note);

struct fit_feature {
    double target;   /* mean in the data */
    double base;     /* under r, given |x| <= L */
    double model;    /* under P */
    double se;       /* of the weight: data and draws */
    double draws_se; /* the part of the draws: what another seed would change */
    enum fit_note note;
};

struct fit_result {
    int regime;                  /* enum fit_regime that was used */
    struct fit_feature *feature; /* [features]; freed by fit_clear */
    double l1_mom;               /* over the weights that are not fixed */
    double log_z, log_z_se;      /* the error is 0 if it is exact; NaN if not known */
    double kl, kl_se;            /* KL(P || r), in nats per string; likewise */
    double ess;       /* independent draws from P that give the same accuracy; inf if exact */
    uint64_t samples; /* proposals from the base */
    uint64_t model_steps;
    uint64_t epochs;
    bool converged; /* else `epochs` ended it */
    bool unfitted;  /* a weight is FIT_UNSEEN, FIT_NEVER, FIT_UNMATCHED or FIT_BOUND */
    double gap;     /* guided: nats by which estimates of log Z differ beyond chance; 0: none */
    double missed;  /* guided: share of the witnesses that the draws miss; 0: negligible */
    bool poor;      /* guided: ess is below GUIDED_ESS_MIN per draw: errors may be too small */
    bool starved;   /* rs: proposals ran out before the requested number of samples was accepted */
};

/* Sets the weights that are not fixed.  The data must not be empty.  ERR_DATA
 * for `exact` with a base that is not an automaton; ERR_LIMIT if `exact` is too large
 * for it; ERR_EMPTY if the hard constraints leave nothing; the errors of drawing.  Where all
 * weights are fixed, a failure to draw is no error: then Z and means under P are NaN. */
int fit_run(struct gam *g, const struct histogram *data, struct pool *pool,
            const struct fit_options *o, struct fit_result *result, struct err *e);
void fit_clear(struct fit_result *r);

/* ---- defaults of a fit */

/* Marks all options as not stated: regime and optimizer are -1, counts 0, l2 and alpha0
 * negative until fit_options_complete. */
void fit_options_init(struct fit_options *o);

/* Sets the options that were not stated, to suit the base and the data. */
void fit_options_complete(struct fit_options *o, const struct gam *g, const struct histogram *data);

/* The strength of the prior for this number of strings: the given one, or the default. */
double fit_options_l2(const struct fit_options *o, double strings);

/* Gives a weight its value, from "NAME=VALUE", and marks it in fixed[features].
 * 0, or ERR_USAGE if there is no such feature, or no such weight. */
int fit_options_fix(const char *text, struct gam *g, bool *fixed, struct err *e);

/* Puts the mean of "NAME=MEAN", from 0 to 1, into stated[features].  0 or ERR_USAGE. */
int fit_options_state(const char *text, const struct gam *g, double *stated, struct err *e);

/* ---- data: the strings that a GAM is fitted to, as a histogram of their feature vectors; of
 * the strings themselves only the first ones are kept */
enum { FIT_WITNESSES = 200, FIT_WITNESS_SYMBOLS = 50000 };

/* All zero is empty. */
struct fit_data {
    struct histogram *seen;
    struct strings witness; /* the first strings of positive weight, within these limits */
    uint64_t hash;          /* of the file (input_hash) */
    uint64_t bytes;         /* of the file, decompressed */
    uint64_t forbidden;     /* strings that the GAM's hard constraints rule out */
    uint64_t impossible;    /* strings that have probability 0 under the base */
    uint64_t skipped;       /* strings that were left out */
};

/* Reads a file ("-" is stdin).  ERR_DATA if there are no strings, or one is
 * longer than the GAM's L.  The features of `g` must outlive the data. */
int fit_data_read(struct fit_data *d, const struct gam *g, const char *path,
                  const struct string_format *f, struct err *e);

/* The same of strings that were read, none of which is longer than L; there is no hash and no size.
 */
int fit_data_take(struct fit_data *d, const struct gam *g, const struct strings *s, struct err *e);
void fit_data_clear(struct fit_data *d);

/* No strings: all weights are fixed or means stated. */
int fit_data_none(struct fit_data *d, const struct gam *g, struct err *e);

#endif

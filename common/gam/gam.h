/* SPDX-License-Identifier: MIT
 *
 * gam: a global autoregressive model,
 *
 *     P(x) = r(x) exp(lambda . phi(x)) [|x| <= L]
 *
 * with an autoregressive base model r, features phi and a weight for each.  P is not
 * normalized.  A weight of -inf is a hard constraint: the feature must be 0.
 *
 * The file of a GAM contains the file of the base model unchanged, so the provenance of the
 * base survives and one file is enough.
 */
#ifndef GAMUT_GAM_H
#define GAMUT_GAM_H

#include <stdint.h>

#include "model/model.h"

struct err;
struct feature_set;

/* Maximum magnitude of a weight, except for -inf: log Z would lose too many digits. */
#define GAM_WEIGHT_MAX 1e6

struct gam {
    struct model model;           /* of gam_kind; base, alphabet and max_length (L) live here */
    struct model_file base_file;  /* the base's file, not compressed */
    struct feature_set *features; /* over the base's alphabet; NULL until gam_set_features */
    double *lambda;               /* [features]: within GAM_WEIGHT_MAX, or -inf */
    double log_z, log_z_se;       /* estimated by gam-fit, with its standard error */
    double ess;                   /* effective sample size of that estimate; 0: not known */
};

extern const struct model_kind gam_kind;

/* The GAM of a model; NULL if it is of another kind, or NULL. */
struct gam *gam_of(const struct model *m);

/* A new GAM with its base, read from a file ("-" is stdin) that holds an autoregressive
 * model.  gam_set_features completes it.  NULL on failure. */
struct gam *gam_from_base(const char *path, struct err *e);

/* One whose base is yet to be made: gam_set_features, then gam_set_base. */
struct gam *gam_without_base(const struct alphabet *a, struct err *e);

/* Takes over another base, also on failure, or the same one after a change; `meta` says how it was
 * made.  Features, weights and L stay.  0 or ERR_NOMEM. */
int gam_set_base(struct gam *g, struct model *base, const struct meta *meta, struct err *e);

/* Takes over the features, also on failure, and sets L, and all weights to 0.  ERR_USAGE if
 * L is MODEL_UNBOUNDED and a feature is relative to it. */
int gam_set_features(struct gam *g, struct feature_set *f, uint64_t max_length, struct err *e);

/* A GAM on a base that is in memory, with no features yet and L of max_length.  Takes over the
 * base, also on failure.  Its file cannot be written. */
struct gam *gam_from_model(struct model *base, uint64_t max_length, struct err *e);

/* Adds the features of `c` as hard constraints.  Where the GAM has a feature with the same
 * spec, that becomes one.  The estimate of log Z is forgotten.  0, ERR_USAGE or ERR_NOMEM. */
int gam_constrain(struct gam *g, const struct feature_set *c, struct err *e);

void gam_free(struct gam *g); /* NULL is fine; also through model_free */

#endif

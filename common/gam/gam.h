/* SPDX-License-Identifier: MIT
 *
 * gam: a global autoregressive model,
 *
 *     P(x) = r(x) exp(lambda . phi(x)) [|x| <= L]
 *
 * with an autoregressive base r, features phi and a weight for each.  P is not
 * normalised.  A weight of -inf is a hard constraint: the feature must be 0.
 *
 * Its file holds the base's file as it was, so the base's provenance survives
 * and one file is enough.
 */
#ifndef GAMUT_GAM_H
#define GAMUT_GAM_H

#include <stdint.h>

#include "model/model.h"

struct err;
struct feature_set;

/* No weight but -inf is greater: log Z would lose too many digits. */
#define GAM_WEIGHT_MAX 1e6

struct gam {
    struct model model;           /* of gam_kind; base, alphabet and max_length (L) live here */
    struct model_file base_file;  /* the base's file, not compressed */
    struct feature_set *features; /* over the base's alphabet; NULL until gam_set_features */
    double *lambda;               /* [features]: within GAM_WEIGHT_MAX, or -inf */
    double log_z, log_z_se;       /* as estimated when it was fitted, and its error .. */
    double ess;                   /* .. with the effective sample size; 0: not known */
};

extern const struct model_kind gam_kind;

/* The GAM that a model is; NULL if it is of another kind, or NULL. */
struct gam *gam_of(const struct model *m);

/* The beginnings of a GAM: the base, from a file ("-" is stdin) that holds an
 * autoregressive model.  gam_set_features adds the rest.  NULL on failure. */
struct gam *gam_from_base(const char *path, struct err *e);

/* Takes over the features, also on failure, and sets L, and all weights to 0.
 * ERR_USAGE if L is MODEL_UNBOUNDED and a feature is relative to it. */
int gam_set_features(struct gam *g, struct feature_set *f, uint64_t max_length, struct err *e);

void gam_free(struct gam *g); /* NULL is fine; also through model_free */

#endif

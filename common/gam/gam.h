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

#include <stddef.h>
#include <stdint.h>

struct err;
struct feature_set;
struct container;
struct meta;
struct model;
struct output;

/* No weight but -inf is greater: log Z would lose too many digits. */
#define GAM_WEIGHT_MAX 1e6

struct gam {
    struct model *base;           /* owned, like all that follows */
    void *base_file;              /* the base's file, not compressed */
    size_t base_size;             /* in bytes */
    struct feature_set *features; /* over the base's alphabet; NULL until gam_set_features */
    double *lambda;               /* [features]: within GAM_WEIGHT_MAX, or -inf */
    uint64_t max_length;          /* L; MODEL_UNBOUNDED if none */
    struct meta *meta;            /* how the file was made; NULL if it was not read */
};

extern const struct model_kind gam_kind;

/* A model that can be a GAM's base; NULL on failure, a GAM's container among them. */
struct model *base_from_mdl(struct container *m, struct err *e);

/* The beginnings of a GAM: the base, from a file ("-" is stdin) of kind pfsa or
 * lstm.  gam_set_features adds the rest.  NULL on failure. */
struct gam *gam_from_base(const char *path, struct err *e);

/* Takes over the features, also on failure, and sets L, and all weights to 0.
 * ERR_USAGE if L is MODEL_UNBOUNDED and a feature is relative to it. */
int gam_set_features(struct gam *g, struct feature_set *f, uint64_t max_length, struct err *e);

void gam_free(struct gam *g); /* NULL is fine */

/* lambda . phi(x), or -inf beyond L.  `scratch` has gam_scratch_bytes. */
size_t gam_scratch_bytes(const struct gam *g);
double gam_log_weight(const struct gam *g, const uint8_t *codes, size_t length, void *scratch);

int gam_save(const struct gam *g, const struct meta *meta, struct output *out, struct err *e);

/* From a container, of which nothing is believed; ERR_FORMAT. */
struct gam *gam_from_mdl(struct container *m, struct err *e);

/* A model of any kind from a container.  *gam is NULL unless it is a GAM, and
 * then owns *model, which is its base; both are NULL on failure.  0 or the
 * error. */
int gam_from_any(struct container *m, struct model **model, struct gam **gam, struct err *e);

/* The same from a file. */
int gam_load_any(const char *path, struct model **model, struct gam **gam, struct err *e);

/* Frees what these gave. */
void gam_free_any(struct model *model, struct gam *gam);

#endif

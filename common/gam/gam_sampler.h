/* SPDX-License-Identifier: MIT
 *
 * gam_sampler: strings from any model, by the method that suits it.
 *
 *     direct      a model without features: its own probabilities, symbol by symbol
 *     automaton   a GAM over an automaton is an automaton (product.h): exact
 *     rejection   proposals from r, rejected early by a proven bound: exact
 *     guided      proposals that look ahead, and quasi-rejection: within a stated total
 *                 variation distance, by estimate
 *     plain       the textbook loop of rejection, as a reference: exact
 *
 * For a GAM over an LSTM a short pilot run finds out whether rejection is cheap; if not,
 * sampling is guided.  The choice depends only on the model, the seed and the total count.
 *
 * Tested by tests/cli/gam-sample.t.
 */
#ifndef GAMUT_GAM_SAMPLER_H
#define GAMUT_GAM_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "gam/guided_sampler.h"
#include "model/sampler.h"

struct err;
struct gam;
struct model;
struct pool;

/* The methods that a user can request; names in gam_sampler_choices, which ends with NULL. */
enum gam_sampler_choice { SAMPLE_AUTO, SAMPLE_EXACT, SAMPLE_GUIDED, SAMPLE_PLAIN };
extern const char *const gam_sampler_choices[];

struct gam_sampler_options {
    uint64_t seed;
    const char *purpose; /* key of the random numbers */
    uint64_t part;       /* of the sample, see rng_part_index; pilots and guides are the same */
    uint64_t total;      /* strings in all parts, by which the method is chosen */
    uint64_t max_length; /* L */
    int choice;          /* enum gam_sampler_choice */
    double tvd;          /* allowed total variation distance, if guided */
};

struct gam_sampler_outcome {
    const char *method; /* as above */
    bool wide_bound;    /* rejection: the features have too many states for a tight bound */
    bool too_large;     /* over an automaton: the product is beyond PRODUCT_SIZE_MAX */
    struct sampler_stats stats;
    struct guided_sampler_quality quality; /* if guided; all zero otherwise */
};

/* Draws the requested strings from a model of any kind.  Fewer strings are written if the
 * budget runs out or quality.refused; 0 or the first error. */
int gam_sampler_run(const struct model *m, struct pool *pool, const struct gam_sampler_options *o,
                    const struct sampler_request *request, struct gam_sampler_outcome *outcome,
                    struct err *e);

/* Strings from the guided proposal with the logarithms of their importance weights. */
int gam_sampler_run_weighted(const struct gam *g, struct pool *pool,
                             const struct gam_sampler_options *o, uint64_t count,
                             guided_sampler_emit *emit, void *arg,
                             struct gam_sampler_outcome *outcome, struct err *e);

#endif

/* SPDX-License-Identifier: MIT */
#include "gam/evaluate.h"

#include <math.h>

#include "core/err.h"
#include "core/mem.h"
#include "gam/partition.h"
#include "model/model.h"
#include "model/scorer.h"
#include "text/strings.h"

int
evaluate_init(struct evaluate *v, const struct model *model, uint64_t max_length,
              const struct partition *z, const struct model *truth, struct pool *pool,
              struct err *e)
{
    *v = (struct evaluate){.z = z, .max_length = max_length};
    v->model.score = scorer_new(model, pool, e);
    if (v->model.score == NULL)
        return ERR_NOMEM;
    if (truth != NULL && (v->truth.score = scorer_new(truth, pool, e)) == NULL)
        return ERR_NOMEM;
    return 0;
}

static void
clear_judge(struct evaluate_judge *j)
{
    scorer_free(j->score);
    mem_free(j->logp);
}

void
evaluate_clear(struct evaluate *v)
{
    clear_judge(&v->model);
    clear_judge(&v->truth);
    *v = (struct evaluate){0};
}

static int
judge_block(struct evaluate_judge *j, const struct strings *block, double log_z, struct err *e)
{
    if (j->score == NULL)
        return 0;
    if (mem_reserve(&j->logp, &j->capacity, block->count, sizeof *j->logp, e) != 0)
        return ERR_NOMEM;
    return scorer_score(j->score, block, log_z, j->logp, e);
}

/* The contribution of a string to the divergence from the source; 0 for strings that the
 * source does not generate. */
static double
difference(double truth, double model)
{
    return truth > -INFINITY ? truth - model : NAN;
}

/* Adds the block to the sums, in the order of the input. */
static void
add_block(struct evaluate *v, const struct strings *block)
{
    for (size_t i = 0; i < block->count; i++) {
        size_t length;
        strings_get(block, i, &length);
        double m = (double)(length + 1);
        if (length > v->max_length) {
            v->model.logp[i] = -INFINITY;
            v->too_long++;
        }
        ratio_add(&v->ce, -v->model.logp[i], m);
        if (v->truth.score != NULL) {
            ratio_add(&v->true_ce, -v->truth.logp[i], m);
            ratio_add(&v->kl, difference(v->truth.logp[i], v->model.logp[i]), m);
        }
        v->chars += (uint64_t)m;
    }
    v->strings += block->count;
}

int
evaluate_block(struct evaluate *v, const struct strings *block, struct err *e)
{
    int rc = judge_block(&v->model, block, v->z != NULL ? v->z->log_z : 0, e);
    if (rc == 0)
        rc = judge_block(&v->truth, block, 0, e);
    if (rc != 0)
        return rc;
    add_block(v, block);
    return 0;
}

uint64_t
evaluate_steps(const struct evaluate *v)
{
    return scorer_steps(v->model.score);
}

uint64_t
evaluate_scored(const struct evaluate *v)
{
    return scorer_finished(v->model.score);
}

double
evaluate_error(const struct evaluate *v, const struct ratio *r)
{
    if (v->z == NULL)
        return ratio_error(r);
    double z = v->z->log_z_se * (double)v->strings / (double)v->chars;
    return sqrt(ratio_error(r) * ratio_error(r) + z * z);
}

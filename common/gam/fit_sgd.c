/* SPDX-License-Identifier: MIT */

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/histogram.h"
#include "gam/fit_internal.h"
#include "gam/gam.h"
#include "gam/importance.h"

enum {
    BATCH = 500, /* strings of data an update stands for */
    GROUP = 1000 /* draws that enter the buffer of snis together, at most */
};

struct sgd {
    struct fit_state *fit;
    double *sum;              /* [features] of the epoch's moments */
    double *best;             /* [features] weights of the best epoch */
    struct histogram **group; /* [groups] the buffer of snis in the order of its age, a ring */
    size_t groups, next_group;
};

/* Weighted means over the evidence at the present weights. */
static int
weighted_mean(struct fit_state *f, struct err *e)
{
    struct importance t = {0};
    int rc = fit_state_gather(f, &t, e);
    if (rc == 0) {
        importance_at(&t, f->gam->lambda);
        rc = fit_state_check_possible(f, &t, e);
        memcpy(f->mean, t.mean, f->n * sizeof *f->mean);
    }
    importance_clear(&t);
    return rc;
}

/* Draws one more group, which takes the place of the oldest once the buffer is
 * full; the groups are as equal as can be and make up the whole buffer. */
static int
renew_buffer(struct sgd *s, struct err *e)
{
    struct fit_state *f = s->fit;
    uint64_t size = f->o->samples / s->groups + (s->next_group < f->o->samples % s->groups);
    struct rejection_outcome o;
    struct histogram **place = &s->group[s->next_group], *group = histogram_new(f->features, e);
    if (group == NULL)
        return ERR_NOMEM;
    int rc = rejection_propose(f->reject, size, group, &o, e);
    if (rc == 0 && *place != NULL)
        rc = histogram_merge(f->base, *place, -1, e);
    if (*place == NULL)
        f->base_draws += (double)size;
    histogram_free(*place);
    *place = group;
    s->next_group = (s->next_group + 1) % s->groups;
    return rc == 0 ? histogram_merge(f->base, group, 1, e) : rc;
}

static int
snis_mean(struct sgd *s, struct err *e)
{
    int rc = renew_buffer(s, e);
    return rc == 0 ? weighted_mean(s->fit, e) : rc;
}

static int
rs_mean(struct fit_state *f, struct err *e)
{
    struct fit_round r = {0};
    int rc = fit_state_draw(f, &r, f->o->accepted, e);
    if (rc == 0)
        rc = fit_round_check(&r, e);
    if (rc == 0)
        histogram_mean(r.seen, f->mean);
    fit_round_clear(&r);
    return rc;
}

/* f->mean = E phi under P at the present weights. */
static int
find_mean(struct sgd *s, struct err *e)
{
    switch (s->fit->o->regime) {
    case FIT_SNIS:
        return snis_mean(s, e);
    case FIT_RS:
        return rs_mean(s->fit, e);
    default:
        return weighted_mean(s->fit, e);
    }
}

/* One epoch; its l1 distance is that of the mean of all its moments. */
static int
run_epoch(struct sgd *s, double rate, uint64_t updates, double *l1_mom, struct err *e)
{
    struct fit_state *f = s->fit;
    double *lambda = f->gam->lambda;
    memset(s->sum, 0, f->n * sizeof *s->sum);
    for (uint64_t u = 0; u < updates; u++) {
        int rc = find_mean(s, e);
        if (rc != 0)
            return rc;
        for (size_t i = 0; i < f->n; i++) {
            double slope = f->target[i] - f->mean[i] - f->o->l2 * lambda[i];
            s->sum[i] += f->mean[i];
            if (!f->o->fixed[i])
                lambda[i] = fmax(f->lo[i], fmin(f->hi[i], lambda[i] + rate * slope));
        }
    }
    for (size_t i = 0; i < f->n; i++)
        s->sum[i] /= (double)updates;
    *l1_mom = fit_state_distance(f, s->sum);
    return fit_state_tell(f, rate, *l1_mom, lambda, e);
}

static int
run_epochs(struct sgd *s, struct err *e)
{
    struct fit_state *f = s->fit;
    double *lambda = f->gam->lambda, least = INFINITY, l1_mom;
    uint64_t updates = ((uint64_t)histogram_total(f->data) + BATCH - 1) / BATCH, since = 0;
    int rc = 0;
    for (uint64_t k = 1; k <= f->o->epochs && since < f->o->patience && rc == 0; k++) {
        rc = run_epoch(s, f->o->alpha0 / (double)k, updates, &l1_mom, e);
        since++;
        if (rc == 0 && l1_mom < least) {
            least = l1_mom;
            since = 0;
            memcpy(s->best, lambda, f->n * sizeof *lambda);
        }
    }
    f->result->converged = since >= f->o->patience;
    if (rc == 0)
        memcpy(lambda, s->best, f->n * sizeof *lambda);
    return rc;
}

int
fit_sgd(struct fit_state *f, struct err *e)
{
    struct sgd s = {.fit = f, .groups = (size_t)((f->o->samples + GROUP - 1) / GROUP)};
    s.sum = mem_array(f->n, sizeof *s.sum, e);
    s.best = mem_array(f->n, sizeof *s.best, e);
    s.group = mem_zero(s.groups, sizeof *s.group, e);
    int rc = s.sum == NULL || s.best == NULL || s.group == NULL ? ERR_NOMEM : 0;
    if (rc == 0)
        rc = run_epochs(&s, e);
    for (size_t k = 0; s.group != NULL && k < s.groups; k++)
        histogram_free(s.group[k]);
    mem_free(s.group);
    mem_free(s.sum);
    mem_free(s.best);
    return rc;
}

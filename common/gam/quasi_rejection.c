/* SPDX-License-Identifier: MIT */
#include "gam/quasi_rejection.h"

#include <math.h>
#include <stdbool.h>

#include "core/dmath.h"

#define UNSEEN      3.0   /* J: allowance for unseen draws of up to twice the largest weight */
#define QUANTILE_95 1.645 /* of the normal distribution */

#define ACCEPTANCE_KEPT 0.98 /* share of the acceptance rate kept when beta is raised */

#define WITNESS_ESS   25.0 /* minimum effective sample size of a witness */
#define LOG_BETA_MOST 40.0 /* from log Z: nothing is accepted above, all below */

enum { BISECTIONS = 40 };

struct draws {
    const struct quasi_rejection_pilot *pilot;
    const struct quasi_rejection_witness *witness; /* NULL: none that is large enough */
    double most;                                   /* weight of the pilot */
};

/* ---- the witness -------------------------------------------------------------------------- */

/* Whether the effective sample size of a witness is large enough. */
static bool
can_tell(const struct quasi_rejection_witness *w)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; w != NULL && i < w->strings; i++) {
        sum += (double)w->count[i] * w->share[i];
        squares += (double)w->count[i] * w->share[i] * w->share[i];
    }
    return sum > 0 && sum * sum >= WITNESS_ESS * squares;
}

/* delta at a beta in units of Z, and its standard error. */
static double
witnessed(const struct quasi_rejection_witness *w, double beta, double *se)
{
    double all = 0, lost = 0, squares = 0;
    for (size_t i = 0; i < w->strings; i++) {
        double part = w->w[i] > beta ? 1 - beta / w->w[i] : 0, c = (double)w->count[i];
        all += c * w->share[i];
        lost += c * w->share[i] * part;
    }
    lost /= all;
    for (size_t i = 0; i < w->strings; i++) {
        double part = w->w[i] > beta ? 1 - beta / w->w[i] : 0;
        double off = w->share[i] * (part - lost) / all;
        squares += (double)w->count[i] * off * off;
    }
    *se = sqrt(squares);
    return lost;
}

double
quasi_rejection_missed(const struct quasi_rejection_witness *witness, double beta)
{
    double se;
    return can_tell(witness) ? witnessed(witness, beta, &se) : 0;
}

/* ---- beta --------------------------------------------------------------------------------- */

/* All results at one beta. */
static struct quasi_rejection
at_beta(const struct draws *s, double log_beta)
{
    const struct quasi_rejection_pilot *p = s->pilot;
    double beta = dm_exp(log_beta - p->log_z), lost = 0, below = 0, above = 0, squares = 0;
    for (size_t i = 0; i < p->strings; i++) {
        double c = (double)p->count[i], w = p->w[i];
        lost += w > beta ? c * (w - beta) : 0;
        above += w > beta ? c : 0;
        below += w > beta ? 0 : c * w;
    }
    double d = lost / p->draws, other = 0, se;
    for (size_t i = 0; i < p->strings; i++) {
        double w = p->w[i], v = (w > beta ? w - beta : 0) - d * w;
        squares += (double)p->count[i] * v * v;
    }
    double unseen = fmax(0, 2 * s->most - beta);
    double limit = d + QUANTILE_95 * sqrt(squares) / p->draws + UNSEEN / p->draws * unseen;
    if (s->witness != NULL) {
        other = witnessed(s->witness, beta, &se);
        limit = fmax(limit, other + QUANTILE_95 * se);
    }
    return (struct quasi_rejection){
        .log_beta = log_beta,
        .tvd = fmax(d, other),
        .tvd_hi95 = limit,
        .acceptance = (above + below / beta) / p->draws,
    };
}

/* The largest beta that costs almost nothing: if all weights are nearly equal, the smallest
 * beta is far below them, and its distance consists of the allowance. */
static struct quasi_rejection
raise_beta(const struct draws *s, double low, double high)
{
    double enough = ACCEPTANCE_KEPT * at_beta(s, low).acceptance;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = low + (high - low) / 2;
        if (at_beta(s, middle).acceptance >= enough)
            low = middle;
        else
            high = middle;
    }
    return at_beta(s, low);
}

/* At twice the pilot's largest weight nothing is lost, and the allowance is 0; the weights
 * of a witness may be larger. */
static double
largest_beta(const struct draws *s)
{
    double most = 2 * s->most;
    for (size_t i = 0; s->witness != NULL && i < s->witness->strings; i++)
        if (s->witness->share[i] > 0)
            most = fmax(most, s->witness->w[i]);
    return s->pilot->log_z + fmin(dm_log(most), LOG_BETA_MOST);
}

struct quasi_rejection
quasi_rejection_choose(const struct quasi_rejection_pilot *pilot,
                       const struct quasi_rejection_witness *witness, double tvd)
{
    struct draws s = {.pilot = pilot, .witness = can_tell(witness) ? witness : NULL};
    for (size_t i = 0; i < pilot->strings; i++)
        s.most = fmax(s.most, pilot->w[i]);
    double most = largest_beta(&s), high = most, low = pilot->log_z - LOG_BETA_MOST;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = low + (high - low) / 2;
        if (at_beta(&s, middle).tvd_hi95 <= tvd)
            high = middle;
        else
            low = middle;
    }
    return raise_beta(&s, high, most);
}

double
quasi_rejection_accept(const struct quasi_rejection *q, double log_w)
{
    return log_w < q->log_beta ? dm_exp(log_w - q->log_beta) : 1;
}

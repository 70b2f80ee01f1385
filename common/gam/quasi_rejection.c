/* SPDX-License-Identifier: MIT */
#include "gam/quasi_rejection.h"

#include <math.h>

#include "core/dmath.h"

#define UNSEEN      3.0   /* J: draws of twice the largest weight that may be missing */
#define QUANTILE_95 1.645 /* of the normal distribution */

#define ACCEPTANCE_KEPT 0.98 /* of the acceptance rate, for a smaller distance */

enum { BISECTIONS = 60 };

struct sample {
    const double *log_w;
    const uint64_t *count;
    size_t strings;
    double draws, log_z, log_max; /* log_z: log of the mean weight */
};

/* Everything at one beta, in units of Z. */
static struct quasi_rejection
at_beta(const struct sample *s, double log_beta)
{
    double beta = dm_exp(log_beta - s->log_z), lost = 0, accepted = 0, squares = 0;
    for (size_t i = 0; i < s->strings; i++) {
        double w = dm_exp(s->log_w[i] - s->log_z), c = (double)s->count[i];
        lost += c * fmax(0, w - beta);
        accepted += c * fmin(1, w / beta);
    }
    double d = lost / s->draws;
    for (size_t i = 0; i < s->strings; i++) {
        double w = dm_exp(s->log_w[i] - s->log_z), v = fmax(0, w - beta) - d * w;
        squares += (double)s->count[i] * v * v;
    }
    double unseen = fmax(0, 2 * dm_exp(s->log_max - s->log_z) - beta);
    return (struct quasi_rejection){
        .log_beta = log_beta,
        .tvd = d,
        .tvd_hi95 = d + QUANTILE_95 * sqrt(squares) / s->draws + UNSEEN / s->draws * unseen,
        .acceptance = accepted / s->draws,
    };
}

/* The largest beta that costs next to nothing: where all weights are alike, the smallest one
 * is far below them, and its distance is all allowance. */
static struct quasi_rejection
raise_beta(const struct sample *s, double low, double high)
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

struct quasi_rejection
quasi_rejection_choose(const double *log_w, const uint64_t *count, size_t strings, double draws,
                       double tvd)
{
    struct sample s = {
        .log_w = log_w, .count = count, .strings = strings, .draws = draws, .log_max = -INFINITY};
    double sum = -INFINITY;
    for (size_t i = 0; i < strings; i++) {
        sum = dm_log_add_exp(sum, dm_log((double)count[i]) + log_w[i]);
        s.log_max = fmax(s.log_max, log_w[i]);
    }
    s.log_z = sum - dm_log(draws);
    /* At twice the largest weight nothing is lost, seen or allowed for. */
    double most = s.log_max + DM_LN2, high = most, low = s.log_z - 40;
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

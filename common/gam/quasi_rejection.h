/* SPDX-License-Identifier: MIT
 *
 * quasi_rejection: rejection with a bound that some weights exceed.
 *
 * A draw of weight w = P(x) / q(x) is accepted with probability min(1, w / beta).  The mass
 * lost where w > beta,
 *
 *     delta(beta) = E_q[(w - beta)+] / Z,
 *
 * is an upper bound of the total variation distance between the accepted strings and P / Z.
 * Its estimate from n draws, with an allowance for chance and for weights that were not drawn,
 * is
 *
 *     U(beta) = d + 1.645 sqrt(mean v^2 / n) + (J / n) max(0, 2 max w - beta) / Zhat,
 *
 * where d is the estimate of delta, v_i = ((w_i - beta)+ - d w_i) / Zhat, and J = 3.  U is an
 * estimate, not a proof: it cannot include weights that no draw has shown.
 */
#ifndef GAMUT_QUASI_REJECTION_H
#define GAMUT_QUASI_REJECTION_H

#include <stddef.h>
#include <stdint.h>

struct quasi_rejection {
    double log_beta;
    double tvd;        /* estimate of delta(beta) */
    double tvd_hi95;   /* U(beta) */
    double acceptance; /* E min(1, w / beta) */
};

/* A pilot: string i was drawn count[i] times with weight w[i] exp(log_z); all others of the
 * `draws` have weight 0.  The mean of w over the draws is 1. */
struct quasi_rejection_pilot {
    const double *w;
    const uint64_t *count;
    size_t strings;
    double draws, log_z;
};

/* A witness: another sample of P, whose draws need not come from q.  String i was drawn
 * count[i] times, each time represents the share share[i] of the mass of P, and has weight
 * w[i] exp(log_z) under q.  It includes mass that q hardly ever draws. */
struct quasi_rejection_witness {
    const double *share, *w;
    const uint64_t *count;
    size_t strings;
};

/* The smallest beta with U(beta) <= tvd, raised as long as that costs at most 2 % of the
 * acceptance rate.  At least one weight is positive.  With a witness (NULL: none) whose
 * effective sample size is at least 25, U is at least its estimate of delta plus 1.645
 * standard errors. */
struct quasi_rejection quasi_rejection_choose(const struct quasi_rejection_pilot *pilot,
                                              const struct quasi_rejection_witness *witness,
                                              double tvd);

/* The mass that is lost where w > beta / exp(log_z), according to a witness; 0 if the
 * witness is too small. */
double quasi_rejection_missed(const struct quasi_rejection_witness *witness, double beta);

/* The probability of accepting a weight. */
double quasi_rejection_accept(const struct quasi_rejection *q, double log_w);

#endif

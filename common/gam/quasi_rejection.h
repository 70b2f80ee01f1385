/* SPDX-License-Identifier: MIT
 *
 * quasi_rejection: rejection with a bound that the weights exceed now and then.
 *
 * A draw of weight w = P(x) / q(x) is accepted with probability min(1, w / beta).  The mass
 * that is lost where w > beta,
 *
 *     delta(beta) = E_q[(w - beta)+] / Z,
 *
 * is an upper bound of the total variation distance between the strings accepted and
 * P / Z.  Its estimate from n draws, with an allowance for chance and for weights that were
 * not drawn, is
 *
 *     U(beta) = d + 1.645 sqrt(mean v^2 / n) + (J / n) max(0, 2 max w - beta) / Zhat,
 *
 * where d is the estimate of delta, v_i = ((w_i - beta)+ - d w_i) / Zhat, and J = 3.  U is an
 * estimate, not a proof: weights that no draw has shown are not in it.
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

/* The smallest beta with U(beta) <= tvd, raised as far as that costs at most 2 % of the
 * acceptance rate.  String i was drawn count[i] times with weight
 * exp(log_w[i]); all others of the `draws` have weight 0.  One weight at least is not 0. */
struct quasi_rejection quasi_rejection_choose(const double *log_w, const uint64_t *count,
                                              size_t strings, double draws, double tvd);

/* The probability of accepting a weight. */
double quasi_rejection_accept(const struct quasi_rejection *q, double log_w);

#endif

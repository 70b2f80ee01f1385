/* SPDX-License-Identifier: MIT
 *
 * mix_fit: weights of a mixture's components that maximize the likelihood of strings, by EM.
 *
 * With p_kt the probability that component k gives character t, and S_t the components that
 * can produce the prefix before it, the mixture gives
 *
 *     p_t = sum_{k in S_t} w_k p_kt / sum_{k in S_t} w_k.
 *
 * Complete data are components drawn by w until one is in S_t, which then draws the
 * character.  Given the character, component k is expected
 *
 *     n_k = sum_t  w_k p_kt / sum_{j in S_t} w_j p_jt   if k in S_t
 *                  w_k / sum_{j in S_t} w_j             otherwise
 *
 * times, and the new weights are in proportion to n_k.  The likelihood never decreases.  Where
 * all components can produce all prefixes it is concave, and with N = sum_k n_k
 *
 *     gap = max_k n_k / (w_k N) - 1
 *
 * bounds how far the mean log-likelihood is from its maximum; after n iterations from K equal
 * weights it is at most log(K) / n away from it.
 *
 * Tested by tests/unit/test_mix.c.
 */
#ifndef GAMUT_MIX_FIT_H
#define GAMUT_MIX_FIT_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct mix;
struct pool;
struct strings;

#define MIX_FIT_GAP 1e-8 /* nats per character: EM ends below it */
enum { MIX_FIT_ITERATIONS = 5000 };

/* Minimum weight, so that no string becomes impossible. */
#define MIX_FIT_WEIGHT_MIN 1e-9

/* The probabilities of all characters under the components. */
struct mix_evidence {
    size_t parts, chars;
    double *logp; /* [parts][chars]; see scorer_trace */
};

/* The evidence of strings; freed by mix_evidence_clear, also after a failure.  ERR_DATA if
 * there are no strings, or if no component can produce one of them. */
int mix_evidence_gather(struct mix_evidence *v, const struct mix *m, const struct strings *s,
                        struct pool *pool, struct err *e);
void mix_evidence_clear(struct mix_evidence *v);

/* Nats per character of one component; infinite if it cannot produce a string. */
double mix_evidence_loss(const struct mix_evidence *v, size_t part);

/* The state of EM after an iteration, or before the first. */
struct mix_iteration {
    uint64_t number;      /* 0: the initial weights */
    const double *weight; /* [parts] */
    double loss;          /* of the mixture with these weights, nats per character */
    double gap;           /* see above */
};

struct mix_fit_options {
    /* Called after each iteration; a negative result ends EM with that error.  NULL: not. */
    int (*iteration)(void *arg, const struct mix_iteration *i, struct err *e);
    void *arg;
};

struct mix_fit_result {
    uint64_t iterations;
    double loss; /* nats per character */
    double gap;
};

/* EM from the weights in `weight` [parts], which sum to 1 and are replaced.  0, ERR_NOMEM, or
 * the callback's error. */
int mix_fit(const struct mix_evidence *v, const struct mix_fit_options *o, double *weight,
            struct mix_fit_result *result, struct err *e);

#endif

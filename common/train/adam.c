/* SPDX-License-Identifier: MIT */
#include "train/adam.h"

#include <float.h>
#include <math.h>

#include "core/pool.h"
#include "lstm/kernel.h"
#include "lstm/lstm.h"

/* Numbers per task, and partial sums of a norm.  The largest network, of about 2^37 numbers,
 * has 2^22 chunks; a pool takes more. */
enum { CHUNK = 1 << 15, PARTS = 64 };

static const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

struct norm {
    const struct kernel *kern;
    const float *g;
    size_t count;
    double sum[PARTS];
};

static void
norm_task(void *arg, size_t task, int worker)
{
    struct norm *t = arg;
    size_t first = t->count * task / PARTS, end = t->count * (task + 1) / PARTS;
    (void)worker;
    t->sum[task] = t->kern->squares(t->g + first, end - first);
}

double
adam_norm(const struct kernel *k, const float *g, size_t count, struct pool *pool)
{
    struct norm t = {.kern = k, .g = g, .count = count};
    double sum = 0;
    pool_run_numbers(pool, count, PARTS, norm_task, &t);
    for (size_t i = 0; i < PARTS; i++)
        sum += t.sum[i];
    return sqrt(sum);
}

bool
adam_can_take(double norm, double clip)
{
    double clipped = clip > 0 && norm > clip ? clip : norm;
    return isfinite(norm) && clipped * clipped <= FLT_MAX;
}

/* x^n, by squaring: the same bits everywhere, which pow() does not guarantee. */
static double
power(double x, uint64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

struct update {
    const struct kernel *kern;
    struct kernel_adam all;
};

static void
update_task(void *arg, size_t task, int worker)
{
    const struct update *t = arg;
    struct kernel_adam part = t->all;
    size_t first = task * CHUNK, rest = part.count - first;
    (void)worker;
    part.w += first;
    part.m += first;
    part.v += first;
    part.g += first;
    if (part.average != NULL)
        part.average += first;
    part.count = rest < CHUNK ? rest : CHUNK;
    t->kern->adam(&part);
}

void
adam_update(const struct kernel *k, struct lstm_adam *a, float *w, const float *g, size_t count,
            double norm, const struct adam_rule *rule, struct pool *pool)
{
    bool clipped = rule->clip > 0 && norm > rule->clip;
    a->step++;
    struct update t = {
        .kern = k,
        .all = {.count = count,
                .w = w,
                .m = a->m,
                .v = a->v,
                .g = g,
                .clip = clipped ? (float)(rule->clip / norm) : 1,
                .beta1 = (float)beta1,
                .beta2 = (float)beta2,
                .epsilon = (float)epsilon,
                .rate = (float)(rule->rate / (1 - power(beta1, a->step))),
                .correction = (float)(1 / sqrt(1 - power(beta2, a->step))),
                .average = rule->average,
                .share = (float)rule->share},
    };
    pool_run_numbers(pool, count, (count + CHUNK - 1) / CHUNK, update_task, &t);
}

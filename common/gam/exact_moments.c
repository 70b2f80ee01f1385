/* SPDX-License-Identifier: MIT */
#include "gam/exact_moments.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "gam/moments.h"
#include "gam/product.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"

enum { RANGE_PASSES_MAX = 64 }; /* over an automaton with cycles */

#define NO_COLUMN UINT32_MAX

#define VARIANCE_MIN                                                                               \
    1e-26 /* of a numerator, relative to 1 + its squared mean: smaller values are rounding */

struct exact_moments {
    struct moments moments;
    struct product *product;
    double *mean, *covariance;
    double *visits;     /* [states] of the present lambda */
    size_t table_bytes; /* scratch for the gains of features from each state on */
};

/* ---- what transitions add to features -------------------------------------------- */

/* Some features side by side, in units of 1/denominator. */
struct columns {
    const struct product *x;
    size_t count;
    uint32_t *feature; /* [count] */
    uint32_t *of;      /* [features of the set] column of a feature, or NO_COLUMN */
    uint32_t *timed;   /* [timed_count] columns of features that depend on the length alone */
    size_t timed_count;
    double *slope; /* [timed_count] what a symbol beyond time_max adds to them */
};

static void
columns_clear(struct columns *c)
{
    mem_free(c->feature);
    mem_free(c->of);
    mem_free(c->timed);
    mem_free(c->slope);
}

static void
add_column(struct columns *c, size_t feature)
{
    const struct feature_set *f = c->x->features;
    uint64_t last = c->x->time_max;
    c->of[feature] = (uint32_t)c->count;
    if (feature_set_is_timed(f, feature)) {
        c->slope[c->timed_count] = (double)feature_set_time_numerator(f, feature, last + 1) -
                                   (double)feature_set_time_numerator(f, feature, last);
        c->timed[c->timed_count++] = (uint32_t)c->count;
    }
    c->feature[c->count++] = (uint32_t)feature;
}

/* Columns for `count` of the product's features from the k-th on.  Clear in either case. */
static int
columns_init(struct columns *c, const struct product *x, size_t k, size_t count, struct err *e)
{
    size_t n = feature_set_count(x->features);
    *c = (struct columns){.x = x};
    c->feature = mem_array(count, sizeof *c->feature, e);
    c->of = mem_array(n, sizeof *c->of, e);
    c->timed = mem_array(count, sizeof *c->timed, e);
    c->slope = mem_array(count, sizeof *c->slope, e);
    if (c->feature == NULL || c->of == NULL || c->timed == NULL || c->slope == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        c->of[i] = NO_COLUMN;
    for (size_t end = k + count; k < end; k++)
        add_column(c, x->chosen == NULL ? k : x->chosen[k]);
    return 0;
}

static void
add_terms(const struct columns *c, const struct feature_term *from, const struct feature_term *to,
          double weight, double *out)
{
    for (; from < to; from++)
        if (c->of[from->feature] != NO_COLUMN)
            out[c->of[from->feature]] += weight * from->numerator;
}

/* Adds to out[columns] what reading `symbol` in state q adds to the features, times weight. */
static void
add_arc(const struct columns *c, uint32_t q, uint8_t symbol, double weight, double *out)
{
    const struct product *x = c->x;
    const struct feature_automaton *m = x->automaton;
    size_t k = (size_t)x->feature_state[q] * m->symbols + symbol;
    add_terms(c, m->arc_term + m->arc_first[k], m->arc_term + m->arc_first[k + 1], weight, out);
    if (x->time[q] == x->time_max)
        for (size_t i = 0; i < c->timed_count; i++)
            out[c->timed[i]] += weight * c->slope[i];
}

/* The same for ending in state q. */
static void
add_end(const struct columns *c, uint32_t q, double weight, double *out)
{
    const struct product *x = c->x;
    const struct feature_automaton *m = x->automaton;
    uint32_t s = x->feature_state[q];
    add_terms(c, m->end_term + m->end_first[s], m->end_term + m->end_first[s + 1], weight, out);
    for (size_t i = 0; i < c->timed_count; i++) {
        uint32_t column = c->timed[i];
        uint64_t whole = feature_set_time_numerator(x->features, c->feature[column], x->time[q]);
        out[column] += weight * (double)whole;
    }
}

/* ---- means ----------------------------------------------------------------------------- */

/* total[columns] = mean gains of strings, from the visits of all states. */
static void
sum_gains(const struct columns *c, const double *visits, double *own, struct compensated_sum *total)
{
    const struct pfsa *p = c->x->pfsa;
    for (uint32_t q = 0; q < p->states; q++) {
        memset(own, 0, c->count * sizeof *own);
        if (p->final_logp[q] > -INFINITY)
            add_end(c, q, dm_exp(p->final_logp[q]), own);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            add_arc(c, q, p->symbol[a], dm_exp(p->logp[a]), own);
        for (size_t k = 0; k < c->count; k++)
            if (own[k] > 0)
                compensated_sum_add(&total[k], visits[q] * own[k]);
    }
}

/* mean[features of the set] of the product's features at the current lambda. */
static int
product_means(const struct product *x, double *visits, double *mean, struct err *e)
{
    struct columns c;
    int rc = columns_init(&c, x, 0, x->chosen_count, e);
    double *own = mem_array(c.count, sizeof *own, e);
    struct compensated_sum *total = mem_zero(c.count, sizeof *total, e);
    if (own == NULL || total == NULL)
        rc = ERR_NOMEM;
    if (rc == 0)
        rc = pfsa_stats_visits(x->pfsa, visits, e);
    if (rc == 0) {
        sum_gains(&c, visits, own, total);
        for (size_t k = 0; k < c.count; k++)
            mean[c.feature[k]] = compensated_sum_total(&total[k]) /
                                 feature_set_denominator(x->features, c.feature[k]);
    }
    columns_clear(&c);
    mem_free(own);
    mem_free(total);
    return rc;
}

/* ---- covariances ------------------------------------------------------------------------- */

/* A block of features with their gains from each state on. */
struct feature_block {
    struct columns columns;
    double *gain;  /* [states][columns] */
    double *delta; /* [columns] of the current transition */
};

static void
block_clear(struct feature_block *b)
{
    columns_clear(&b->columns);
    mem_free(b->gain);
    mem_free(b->delta);
}

/* Clear in either case. */
static int
block_init(struct feature_block *b, const struct product *x, size_t k, size_t count, struct err *e)
{
    const struct pfsa *p = x->pfsa;
    *b = (struct feature_block){0};
    int rc = columns_init(&b->columns, x, k, count, e);
    b->gain = mem_zero(p->states, count * sizeof *b->gain, e);
    b->delta = mem_array(count, sizeof *b->delta, e);
    if (rc != 0 || b->gain == NULL || b->delta == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < p->states; q++) {
        double *own = b->gain + q * count;
        if (p->final_logp[q] > -INFINITY)
            add_end(&b->columns, q, dm_exp(p->final_logp[q]), own);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            add_arc(&b->columns, q, p->symbol[a], dm_exp(p->logp[a]), own);
    }
    return pfsa_stats_totals(p, count, b->gain, e);
}

/* d of ending in q (arc UINT64_MAX), or of an arc. */
static void
find_delta(struct feature_block *b, uint32_t q, uint64_t arc)
{
    const struct pfsa *p = b->columns.x->pfsa;
    size_t n = b->columns.count;
    const double *own = b->gain + q * n;
    const double *next = arc < UINT64_MAX ? b->gain + p->next[arc] * n : NULL;
    for (size_t k = 0; k < n; k++)
        b->delta[k] = next != NULL ? next[k] - own[k] : -own[k];
    if (next != NULL)
        add_arc(&b->columns, q, p->symbol[arc], 1, b->delta);
    else
        add_end(&b->columns, q, 1, b->delta);
}

/* Adds d d' of a transition to the rows of block b and the columns of block c, which is b or
 * an earlier one. */
static void
add_transition(struct feature_block *b, struct feature_block *c, uint32_t q, uint64_t arc,
               double weight, size_t n, double *covariance)
{
    if (weight == 0)
        return;
    find_delta(b, q, arc);
    if (c != b)
        find_delta(c, q, arc);
    const uint32_t *row = b->columns.feature, *column = c->columns.feature;
    for (size_t i = 0; i < b->columns.count; i++) {
        double d = weight * b->delta[i];
        size_t end = c == b ? i + 1 : c->columns.count;
        for (size_t j = 0; j < end; j++)
            covariance[row[i] * n + column[j]] += d * c->delta[j];
    }
}

static void
add_pair(struct feature_block *b, struct feature_block *c, const double *visits, size_t n,
         double *covariance)
{
    const struct pfsa *p = b->columns.x->pfsa;
    for (uint32_t q = 0; q < p->states; q++) {
        add_transition(b, c, q, UINT64_MAX, visits[q] * dm_exp(p->final_logp[q]), n, covariance);
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            add_transition(b, c, q, a, visits[q] * dm_exp(p->logp[a]), n, covariance);
    }
}

/* All rows of the block, given the gains of later features. */
static int
add_block(const struct product *x, size_t k, size_t width, const double *visits, double *covariance,
          struct err *e)
{
    size_t n = x->chosen_count, count = n - k < width ? n - k : width;
    struct feature_block b;
    int rc = block_init(&b, x, k, count, e);
    if (rc == 0)
        add_pair(&b, &b, visits, n, covariance);
    for (size_t j = 0; rc == 0 && j < k; j += width) {
        struct feature_block c;
        rc = block_init(&c, x, j, width, e);
        if (rc == 0)
            add_pair(&b, &c, visits, n, covariance);
        block_clear(&c);
    }
    block_clear(&b);
    return rc;
}

/* The number of features that fit into a table. */
static size_t
block_width(const struct product *x, size_t table_bytes)
{
    size_t width = table_bytes / sizeof(double) / x->pfsa->states;
    if (width > x->chosen_count)
        width = x->chosen_count;
    return width > 0 ? width : 1;
}

/* A feature that is constant up to rounding has variance 0. */
static void
drop_rounding(const struct feature_set *f, const double *mean, double *covariance)
{
    size_t n = feature_set_count(f);
    for (size_t i = 0; i < n; i++) {
        double unit = 1 / feature_set_denominator(f, i);
        if (covariance[i * n + i] <= VARIANCE_MIN * (unit * unit + mean[i] * mean[i]))
            for (size_t j = 0; j < n; j++)
                covariance[i * n + j] = covariance[j * n + i] = 0;
    }
}

/* The covariance of all features of the set at the current lambda. */
static int
find_covariance(struct exact_moments *x, struct err *e)
{
    const struct feature_set *f = x->product->features;
    size_t n = x->moments.n, width = block_width(x->product, x->table_bytes);
    int rc = 0;
    memset(x->covariance, 0, n * n * sizeof *x->covariance);
    for (size_t k = 0; rc == 0 && k < n; k += width)
        rc = add_block(x->product, k, width, x->visits, x->covariance, e);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            x->covariance[i * n + j] /=
                feature_set_denominator(f, i) * feature_set_denominator(f, j);
            x->covariance[j * n + i] = x->covariance[i * n + j];
        }
    drop_rounding(f, x->mean, x->covariance);
    return rc;
}

/* ---- for an optimizer ------------------------------------------------------------------- */

static int
moments_at(struct moments *m, const double *lambda, struct err *e)
{
    struct exact_moments *x = m->self;
    int rc = product_set_lambda(x->product, lambda, e);
    if (rc != 0)
        return rc;
    m->log_z = x->product->pfsa->log_partition;
    return product_means(x->product, x->visits, x->mean, e);
}

static int
moments_spread(struct moments *m, struct err *e)
{
    return find_covariance(m->self, e);
}

static int
check_alphabets(const struct pfsa *p, const struct feature_set *f, struct err *e)
{
    if (alphabet_equal(&p->model.alphabet, feature_set_alphabet(f)))
        return 0;
    return err_set(e, ERR_DATA, "alphabet of the model is '%s', of the features '%s'",
                   p->model.alphabet.text, feature_set_alphabet(f)->text);
}

static int
make(struct exact_moments *x, const struct pfsa *base, const struct feature_set *f,
     uint64_t max_length, const double *lambda, struct err *e)
{
    size_t n = feature_set_count(f);
    x->product = product_new(base, f, NULL, 0, max_length, lambda, PRODUCT_SIZE_MAX, e);
    if (x->product == NULL)
        return e->code;
    x->mean = mem_zero(n, sizeof *x->mean, e);
    x->covariance = mem_zero(n, n * sizeof *x->covariance, e);
    x->visits = mem_array(x->product->pfsa->states, sizeof *x->visits, e);
    if (x->mean == NULL || x->covariance == NULL || x->visits == NULL)
        return ERR_NOMEM;
    x->moments = (struct moments){
        .self = x,
        .features = f,
        .n = n,
        .mean = x->mean,
        .covariance = x->covariance,
        .at = moments_at,
        .spread = moments_spread,
    };
    return 0;
}

struct exact_moments *
exact_moments_new(const struct pfsa *base, const struct feature_set *f, uint64_t max_length,
                  const double *lambda, size_t table_bytes, struct err *e)
{
    struct exact_moments *x = NULL;
    if (check_alphabets(base, f, e) != 0 || (x = mem_zero(1, sizeof *x, e)) == NULL)
        return NULL;
    x->table_bytes = table_bytes;
    if (make(x, base, f, max_length, lambda, e) == 0)
        return x;
    exact_moments_free(x);
    return NULL;
}

void
exact_moments_free(struct exact_moments *x)
{
    if (x == NULL)
        return;
    product_free(x->product);
    mem_free(x->mean);
    mem_free(x->covariance);
    mem_free(x->visits);
    mem_free(x);
}

struct moments *
exact_moments_get(struct exact_moments *x)
{
    return &x->moments;
}

/* ---- ranges -------------------------------------------------------------------------------- */

/* One backward pass over lo and hi, [states][columns] each; true if a value has changed. */
static bool
widen(struct feature_block *b, double *lo, double *hi)
{
    const struct pfsa *p = b->columns.x->pfsa;
    size_t n = b->columns.count;
    bool changed = false;
    for (uint32_t q = p->states; q-- > 0;)
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
            size_t to = p->next[a] * n;
            memset(b->delta, 0, n * sizeof *b->delta);
            add_arc(&b->columns, q, p->symbol[a], 1, b->delta);
            for (size_t k = 0; k < n; k++) {
                double *least = &lo[q * n + k], *most = &hi[q * n + k];
                changed |= lo[to + k] + b->delta[k] < *least || hi[to + k] + b->delta[k] > *most;
                *least = fmin(*least, lo[to + k] + b->delta[k]);
                *most = fmax(*most, hi[to + k] + b->delta[k]);
            }
        }
    return changed;
}

/* lo of a block at b->gain, hi after it. */
static void
find_ranges(struct feature_block *b, const struct feature_set *f, double *lo, double *hi)
{
    const struct pfsa *p = b->columns.x->pfsa;
    size_t n = b->columns.count;
    double *least = b->gain, *most = b->gain + p->states * n;
    for (uint32_t q = 0; q < p->states; q++) {
        bool final = p->final_logp[q] > -INFINITY;
        for (size_t k = 0; k < n; k++)
            least[q * n + k] = final ? 0 : INFINITY;
        if (final)
            add_end(&b->columns, q, 1, least + q * n);
        for (size_t k = 0; k < n; k++)
            most[q * n + k] = final ? least[q * n + k] : -INFINITY;
    }
    bool changed = true;
    for (int pass = 0; changed && pass < (p->acyclic ? 1 : RANGE_PASSES_MAX); pass++)
        changed = widen(b, least, most);
    for (size_t k = 0; k < n; k++) {
        uint32_t i = b->columns.feature[k];
        bool endless = changed && !p->acyclic;
        lo[i] = least[k] / feature_set_denominator(f, i);
        hi[i] = endless ? INFINITY : most[k] / feature_set_denominator(f, i);
    }
}

int
exact_ranges(const struct exact_moments *x, double *lo, double *hi, struct err *e)
{
    const struct product *p = x->product;
    size_t n = p->chosen_count, width = block_width(p, x->table_bytes / 2);
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < n; k += width) {
        struct feature_block b = {0};
        size_t count = n - k < width ? n - k : width;
        rc = columns_init(&b.columns, p, k, count, e);
        b.gain = mem_array(2 * (size_t)p->pfsa->states, count * sizeof *b.gain, e);
        b.delta = mem_array(count, sizeof *b.delta, e);
        if (b.gain == NULL || b.delta == NULL)
            rc = ERR_NOMEM;
        if (rc == 0)
            find_ranges(&b, p->features, lo, hi);
        block_clear(&b);
    }
    return rc;
}

/* ---- means of an automaton, one feature at a time ----------------------------------------- */

/* E|x|^2.  Let v[q] be the visits of q and w[q] the visits weighted by time, the sum over t
 * of t P(state q after t symbols).  Each step adds to w[q'] the w[q] and v[q] of a neighbor
 * q: w is the flow through the automaton of v entering at every state, minus the first visit
 * of the start.  A string of n symbols makes 1 + n visits; the one at time t > 0 adds 2t - 1
 * to n^2. */
static int
square_mean(const struct pfsa *p, double *mean, struct err *e)
{
    struct compensated_sum visits = {0}, times = {0};
    double *v = mem_zero(p->states, sizeof *v, e);
    int rc = v == NULL ? ERR_NOMEM : pfsa_stats_visits(p, v, e);
    if (rc == 0) {
        for (uint32_t q = 0; q < p->states; q++)
            compensated_sum_add(&visits, v[q]);
        v[0] = v[0] > 1 ? v[0] - 1 : 0; /* rounding may give less than 1 */
        rc = pfsa_stats_flow(p, v, e);
    }
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        compensated_sum_add(&times, v[q]);
    *mean = 2 * compensated_sum_total(&times) - (compensated_sum_total(&visits) - 1);
    mem_free(v);
    return rc;
}

static int
feature_mean(const struct pfsa *p, const struct feature_set *f, size_t i, uint64_t max_length,
             uint64_t max_size, double *mean, struct err *e)
{
    if (feature_set_type(f, i) == FEATURE_LENGTH2 && max_length >= p->model.max_length) {
        int rc = square_mean(p, &mean[i], e);
        mean[i] /= feature_set_denominator(f, i);
        return rc;
    }
    struct product *x = product_new(p, f, &i, 1, max_length, NULL, max_size, e);
    if (x == NULL)
        return e->code;
    double *visits = mem_array(x->pfsa->states, sizeof *visits, e);
    int rc = visits != NULL ? product_means(x, visits, mean, e) : ERR_NOMEM;
    mem_free(visits);
    product_free(x);
    return rc;
}

int
exact_means(const struct pfsa *p, const struct feature_set *f, uint64_t max_length,
            uint64_t max_size, double *mean, struct err *e)
{
    int rc = check_alphabets(p, f, e);
    for (size_t i = 0; rc == 0 && i < feature_set_count(f); i++)
        rc = feature_mean(p, f, i, max_length, max_size, mean, e);
    return rc;
}

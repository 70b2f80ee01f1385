/* SPDX-License-Identifier: MIT
 * Against models that are computed by enumeration of all strings. */
#include "gam/joint_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/pool.h"
#include "core/rng.h"
#include "feature/feature_set.h"
#include "gam/gam.h"
#include "gam/joint_model.h"
#include "gam/newton.h"
#include "model/meta.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "text/strings.h"

enum { LENGTH_MAX = 7, STRINGS = 24, FEATURES_MAX = 4, PARAMETERS_MAX = 400, ENUMERATED = 4000 };

struct setting {
    const char *alphabet;
    size_t shortest, longest; /* of the data; L is `longest` if they are the same, else one more */
    int order;
    const char *feature[FEATURES_MAX + 1];
};

static const struct setting settings[] = {
    {"01", 6, 6, 2, {"motif:101", NULL}},
    {"01", 7, 7, JOINT_NO_WORDS, {"motif:1001", "count:11", "motif:00", NULL}},
    {"01", 2, 5, 1, {"motif:11", "length", NULL}},
    {"abc", 4, 4, 1, {"motif:ab", "motif:cc", "count:a", NULL}},
    {"abc", 0, 4, 2, {"suffix:b", "length2", NULL}},
    {"abcd", 1, 4, JOINT_NO_WORDS, {"motif:ad", "length:3", NULL}},
    {"abcd", 3, 3, 3, {"prefix:b", "edit:ab", NULL}},
    {"01", 3, 5, 0, {NULL}},
};

/* ---- a model by enumeration ------------------------------------------------------------- */

struct oracle {
    const struct setting *setting;
    size_t words, n, strings; /* parameters: words, of which the first, empty one is the number
                               * of symbols if lengths vary, then features; enumerated strings */
    char word[PARAMETERS_MAX][LENGTH_MAX + 3];
    char (*string)[LENGTH_MAX + 1];
    double (*phi)[PARAMETERS_MAX]; /* [strings] of words and features */
    double target[PARAMETERS_MAX], penalty[PARAMETERS_MAX], weight[PARAMETERS_MAX];
    bool still[PARAMETERS_MAX];
    double log_z;
};

/* A string as the words see it: with a mark at its beginning, and at its end if lengths vary. */
static void
mark(const struct setting *t, const char *s, char *out)
{
    strcpy(out, "^");
    strcat(out, s);
    if (t->shortest < t->longest)
        strcat(out, "$");
}

static size_t
places(const char *text, const char *word)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += strncmp(text, word, strlen(word)) == 0;
    return n;
}

/* All substrings of `order` symbols or one more, but the mark alone. */
static void
find_words(struct oracle *o, const char *s)
{
    char text[LENGTH_MAX + 3], word[LENGTH_MAX + 3];
    mark(o->setting, s, text);
    for (size_t i = 0; i < strlen(text); i++)
        for (int k = 1; k <= o->setting->order + 1 && i + (size_t)k <= strlen(text); k++) {
            size_t w = 0;
            snprintf(word, sizeof word, "%.*s", k, text + i);
            while (w < o->words && strcmp(o->word[w], word) != 0)
                w++;
            if (w == o->words && strcmp(word, "^") != 0)
                strcpy(o->word[o->words++], word);
        }
}

static void
describe(const struct oracle *o, const struct feature_set *f, const char *s, double *phi)
{
    char text[LENGTH_MAX + 3];
    uint8_t codes[LENGTH_MAX];
    _Alignas(8) char record[4096];
    mark(o->setting, s, text);
    for (size_t w = 0; w < o->words; w++)
        phi[w] = o->word[w][0] == '\0' ? (double)strlen(s) : (double)places(text, o->word[w]);
    for (size_t i = 0; i < strlen(s); i++)
        codes[i] = (uint8_t)(strchr(o->setting->alphabet, s[i]) - o->setting->alphabet);
    feature_set_run(f, record, codes, strlen(s));
    feature_set_values(f, record, phi + o->words);
}

static void
enumerate(struct oracle *o, const struct feature_set *f, char *s, size_t at, size_t shortest,
          size_t longest)
{
    s[at] = '\0';
    if (at >= shortest) {
        strcpy(o->string[o->strings], s);
        describe(o, f, s, o->phi[o->strings++]);
    }
    for (const char *c = o->setting->alphabet; at < longest && *c != '\0'; c++) {
        s[at] = *c;
        enumerate(o, f, s, at + 1, shortest, longest);
    }
}

static double
oracle_log_weight(const struct oracle *o, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < o->n; k++)
        sum += o->phi[i][k] > 0 ? o->weight[k] * o->phi[i][k] : 0;
    return sum;
}

/* Mean and covariance at the present weights. */
static void
oracle_moments(struct oracle *o, double *mean, double *covariance)
{
    double most = -INFINITY, z = 0;
    memset(mean, 0, o->n * sizeof *mean);
    memset(covariance, 0, o->n * o->n * sizeof *covariance);
    for (size_t i = 0; i < o->strings; i++)
        most = fmax(most, oracle_log_weight(o, i));
    for (size_t i = 0; i < o->strings; i++)
        z += exp(oracle_log_weight(o, i) - most);
    o->log_z = most + log(z);
    for (size_t i = 0; i < o->strings; i++) {
        double p = exp(oracle_log_weight(o, i) - o->log_z);
        for (size_t k = 0; k < o->n; k++) {
            mean[k] += p * o->phi[i][k];
            for (size_t l = 0; l < o->n; l++)
                covariance[k * o->n + l] += p * o->phi[i][k] * o->phi[i][l];
        }
    }
    for (size_t k = 0; k < o->n; k++)
        for (size_t l = 0; l < o->n; l++)
            covariance[k * o->n + l] -= mean[k] * mean[l];
}

static double
oracle_value(struct oracle *o, double *mean, double *covariance)
{
    oracle_moments(o, mean, covariance);
    double value = o->log_z;
    for (size_t k = 0; k < o->n; k++)
        if (!o->still[k])
            value += o->weight[k] * (o->penalty[k] * o->weight[k] / 2 - o->target[k]);
    return value;
}

/* Damped Newton steps. */
static void
oracle_fit(struct oracle *o)
{
    size_t n = o->n;
    double *mean = malloc(n * sizeof *mean), *h = malloc(n * n * sizeof *h);
    double *step = malloc(n * sizeof *step), *before = malloc(n * sizeof *before);
    double value = oracle_value(o, mean, h);
    for (int pass = 0; pass < 100; pass++) {
        double norm = 0, now;
        for (size_t k = 0; k < n; k++) {
            step[k] = o->still[k] ? 0 : o->target[k] - mean[k] - o->penalty[k] * o->weight[k];
            h[k * n + k] += o->penalty[k];
            norm += step[k] * step[k];
            for (size_t l = 0; l < n && o->still[k]; l++)
                h[k * n + l] = h[l * n + k] = k == l;
        }
        if (norm < 1e-26 || !cholesky_factor(h, n))
            break;
        cholesky_solve(h, n, step);
        memcpy(before, o->weight, n * sizeof *before);
        double scale = 1;
        do {
            for (size_t k = 0; k < n; k++)
                o->weight[k] = before[k] + scale * step[k];
            now = oracle_value(o, mean, h);
            scale /= 2;
        } while (now > value + 1e-13 && scale > 1e-12);
        value = now;
    }
    free(mean);
    free(h);
    free(step);
    free(before);
}

/* ---- data --------------------------------------------------------------------------------- */

struct bed {
    const struct setting *setting;
    struct alphabet alphabet;
    struct strings strings;
    char text[STRINGS][LENGTH_MAX + 1];
    struct feature_set *features;
    uint64_t max_length;
};

static void
bed_init(struct bed *b, const struct setting *t)
{
    struct rng r;
    memset(b, 0, sizeof *b);
    b->setting = t;
    rng_init(&r, 7, "test", 0);
    alphabet_init(&b->alphabet, t->alphabet, IGNORE_ERR);
    b->max_length = t->longest + (t->shortest < t->longest);
    b->features = feature_set_new(&b->alphabet, IGNORE_ERR);
    for (const char *const *f = t->feature; *f != NULL; f++)
        feature_set_add(b->features, *f, IGNORE_ERR);
    feature_set_set_max_length(b->features, b->max_length);
    for (size_t i = 0; i < STRINGS; i++) {
        uint8_t codes[LENGTH_MAX];
        size_t length = t->shortest + i % (t->longest - t->shortest + 1);
        for (size_t k = 0; k < length; k++) { /* early symbols are more frequent */
            codes[k] = (uint8_t)(rng_double(&r) * rng_double(&r) * b->alphabet.size);
            b->text[i][k] = t->alphabet[codes[k]];
        }
        strings_add(&b->strings, codes, length, IGNORE_ERR);
    }
}

static void
bed_clear(struct bed *b)
{
    strings_clear(&b->strings);
    feature_set_free(b->features);
}

/* The oracle of the strings whose number mod `folds` is not `left_out`. */
static struct oracle *
oracle_new(const struct bed *b, size_t folds, size_t left_out, double prior, double l2)
{
    struct oracle *o = calloc(1, sizeof *o);
    char s[LENGTH_MAX + 1];
    double phi[PARAMETERS_MAX], used = 0;
    bool vary = b->setting->shortest < b->setting->longest;
    o->setting = b->setting;
    o->words = vary;
    for (const char *c = b->setting->alphabet; b->setting->order >= 0 && *c != '\0'; c++)
        sprintf(o->word[o->words++], "%c", *c);
    for (size_t i = 0; i < STRINGS; i++)
        if (i % folds != left_out)
            find_words(o, b->text[i]);
    o->n = o->words + feature_set_count(b->features);
    for (size_t i = 0; i < STRINGS; i++)
        if (i % folds != left_out) {
            describe(o, b->features, b->text[i], phi);
            for (size_t k = 0; k < o->n; k++)
                o->target[k] += phi[k];
            used++;
        }
    for (size_t k = 0; k < o->n; k++) {
        o->target[k] /= used;
        double deviation = o->word[k][0] == '\0' ? 10 : prior;
        o->penalty[k] = k < o->words ? 1 / (deviation * deviation * used) : l2 * STRINGS / used;
    }
    o->string = malloc(ENUMERATED * sizeof *o->string);
    o->phi = malloc(ENUMERATED * sizeof *o->phi);
    enumerate(o, b->features, s, 0, vary ? 0 : b->setting->longest, b->max_length);
    return o;
}

static void
oracle_free(struct oracle *o)
{
    free(o->string);
    free(o->phi);
    free(o);
}

/* ---- tests -------------------------------------------------------------------------------- */

/* Means are the gradient of log Z, and a string's counts are what tally says. */
static void
test_gradient(const struct bed *b)
{
    enum { STEP = 20 }; /* 2^-20 */
    struct joint_model *m = joint_model_new(&b->strings, &b->alphabet, b->features,
                                            b->setting->order, b->max_length, 1 << 20, IGNORE_ERR);
    struct joint_pass *p = joint_pass_new(m, IGNORE_ERR);
    size_t n = joint_model_size(m);
    double *weight = calloc(n, sizeof *weight), *mean = calloc(n, sizeof *mean);
    double *other = calloc(n, sizeof *other), worst = 0, log_z[2], h = ldexp(1, -STEP);
    struct rng r;
    rng_init(&r, 3, "test", 0);
    for (size_t i = 0; i < n; i++)
        weight[i] = 2 * rng_double(&r) - 1;
    joint_pass_at(p, weight, &log_z[0], mean, IGNORE_ERR);
    for (size_t i = 0; i < n; i++) {
        double middle = weight[i];
        weight[i] = middle + h;
        joint_pass_at(p, weight, &log_z[0], other, IGNORE_ERR);
        weight[i] = middle - h;
        joint_pass_at(p, weight, &log_z[1], other, IGNORE_ERR);
        weight[i] = middle;
        worst = fmax(worst, fabs((log_z[0] - log_z[1]) / (2 * h) - mean[i]));
    }
    ok(n == 0 || worst < 1e-8, "the means are the gradient of log Z, within %g", worst);
    free(weight);
    free(mean);
    free(other);
    joint_pass_free(p);
    joint_model_free(m);
}

/* The greatest difference in log P over all strings. */
static double
worst_difference(const struct bed *b, const struct oracle *o, const struct pfsa *q,
                 const double *lambda)
{
    double *log_p = malloc(o->strings * sizeof *log_p), z = 0, worst = 0;
    for (size_t i = 0; i < o->strings; i++) {
        uint8_t codes[LENGTH_MAX];
        size_t length = strlen(o->string[i]);
        for (size_t k = 0; k < length; k++)
            codes[k] =
                (uint8_t)(strchr(o->setting->alphabet, o->string[i][k]) - o->setting->alphabet);
        log_p[i] = pfsa_log_prob(q, codes, length);
        for (size_t k = o->words; k < o->n; k++)
            log_p[i] += lambda[k - o->words] * o->phi[i][k];
        z += exp(log_p[i]);
    }
    (void)b;
    for (size_t i = 0; i < o->strings; i++)
        worst = fmax(worst, fabs(log_p[i] - log(z) - (oracle_log_weight(o, i) - o->log_z)));
    free(log_p);
    return worst;
}

static void
test_fit(const struct bed *b)
{
    double l2 = 1.0 / (100 * STRINGS), lambda[FEATURES_MAX] = {0}, prior = 0.7;
    struct joint_options how = {
        .order = b->setting->order, .l2 = l2, .max_length = b->max_length, .max_size = 1 << 20};
    struct joint_candidate c = {b->setting->order, prior, 0};
    struct err e = {0};
    struct oracle *o = oracle_new(b, 1, 1, prior, l2);
    struct pfsa *q = joint_fit(&b->strings, &b->alphabet, b->features, lambda, &how, &c, &e);
    oracle_fit(o);
    double worst = q != NULL ? worst_difference(b, o, q, lambda) : INFINITY;
    ok(worst < 1e-5, "log P of %zu strings by %zu words: within %g", o->strings, o->words, worst);
    pfsa_free(q);
    oracle_free(o);
}

/* Cross-validation, by the oracle: each fold by the others. */
static void
test_choice(const struct bed *b, struct pool *pool)
{
    double l2 = 1.0 / (100 * STRINGS), lambda[FEATURES_MAX] = {0}, sum = 0;
    struct joint_options how = {
        .order = b->setting->order, .l2 = l2, .max_length = b->max_length, .max_size = 1 << 20};
    struct joint_choice choice;
    joint_choose(&b->strings, &b->alphabet, b->features, lambda, &how, pool, &choice, IGNORE_ERR);
    size_t last = choice.count - 1;
    ok(b->setting->order == JOINT_NO_WORDS ? last == 0 : last > 0, "%zu candidates", choice.count);
    double prior = choice.candidate[last].prior > 0 ? choice.candidate[last].prior : 1;
    for (size_t fold = 0; fold < JOINT_FOLDS; fold++) {
        struct oracle *o = oracle_new(b, JOINT_FOLDS, fold, prior, l2);
        double phi[PARAMETERS_MAX];
        oracle_fit(o);
        for (size_t i = fold; i < STRINGS; i += JOINT_FOLDS) {
            describe(o, b->features, b->text[i], phi);
            for (size_t k = 0; k < o->n; k++)
                sum += o->weight[k] * phi[k];
            sum -= o->log_z;
        }
        oracle_free(o);
    }
    double ce = -sum / (double)(b->strings.symbols + STRINGS);
    double found = choice.candidate[last].cv_ce;
    ok(fabs(found - ce) < 2e-5, "held-out loss %.7f, by enumeration %.7f", found, ce);
}

/* Hard constraints and weights that stay. */
static void
test_fixed(void)
{
    struct bed b;
    bed_init(&b, &settings[0]);
    double lambda[FEATURES_MAX] = {-INFINITY}, mean[PARAMETERS_MAX], log_z, stay[1] = {0.5};
    bool fixed[] = {true};
    struct joint_options how = {
        .order = 2, .fixed = fixed, .l2 = 1, .max_length = 6, .max_size = 1 << 20};
    struct joint_candidate c = {2, 1, 0};
    struct err e = {0};
    struct pfsa *q = joint_fit(&b.strings, &b.alphabet, b.features, lambda, &how, &c, &e);
    ok(q != NULL && lambda[0] == -INFINITY, "a hard constraint stays");
    pfsa_free(q);
    q = joint_fit(&b.strings, &b.alphabet, b.features, stay, &how, &c, &e);
    struct oracle *o = oracle_new(&b, 1, 1, 1, 1);
    o->still[o->words] = true;
    o->weight[o->words] = 0.5;
    oracle_fit(o);
    double worst = worst_difference(&b, o, q, stay);
    ok(stay[0] == 0.5 && worst < 1e-5, "so does a weight: within %g", worst);
    pfsa_free(q);
    oracle_free(o);
    /* a word longer than the strings cannot be required */
    struct feature_set *f = feature_set_new(&b.alphabet, IGNORE_ERR);
    feature_set_add(f, "motif:1111111", IGNORE_ERR);
    struct joint_model *m =
        joint_model_new(&b.strings, &b.alphabet, f, JOINT_NO_WORDS, 6, 1 << 20, IGNORE_ERR);
    struct joint_pass *p = joint_pass_new(m, IGNORE_ERR);
    lambda[0] = -INFINITY;
    e = (struct err){0};
    ok(joint_pass_at(p, lambda, &log_z, mean, &e) == ERR_EMPTY, "no string is left");
    joint_pass_free(p);
    joint_model_free(m);
    feature_set_free(f);
    bed_clear(&b);
}

static void
test_limits(struct pool *pool)
{
    struct bed b;
    struct strings none = {0};
    struct err e = {0};
    double lambda[FEATURES_MAX] = {0};
    struct joint_options how = {.order = 2, .l2 = 1, .max_length = 6, .max_size = 60};
    struct joint_choice choice;
    bed_init(&b, &settings[0]);
    ok(joint_choose(&b.strings, &b.alphabet, b.features, lambda, &how, pool, &choice, &e) ==
           ERR_LIMIT,
       "an order that is too large");
    e = (struct err){0};
    how.order = JOINT_CHOOSE;
    how.max_size = 300;
    ok(joint_choose(&b.strings, &b.alphabet, b.features, lambda, &how, pool, &choice, &e) == 0 &&
           choice.count > 1 && choice.candidate[choice.count - 1].order < JOINT_ORDER_AUTO,
       "is not tried where others are");
    e = (struct err){0};
    ok(joint_model_new(&none, &b.alphabet, b.features, 0, 6, 1000, &e) == NULL &&
           e.code == ERR_DATA,
       "no strings");
    e = (struct err){0};
    ok(joint_model_new(&b.strings, &b.alphabet, b.features, 0, 5, 1000, &e) == NULL &&
           e.code == ERR_DATA,
       "a string longer than L");
    bed_clear(&b);
}

/* A GAM with the base in it; the same for any number of threads. */
static void
test_gam(const struct bed *b, struct pool *pool, struct pool *single)
{
    struct gam *g[2];
    struct pool *with[2] = {pool, single};
    struct joint_options how = {
        .order = JOINT_CHOOSE, .l2 = 0.01, .max_length = b->max_length, .max_size = 1 << 20};
    struct joint_choice choice;
    bool fine = true;
    for (int i = 0; i < 2; i++) {
        struct feature_set *f = feature_set_new(&b->alphabet, IGNORE_ERR);
        struct meta *meta = meta_new(IGNORE_ERR);
        feature_set_add(f, b->setting->feature[0], IGNORE_ERR);
        g[i] = gam_without_base(&b->alphabet, IGNORE_ERR);
        fine &= gam_set_features(g[i], f, b->max_length, IGNORE_ERR) == 0;
        fine &= joint_fit_gam(g[i], &b->strings, &how, with[i], meta, &choice, IGNORE_ERR) == 0;
        fine &= pfsa_of(g[i]->model.base) != NULL && meta_get(meta, "order") != NULL;
        meta_free(meta);
    }
    ok(fine, "a GAM with an automaton for a base");
    ok(g[0]->base_file.size == g[1]->base_file.size &&
           memcmp(g[0]->base_file.bytes, g[1]->base_file.bytes, g[0]->base_file.size) == 0 &&
           memcmp(g[0]->lambda, g[1]->lambda, sizeof *g[0]->lambda) == 0,
       "the same for any number of threads");
    gam_free(g[0]);
    gam_free(g[1]);
}

int
main(void)
{
    struct pool *pool = pool_new(3, IGNORE_ERR), *single = pool_new(1, IGNORE_ERR);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct bed b;
        bed_init(&b, &settings[i]);
        printf("# alphabet %s, lengths %zu to %zu, order %d\n", settings[i].alphabet,
               settings[i].shortest, settings[i].longest, settings[i].order);
        test_gradient(&b);
        test_fit(&b);
        if (settings[i].order < 2)
            test_choice(&b, pool);
        if (settings[i].feature[0] != NULL && i % 2 == 0)
            test_gam(&b, pool, single);
        bed_clear(&b);
    }
    test_fixed();
    test_limits(pool);
    pool_free(pool);
    pool_free(single);
    return tap_done();
}

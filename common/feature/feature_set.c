/* SPDX-License-Identifier: MIT */
#include "feature/feature_set.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature.h"

struct set_entry {
    struct feature feature;
    char *name, *spec;
    size_t offset; /* offset of its part within a record, in bytes */
};

struct feature_set {
    struct alphabet alphabet;
    uint64_t max_length;
    struct set_entry *item; /* [count] */
    size_t count, capacity;
    size_t state_bytes;
};

/* ---- building ---------------------------------------------------------------- */

struct feature_set *
feature_set_new(const struct alphabet *a, struct err *e)
{
    struct feature_set *f = mem_zero(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    f->alphabet = *a;
    f->max_length = 1;
    return f;
}

static void
item_clear(struct set_entry *i)
{
    feature_clear(&i->feature);
    mem_free(i->spec);
    mem_free(i->name);
}

void
feature_set_free(struct feature_set *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->count; i++)
        item_clear(&f->item[i]);
    mem_free(f->item);
    mem_free(f);
}

int
feature_set_add(struct feature_set *f, const char *spec, struct err *e)
{
    return feature_set_add_named(f, spec, spec, e);
}

static int
check_name(const struct feature_set *f, const char *name, struct err *e)
{
    if (*name == '\0')
        return err_set(e, ERR_USAGE, "feature name is empty");
    if (f->count == FEATURE_SET_MAX)
        return err_set(e, ERR_USAGE, "more than %d features", FEATURE_SET_MAX);
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->item[i].name, name) == 0)
            return err_set(e, ERR_USAGE, "feature '%s' is given twice", name);
    return 0;
}

int
feature_set_add_named(struct feature_set *f, const char *name, const char *spec, struct err *e)
{
    int rc = check_name(f, name, e);
    if (rc < 0)
        return rc;
    if (mem_reserve(&f->item, &f->capacity, f->count + 1, sizeof *f->item, e) != 0)
        return ERR_NOMEM;
    struct set_entry *item = &f->item[f->count];
    *item = (struct set_entry){.offset = f->state_bytes};
    rc = feature_init(&item->feature, &f->alphabet, spec, e);
    if (rc < 0)
        err_prefix(e, "feature '%s'", spec);
    else if ((item->name = mem_string(name, strlen(name), e)) == NULL ||
             (item->spec = mem_string(spec, strlen(spec), e)) == NULL)
        rc = ERR_NOMEM;
    if (rc < 0) {
        item_clear(item);
        return rc;
    }
    f->state_bytes += feature_words(&item->feature) * sizeof(uint32_t);
    f->count++;
    return 0;
}

/* ---- reading -------------------------------------------------------------------- */

size_t
feature_set_count(const struct feature_set *f)
{
    return f->count;
}

const struct alphabet *
feature_set_alphabet(const struct feature_set *f)
{
    return &f->alphabet;
}

const char *
feature_set_name(const struct feature_set *f, size_t i)
{
    return f->item[i].name;
}

const char *
feature_set_spec(const struct feature_set *f, size_t i)
{
    return f->item[i].spec;
}

enum feature_type
feature_set_type(const struct feature_set *f, size_t i)
{
    return feature_type(&f->item[i].feature);
}

const struct feature *
feature_set_feature(const struct feature_set *f, size_t i)
{
    return &f->item[i].feature;
}

const char *
feature_set_argument(const struct feature_set *f, size_t i)
{
    const char *colon = strchr(f->item[i].spec, ':');
    return colon == NULL ? NULL : colon + 1;
}

double
feature_set_share(const struct feature_set *f, size_t i, double mean)
{
    if (!feature_is_test(feature_set_feature(f, i)))
        return NAN;
    return mean > 1 ? 0 : 1 - mean; /* by rounding */
}

void
feature_set_set_max_length(struct feature_set *f, uint64_t max_length)
{
    f->max_length = max_length;
}

bool
feature_needs_max_length(const struct feature_set *f, size_t i)
{
    return f->item[i].feature.kind->scale != FEATURE_UNSCALED;
}

bool
feature_set_need_max_length(const struct feature_set *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (feature_needs_max_length(f, i))
            return true;
    return false;
}

double
feature_set_denominator(const struct feature_set *f, size_t i)
{
    const struct feature *feature = &f->item[i].feature;
    double length = (double)f->max_length;
    switch (feature->kind->scale) {
    case FEATURE_PER_L:
        return length;
    case FEATURE_PER_L2:
        return length * length;
    case FEATURE_UNSCALED:
        break;
    }
    return feature->kind->by_word ? feature->word_length : 1;
}

/* ---- following a prefix ------------------------------------------------------- */

static const uint32_t *
part(const struct set_entry *i, const void *state)
{
    return (const uint32_t *)((const unsigned char *)state + i->offset);
}

static uint64_t
whole_of(const struct set_entry *i, const void *state)
{
    return i->feature.kind->whole(&i->feature, part(i, state));
}

static void
range_of(const struct set_entry *i, const void *state, uint64_t rest, double *lo, double *hi)
{
    i->feature.kind->range(&i->feature, part(i, state), rest, lo, hi);
}

size_t
feature_set_state_bytes(const struct feature_set *f)
{
    return f->state_bytes;
}

void
feature_set_start(const struct feature_set *f, void *state)
{
    memset(state, 0, f->state_bytes);
}

void
feature_set_step(const struct feature_set *f, void *state, uint8_t symbol)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct set_entry *item = &f->item[i];
        uint32_t *s = (uint32_t *)((unsigned char *)state + item->offset);
        item->feature.kind->step(&item->feature, s, symbol);
    }
}

void
feature_set_run(const struct feature_set *f, void *state, const uint8_t *symbols, size_t length)
{
    feature_set_start(f, state);
    for (size_t i = 0; i < length; i++)
        feature_set_step(f, state, symbols[i]);
}

void
feature_set_numerators(const struct feature_set *f, const void *state, uint64_t *whole)
{
    for (size_t i = 0; i < f->count; i++)
        whole[i] = whole_of(&f->item[i], state);
}

void
feature_set_values(const struct feature_set *f, const void *state, double *phi)
{
    for (size_t i = 0; i < f->count; i++)
        phi[i] = (double)whole_of(&f->item[i], state) / feature_set_denominator(f, i);
}

void
feature_set_range(const struct feature_set *f, const void *state, uint64_t rest, double *lo,
                  double *hi)
{
    for (size_t i = 0; i < f->count; i++) {
        range_of(&f->item[i], state, rest, &lo[i], &hi[i]);
        lo[i] /= feature_set_denominator(f, i);
        hi[i] /= feature_set_denominator(f, i);
    }
}

double
feature_weight(double lambda, double value)
{
    return value == 0 || lambda == 0 ? 0 : lambda * value;
}

double
feature_set_bound(const struct feature_set *f, const void *state, uint64_t rest,
                  const double *lambda)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++) {
        double lo, hi;
        range_of(&f->item[i], state, rest, &lo, &hi);
        sum += feature_weight(lambda[i], (lambda[i] > 0 ? hi : lo) / feature_set_denominator(f, i));
    }
    return sum;
}

double
feature_set_dot(const struct feature_set *f, const double *lambda, const double *phi)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++)
        sum += feature_weight(lambda[i], phi[i]);
    return sum;
}

bool
feature_set_is_timed(const struct feature_set *f, size_t i)
{
    return f->item[i].feature.kind->of_length != NULL;
}

uint64_t
feature_set_time_numerator(const struct feature_set *f, size_t i, uint64_t length)
{
    const struct feature *feature = &f->item[i].feature;
    return feature->kind->of_length(feature, length);
}

uint64_t
feature_set_time_steady(const struct feature_set *f, size_t i)
{
    const struct feature *feature = &f->item[i].feature;
    return feature->kind->steady(feature);
}

double
feature_set_time_weight(const struct feature_set *f, const double *lambda, uint64_t length)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++)
        if (feature_set_is_timed(f, i))
            sum += feature_weight(lambda[i], (double)feature_set_time_numerator(f, i, length) /
                                                 feature_set_denominator(f, i));
    return sum;
}

double
feature_set_time_slope(const struct feature_set *f, const double *lambda, uint64_t length)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++)
        if (feature_set_is_timed(f, i)) {
            double step = (double)feature_set_time_numerator(f, i, length + 1) -
                          (double)feature_set_time_numerator(f, i, length);
            sum += feature_weight(lambda[i], step / feature_set_denominator(f, i));
        }
    return sum;
}

/* Each is a word cut from a source: the first `half ? floor(|S|/2) : |S|` + `extra` symbols
 * of the motif followed by 0, or of repetitions of `repeat`. */
static const struct paper_feature {
    const char *name, *kind, *repeat;
    bool half;
    size_t extra;
} paper[FEATURE_PAPER_BITS] = {
    {"m", "motif", NULL, false, 0},       {"m+0", "motif", NULL, false, 1},
    {"m/2", "motif", NULL, true, 0},      {"d0", "prefix", "0", false, 0},
    {"d1", "motif", "10101", false, 0},   {"d2", "motif", "1001001", false, 2},
    {"d3", "motif", "00110011", true, 0},
};

static int
add_paper_feature(struct feature_set *f, const struct paper_feature *p, const char *motif,
                  struct err *e)
{
    size_t m = strlen(motif), kind = strlen(p->kind);
    size_t n = strcmp(p->kind, "prefix") == 0 ? 1 : (p->half ? m / 2 : m) + p->extra;
    if (n == 0)
        return err_set(e, ERR_USAGE, "motif '%s' is too short for feature '%s'", motif, p->name);
    char *spec = mem_array(kind + n + 2, 1, e);
    if (spec == NULL)
        return ERR_NOMEM;
    memcpy(spec, p->kind, kind);
    spec[kind] = ':';
    for (size_t i = 0; i < n; i++) {
        char c = i < m ? motif[i] : '0';
        spec[kind + 1 + i] = p->repeat == NULL ? c : p->repeat[i % strlen(p->repeat)];
    }
    spec[kind + 1 + n] = '\0';
    int rc = feature_set_add_named(f, p->name, spec, e);
    mem_free(spec);
    return rc;
}

int
feature_paper_add(struct feature_set *f, const char *motif, const char *bits, struct err *e)
{
    const struct alphabet *a = feature_set_alphabet(f);
    if (strcmp(a->text, "01") != 0)
        return err_set(e, ERR_USAGE, "requires the alphabet '01', not '%s'", a->text);
    if (strlen(bits) != FEATURE_PAPER_BITS || strspn(bits, "01") != FEATURE_PAPER_BITS)
        return err_set(e, ERR_USAGE, "'%s': expected %d bits, for m, m+0, m/2, d0, d1, d2, d3",
                       bits, FEATURE_PAPER_BITS);
    if (strchr(bits, '1') == NULL)
        return err_set(e, ERR_USAGE, "'%s' selects no feature", bits);
    int rc = alphabet_check(a, motif, e);
    for (size_t i = 0; rc == 0 && i < FEATURE_PAPER_BITS; i++)
        if (bits[i] == '1')
            rc = add_paper_feature(f, &paper[i], motif, e);
    return rc;
}

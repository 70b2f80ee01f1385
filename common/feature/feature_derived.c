/* SPDX-License-Identifier: MIT
 *
 * Features made from another one: SPEC@LO..HI and not:SPEC.
 */
#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "core/num.h"
#include "feature/feature_internal.h"

enum {
    PER_CENT = 1000,      /* limits of a relative range are in these parts of 1 % */
    ENTRIES_MAX = 1 << 20 /* states times symbols */
};

/* ---- reading a range ---------------------------------------------------------------------- */

/* Whether a text has the form of a range. */
static bool
looks_like_range(const char *text)
{
    return text[strspn(text, "0123456789.%")] == '\0' && strstr(text, "..") != NULL;
}

/* If @ is a symbol of the alphabet, it begins a range only if the rest has the form of a
 * range and the kind has a number: so other specs keep their meaning. */
const char *
feature_range_find(const struct alphabet *a, const char *spec)
{
    static const char *const numeric[] = {"length", "count", "lcs", "edit", "matches", "run"};
    const char *at = strrchr(spec, '@');
    bool is_symbol = a->symbol['@'] != ALPHABET_NONE, has_number = false;
    size_t n = strcspn(spec, ":@");
    if (at == NULL || (at > spec && at[-1] == '\\'))
        return NULL;
    for (size_t i = 0; i < sizeof numeric / sizeof *numeric; i++)
        has_number |= strlen(numeric[i]) == n && memcmp(numeric[i], spec, n) == 0;
    if (looks_like_range(at + 1))
        return has_number || !is_symbol ? at : NULL;
    return has_number && !is_symbol && strchr(at, ']') == NULL ? at : NULL;
}

/* A number with up to three decimals, in thousandths; -1 if it is invalid or above 100. */
static int64_t
parse_share(const char *text, size_t n)
{
    uint64_t value = 0;
    int decimals = -1;
    for (size_t i = 0; i < n; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (!(digit || (text[i] == '.' && decimals < 0)) || decimals == 3 || value > 100 * PER_CENT)
            return -1;
        value = digit ? 10 * value + (uint64_t)(text[i] - '0') : value;
        decimals += decimals >= 0 || !digit;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
        value *= 10;
    return n > 0 && value <= 100 * PER_CENT ? (int64_t)value : -1;
}

/* One limit of a range; if it is empty, the value is unchanged. */
static int
parse_end(const char *text, size_t n, bool relative, uint64_t *end, struct err *e)
{
    char digits[24];
    if (n == 0)
        return 0;
    if (relative) {
        int64_t share = text[n - 1] == '%' ? parse_share(text, n - 1) : -1;
        *end = (uint64_t)share;
        return share >= 0 ? 0
                          : err_set(e, ERR_USAGE,
                                    "'%.*s' is not a percentage from 0%% to 100%% with at most "
                                    "three decimals",
                                    (int)n, text);
    }
    if (n >= sizeof digits)
        return err_set(e, ERR_USAGE, "'%.*s' is too large", (int)n, text);
    memcpy(digits, text, n);
    digits[n] = '\0';
    return num_parse_u64(digits, 0, UINT32_MAX - 1, end, e);
}

static int
parse_limits(const char *text, struct feature_limits *l, struct err *e)
{
    const char *dots = strstr(text, "..");
    *l = (struct feature_limits){0, UINT64_MAX, strchr(text, '%') != NULL};
    if (dots == NULL || (dots == text && dots[2] == '\0'))
        return err_set(e, ERR_USAGE, "the range '%s' is not LO..HI, LO.. or ..HI", text);
    int rc = parse_end(text, (size_t)(dots - text), l->relative, &l->low, e);
    if (rc == 0)
        rc = parse_end(dots + 2, strlen(dots + 2), l->relative, &l->high, e);
    if (rc == 0 && l->low > l->high)
        rc = err_set(e, ERR_USAGE, "the range '%s' ends before it begins", text);
    else if (rc != 0)
        err_prefix(e, "range '%s'", text);
    return rc;
}

static bool
is_inside(const struct feature_limits *l, uint64_t number)
{
    return number >= l->low && number <= l->high;
}

/* ---- lengths: counted up to the last one that matters ------------------------------------- */

static uint64_t
last_length(const struct feature *f)
{
    return f->limits.high == UINT64_MAX ? f->limits.low : f->limits.high + 1;
}

static void
length_range_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    (void)a;
    *s += *s < last_length(f);
}

static uint64_t
length_range_of_length(const struct feature *f, uint64_t length)
{
    return !is_inside(&f->limits, length);
}

static uint64_t
length_range_whole(const struct feature *f, const uint32_t *s)
{
    return length_range_of_length(f, *s);
}

static void
length_range_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                   double *hi)
{
    const struct feature_limits *l = &f->limits;
    *lo = *s > l->high || (*s < l->low && rest < l->low - *s);
    *hi = !is_inside(l, *s) || (l->high != UINT64_MAX && rest > l->high - *s);
}

static const struct feature_kind length_range_kind = {
    .type = FEATURE_LENGTH_RANGE,
    .step = length_range_step,
    .whole = length_range_whole,
    .range = length_range_range,
    .of_length = length_range_of_length,
    .steady = last_length,
};

/* ---- other ranges: a DFA found from the records of the inner feature ---------------------- */

static uint64_t
number_of(const struct feature *inner, const uint32_t *s)
{
    uint64_t whole = inner->kind->whole(inner, s);
    return inner->kind->unit == FEATURE_UNIT_OF_WORD ? inner->word_length - whole : whole;
}

/* The minimum and maximum number within `rest` more symbols. */
static void
number_range(const struct feature *inner, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    inner->kind->range(inner, s, rest, lo, hi);
    if (inner->kind->unit == FEATURE_UNIT_OF_WORD) {
        double least = inner->word_length - *hi;
        *hi = inner->word_length - *lo;
        *lo = least;
    }
}

/* A state is a record.  Records from which all strings are inside, or all outside, become
 * two states, encoded as records that no feature has: so the number of states is finite for
 * counts too. */
struct exploration {
    const struct feature *inner;
    const struct feature_limits *limits;
    size_t words;
    struct intern *records;
    uint32_t *from, *to; /* [words] */
    struct dfa dfa;
    size_t next_capacity, accept_capacity;
};

#define ALWAYS_INSIDE  (UINT32_MAX - 1)
#define ALWAYS_OUTSIDE UINT32_MAX

static void
settle(const struct exploration *x, uint32_t *s)
{
    double lo, hi, low = (double)x->limits->low, high = (double)x->limits->high;
    number_range(x->inner, s, UINT64_MAX, &lo, &hi);
    if (x->limits->high == UINT64_MAX)
        high = hi;
    bool outside = hi < low || lo > high;
    for (size_t i = 0; (outside || (lo >= low && hi <= high)) && i < x->words; i++)
        s[i] = outside ? ALWAYS_OUTSIDE : ALWAYS_INSIDE;
}

static bool
is_settled(const uint32_t *s)
{
    return s[0] == ALWAYS_INSIDE || s[0] == ALWAYS_OUTSIDE;
}

static int
open_state(struct exploration *x, uint32_t q, struct err *e)
{
    struct dfa *d = &x->dfa;
    size_t bytes = x->words * sizeof *x->from;
    if (mem_reserve(&d->next, &x->next_capacity, ((size_t)q + 1) * d->symbols, sizeof *d->next,
                    e) != 0 ||
        mem_reserve(&d->accept, &x->accept_capacity, (size_t)q + 1, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(x->from, intern_get(x->records, q), bytes);
    bool settled = is_settled(x->from);
    d->accept[q] =
        settled ? x->from[0] == ALWAYS_INSIDE : is_inside(x->limits, number_of(x->inner, x->from));
    int rc = 0;
    for (unsigned a = 0; rc == 0 && a < d->symbols; a++) {
        memcpy(x->to, x->from, bytes);
        if (!settled) {
            x->inner->kind->step(x->inner, x->to, (uint8_t)a);
            settle(x, x->to);
        }
        rc = intern_add(x->records, x->to, &d->next[(size_t)q * d->symbols + a], e);
    }
    return rc;
}

static int
explore(struct exploration *x, struct err *e)
{
    struct err why = {0};
    uint32_t start;
    settle(x, x->from);
    int rc = intern_add(x->records, x->from, &start, &why);
    for (uint32_t q = 0; rc == 0 && q < intern_count(x->records); q++)
        rc = open_state(x, q, &why);
    x->dfa.states = intern_count(x->records);
    if (rc == ERR_LIMIT)
        return err_set(e, ERR_LIMIT, "the range needs more than %u states",
                       intern_count(x->records));
    return rc == 0 ? 0 : err_pass(e, &why);
}

static int
compile_range(struct feature *f, struct err *e)
{
    struct exploration x = {.inner = f->inner, .limits = &f->limits, .dfa.symbols = f->symbols};
    x.words = feature_words(f->inner);
    x.records = intern_new(x.words * sizeof *x.from, ENTRIES_MAX / f->symbols, e);
    x.from = mem_zero(x.words, sizeof *x.from, e);
    x.to = mem_zero(x.words, sizeof *x.to, e);
    int rc = x.records == NULL || x.from == NULL || x.to == NULL ? ERR_NOMEM : explore(&x, e);
    if (rc == 0)
        rc = feature_pattern_init(&f->pattern, &x.dfa, e);
    dfa_clear(&x.dfa);
    intern_free(x.records);
    mem_free(x.from);
    mem_free(x.to);
    return rc;
}

static const struct feature_kind range_kind = {
    .type = FEATURE_RANGE,
    .step = feature_pattern_step,
    .whole = feature_pattern_whole,
    .range = feature_pattern_range,
};

/* ---- relative ranges: |x|, then the record of the inner feature --------------------------- */

static size_t
share_words(const struct feature *f)
{
    return 1 + feature_words(f->inner);
}

static void
share_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    s[0] += s[0] < UINT32_MAX;
    f->inner->kind->step(f->inner, s + 1, a);
}

/* low |x| <= 100 number <= high |x| in percent; true for the empty string. */
static uint64_t
share_whole(const struct feature *f, const uint32_t *s)
{
    uint64_t number = number_of(f->inner, s + 1) * 100 * PER_CENT, length = s[0];
    bool high = f->limits.high == UINT64_MAX || number <= f->limits.high * length;
    return !(number >= f->limits.low * length && high);
}

/* Bounds that need not be attained: number and length are bounded separately. */
static void
share_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    double least, most, length = s[0], whole = 100 * PER_CENT;
    *lo = *hi = (double)share_whole(f, s);
    if (rest == 0)
        return;
    number_range(f->inner, s + 1, rest, &least, &most);
    bool below = most * whole < (double)f->limits.low * length;
    bool above = f->limits.high != UINT64_MAX &&
                 least * whole > (double)f->limits.high * (length + (double)rest);
    *lo = below || above;
    *hi = 1;
}

static const struct feature_kind share_kind = {
    .type = FEATURE_SHARE,
    .words = share_words,
    .step = share_step,
    .whole = share_whole,
    .range = share_range,
};

/* ---- */

int
feature_range_compile(struct feature *f, const char *text, struct err *e)
{
    struct feature *inner = f->inner;
    bool of_length = inner->kind->type == FEATURE_LENGTH;
    if (inner->kind->unit == FEATURE_NO_UNIT)
        return err_set(e, ERR_USAGE,
                       "a range needs a number: count, matches, lcs, edit, run or length");
    int rc = parse_limits(text, &f->limits, e);
    if (rc == 0 && f->limits.relative && of_length)
        rc = err_set(e, ERR_USAGE,
                     "length has no range in percent; give the limits as numbers of symbols");
    if (rc != 0)
        return rc;
    f->kind = of_length ? &length_range_kind : f->limits.relative ? &share_kind : &range_kind;
    if (f->kind != &range_kind)
        return 0;
    uint64_t last = last_length(f); /* of edit distances too */
    if (inner->kind->type == FEATURE_EDIT && last < inner->number)
        inner->number = (uint32_t)last;
    return compile_range(f, e);
}

/* ---- complements ------------------------------------------------------------------------- */

/* not:SPEC, for a SPEC that is 0 or 1: 0 where SPEC is 1, and 1 where SPEC is 0.  Its record is
 * that of SPEC. */

static size_t
complement_words(const struct feature *f)
{
    return feature_words(f->inner);
}

static void
complement_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    f->inner->kind->step(f->inner, s, a);
}

static uint64_t
complement_whole(const struct feature *f, const uint32_t *s)
{
    return f->inner->kind->whole(f->inner, s) == 0;
}

static void
complement_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    double least, most;
    f->inner->kind->range(f->inner, s, rest, &least, &most);
    *lo = 1 - most;
    *hi = 1 - least;
}

static uint64_t
complement_of_length(const struct feature *f, uint64_t length)
{
    return f->inner->kind->of_length(f->inner, length) == 0;
}

static uint64_t
complement_steady(const struct feature *f)
{
    return f->inner->kind->steady(f->inner);
}

static const struct feature_kind complement_kind = {
    .type = FEATURE_NOT,
    .words = complement_words,
    .step = complement_step,
    .whole = complement_whole,
    .range = complement_range,
};

/* Of lengths. */
static const struct feature_kind timed_complement_kind = {
    .type = FEATURE_NOT,
    .words = complement_words,
    .step = complement_step,
    .whole = complement_whole,
    .range = complement_range,
    .of_length = complement_of_length,
    .steady = complement_steady,
};

int
feature_complement_compile(struct feature *f, struct err *e)
{
    if (!feature_is_test(f->inner))
        return err_set(e, ERR_USAGE,
                       "not: needs a feature that is 0 or 1; give a range SPEC@LO..HI");
    f->kind = f->inner->kind->of_length != NULL ? &timed_complement_kind : &complement_kind;
    return 0;
}

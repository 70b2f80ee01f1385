/* SPDX-License-Identifier: MIT */
#include "discover/discovery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/pool.h"
#include "core/rng.h"
#include "discover/background.h"
#include "discover/significance.h"
#include "discover/word_search.h"
#include "text/alphabet.h"
#include "text/strings.h"

/* The size of the background: enough for small p-values of few strings, not too much for many. */
enum { SAMPLES_MIN = 20000, SAMPLES_PER_STRING = 50, SAMPLES_MANY = 50000, SAMPLES_TIMES = 10 };

enum { GROUP_SYMBOLS = 1 << 20 };

struct discovery_run {
    const struct strings *data;
    const struct alphabet *alphabet;
    const struct discovery_options *options;
    struct pool *pool;
    size_t samples; /* M */
    struct background *background;
    size_t step;
    struct strings first;     /* the background without features */
    struct strings drawn;     /* of this step: M strings, the data, the null sets */
    struct word_search words; /* of this step */
    struct word_found *known; /* [known_count] features so far */
    size_t known_count, known_capacity;
    struct word_found *best; /* [1 + nulls] of the data, of each null set */
    size_t group;            /* sets that are searched together */
    struct err *error;       /* [1 + nulls] of a group */
    double *null;            /* [nulls] scores, descending */
    double log_sum;          /* of significance_q */
};

/* ---- what can be searched */

static bool
all_equal(const struct strings *s)
{
    size_t first_length, length;
    const uint8_t *first = strings_get(s, 0, &first_length);
    for (size_t i = 1; i < s->count; i++) {
        const uint8_t *x = strings_get(s, i, &length);
        if (strings_compare(first, first_length, x, length) != 0)
            return false;
    }
    return true;
}

/* The only symbol that the strings have, or -1 if there are more. */
static int
only_symbol(const struct strings *s)
{
    int only = -1;
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(s, i, &length);
        for (size_t t = 0; t < length; t++) {
            if (only >= 0 && x[t] != only)
                return -1;
            only = x[t];
        }
    }
    return only;
}

/* Whether two sets have the same strings with the same counts. */
static int
check_others(const struct strings *s, const struct strings *others, struct err *e)
{
    struct string_order a = {0}, b = {0};
    bool same = s->count == others->count;
    if (others->count < DISCOVERY_STRINGS_MIN)
        return err_set(e, ERR_DATA, "too few strings to compare with: %zu; at least %d are needed",
                       others->count, DISCOVERY_STRINGS_MIN);
    if (!same)
        return 0;
    if (string_order_add_range(&a, 0, s->count, e) == 0 && string_order_sort(&a, s, e) == 0 &&
        string_order_add_range(&b, 0, s->count, e) == 0 && string_order_sort(&b, others, e) == 0)
        for (size_t i = 0; same && i < s->count; i++) {
            size_t n, m;
            const uint8_t *x = string_order_get(&a, s, i, &n);
            const uint8_t *y = string_order_get(&b, others, i, &m);
            same = strings_compare(x, n, y, m) == 0;
        }
    string_order_clear(&a);
    string_order_clear(&b);
    if (e->code == 0 && same)
        return err_set(e, ERR_DATA, "the strings to compare with are the same strings");
    return e->code;
}

/* The length of all strings, 0 if they have several or are too long for positions. */
static size_t
one_length(const struct strings *s)
{
    return s->shortest == s->longest && s->longest <= WORD_SEARCH_POSITIONS_MAX ? s->longest : 0;
}

static int
check_data(const struct strings *s, const struct alphabet *a, const struct discovery_options *o,
           struct err *e)
{
    if (s->count < DISCOVERY_STRINGS_MIN)
        return err_set(e, ERR_DATA, "too few strings to find features: %zu; at least %d are needed",
                       s->count, DISCOVERY_STRINGS_MIN);
    if (all_equal(s))
        return err_set(e, ERR_DATA, "all %zu strings are the same; there is nothing to compare",
                       s->count);
    if ((o->positions || o->windows) && one_length(s) == 0)
        return err_set(e, ERR_DATA,
                       "positions require strings of one length, at most %d symbols, but strings "
                       "have %zu to %zu",
                       WORD_SEARCH_POSITIONS_MAX, s->shortest, s->longest);
    if (o->background.others != NULL)
        return check_others(s, o->background.others, e);
    if (o->background.model != NULL)
        return 0;
    int only = only_symbol(s);
    if (only < 0)
        return 0;
    size_t n;
    const char *symbol = alphabet_symbol(a, (unsigned)only, &n);
    return err_set(e, ERR_DATA,
                   "the strings have no other symbol than '%.*s'; there is nothing to find", (int)n,
                   symbol);
}

/* ---- a step */

static size_t
default_samples(size_t strings)
{
    size_t many = SAMPLES_TIMES * strings > SAMPLES_MANY ? SAMPLES_TIMES * strings : SAMPLES_MANY;
    size_t samples = SAMPLES_PER_STRING * strings < many ? SAMPLES_PER_STRING * strings : many;
    return samples > SAMPLES_MIN ? samples : SAMPLES_MIN;
}

/* Set 0 is the data, the others are null sets. */
static void
search_group(void *arg, size_t task, int worker)
{
    struct discovery_run *s = arg;
    (void)worker;
    size_t n = s->data->count, first = task * s->group,
           count = (size_t)s->options->nulls + 1 - first;
    count = count < s->group ? count : s->group;
    struct string_range sets = {&s->drawn, s->samples + first * n, count * n};
    word_search_best(&s->words, &sets, count, s->known, s->known_count, &s->best[first],
                     &s->error[task]);
}

/* The number of sets in a group: with enough symbols to justify a pass over the background, and
 * few enough for memory; but there is a group for each thread. */
static size_t
group_size(const struct discovery_run *s)
{
    size_t sets = (size_t)s->options->nulls + 1,
           symbols = (size_t)s->data->symbols + 2 * s->data->count;
    size_t group = symbols < GROUP_SYMBOLS ? GROUP_SYMBOLS / symbols : 1;
    size_t threads = (size_t)pool_threads(s->pool), most = (sets + threads - 1) / threads;
    return group < most ? group : most;
}

static int
descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Appends the data. */
static int
add_data(struct discovery_run *s, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->data->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(s->data, i, &length);
        rc = strings_add(&s->drawn, x, length, e);
    }
    return rc;
}

/* Keeps the background of the first step. */
static int
keep_first(struct discovery_run *s, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && s->step == 0 && i < s->samples; i++) {
        size_t length;
        const uint8_t *x = strings_get(&s->drawn, i, &length);
        rc = strings_add(&s->first, x, length, e);
    }
    return rc;
}

/* Sets scores of null sets in order, and gathers errors of tasks. */
static int
gather(struct discovery_run *s, size_t tasks, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < tasks; i++)
        rc = err_pass(e, &s->error[i]);
    for (size_t i = 0; i < s->options->nulls; i++)
        s->null[i] = s->best[i + 1].score;
    qsort(s->null, (size_t)s->options->nulls, sizeof *s->null, descending);
    return rc;
}

/* Letters and digits, which need no care in brackets. */
static void
find_class_members(const struct alphabet *a, bool *member)
{
    for (unsigned i = 0; i < a->size; i++) {
        size_t n;
        char c = *alphabet_symbol(a, i, &n);
        member[i] = !a->tokens && n == 1 &&
                    ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
    }
}

static struct word_search_options
search_options(const struct discovery_run *s, bool priced)
{
    const struct discovery_options *o = s->options;
    struct word_search_options how = {.symbols = s->alphabet->size,
                                      .kinds = o->kinds,
                                      .absent = o->absent,
                                      .max_word = (unsigned)o->max_word,
                                      .lengths = o->lengths,
                                      .counts = o->counts,
                                      .classes = o->classes,
                                      .edits = o->edits,
                                      .length = one_length(s->data),
                                      .positions = o->positions,
                                      .windows = o->windows,
                                      .priced = priced};
    find_class_members(s->alphabet, how.class_member);
    return how;
}

/* Draws a background and null sets from the model so far, and searches the data and all null
 * sets. */
static int
search_drawn(struct discovery_run *s, struct err *e)
{
    struct word_search_options how = search_options(s, true);
    struct string_range background = {&s->drawn, 0, s->samples};
    size_t n = s->data->count, sets = (size_t)s->options->nulls + 1;
    int rc = background_draw(s->background, s->samples, &s->drawn, e);
    if (rc == 0)
        rc = keep_first(s, e);
    if (rc == 0)
        rc = add_data(s, e);
    if (rc == 0)
        rc = background_draw(s->background, (size_t)s->options->nulls * n, &s->drawn, e);
    if (rc == 0)
        rc = word_search_init(&s->words, &how, &background, n, e);
    if (rc != 0)
        return rc;
    s->group = group_size(s);
    size_t groups = (sets + s->group - 1) / s->group;
    memset(s->error, 0, groups * sizeof *s->error);
    pool_run(s->pool, groups, search_group, s);
    return gather(s, groups, e);
}

/* ---- a step with other strings */

/* Set 0 is the data, the others are as many random strings of data and background. */
static void
search_part(void *arg, size_t task, int worker)
{
    struct discovery_run *s = arg;
    struct err *e = &s->error[task];
    size_t n = s->data->count, all = s->samples + n;
    struct strings part = {0};
    struct string_order order = {0};
    struct rng r;
    (void)worker;
    rng_init(&r, s->options->background.seed, "gam-features/labels",
             (uint64_t)s->step << 32 | task);
    int rc = string_order_add_range(&order, 0, all, e);
    if (rc == 0 && task > 0)
        string_order_shuffle(&order, &r);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        size_t length;
        const uint8_t *x = strings_get(&s->drawn, order.at[all - 1 - i], &length);
        rc = strings_add(&part, x, length, e);
    }
    struct string_range set = {&part, 0, n};
    if (rc == 0)
        word_search_best_divided(&s->words, &set, s->known, s->known_count, &s->best[task], e);
    string_order_clear(&order);
    strings_clear(&part);
}

/* Compares with those of the given strings that the features so far keep. */
static int
search_divided(struct discovery_run *s, struct err *e)
{
    size_t n = s->data->count, sets = (size_t)s->options->nulls + 1;
    int rc = background_draw(s->background, 0, &s->drawn, e);
    s->samples = s->drawn.count;
    if (rc == 0 && s->samples < DISCOVERY_STRINGS_MIN)
        rc = err_set(e, ERR_EMPTY, "too few strings with all features are left to compare with");
    if (rc == 0)
        rc = keep_first(s, e);
    if (rc == 0)
        rc = add_data(s, e);
    if (rc != 0)
        return rc;
    struct word_search_options how = search_options(s, s->samples >= SAMPLES_PER_STRING * n);
    struct string_range background = {&s->drawn, 0, s->samples},
                        all = {&s->drawn, 0, s->drawn.count};
    rc = word_search_init_divided(&s->words, &how, &all, &background, n, e);
    if (rc != 0)
        return rc;
    memset(s->error, 0, sets * sizeof *s->error);
    pool_run(s->pool, sets, search_part, s);
    return gather(s, sets, e);
}

static int
search_all(struct discovery_run *s, struct err *e)
{
    strings_reset(&s->drawn);
    int rc = s->options->background.others != NULL ? search_divided(s, e) : search_drawn(s, e);
    s->step++;
    return rc;
}

/* ---- a feature */

/* The gain of a feature: the relative entropy of its shares in the data and in the model. */
static double
gain_of(double data, double model)
{
    double gain = 0;
    if (data > 0)
        gain += data * (dm_log(data) - dm_log(model));
    if (data < 1)
        gain += (1 - data) * (dm_log1p(-data) - dm_log1p(-model));
    return gain;
}

/* Appends symbols to a spec; special characters are escaped.  Returns the
 * end. */
static char *
write_symbols(const struct alphabet *a, const struct word_found *w, char *spec)
{
    for (size_t i = 0; i < w->length; i++) {
        size_t n;
        const char *text = alphabet_symbol(a, w->symbols[i], &n);
        if (a->tokens && i > 0)
            *spec++ = ' ';
        for (size_t k = 0; k < n; k++) {
            if (strchr("[@:\\", text[k]) != NULL)
                *spec++ = '\\';
            *spec++ = text[k];
        }
    }
    *spec = '\0';
    return spec;
}

static void
write_spec(const struct alphabet *a, const struct word_found *w, char *spec)
{
    unsigned long long number = w->number, last = w->last;
    bool is_number = w->kind >= NUMBER_AT_LEAST, is_class = is_number && w->length > 1;
    if (w->kind == WORD_WITHIN && last == number + w->length - 1)
        spec += sprintf(spec, "at:%llu:", number);
    else if (w->kind == WORD_WITHIN)
        spec += sprintf(spec, "within:%llu..%llu:", number, last);
    else
        spec += sprintf(spec, "%s%s",
                        w->kind == WORD_MOTIF    ? "motif:"
                        : w->kind == WORD_PREFIX ? "prefix:"
                        : w->kind == WORD_SUFFIX ? "suffix:"
                        : w->kind == WORD_EDIT   ? "edit:"
                        : w->length > 0          ? "count:"
                                                 : "length",
                        is_class ? "[" : "");
    spec = write_symbols(a, w, spec);
    if (w->kind == NUMBER_AT_LEAST)
        sprintf(spec, "%s@%llu%s", is_class ? "]" : "", number, "..");
    else if (w->kind == NUMBER_AT_MOST || w->kind == WORD_EDIT)
        sprintf(spec, "%s@..%llu", is_class ? "]" : "", number);
    else if (w->kind == NUMBER_EQUAL)
        sprintf(spec, ":%llu", number);
}

/* Lengthens the best word of the data, unless the result is a known word. */
static struct word_found
closed(const struct discovery_run *s)
{
    struct word_found w = s->best[0];
    struct string_range data = {s->data, 0, s->data->count};
    word_search_close(&s->words, &data, &w);
    struct word word = word_found_word(&w);
    return word_is_known(&word, s->known, s->known_count) ? s->best[0] : w;
}

static struct discovered
describe(struct discovery_run *s, const struct word_found *w, const char *spec)
{
    struct word word = word_found_word(w);
    double n = (double)s->data->count, m = (double)s->samples;
    struct string_range first = {&s->first, 0, s->first.count};
    struct discovered d = {.spec = spec,
                           .data = (double)w->c / n,
                           .background = (double)word_count(&word, &first) / (double)s->first.count,
                           .model = (double)w->b / m,
                           .score = w->score,
                           .note = w->absent ? "rarer than expected" : ""};
    d.gain = gain_of(d.data, ((double)w->b + 0.5) / (m + 1));
    d.p = significance_p(w->score, s->null, (size_t)s->options->nulls);
    return d;
}

/* Adds a feature to the model.  False if the model becomes too large. */
static bool
add_feature(struct discovery_run *s, const struct word_found *w, const char *spec, struct err *e)
{
    struct err why = {0};
    if (mem_reserve(&s->known, &s->known_capacity, s->known_count + 1, sizeof *s->known, e) != 0)
        return false;
    s->known[s->known_count++] = *w;
    int rc = background_add(s->background, spec, &s->first, &why);
    if (rc != 0 && rc != ERR_LIMIT)
        err_pass(e, &why);
    return rc == 0;
}

/* ---- the search */

/* Searches for one feature: 1 if there is one and the search continues, 0 if it ends, or an
 * error. */
static int
discover_one(struct discovery_run *s, discovery_emit *emit, void *arg,
             struct discovery_outcome *out, struct err *e)
{
    struct err why = {0};
    int rc = search_all(s, &why);
    if (rc == ERR_EMPTY && s->known_count > 0) {
        out->stop = DISCOVERY_TOO_RARE;
        return 0;
    }
    if (rc != 0)
        return err_pass(e, &why);
    out->stop = DISCOVERY_NO_CANDIDATE;
    if (s->best[0].score == -INFINITY)
        return 0;
    struct word_found w = closed(s);
    write_spec(s->alphabet, &w, out->spec);
    struct discovered d = describe(s, &w, out->spec);
    out->p = d.p;
    out->stop = d.p > s->options->alpha ? DISCOVERY_NOT_SIGNIFICANT : DISCOVERY_LITTLE_GAIN;
    if (d.p > s->options->alpha || d.gain < s->options->min_gain)
        return 0;
    d.q = significance_q(d.p, ++out->features, &s->log_sum);
    out->stop = DISCOVERY_ENOUGH;
    rc = emit(arg, &d, e);
    if (rc != 0 || out->features == s->options->max_features)
        return rc;
    out->stop = DISCOVERY_TOO_LARGE;
    return add_feature(s, &w, out->spec, e) ? 1 : e->code;
}

static int
allocate(struct discovery_run *s, struct err *e)
{
    size_t nulls = (size_t)s->options->nulls;
    s->best = mem_array(nulls + 1, sizeof *s->best, e);
    s->error = mem_array(nulls + 1, sizeof *s->error, e);
    s->null = mem_array(nulls, sizeof *s->null, e);
    if (e->code == 0)
        s->background = background_new(&s->options->background, s->data, s->alphabet, s->pool, e);
    return e->code;
}

static void
clear(struct discovery_run *s)
{
    background_free(s->background);
    strings_clear(&s->first);
    strings_clear(&s->drawn);
    word_search_clear(&s->words);
    mem_free(s->known);
    mem_free(s->best);
    mem_free(s->error);
    mem_free(s->null);
}

int
discovery_run(const struct strings *data, const struct alphabet *a,
              const struct discovery_options *o, struct pool *pool, discovery_emit *emit, void *arg,
              struct discovery_outcome *outcome, struct err *e)
{
    struct discovery_run s = {.data = data, .alphabet = a, .options = o, .pool = pool};
    *outcome = (struct discovery_outcome){.stop = DISCOVERY_ENOUGH};
    int rc = check_data(data, a, o, e);
    if (rc != 0)
        return rc;
    s.samples = o->samples > 0 ? (size_t)o->samples : default_samples(data->count);
    rc = allocate(&s, e);
    for (int more = 1; rc == 0 && more == 1 && outcome->features < o->max_features;) {
        more = discover_one(&s, emit, arg, outcome, e);
        rc = more < 0 ? more : 0;
        word_search_clear(&s.words);
    }
    clear(&s);
    return rc;
}

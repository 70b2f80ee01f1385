/* SPDX-License-Identifier: MIT */
#include "feature/feature.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "feature/feature_internal.h"

/* ---- KMP automata: motif, suffix, count ---------------------------------- */

/* In state k, the longest suffix read that is a prefix of S has k symbols.  The row of state
 * k > 0 is that of its border (the longest proper suffix of S[0..k) that is a prefix of S)
 * except for the symbol that extends the match. */
static int
kmp_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    (void)a;
    (void)argument;
    size_t symbols = f->symbols;
    f->next = mem_zero((size_t)f->word_length + 1, symbols * sizeof *f->next, e);
    if (f->next == NULL)
        return ERR_NOMEM;
    uint32_t border = 0;
    f->next[f->word[0]] = 1;
    for (uint32_t k = 1; k <= f->word_length; k++) {
        uint32_t *row = f->next + k * symbols;
        const uint32_t *back = f->next + border * symbols;
        memcpy(row, back, symbols * sizeof *row);
        if (k < f->word_length) {
            border = back[f->word[k]];
            row[f->word[k]] = k + 1;
        }
    }
    f->period = f->word_length - border;
    return 0;
}

static void
kmp_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    *s = f->next[(size_t)*s * f->symbols + a];
}

static uint64_t
unless_matched(const struct feature *f, const uint32_t *s)
{
    return *s != f->word_length;
}

static void
motif_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    if (*s != f->word_length)
        kmp_step(f, s, a);
}

/* From state k a match needs exactly m - k more symbols, since k is the longest match. */
static void
motif_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = rest < f->word_length - *s;
    *hi = *s != f->word_length;
}

/* A string that ends with S can be extended so that it does not, unless there is only one
 * symbol. */
static void
suffix_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = rest < f->word_length - *s;
    *hi = *s != f->word_length || (rest > 0 && f->symbols > 1);
}

/* s[0]: KMP state, s[1]: occurrences.  A full match continues as its border does, so state m
 * is not stored. */
static size_t
count_words(const struct feature *f)
{
    (void)f;
    return 2;
}

static void
count_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    kmp_step(f, s, a);
    if (s[0] == f->word_length) {
        s[0] = f->word_length - f->period;
        s[1]++;
    }
}

static uint64_t
count_whole(const struct feature *f, const uint32_t *s)
{
    (void)f;
    return s[1];
}

/* Each occurrence is counted by the arc that completes it; s[1] stays 0. */
static uint32_t
count_arc(const struct feature *f, uint32_t *s, uint8_t a)
{
    count_step(f, s, a);
    uint32_t found = s[1];
    s[1] = 0;
    return found;
}

static uint32_t
count_end(const struct feature *f, const uint32_t *s)
{
    (void)f;
    (void)s;
    return 0;
}

/* At most, the current match is completed, and then one more follows every period. */
static void
count_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    uint64_t first = f->word_length - s[0];
    *lo = s[1];
    *hi = s[1];
    if (rest >= first)
        *hi += 1 + (double)((rest - first) / f->period);
}

/* ---- prefix: symbols matched, m when all are, m + 1 after a mismatch ------ */

static void
prefix_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    if (*s < f->word_length)
        *s = f->word[*s] == a ? *s + 1 : f->word_length + 1;
}

static void
prefix_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = *s > f->word_length || rest < f->word_length - *s;
    *hi = *s != f->word_length;
}

/* Counted on the mismatch: both outcomes lead to the same state, m. */
static uint32_t
prefix_arc(const struct feature *f, uint32_t *s, uint8_t a)
{
    prefix_step(f, s, a);
    if (*s <= f->word_length)
        return 0;
    *s = f->word_length;
    return 1;
}

static uint32_t
prefix_end(const struct feature *f, const uint32_t *s)
{
    return *s != f->word_length;
}

/* ---- lengths ---------------------------------------------------------------- */

static void
length_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    (void)f;
    (void)a;
    *s += *s < UINT32_MAX;
}

static uint64_t
length_whole(const struct feature *f, const uint32_t *s)
{
    (void)f;
    return *s;
}

static void
length_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    (void)f;
    *lo = *s;
    *hi = rest == UINT64_MAX ? INFINITY : *s + (double)rest;
}

/* The record stops counting at UINT32_MAX. */
static uint64_t
length_of_length(const struct feature *f, uint64_t length)
{
    (void)f;
    return length < UINT32_MAX ? length : UINT32_MAX;
}

static uint64_t
length_steady(const struct feature *f)
{
    (void)f;
    return 0;
}

static uint64_t
length2_of_length(const struct feature *f, uint64_t length)
{
    return length_of_length(f, length) * length_of_length(f, length);
}

static uint64_t
length2_steady(const struct feature *f)
{
    (void)f;
    return UINT64_MAX;
}

static uint64_t
length2_whole(const struct feature *f, const uint32_t *s)
{
    (void)f;
    return (uint64_t)*s * *s;
}

static void
length2_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    length_range(f, s, rest, lo, hi);
    *lo *= *lo;
    *hi *= *hi;
}

/* All lengths above N are equivalent: N + 1. */
static void
exact_length_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    (void)a;
    *s += *s <= f->number;
}

static uint64_t
exact_length_whole(const struct feature *f, const uint32_t *s)
{
    return *s != f->number;
}

static uint64_t
exact_length_of_length(const struct feature *f, uint64_t length)
{
    return length != f->number;
}

static uint64_t
exact_length_steady(const struct feature *f)
{
    return (uint64_t)f->number + 1;
}

static void
exact_length_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                   double *hi)
{
    *lo = *s > f->number || rest < f->number - *s;
    *hi = *s != f->number || rest > 0;
}

/* ---- lcs: s[0], s[1] the position in the suffix automaton, s[2] the best ---- */

static int
lcs_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    (void)a;
    (void)argument;
    return suffix_automaton_init(&f->sam, f->word, f->word_length, f->symbols, e);
}

static size_t
lcs_words(const struct feature *f)
{
    (void)f;
    return 3;
}

/* A factor that first ends at place `end` can grow to length + m - end at most.  A factor
 * that cannot exceed the best is replaced by its longest suffix that can; the empty factor
 * always can, unless all of S was found. */
static void
lcs_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    suffix_automaton_step(&f->sam, &s[0], &s[1], a);
    if (s[1] > s[2])
        s[2] = s[1];
    while (s[0] != 0 && s[1] + f->word_length - f->sam.end[s[0]] <= s[2]) {
        s[0] = f->sam.link[s[0]];
        s[1] = f->sam.length[s[0]];
    }
}

static uint64_t
lcs_whole(const struct feature *f, const uint32_t *s)
{
    return f->word_length - s[2];
}

/* The best within `rest` symbols extends one of the remaining suffixes at its first place in
 * S. */
static void
lcs_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    uint64_t best = s[2], length = s[1];
    for (uint32_t q = s[0];; q = f->sam.link[q], length = f->sam.length[q]) {
        uint64_t left = f->word_length - f->sam.end[q];
        uint64_t reach = length + (rest < left ? rest : left);
        if (reach > best)
            best = reach;
        if (q == 0)
            break;
    }
    *lo = (double)(f->word_length - best);
    *hi = (double)(f->word_length - s[2]);
}

/* ---- edit: Sellers' column ------------------------------------------------ */

/* Let D[p] be the smallest edit distance of a suffix of the text to S[0..p), and g[p] = p -
 * D[p] the edits saved.  Sellers' recurrence in these terms, for the next symbol a of the
 * text:
 *
 *     g'[p] = max(g[p-1] + (S[p-1] == a), g[p] - 1, g'[p-1]),   g[0] = 0
 *
 * The record is g[1..m], one byte each, zero at the start.  g[m] holds the best so far, so
 * the value is m - g[m].  An entry with D[p] no less than the best distance cannot improve
 * on it and is set to exactly that.  A distance above f->number, which only a range sets
 * below m, is set to f->number.
 */
static int
edit_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    (void)a;
    (void)argument;
    f->number = f->word_length;
    if (f->word_length > FEATURE_EDIT_MAX)
        return err_set(e, ERR_USAGE, "word has %u symbols, maximum for edit is %d", f->word_length,
                       FEATURE_EDIT_MAX);
    return 0;
}

static size_t
edit_words(const struct feature *f)
{
    return (f->word_length + 3) / 4;
}

static void
edit_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    uint8_t *g = (uint8_t *)s; /* g[i] is the entry of p = i + 1 */
    int m = (int)f->word_length, best = g[m - 1];
    int before = 0, below = 0; /* g[p-1] and g'[p-1] */
    for (int i = 0; i < m; i++) {
        int now = before + (f->word[i] == a);
        before = g[i];
        if (now < before - 1)
            now = before - 1;
        if (now < below)
            now = below;
        g[i] = (uint8_t)now;
        below = now;
    }
    if (best < below)
        best = below;
    for (int i = m - 1; i + 1 + best > m; i--)
        if (g[i] < i + 1 + best - m)
            g[i] = (uint8_t)(i + 1 + best - m);
    for (int i = (int)f->number; i < m; i++)
        if (g[i] < i + 1 - (int)f->number)
            g[i] = (uint8_t)(i + 1 - (int)f->number);
}

static uint64_t
edit_whole(const struct feature *f, const uint32_t *s)
{
    return f->word_length - ((const uint8_t *)s)[f->word_length - 1];
}

/* From entry p the best continuation spells S[p..m) as far as `rest` allows; the remaining
 * symbols are insertions. */
static void
edit_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    const uint8_t *g = (const uint8_t *)s;
    uint64_t least = f->word_length - g[f->word_length - 1];
    *hi = (double)least;
    for (uint32_t p = 0; p < f->word_length; p++) {
        uint64_t distance = p == 0 ? 0 : p - g[p - 1];
        if (rest < f->word_length - p)
            distance += f->word_length - p - rest;
        if (distance < least)
            least = distance;
    }
    *lo = (double)least;
}

/* ---- the kinds --------------------------------------------------------------- */

static const struct feature_kind kinds[] = {
    {.type = FEATURE_MOTIF,
     .name = "motif",
     .argument = FEATURE_WORD,
     .compile = kmp_compile,
     .step = motif_step,
     .whole = unless_matched,
     .range = motif_range},
    {.type = FEATURE_PREFIX,
     .name = "prefix",
     .argument = FEATURE_WORD,
     .step = prefix_step,
     .whole = unless_matched,
     .range = prefix_range,
     .arc = prefix_arc,
     .end = prefix_end},
    {.type = FEATURE_SUFFIX,
     .name = "suffix",
     .argument = FEATURE_WORD,
     .compile = kmp_compile,
     .step = kmp_step,
     .whole = unless_matched,
     .range = suffix_range},
    {.type = FEATURE_LENGTH_IS,
     .name = "length",
     .argument = FEATURE_NUMBER,
     .step = exact_length_step,
     .whole = exact_length_whole,
     .range = exact_length_range,
     .of_length = exact_length_of_length,
     .steady = exact_length_steady},
    {.type = FEATURE_LENGTH,
     .name = "length",
     .unit = FEATURE_UNIT,
     .scale = FEATURE_PER_L,
     .step = length_step,
     .whole = length_whole,
     .range = length_range,
     .of_length = length_of_length,
     .steady = length_steady},
    {.type = FEATURE_LENGTH2,
     .name = "length2",
     .scale = FEATURE_PER_L2,
     .step = length_step,
     .whole = length2_whole,
     .range = length2_range,
     .of_length = length2_of_length,
     .steady = length2_steady},
    {.type = FEATURE_COUNT,
     .name = "count",
     .unit = FEATURE_UNIT,
     .argument = FEATURE_WORD,
     .scale = FEATURE_PER_L,
     .compile = kmp_compile,
     .words = count_words,
     .step = count_step,
     .whole = count_whole,
     .range = count_range,
     .arc = count_arc,
     .end = count_end},
    {.type = FEATURE_LCS,
     .name = "lcs",
     .unit = FEATURE_UNIT_OF_WORD,
     .argument = FEATURE_WORD,
     .by_word = true,
     .compile = lcs_compile,
     .words = lcs_words,
     .step = lcs_step,
     .whole = lcs_whole,
     .range = lcs_range},
    {.type = FEATURE_EDIT,
     .name = "edit",
     .unit = FEATURE_UNIT,
     .argument = FEATURE_WORD,
     .by_word = true,
     .compile = edit_compile,
     .words = edit_words,
     .step = edit_step,
     .whole = edit_whole,
     .range = edit_range},
    {.name = NULL},
};

/* ---- building ---------------------------------------------------------------- */

/* Whether the argument is a class such as [GC], and not a word over an alphabet with
 * brackets. */
static bool
is_bracketed(const struct alphabet *a, const char *argument)
{
    size_t n = strlen(argument);
    return argument[0] == '[' &&
           (a->symbol['['] == ALPHABET_NONE || (n > 2 && argument[n - 1] == ']'));
}

static bool
takes_argument(const struct feature_kind *k, const struct alphabet *a, const char *argument)
{
    if (argument == NULL || k->argument == FEATURE_NONE)
        return argument == NULL && k->argument == FEATURE_NONE;
    return k->argument != FEATURE_BRACKETS || is_bracketed(a, argument);
}

static const struct feature_kind *
find_kind(const struct alphabet *a, const char *spec, const char **argument)
{
    const struct feature_kind *const tables[] = {feature_pattern_kinds, kinds};
    size_t n = strcspn(spec, ":");
    *argument = spec[n] == ':' ? spec + n + 1 : NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct feature_kind *k = tables[i]; k->name != NULL; k++) {
            bool same = strlen(k->name) == n && memcmp(k->name, spec, n) == 0;
            if (same && takes_argument(k, a, *argument))
                return k;
        }
    return NULL;
}

static void
clear_parts(struct feature *f)
{
    suffix_automaton_clear(&f->sam);
    match_counter_clear(&f->counter);
    dfa_clear(&f->pattern.dfa);
    mem_free(f->pattern.to_accept);
    mem_free(f->pattern.to_reject);
    mem_free(f->next);
    mem_free(f->word);
}

void
feature_clear(struct feature *f)
{
    if (f->inner != NULL)
        feature_clear(f->inner);
    mem_free(f->inner);
    clear_parts(f);
}

int
feature_parse_word(struct feature *f, const struct alphabet *a, const char *text, struct err *e)
{
    char *word = mem_string(text, strlen(text), e), *out = word;
    size_t length;
    if (word == NULL)
        return ERR_NOMEM;
    for (const char *in = text; *in != '\0'; in++) {
        if (in[0] == '\\' && in[1] != '\0' && strchr("[@:\\", in[1]) != NULL)
            in++;
        *out++ = *in;
    }
    *out = '\0';
    int rc = alphabet_word(a, word, &f->word, &length, e);
    mem_free(word);
    if (rc == 0 && length > UINT32_MAX / 4)
        return err_set(e, ERR_LIMIT, "word is too long");
    f->word_length = rc == 0 ? (uint32_t)length : 0;
    return rc;
}

static int
parse_argument(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    uint64_t n;
    if (f->kind->argument == FEATURE_WORD)
        return feature_parse_word(f, a, argument, e);
    if (f->kind->argument != FEATURE_NUMBER)
        return 0;
    int rc = num_parse_u64(argument, 0, UINT32_MAX - 1, &n, e);
    f->number = rc == 0 ? (uint32_t)n : 0;
    return rc;
}

/* A feature without a range. */
static int
init_plain(struct feature *f, const struct alphabet *a, const char *spec, struct err *e)
{
    const char *argument;
    *f = (struct feature){.kind = find_kind(a, spec, &argument), .symbols = a->size};
    if (f->kind == NULL)
        return err_set(
            e, ERR_USAGE,
            "not a feature; known are motif:S prefix:S suffix:S length:N length "
            "length2 count:S count:[...] lcs:S edit:S regex:RE matches:RE site:WORD "
            "site+:WORD run run:S at:I:S within:I..J:S fsa:FILE, SPEC@LO..HI and not:SPEC");
    int rc = parse_argument(f, a, argument, e);
    if (rc == 0 && f->kind->compile != NULL)
        rc = f->kind->compile(f, a, argument, e);
    return rc;
}

/* Parses the range of a feature; `at` points to its @. */
static int
init_range(struct feature *f, const struct alphabet *a, const char *spec, const char *at,
           struct err *e)
{
    *f = (struct feature){.symbols = a->size};
    char *inner = mem_string(spec, (size_t)(at - spec), e);
    f->inner = mem_zero(1, sizeof *f->inner, e);
    int rc = inner == NULL || f->inner == NULL ? ERR_NOMEM : init_plain(f->inner, a, inner, e);
    if (rc == 0)
        rc = feature_range_compile(f, at + 1, e);
    mem_free(inner);
    return rc;
}

static int
init_positive(struct feature *f, const struct alphabet *a, const char *spec, struct err *e)
{
    const char *at = feature_range_find(a, spec);
    return at != NULL ? init_range(f, a, spec, at, e) : init_plain(f, a, spec, e);
}

static int
init_complement(struct feature *f, const struct alphabet *a, const char *spec, struct err *e)
{
    *f = (struct feature){.symbols = a->size, .inner = mem_zero(1, sizeof *f->inner, e)};
    int rc = f->inner == NULL ? ERR_NOMEM : init_positive(f->inner, a, spec, e);
    return rc == 0 ? feature_complement_compile(f, e) : rc;
}

int
feature_init(struct feature *f, const struct alphabet *a, const char *spec, struct err *e)
{
    bool complement = strncmp(spec, "not:", 4) == 0;
    return complement ? init_complement(f, a, spec + 4, e) : init_positive(f, a, spec, e);
}

enum feature_type
feature_type(const struct feature *f)
{
    return f->kind->type;
}

size_t
feature_words(const struct feature *f)
{
    return f->kind->words == NULL ? 1 : f->kind->words(f);
}

bool
feature_is_test(const struct feature *f)
{
    return f->kind->scale == FEATURE_UNSCALED && !f->kind->by_word;
}

const struct dfa *
feature_dfa(const struct feature *f)
{
    return f->pattern.dfa.next != NULL ? &f->pattern.dfa : NULL;
}

uint32_t
feature_arc(const struct feature *f, uint32_t *s, uint8_t a)
{
    if (f->kind->arc != NULL)
        return f->kind->arc(f, s, a);
    f->kind->step(f, s, a);
    return 0;
}

uint32_t
feature_end(const struct feature *f, const uint32_t *s)
{
    return f->kind->end != NULL ? f->kind->end(f, s) : (uint32_t)f->kind->whole(f, s);
}

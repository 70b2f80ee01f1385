/* SPDX-License-Identifier: MIT */
#include "feature.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "mem.h"
#include "num.h"
#include "sam.h"

/* What L divides out of a value: nothing, L or L^2. */
enum scale { SCALE_NONE, SCALE_LENGTH, SCALE_SQUARE };

struct kind;

struct feature {
    const struct kind *kind;
    char *name, *spec;
    unsigned symbols; /* size of the alphabet */
    uint8_t *word;    /* [m] codes of S */
    uint32_t m;       /* |S|; 0 for kinds without a word */
    uint32_t number;  /* N of length:N */
    uint32_t *next;   /* KMP automaton [m+1][symbols] */
    uint32_t period;  /* shortest period of S */
    struct sam sam;   /* lcs */
    size_t offset;    /* of this feature's part within a record, in bytes */
};

enum argument { ARG_NONE, ARG_WORD, ARG_NUMBER };

/* One kind of feature.  `s` is the feature's part of a record: 32-bit words, all
 * zero at the start. */
struct kind {
    const char *name;
    enum argument argument;
    enum scale scale;
    bool by_word;                                     /* values are counted in |S|-ths */
    int (*compile)(struct feature *f, struct err *e); /* NULL: nothing to do */
    size_t (*words)(const struct feature *f);         /* NULL: one */
    void (*step)(const struct feature *f, uint32_t *s, uint8_t a);
    uint64_t (*whole)(const struct feature *f, const uint32_t *s);
    /* Least and greatest `whole` within `rest` more symbols. */
    void (*range)(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                  double *hi);
};

struct features {
    struct alphabet alphabet;
    uint64_t max_length;
    struct feature *item;
    size_t count, capacity;
    size_t state_bytes;
};

/* ---- KMP automata: motif, suffix, count ---------------------------------- */

/* State k: the longest suffix read that begins S has k symbols.  The row of
 * state k > 0 is that of its border (the longest proper suffix of S[0..k) that
 * begins S) except for the symbol that extends the match. */
static int
kmp_compile(struct feature *f, struct err *e)
{
    size_t symbols = f->symbols;
    f->next = mem_zero((size_t)f->m + 1, symbols * sizeof *f->next, e);
    if (f->next == NULL)
        return ERR_NOMEM;
    uint32_t border = 0;
    f->next[f->word[0]] = 1;
    for (uint32_t k = 1; k <= f->m; k++) {
        uint32_t *row = f->next + k * symbols;
        const uint32_t *back = f->next + border * symbols;
        memcpy(row, back, symbols * sizeof *row);
        if (k < f->m) {
            border = back[f->word[k]];
            row[f->word[k]] = k + 1;
        }
    }
    f->period = f->m - border;
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
    return *s != f->m;
}

static void
motif_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    if (*s != f->m)
        kmp_step(f, s, a);
}

/* From state k a match needs m - k more symbols, not fewer: k is the longest. */
static void
motif_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = rest < f->m - *s;
    *hi = *s != f->m;
}

/* A string that ends with S can be led astray unless there is one symbol only. */
static void
suffix_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = rest < f->m - *s;
    *hi = *s != f->m || (rest > 0 && f->symbols > 1);
}

/* s[0]: KMP state, s[1]: occurrences.  A full match goes on as its border does,
 * so state m is never kept. */
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
    if (s[0] == f->m) {
        s[0] = f->m - f->period;
        s[1]++;
    }
}

static uint64_t
count_whole(const struct feature *f, const uint32_t *s)
{
    (void)f;
    return s[1];
}

/* At best the match under way is completed, and then one follows every period. */
static void
count_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    uint64_t first = f->m - s[0];
    *lo = s[1];
    *hi = s[1];
    if (rest >= first)
        *hi += 1 + (double)((rest - first) / f->period);
}

/* ---- prefix: symbols matched, m when all are, m + 1 after a mismatch ------ */

static void
prefix_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    if (*s < f->m)
        *s = f->word[*s] == a ? *s + 1 : f->m + 1;
}

static void
prefix_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = *s > f->m || rest < f->m - *s;
    *hi = *s != f->m;
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

/* All lengths above N are alike: N + 1. */
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

static void
exact_length_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                   double *hi)
{
    *lo = *s > f->number || rest < f->number - *s;
    *hi = *s != f->number || rest > 0;
}

/* ---- lcs: s[0], s[1] the position in the suffix automaton, s[2] the best ---- */

static int
lcs_compile(struct feature *f, struct err *e)
{
    return sam_init(&f->sam, f->word, f->m, f->symbols, e);
}

static size_t
lcs_words(const struct feature *f)
{
    (void)f;
    return 3;
}

/* A factor that first ends at place `end` can grow to length + m - end at
 * most.  What cannot beat the best any more is given up for its longest suffix
 * that can; the empty factor can unless all of S was found. */
static void
lcs_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    sam_step(&f->sam, &s[0], &s[1], a);
    if (s[1] > s[2])
        s[2] = s[1];
    while (s[0] != 0 && s[1] + f->m - f->sam.end[s[0]] <= s[2]) {
        s[0] = f->sam.link[s[0]];
        s[1] = f->sam.length[s[0]];
    }
}

static uint64_t
lcs_whole(const struct feature *f, const uint32_t *s)
{
    return f->m - s[2];
}

/* The best within `rest` symbols continues one of the suffixes still alive
 * along its first place in S. */
static void
lcs_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    uint64_t best = s[2], length = s[1];
    for (uint32_t q = s[0];; q = f->sam.link[q], length = f->sam.length[q]) {
        uint64_t left = f->m - f->sam.end[q];
        uint64_t reach = length + (rest < left ? rest : left);
        if (reach > best)
            best = reach;
        if (q == 0)
            break;
    }
    *lo = (double)(f->m - best);
    *hi = (double)(f->m - s[2]);
}

/* ---- edit: Sellers' column ------------------------------------------------ */

/* Let D[p] be the least edit distance of a suffix of the text to S[0..p), and
 * g[p] = p - D[p] the edits saved.  Sellers' recurrence in these terms, for the
 * next symbol a of the text:
 *
 *     g'[p] = max(g[p-1] + (S[p-1] == a), g[p] - 1, g'[p-1]),   g[0] = 0
 *
 * The record is g[1..m], one byte each, zero at the start.  g[m] holds the best
 * so far, so m - g[m] is the value.  An entry with D[p] no less than the best
 * distance cannot improve on it and is set to exactly that. */
static int
edit_compile(struct feature *f, struct err *e)
{
    if (f->m > FEATURE_EDIT_MAX)
        return err_set(e, ERR_USAGE, "the word has %u characters; edit takes at most %d", f->m,
                       FEATURE_EDIT_MAX);
    return 0;
}

static size_t
edit_words(const struct feature *f)
{
    return (f->m + 3) / 4;
}

static void
edit_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    uint8_t *g = (uint8_t *)s; /* g[i] is the entry of p = i + 1 */
    int m = (int)f->m, best = g[m - 1];
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
}

static uint64_t
edit_whole(const struct feature *f, const uint32_t *s)
{
    return f->m - ((const uint8_t *)s)[f->m - 1];
}

/* From entry p the best continuation spells out S[p..m) as far as `rest`
 * reaches; the symbols it does not reach are inserted. */
static void
edit_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    const uint8_t *g = (const uint8_t *)s;
    uint64_t least = f->m - g[f->m - 1];
    *hi = (double)least;
    for (uint32_t p = 0; p < f->m; p++) {
        uint64_t distance = p == 0 ? 0 : p - g[p - 1];
        if (rest < f->m - p)
            distance += f->m - p - rest;
        if (distance < least)
            least = distance;
    }
    *lo = (double)least;
}

/* ---- the kinds --------------------------------------------------------------- */

static const struct kind kinds[] = {
    [FEATURE_MOTIF] = {"motif", ARG_WORD, SCALE_NONE, false, kmp_compile, NULL, motif_step,
                       unless_matched, motif_range},
    [FEATURE_PREFIX] = {"prefix", ARG_WORD, SCALE_NONE, false, NULL, NULL, prefix_step,
                        unless_matched, prefix_range},
    [FEATURE_SUFFIX] = {"suffix", ARG_WORD, SCALE_NONE, false, kmp_compile, NULL, kmp_step,
                        unless_matched, suffix_range},
    [FEATURE_LENGTH_IS] = {"length", ARG_NUMBER, SCALE_NONE, false, NULL, NULL, exact_length_step,
                           exact_length_whole, exact_length_range},
    [FEATURE_LENGTH] = {"length", ARG_NONE, SCALE_LENGTH, false, NULL, NULL, length_step,
                        length_whole, length_range},
    [FEATURE_LENGTH2] = {"length2", ARG_NONE, SCALE_SQUARE, false, NULL, NULL, length_step,
                         length2_whole, length2_range},
    [FEATURE_COUNT] = {"count", ARG_WORD, SCALE_LENGTH, false, kmp_compile, count_words, count_step,
                       count_whole, count_range},
    [FEATURE_LCS] = {"lcs", ARG_WORD, SCALE_NONE, true, lcs_compile, lcs_words, lcs_step, lcs_whole,
                     lcs_range},
    [FEATURE_EDIT] = {"edit", ARG_WORD, SCALE_NONE, true, edit_compile, edit_words, edit_step,
                      edit_whole, edit_range},
};

/* ---- building ---------------------------------------------------------------- */

static const struct kind *
find_kind(const char *spec, const char **argument)
{
    size_t n = strcspn(spec, ":");
    *argument = spec[n] == ':' ? spec + n + 1 : NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = &kinds[i];
        bool same = strlen(k->name) == n && memcmp(k->name, spec, n) == 0;
        if (same && (k->argument == ARG_NONE) == (*argument == NULL))
            return k;
    }
    return NULL;
}

static void
feature_clear(struct feature *f)
{
    sam_clear(&f->sam);
    mem_free(f->next);
    mem_free(f->word);
    mem_free(f->spec);
    mem_free(f->name);
}

static int
parse_argument(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    if (f->kind->argument == ARG_WORD) {
        size_t length;
        f->word = alphabet_word(a, argument, &length, e);
        if (f->word == NULL)
            return e != NULL && e->code == ERR_NOMEM ? ERR_NOMEM : ERR_USAGE;
        if (length > UINT32_MAX / 4)
            return err_set(e, ERR_LIMIT, "the word is too long");
        f->m = (uint32_t)length;
    } else if (f->kind->argument == ARG_NUMBER) {
        uint64_t n;
        int rc = num_u64(argument, 0, UINT32_MAX - 1, &n, e);
        if (rc < 0)
            return rc;
        f->number = (uint32_t)n;
    }
    return 0;
}

static int
feature_init(struct feature *f, const struct alphabet *a, const char *spec, struct err *e)
{
    const char *argument;
    f->kind = find_kind(spec, &argument);
    f->symbols = a->size;
    if (f->kind == NULL)
        return err_set(e, ERR_USAGE,
                       "not a feature; known are motif:S prefix:S suffix:S length:N length "
                       "length2 count:S lcs:S edit:S");
    int rc = parse_argument(f, a, argument, e);
    if (rc == 0 && f->kind->compile != NULL)
        rc = f->kind->compile(f, e);
    return rc;
}

struct features *
features_new(const struct alphabet *a, struct err *e)
{
    struct features *f = mem_zero(1, sizeof *f, e);
    if (f == NULL)
        return NULL;
    f->alphabet = *a;
    f->max_length = 1;
    return f;
}

void
features_free(struct features *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->count; i++)
        feature_clear(&f->item[i]);
    mem_free(f->item);
    mem_free(f);
}

int
features_add(struct features *f, const char *spec, struct err *e)
{
    return features_add_named(f, spec, spec, e);
}

static int
check_name(const struct features *f, const char *name, struct err *e)
{
    if (*name == '\0')
        return err_set(e, ERR_USAGE, "a feature's name is empty");
    if (f->count == FEATURES_MAX)
        return err_set(e, ERR_USAGE, "more than %d features", FEATURES_MAX);
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->item[i].name, name) == 0)
            return err_set(e, ERR_USAGE, "the feature '%s' is given twice", name);
    return 0;
}

int
features_add_named(struct features *f, const char *name, const char *spec, struct err *e)
{
    int rc = check_name(f, name, e);
    if (rc < 0)
        return rc;
    struct feature *grown = mem_grow(f->item, &f->capacity, f->count + 1, sizeof *grown, e);
    if (grown == NULL)
        return ERR_NOMEM;
    f->item = grown;
    struct feature *item = &f->item[f->count];
    memset(item, 0, sizeof *item);
    rc = feature_init(item, &f->alphabet, spec, e);
    if (rc < 0)
        err_prefix(e, "feature '%s'", spec);
    else if ((item->name = mem_string(name, strlen(name), e)) == NULL ||
             (item->spec = mem_string(spec, strlen(spec), e)) == NULL)
        rc = ERR_NOMEM;
    if (rc < 0) {
        feature_clear(item);
        return rc;
    }
    item->offset = f->state_bytes;
    f->state_bytes += 4 * (item->kind->words == NULL ? 1 : item->kind->words(item));
    f->count++;
    return 0;
}

/* ---- the paper's features ------------------------------------------------------ */

/* Each is a word cut from a source: the first `half ? floor(|S|/2) : |S|` +
 * `extra` symbols of the motif followed by 0, or of `repeat` again and again. */
static const struct paper_feature {
    const char *name, *kind, *repeat;
    bool half;
    size_t extra;
} paper[FEATURE_PAPER] = {
    {"m", "motif", NULL, false, 0},       {"m+0", "motif", NULL, false, 1},
    {"m/2", "motif", NULL, true, 0},      {"d0", "prefix", "0", false, 0},
    {"d1", "motif", "10101", false, 0},   {"d2", "motif", "1001001", false, 2},
    {"d3", "motif", "00110011", true, 0},
};

static int
add_paper_feature(struct features *f, const struct paper_feature *p, const char *motif,
                  struct err *e)
{
    size_t m = strlen(motif), kind = strlen(p->kind);
    size_t n = strcmp(p->kind, "prefix") == 0 ? 1 : (p->half ? m / 2 : m) + p->extra;
    if (n == 0)
        return err_set(e, ERR_USAGE, "the motif '%s' is too short for the feature '%s'", motif,
                       p->name);
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
    int rc = features_add_named(f, p->name, spec, e);
    mem_free(spec);
    return rc;
}

int
features_add_paper(struct features *f, const char *motif, const char *bits, struct err *e)
{
    if (strcmp(f->alphabet.chars, "01") != 0)
        return err_set(e, ERR_USAGE, "the features m .. d3 are for the alphabet '01', not '%s'",
                       f->alphabet.chars);
    if (strlen(bits) != FEATURE_PAPER || strspn(bits, "01") != FEATURE_PAPER)
        return err_set(e, ERR_USAGE,
                       "'%s' is not %d bits, one each for m, m+0, m/2, d0, d1, d2, d3", bits,
                       FEATURE_PAPER);
    if (strchr(bits, '1') == NULL)
        return err_set(e, ERR_USAGE, "'%s' selects no feature", bits);
    size_t length;
    uint8_t *word = alphabet_word(&f->alphabet, motif, &length, e);
    if (word == NULL)
        return e != NULL && e->code == ERR_NOMEM ? ERR_NOMEM : ERR_USAGE;
    mem_free(word);
    for (size_t i = 0; i < FEATURE_PAPER; i++) {
        int rc = bits[i] == '1' ? add_paper_feature(f, &paper[i], motif, e) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- reading -------------------------------------------------------------------- */

size_t
features_count(const struct features *f)
{
    return f->count;
}

const struct alphabet *
features_alphabet(const struct features *f)
{
    return &f->alphabet;
}

const char *
features_name(const struct features *f, size_t i)
{
    return f->item[i].name;
}

const char *
features_spec(const struct features *f, size_t i)
{
    return f->item[i].spec;
}

enum feature_kind
features_kind(const struct features *f, size_t i)
{
    return (enum feature_kind)(f->item[i].kind - kinds);
}

const char *
features_argument(const struct features *f, size_t i)
{
    const char *colon = strchr(f->item[i].spec, ':');
    return colon == NULL ? NULL : colon + 1;
}

void
features_set_max_length(struct features *f, uint64_t max_length)
{
    f->max_length = max_length;
}

bool
feature_needs_max_length(const struct features *f, size_t i)
{
    return f->item[i].kind->scale != SCALE_NONE;
}

bool
features_need_max_length(const struct features *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (feature_needs_max_length(f, i))
            return true;
    return false;
}

double
features_divisor(const struct features *f, size_t i)
{
    const struct feature *item = &f->item[i];
    double length = (double)f->max_length;
    switch (item->kind->scale) {
    case SCALE_LENGTH:
        return length;
    case SCALE_SQUARE:
        return length * length;
    case SCALE_NONE:
        break;
    }
    return item->kind->by_word ? item->m : 1;
}

/* ---- following a prefix ------------------------------------------------------- */

static const uint32_t *
part(const struct feature *f, const void *state)
{
    return (const uint32_t *)((const unsigned char *)state + f->offset);
}

size_t
features_state_bytes(const struct features *f)
{
    return f->state_bytes;
}

void
features_start(const struct features *f, void *state)
{
    memset(state, 0, f->state_bytes);
}

void
features_step(const struct features *f, void *state, uint8_t symbol)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct feature *item = &f->item[i];
        item->kind->step(item, (uint32_t *)((unsigned char *)state + item->offset), symbol);
    }
}

void
features_follow(const struct features *f, void *state, const uint8_t *codes, size_t length)
{
    features_start(f, state);
    for (size_t i = 0; i < length; i++)
        features_step(f, state, codes[i]);
}

void
features_whole(const struct features *f, const void *state, uint64_t *whole)
{
    for (size_t i = 0; i < f->count; i++)
        whole[i] = f->item[i].kind->whole(&f->item[i], part(&f->item[i], state));
}

void
features_values(const struct features *f, const void *state, double *phi)
{
    for (size_t i = 0; i < f->count; i++) {
        uint64_t whole = f->item[i].kind->whole(&f->item[i], part(&f->item[i], state));
        phi[i] = (double)whole / features_divisor(f, i);
    }
}

void
features_range(const struct features *f, const void *state, uint64_t rest, double *lo, double *hi)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct feature *item = &f->item[i];
        item->kind->range(item, part(item, state), rest, &lo[i], &hi[i]);
        lo[i] /= features_divisor(f, i);
        hi[i] /= features_divisor(f, i);
    }
}

/* Infinity times 0 is 0: what a hard constraint allows costs nothing, and a
 * value without bound does not matter at weight 0. */
static double
term(double lambda, double value)
{
    return value == 0 || lambda == 0 ? 0 : lambda * value;
}

double
features_bound(const struct features *f, const void *state, uint64_t rest, const double *lambda)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct feature *item = &f->item[i];
        double lo, hi;
        item->kind->range(item, part(item, state), rest, &lo, &hi);
        sum += term(lambda[i], (lambda[i] > 0 ? hi : lo) / features_divisor(f, i));
    }
    return sum;
}

double
features_dot(const struct features *f, const double *lambda, const double *phi)
{
    double sum = 0;
    for (size_t i = 0; i < f->count; i++)
        sum += term(lambda[i], phi[i]);
    return sum;
}

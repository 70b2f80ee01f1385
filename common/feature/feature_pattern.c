/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "automata/regex_dfa.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_internal.h"

/* ---- patterns: the state of a DFA ------------------------------------------------------- */

int
feature_pattern_init(struct feature_pattern *p, struct dfa *d, struct err *e)
{
    p->dfa = *d;
    *d = (struct dfa){0};
    int rc = dfa_minimize(&p->dfa, e);
    if (rc != 0)
        return rc;
    p->to_accept = mem_array(p->dfa.states, sizeof *p->to_accept, e);
    p->to_reject = mem_array(p->dfa.states, sizeof *p->to_reject, e);
    if (p->to_accept == NULL || p->to_reject == NULL)
        return ERR_NOMEM;
    rc = dfa_distances(&p->dfa, 1, p->to_accept, e);
    return rc == 0 ? dfa_distances(&p->dfa, 0, p->to_reject, e) : rc;
}

void
feature_pattern_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    *s = f->pattern.dfa.next[(size_t)*s * f->symbols + a];
}

uint64_t
feature_pattern_whole(const struct feature *f, const uint32_t *s)
{
    return !f->pattern.dfa.accept[*s];
}

static bool
can_reach(uint32_t distance, uint64_t rest)
{
    return distance != DFA_FAR && distance <= rest;
}

void
feature_pattern_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo,
                      double *hi)
{
    *lo = !can_reach(f->pattern.to_accept[*s], rest);
    *hi = can_reach(f->pattern.to_reject[*s], rest);
}

/* Expressions and brackets are texts of characters. */
static int
check_characters(const struct alphabet *a, struct err *e)
{
    return a->tokens ? err_set(e, ERR_USAGE,
                               "expressions and brackets are over characters, but the symbols are "
                               "tokens")
                     : 0;
}

static int
regex_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    struct dfa d = {0};
    int rc = check_characters(a, e);
    if (rc == 0)
        rc = regex_dfa_search(&d, a, argument, NULL, e);
    if (rc == 0)
        rc = feature_pattern_init(&f->pattern, &d, e);
    dfa_clear(&d);
    return rc;
}

/* ---- sites ------------------------------------------------------------------------------- */

static int
site_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    char *expression;
    int rc = site_expression(a, argument, f->kind->type == FEATURE_SITE, &expression, e);
    if (rc == 0)
        rc = regex_compile(f, a, expression, e);
    mem_free(expression);
    return rc;
}

/* ---- positions --------------------------------------------------------------------------- */

/* Parses a position that ends at `end`: 0 or ERR_USAGE. */
static int
parse_position(const char *text, const char *end, int *position, struct err *e)
{
    char digits[16], *stop;
    size_t n = (size_t)(end - text);
    if (n > 0 && n < sizeof digits && strchr("-0123456789", *text) != NULL) {
        memcpy(digits, text, n);
        digits[n] = '\0';
        long value = strtol(digits, &stop, 10);
        if (*stop == '\0' && stop > digits && value > -1000000 && value < 1000000) {
            *position = (int)value;
            return 0;
        }
    }
    return err_set(e, ERR_USAGE, "'%.*s' is not a position; 1 is the first, -1 the last", (int)n,
                   text);
}

/* Characters in the place of tokens, for expressions over the same symbols. */
static void
name_by_characters(const struct alphabet *a, struct alphabet *own)
{
    enum { FIRST = 0x4e00 }; /* of many printable characters */
    struct err e = {0};      /* there is room for them */
    alphabet_clear(own, false);
    for (unsigned i = 0; i < a->size; i++) {
        char text[UTF8_BYTES_MAX];
        alphabet_add(own, text, utf8_encode(FIRST + i, text), &e);
    }
}

static int
compile_window(struct feature *f, const struct alphabet *a, int first, int last, struct err *e)
{
    char *expression;
    struct alphabet own;
    if (a->tokens) {
        name_by_characters(a, &own);
        a = &own;
    }
    int rc = window_expression(a, first, last, f->word, f->word_length, &expression, e);
    if (rc == 0)
        rc = regex_compile(f, a, expression, e);
    mem_free(expression);
    return rc;
}

/* S begins at position I: it lies inside the positions I to I + |S| - 1. */
static int
at_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    const char *colon = strchr(argument, ':');
    int first = 0;
    if (colon == NULL)
        return err_set(e, ERR_USAGE, "write at:I:S, where S begins at position I");
    int rc = parse_position(argument, colon, &first, e);
    if (rc == 0)
        rc = feature_parse_word(f, a, colon + 1, e);
    if (rc == 0 && first < 0 && f->word_length > (uint32_t)-first)
        rc = err_set(e, ERR_USAGE, "a word of %u symbols cannot begin at position %d",
                     f->word_length, first);
    if (rc == 0 && f->word_length > FEATURE_POSITION_MAX)
        rc = err_set(e, ERR_USAGE, "the word has %u characters; at takes at most %d",
                     f->word_length, FEATURE_POSITION_MAX);
    return rc == 0 ? compile_window(f, a, first, first + (int)f->word_length - 1, e) : rc;
}

static int
within_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    const char *dots = strstr(argument, ".."), *colon = strchr(argument, ':');
    int first, last;
    if (colon == NULL || dots == NULL || dots > colon)
        return err_set(e, ERR_USAGE, "write within:I..J:S, where S occurs in positions I to J");
    int rc = parse_position(argument, dots, &first, e);
    if (rc == 0)
        rc = parse_position(dots + 2, colon, &last, e);
    if (rc == 0)
        rc = feature_parse_word(f, a, colon + 1, e);
    return rc == 0 ? compile_window(f, a, first, last, e) : rc;
}

/* ---- matches: s[0] the state of the counter, s[1] the positions so far ------------------ */

static int
matches_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    int rc = check_characters(a, e);
    return rc == 0 ? match_counter_init(&f->counter, a, argument, e) : rc;
}

/* The offset after the brackets at the start of a text. */
static size_t
skip_brackets(const char *text)
{
    size_t i = 1;
    i += text[i] == '^';
    i += text[i] == ']';
    while (text[i] != ']' && text[i] != '\0') {
        const char *end = strncmp(text + i, "[:", 2) == 0 ? strstr(text + i, ":]") : NULL;
        i = end != NULL ? (size_t)(end + 2 - text) : i + 1;
    }
    return i + (text[i] == ']');
}

static int
class_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    size_t end = skip_brackets(argument);
    if (argument[end] != '\0')
        return err_set(e, ERR_USAGE,
                       "position %zu: nothing can follow the brackets; use matches:RE", end + 1);
    return matches_compile(f, a, argument, e);
}

static size_t
two_words(const struct feature *f)
{
    (void)f;
    return 2;
}

static uint32_t
matches_arc(const struct feature *f, uint32_t *s, uint8_t a)
{
    size_t arc = (size_t)s[0] * f->symbols + a;
    s[0] = f->counter.next[arc];
    return f->counter.found[arc];
}

static void
matches_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    s[1] += matches_arc(f, s, a);
}

static uint32_t
matches_end(const struct feature *f, const uint32_t *s)
{
    return f->counter.at_end[s[0]];
}

static uint64_t
matches_whole(const struct feature *f, const uint32_t *s)
{
    return (uint64_t)s[1] + matches_end(f, s);
}

static void
matches_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    *lo = (double)s[1] + match_counter_least(&f->counter, s[0], rest);
    *hi = (double)s[1] + match_counter_most(&f->counter, s[0], rest);
}

/* ---- runs: s[0] the present one, s[1] the longest, s[2] the last symbol ------------------ */

static size_t
three_words(const struct feature *f)
{
    (void)f;
    return 3;
}

static void
lengthen_run(uint32_t *s, bool goes_on)
{
    s[0] = goes_on ? s[0] + 1 : 1;
    s[1] = s[0] > s[1] ? s[0] : s[1];
}

static void
run_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    (void)f;
    lengthen_run(s, s[2] == a);
    s[2] = a;
}

static int
run_of_compile(struct feature *f, const struct alphabet *a, const char *argument, struct err *e)
{
    (void)a;
    (void)argument;
    if (f->word_length == 1)
        return 0;
    return err_set(e, ERR_USAGE, "a run has one symbol, got %u; for a repeated word, use regex",
                   f->word_length);
}

static void
run_of_step(const struct feature *f, uint32_t *s, uint8_t a)
{
    if (a == f->word[0])
        lengthen_run(s, true);
    else
        s[0] = 0;
}

static uint64_t
run_whole(const struct feature *f, const uint32_t *s)
{
    (void)f;
    return s[1];
}

static void
run_range(const struct feature *f, const uint32_t *s, uint64_t rest, double *lo, double *hi)
{
    (void)f;
    *lo = s[1];
    *hi = rest == UINT64_MAX ? INFINITY : fmax(s[1], s[0] + (double)rest);
}

/* ---- the kinds ---------------------------------------------------------------------------- */

#define TESTS                                                                                      \
    .step = feature_pattern_step, .whole = feature_pattern_whole, .range = feature_pattern_range
#define COUNTS                                                                                     \
    .scale = FEATURE_PER_L, .unit = FEATURE_UNIT, .words = two_words, .step = matches_step,        \
    .whole = matches_whole, .range = matches_range, .arc = matches_arc, .end = matches_end

const struct feature_kind feature_pattern_kinds[] = {
    {FEATURE_REGEX, .name = "regex", .argument = FEATURE_TEXT, .compile = regex_compile, TESTS},
    {FEATURE_MATCHES, .name = "matches", .argument = FEATURE_TEXT, .compile = matches_compile,
     COUNTS},
    {FEATURE_CLASS, .name = "count", .argument = FEATURE_BRACKETS, .compile = class_compile,
     COUNTS},
    {FEATURE_SITE, .name = "site", .argument = FEATURE_TEXT, .compile = site_compile, TESTS},
    {FEATURE_SITE_GIVEN, .name = "site+", .argument = FEATURE_TEXT, .compile = site_compile, TESTS},
    {FEATURE_AT, .name = "at", .argument = FEATURE_TEXT, .compile = at_compile, TESTS},
    {FEATURE_DFA, .name = "dfa", .argument = FEATURE_TEXT, .compile = feature_dfa_compile, TESTS},
    {FEATURE_WITHIN, .name = "within", .argument = FEATURE_TEXT, .compile = within_compile, TESTS},
    {FEATURE_RUN, .name = "run", .scale = FEATURE_PER_L, .unit = FEATURE_UNIT, .words = three_words,
     .step = run_step, .whole = run_whole, .range = run_range},
    {FEATURE_RUN_OF, .name = "run", .argument = FEATURE_WORD, .scale = FEATURE_PER_L,
     .unit = FEATURE_UNIT, .compile = run_of_compile, .words = two_words, .step = run_of_step,
     .whole = run_whole, .range = run_range},
    {.name = NULL},
};

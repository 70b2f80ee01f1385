/* SPDX-License-Identifier: MIT */
#include "discover/word_search.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "text/strings.h"

/* ---- scores */

static struct word_found
found(const struct word *word, bool absent, uint64_t c, uint64_t b, double score)
{
    struct word_found w = {score, absent, word->kind, {0}, word->length, word->number, c, b};
    memcpy(w.symbols, word->symbols, word->length);
    return w;
}

struct word
word_found_word(const struct word_found *w)
{
    return (struct word){w->kind, w->symbols, w->length, w->number};
}

/* < 0: the first is better. */
static int
compare_words(const struct word *a, const struct word *b)
{
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    int order = memcmp(a->symbols, b->symbols, a->length);
    if (order != 0 || a->kind != b->kind)
        return order != 0 ? order : (int)a->kind - (int)b->kind;
    return (a->number > b->number) - (a->number < b->number);
}

static bool
is_known(const struct word *word, const struct word_found *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct word other = word_found_word(&known[i]);
        if (compare_words(word, &other) == 0)
            return true;
    }
    return false;
}

/* The data of a pass over candidates. */
struct pass {
    const struct word_search *search;
    const struct word_census *census;
    const uint32_t *in_set, *in_background;
    bool absent;
    const struct word_found *known;
    size_t known_count;
};

/* Takes the word if it is better than the best so far. */
static void
try_word(const struct pass *p, const struct word *word, uint64_t c, uint64_t b, double price,
         struct word_found *best)
{
    const struct fisher *f = &p->search->fisher;
    price = p->search->options.priced ? price : 0;
    if (-fisher_log_point(f, c, b) - price < best->score)
        return; /* the tail is greater than its first term */
    double log_p = p->absent ? fisher_log_lower(f, c, b) : fisher_log_upper(f, c, b);
    double score = -log_p - price;
    if (score < best->score || is_known(word, p->known, p->known_count))
        return;
    struct word other = word_found_word(best);
    if (score > best->score || compare_words(word, &other) < 0)
        *best = found(word, p->absent, c, b, score);
}

static bool
is_more(const struct fisher *f, uint64_t c, uint64_t b)
{
    return (double)c * (double)f->m > (double)b * (double)f->n;
}

static bool
is_less(const struct fisher *f, uint64_t c, uint64_t b)
{
    return (double)c * (double)f->m < (double)b * (double)f->n;
}

static void
try_candidate(const struct pass *p, uint32_t q, struct word_found *best)
{
    const struct fisher *f = &p->search->fisher;
    uint64_t c = p->in_set[q], b = p->in_background[q];
    if (p->absent ? !is_less(f, c, b) : !is_more(f, c, b) || c < 2)
        return;
    struct word word = word_census_word(p->census, q);
    try_word(p, &word, c, b, (double)word.length * dm_log(p->search->options.symbols), best);
}

static void
try_candidates(const struct pass *p, struct word_found *best)
{
    for (uint32_t q = 1; q < p->census->automaton.states; q++)
        if (p->census->length[q] > 0)
            try_candidate(p, q, best);
}

/* ---- passes */

/* Words of `some` strings, and their counts in `all`. */
static int
init_common(struct word_search *s, unsigned kinds, const struct string_range *some,
            const struct string_range *all, struct err *e)
{
    const struct word_search_options *o = &s->options;
    int rc = word_census_init(&s->common, some, o->symbols, kinds, o->max_word, e);
    if (rc != 0)
        return rc;
    uint32_t states = s->common.automaton.states;
    uint32_t *scratch = mem_array(states, sizeof *scratch, e);
    s->in_background = mem_array(states, sizeof *s->in_background, e);
    if (scratch != NULL && s->in_background != NULL)
        word_census_count(&s->common, all, s->in_background, scratch);
    mem_free(scratch);
    return e->code;
}

int
word_search_init(struct word_search *s, const struct word_search_options *o,
                 const struct string_range *background, size_t strings, struct err *e)
{
    struct string_range some = *background;
    *s = (struct word_search){.options = *o, .background = *background};
    int rc = fisher_init(&s->fisher, strings, background->count, e);
    some.count = strings < some.count ? strings : some.count;
    return rc == 0 && o->absent != 0 ? init_common(s, o->absent, &some, background, e) : rc;
}

void
word_search_clear(struct word_search *s)
{
    fisher_clear(&s->fisher);
    word_census_clear(&s->common);
    mem_free(s->in_background);
    *s = (struct word_search){0};
}

/* The words of many sets, and in how many strings of the background they are. */
struct joint {
    struct word_census census;
    uint32_t *count; /* [states] */
};

static int
joint_init(struct joint *j, const struct word_search *s, const struct string_range *sets,
           struct err *e)
{
    const struct word_search_options *o = &s->options;
    *j = (struct joint){0};
    if (o->kinds == 0)
        return 0;
    int rc = word_census_init(&j->census, sets, o->symbols, o->kinds, o->max_word, e);
    if (rc != 0)
        return rc;
    uint32_t *scratch = mem_array(j->census.automaton.states, sizeof *scratch, e);
    j->count = mem_array(j->census.automaton.states, sizeof *j->count, e);
    if (scratch != NULL && j->count != NULL)
        word_census_count(&j->census, &s->background, j->count, scratch);
    mem_free(scratch);
    return e->code;
}

static void
joint_clear(struct joint *j)
{
    word_census_clear(&j->census);
    mem_free(j->count);
}

/* Sets in_background of all candidates of one set.  A word that is in two strings, and the longest
 * of those that end at the same places of the set, is the longest also where more sets are
 * looked at; so the joint automaton has it as a candidate.  It is found where the set's text,
 * read by the joint automaton, comes to the end of the word, on the way to the shorter words. */
static int
look_up(const struct joint *j, const struct word_census *w, uint32_t *in_background, struct err *e)
{
    const struct suffix_automaton *all = &j->census.automaton, *own = &w->automaton;
    uint32_t *at = mem_array(own->size, sizeof *at, e), state = 0, matched = 0;
    if (at == NULL)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < own->size; i++) {
        if (w->text[i] == own->symbols - 2)
            state = matched = 0;
        suffix_automaton_step(all, &state, &matched, w->text[i]);
        at[i] = state;
    }
    for (uint32_t q = 1; q < own->states; q++) {
        if (w->length[q] == 0)
            continue;
        uint32_t p = at[own->end[q] - 1];
        while (all->length[all->link[p]] >= w->length[q])
            p = all->link[p];
        in_background[q] = j->count[p];
    }
    mem_free(at);
    return 0;
}

/* Words that the set has more often. */
static int
search_present(struct pass p, const struct joint *j, const struct string_range *set,
               struct word_found *best, struct err *e)
{
    const struct word_search_options *o = &p.search->options;
    struct word_census census;
    int rc = word_census_init(&census, set, o->symbols, o->kinds, o->max_word, e);
    if (rc != 0)
        return rc;
    uint32_t states = census.automaton.states;
    uint32_t *counts = mem_array(2 * (size_t)states, sizeof *counts, e);
    if (counts != NULL) {
        word_census_count(&census, set, counts, counts + states);
        rc = look_up(j, &census, counts + states, e);
        p.census = &census;
        p.in_set = counts;
        p.in_background = counts + states;
        if (rc == 0)
            try_candidates(&p, best);
    }
    mem_free(counts);
    word_census_clear(&census);
    return e->code;
}

/* Words that the set has less often. */
static int
search_absent(struct pass p, const struct string_range *set, struct word_found *best, struct err *e)
{
    uint32_t states = p.search->common.automaton.states;
    uint32_t *counts = mem_array(2 * (size_t)states, sizeof *counts, e);
    if (counts == NULL)
        return ERR_NOMEM;
    word_census_count(&p.search->common, set, counts, counts + states);
    p.census = &p.search->common;
    p.in_set = counts;
    p.in_background = p.search->in_background;
    p.absent = true;
    try_candidates(&p, best);
    mem_free(counts);
    return 0;
}

/* ---- numbers */

/* How many strings have each number up to WORD_SEARCH_NUMBER_MAX, which stands for more, too. */
static void
count_numbers(const struct word *w, const struct string_range *in, uint64_t *count)
{
    memset(count, 0, (WORD_SEARCH_NUMBER_MAX + 1) * sizeof *count);
    for (size_t i = 0; i < in->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(in->strings, in->first + i, &length);
        uint64_t number = word_number(w, x, length);
        count[number < WORD_SEARCH_NUMBER_MAX ? number : WORD_SEARCH_NUMBER_MAX]++;
    }
}

static void
try_number(const struct pass *p, struct word *w, enum word_kind kind, uint64_t number, uint64_t c,
           uint64_t b, double price, struct word_found *best)
{
    w->kind = kind;
    w->number = number;
    if (c >= 2 && is_more(&p->search->fisher, c, b))
        try_word(p, w, c, b, price, best);
}

/* All bounds of one number; in strings that are divided, `b` counts all of them. */
static void
try_bounds(const struct pass *p, struct word w, const uint64_t *c, const uint64_t *b, double kinds,
           struct word_found *best)
{
    const struct fisher *f = &p->search->fisher;
    uint64_t c_below = 0, b_below = 0, top = WORD_SEARCH_NUMBER_MAX;
    while (top > 0 && c[top] + b[top] == 0)
        top--;
    double price = dm_log(kinds * (double)(top + 1));
    for (uint64_t i = 0; i <= top && i < WORD_SEARCH_NUMBER_MAX; i++) {
        uint64_t more = p->search->divided ? b[i] - c[i] : b[i];
        if (i > 0)
            try_number(p, &w, NUMBER_AT_LEAST, i, f->n - c_below, f->m - b_below, price, best);
        c_below += c[i];
        b_below += more;
        if (i < top)
            try_number(p, &w, NUMBER_AT_MOST, i, c_below, b_below, price, best);
        if (w.length == 0)
            try_number(p, &w, NUMBER_EQUAL, i, c[i], more, price, best);
    }
}

/* Lengths and counts of symbols.  `background` has all strings if they are divided. */
static int
search_numbers(const struct pass *p, const struct string_range *set,
               const struct string_range *background, struct word_found *best, struct err *e)
{
    const struct word_search_options *o = &p->search->options;
    uint64_t *c = mem_array(2 * (WORD_SEARCH_NUMBER_MAX + 1), sizeof *c, e);
    if (c == NULL)
        return ERR_NOMEM;
    uint64_t *b = c + WORD_SEARCH_NUMBER_MAX + 1;
    for (unsigned a = o->counts ? 0 : o->symbols; a < o->symbols + o->lengths; a++) {
        uint8_t symbol = (uint8_t)a;
        struct word w = {.symbols = &symbol, .length = a < o->symbols};
        count_numbers(&w, set, c);
        count_numbers(&w, background, b);
        try_bounds(p, w, c, b, a < o->symbols ? 2.0 * o->symbols : 3, best);
    }
    mem_free(c);
    return 0;
}

/* ---- sets */

int
word_search_best(const struct word_search *s, const struct string_range *sets, size_t count,
                 const struct word_found *known, size_t known_count, struct word_found *best,
                 struct err *e)
{
    struct pass p = {.search = s, .known = known, .known_count = known_count};
    struct joint j;
    int rc = joint_init(&j, s, sets, e);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        size_t strings = sets->count / count;
        struct string_range set = {sets->strings, sets->first + i * strings, strings};
        best[i] = (struct word_found){.score = -INFINITY};
        if (s->options.kinds != 0)
            rc = search_present(p, &j, &set, &best[i], e);
        if (rc == 0 && s->options.absent != 0)
            rc = search_absent(p, &set, &best[i], e);
        if (rc == 0)
            rc = search_numbers(&p, &set, &s->background, &best[i], e);
    }
    joint_clear(&j);
    return rc;
}

int
word_search_init_divided(struct word_search *s, const struct word_search_options *o,
                         const struct string_range *all, const struct string_range *background,
                         size_t strings, struct err *e)
{
    *s = (struct word_search){.options = *o, .background = *background, .divided = true};
    int rc = fisher_init(&s->fisher, strings, all->count - strings, e);
    unsigned kinds = o->kinds | o->absent;
    return rc == 0 && kinds != 0 ? init_common(s, kinds, all, all, e) : rc;
}

/* Words of all strings; their counts in the background are what the set leaves. */
static int
search_words_divided(struct pass p, const struct string_range *set, struct word_found *best,
                     struct err *e)
{
    const struct word_search *s = p.search;
    uint32_t states = s->common.automaton.states;
    uint32_t *counts = mem_array(2 * (size_t)states, sizeof *counts, e);
    if (counts == NULL)
        return ERR_NOMEM;
    word_census_count(&s->common, set, counts, counts + states);
    for (uint32_t q = 1; q < states; q++)
        counts[states + q] = s->in_background[q] - counts[q];
    p.census = &s->common;
    p.in_set = counts;
    p.in_background = counts + states;
    if (s->options.kinds != 0)
        try_candidates(&p, best);
    p.absent = true;
    if (s->options.absent != 0)
        try_candidates(&p, best);
    mem_free(counts);
    return 0;
}

int
word_search_best_divided(const struct word_search *s, const struct string_range *all,
                         const struct string_range *set, const struct word_found *known,
                         size_t known_count, struct word_found *best, struct err *e)
{
    struct pass p = {.search = s, .known = known, .known_count = known_count};
    int rc = 0;
    *best = (struct word_found){.score = -INFINITY};
    if ((s->options.kinds | s->options.absent) != 0)
        rc = search_words_divided(p, set, best, e);
    return rc == 0 ? search_numbers(&p, set, all, best, e) : rc;
}

/* ---- closure */

/* The word with a symbol in front or behind, or with an anchor. */
static bool
lengthen(const struct word_search *s, const struct word_found *w, unsigned at,
         struct word_found *to)
{
    const struct word_search_options *o = &s->options;
    unsigned symbol = at / 2;
    bool front = at % 2 == 0;
    *to = *w;
    if (symbol == o->symbols) { /* an anchor */
        to->kind = front ? WORD_PREFIX : WORD_SUFFIX;
        return w->kind == WORD_MOTIF && (o->kinds & to->kind) != 0;
    }
    if (w->length == o->max_word || w->kind == (front ? WORD_PREFIX : WORD_SUFFIX))
        return false;
    memmove(to->symbols + front, w->symbols, w->length);
    to->symbols[front ? 0 : w->length] = (uint8_t)symbol;
    to->length++;
    return true;
}

static bool
close_once(const struct word_search *s, const struct string_range *set, struct word_found *w)
{
    for (unsigned at = 0; at < 2 * (s->options.symbols + 1); at++) {
        struct word_found longer;
        if (!lengthen(s, w, at, &longer))
            continue;
        struct word word = word_found_word(&longer);
        if (word_count(&word, set) == w->c) {
            *w = longer;
            return true;
        }
    }
    return false;
}

void
word_search_close(const struct word_search *s, const struct string_range *set, struct word_found *w)
{
    if (w->absent || w->kind >= NUMBER_AT_LEAST ||
        (double)w->c * dm_log(s->options.symbols) <= dm_log(100))
        return;
    while (close_once(s, set, w))
        ;
    struct word word = word_found_word(w);
    w->b = word_count(&word, &s->background);
}

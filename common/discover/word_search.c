/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "discover/word_search_internal.h"
#include "text/strings.h"

/* ---- scores */

static struct word_found
found(const struct word *word, bool absent, uint64_t c, uint64_t b, double score)
{
    struct word_found w = {score,        absent,     word->kind, {0}, word->length,
                           word->number, word->last, c,          b};
    memcpy(w.symbols, word->symbols, word->length);
    return w;
}

struct word
word_found_word(const struct word_found *w)
{
    return (struct word){w->kind, w->symbols, w->length, w->number, w->last};
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
    order = (a->number > b->number) - (a->number < b->number);
    return order != 0 ? order : (a->last > b->last) - (a->last < b->last);
}

bool
word_is_known(const struct word *word, const struct word_found *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct word other = word_found_word(&known[i]);
        if (compare_words(word, &other) == 0)
            return true;
    }
    return false;
}

double
word_price(const struct word_search *s, size_t length)
{
    return (double)length * dm_log(s->options.symbols);
}

/* The score of a candidate, or something below `least` if it is not as great. */
static double
score_of(const struct pass *p, uint64_t c, uint64_t b, double price, double least)
{
    const struct fisher *f = &p->search->fisher;
    price = p->search->options.priced ? price : 0;
    double most = -fisher_log_point(f, c, b) - price; /* the tail is greater than its first term */
    if (most < least)
        return most;
    return -(p->absent ? fisher_log_lower(f, c, b) : fisher_log_upper(f, c, b)) - price;
}

void
try_word(const struct pass *p, const struct word *word, uint64_t c, uint64_t b, double price,
         struct word_found *best)
{
    double score = score_of(p, c, b, price, best->score);
    if (score < best->score || word_is_known(word, p->known, p->known_count))
        return;
    struct word other = word_found_word(best);
    if (score > best->score || compare_words(word, &other) < 0)
        *best = found(word, p->absent, c, b, score);
}

bool
is_more(const struct fisher *f, uint64_t c, uint64_t b)
{
    return (double)c * (double)f->m > (double)b * (double)f->n;
}

static bool
is_less(const struct fisher *f, uint64_t c, uint64_t b)
{
    return (double)c * (double)f->m < (double)b * (double)f->n;
}

void
try_more(const struct pass *p, const struct word *word, uint64_t c, uint64_t all, double price,
         struct word_found *best)
{
    uint64_t b = p->search->divided ? all - c : all;
    if (c >= 2 && is_more(&p->search->fisher, c, b))
        try_word(p, word, c, b, price, best);
}

/* Puts a motif on the list if it is among the best. */
static void
offer(const struct pass *p, const struct word *word, uint64_t c, uint64_t b)
{
    struct shortlist *l = p->list;
    double least = l->count == SHORTLIST_MAX ? l->word[l->count - 1].score : -INFINITY;
    double score = score_of(p, c, b, word_price(p->search, word->length), least);
    if (score <= least)
        return;
    size_t at = l->count < SHORTLIST_MAX ? l->count++ : l->count - 1;
    for (; at > 0 && l->word[at - 1].score < score; at--)
        l->word[at] = l->word[at - 1];
    l->word[at] = found(word, false, c, b, score);
}

static void
try_candidate(const struct pass *p, uint32_t q, struct word_found *best)
{
    const struct word_search *s = p->search;
    uint64_t c = p->in_set[q], b = p->in_background[q];
    if (p->absent ? !is_less(&s->fisher, c, b) : !is_more(&s->fisher, c, b) || c < 2)
        return;
    struct word word = word_census_word(p->census, q);
    if (p->list != NULL && !p->absent && word.kind == WORD_MOTIF)
        offer(p, &word, c, b);
    if ((word.kind & (p->absent ? s->options.absent : s->options.kinds)) != 0)
        try_word(p, &word, c, b, word_price(s, word.length), best);
}

static void
try_candidates(const struct pass *p, struct word_found *best)
{
    for (uint32_t q = 1; q < p->census->automaton.states; q++)
        if (p->census->length[q] > 0)
            try_candidate(p, q, best);
}

/* ---- passes */

/* Words of `some` strings, and their counts in those that are counted. */
static int
counted_words_init(struct counted_words *w, const struct word_search *s, unsigned kinds,
                   const struct string_range *some, struct err *e)
{
    const struct word_search_options *o = &s->options;
    int rc = word_census_init(&w->census, some, o->symbols, kinds, o->max_word, e);
    if (rc != 0)
        return rc;
    uint32_t states = w->census.automaton.states;
    uint32_t *scratch = mem_array(states, sizeof *scratch, e);
    w->count = mem_array(states, sizeof *w->count, e);
    if (scratch != NULL && w->count != NULL)
        word_census_count(&w->census, &s->counted, w->count, scratch);
    mem_free(scratch);
    return e->code;
}

static void
counted_words_clear(struct counted_words *w)
{
    word_census_clear(&w->census);
    mem_free(w->count);
}

/* The kinds of words that the automaton of a set has: variants are those of motifs. */
static unsigned
present_kinds(const struct word_search_options *o)
{
    return o->kinds | (o->edits || o->windows ? WORD_MOTIF : 0);
}

static int
init_numbers(struct word_search *s, size_t strings, struct err *e)
{
    int rc = fisher_init(&s->fisher, strings, s->background.count, e);
    if (rc == 0)
        rc = word_numbers_init(s, e);
    return rc == 0 ? word_positions_init(s, e) : rc;
}

int
word_search_init(struct word_search *s, const struct word_search_options *o,
                 const struct string_range *background, size_t strings, struct err *e)
{
    struct string_range some = *background;
    *s = (struct word_search){.options = *o, .background = *background, .counted = *background};
    int rc = init_numbers(s, strings, e);
    some.count = strings < some.count ? strings : some.count;
    return rc == 0 && o->absent != 0 ? counted_words_init(&s->common, s, o->absent, &some, e) : rc;
}

void
word_search_clear(struct word_search *s)
{
    fisher_clear(&s->fisher);
    counted_words_clear(&s->common);
    mem_free(s->numbers);
    mem_free(s->histogram);
    mem_free(s->at);
    *s = (struct word_search){0};
}

/* Sets in_background of all candidates of one set.  A word that is in two strings, and the longest
 * of those that end at the same places of the set, is the longest also where more sets are
 * looked at; so the joint automaton has it as a candidate.  It is found where the set's text,
 * read by the joint automaton, comes to the end of the word, on the way to the shorter words. */
static int
look_up(const struct counted_words *j, const struct word_census *w, uint32_t *in_background,
        struct err *e)
{
    const struct suffix_automaton *all = &j->census.automaton, *own = &w->automaton;
    uint32_t *at = mem_array(own->size, sizeof *at, e), state = 0, matched = 0;
    bool inside = false;
    if (at == NULL)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < own->size; i++) {
        if (w->text[i] == own->symbols - 1)
            inside = !inside;
        if (w->text[i] == own->symbols - 1 && inside)
            state = matched = 0; /* a string begins */
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
search_present(struct pass p, const struct counted_words *j, const struct string_range *set,
               struct word_found *best, struct err *e)
{
    const struct word_search_options *o = &p.search->options;
    struct word_census census;
    int rc = word_census_init(&census, set, o->symbols, present_kinds(o), o->max_word, e);
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
    const struct counted_words *common = &p.search->common;
    uint32_t states = common->census.automaton.states;
    uint32_t *counts = mem_array(2 * (size_t)states, sizeof *counts, e);
    if (counts == NULL)
        return ERR_NOMEM;
    word_census_count(&common->census, set, counts, counts + states);
    p.census = &common->census;
    p.in_set = counts;
    p.in_background = common->count;
    p.absent = true;
    try_candidates(&p, best);
    mem_free(counts);
    return 0;
}

/* ---- sets */

/* All that is not a word anywhere. */
static int
search_rest(const struct pass *p, const struct string_range *set, struct word_found *best,
            struct err *e)
{
    int rc = word_numbers_try(p, set, best, e);
    if (rc == 0)
        rc = word_positions_try(p, set, best, e);
    return rc == 0 ? word_variants_try(p, set, best, e) : rc;
}

int
word_search_best(const struct word_search *s, const struct string_range *sets, size_t count,
                 const struct word_found *known, size_t known_count, struct word_found *best,
                 struct err *e)
{
    unsigned kinds = present_kinds(&s->options);
    struct counted_words j = {0};
    int rc = kinds != 0 ? counted_words_init(&j, s, kinds, sets, e) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        size_t strings = sets->count / count;
        struct string_range set = {sets->strings, sets->first + i * strings, strings};
        struct shortlist list = {0};
        struct pass p = {.search = s, .known = known, .known_count = known_count, .list = &list};
        best[i] = (struct word_found){.score = -INFINITY};
        if (kinds != 0)
            rc = search_present(p, &j, &set, &best[i], e);
        if (rc == 0 && s->options.absent != 0)
            rc = search_absent(p, &set, &best[i], e);
        if (rc == 0)
            rc = search_rest(&p, &set, &best[i], e);
    }
    counted_words_clear(&j);
    return rc;
}

int
word_search_init_divided(struct word_search *s, const struct word_search_options *o,
                         const struct string_range *all, const struct string_range *background,
                         size_t strings, struct err *e)
{
    unsigned kinds = present_kinds(o) | o->absent;
    *s = (struct word_search){
        .options = *o, .background = *background, .counted = *all, .divided = true};
    int rc = init_numbers(s, strings, e);
    return rc == 0 && kinds != 0 ? counted_words_init(&s->common, s, kinds, all, e) : rc;
}

/* Words of all strings; their counts in the background are what the set leaves. */
static int
search_words_divided(struct pass p, const struct string_range *set, struct word_found *best,
                     struct err *e)
{
    const struct counted_words *common = &p.search->common;
    uint32_t states = common->census.automaton.states;
    uint32_t *counts = mem_array(2 * (size_t)states, sizeof *counts, e);
    if (counts == NULL)
        return ERR_NOMEM;
    word_census_count(&common->census, set, counts, counts + states);
    for (uint32_t q = 1; q < states; q++)
        counts[states + q] = common->count[q] - counts[q];
    p.census = &common->census;
    p.in_set = counts;
    p.in_background = counts + states;
    try_candidates(&p, best);
    p.absent = true;
    if (p.search->options.absent != 0)
        try_candidates(&p, best);
    mem_free(counts);
    return 0;
}

int
word_search_best_divided(const struct word_search *s, const struct string_range *set,
                         const struct word_found *known, size_t known_count,
                         struct word_found *best, struct err *e)
{
    struct shortlist list = {0};
    struct pass p = {.search = s, .known = known, .known_count = known_count, .list = &list};
    int rc = 0;
    *best = (struct word_found){.score = -INFINITY};
    if (s->common.count != NULL)
        rc = search_words_divided(p, set, best, e);
    return rc == 0 ? search_rest(&p, set, best, e) : rc;
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
    if (w->absent || w->kind > WORD_SUFFIX ||
        (double)w->c * dm_log(s->options.symbols) <= dm_log(100))
        return;
    while (close_once(s, set, w))
        ;
    struct word word = word_found_word(w);
    w->b = word_count(&word, &s->background);
}

/* SPDX-License-Identifier: MIT
 * Words at a position, and variants of the best motifs: with edits, and in a window of positions.
 */
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "discover/word_search_internal.h"
#include "text/strings.h"

enum { EDITS_MAX = 2, POSITION_WORDS_MAX = 1024 };

/* ---- words at a position */

/* The table of all words of up to `longest` symbols: those of k symbols follow those of k - 1. */
struct position_words {
    unsigned symbols;
    size_t longest, words; /* words at one position */
};

static struct position_words
position_words(const struct word_search_options *o)
{
    struct position_words w = {.symbols = o->symbols};
    for (size_t size = o->symbols;
         size <= POSITION_WORDS_MAX && w.longest < o->max_word && w.longest < o->length;
         size *= o->symbols, w.longest++)
        w.words += size;
    return w;
}

/* In how many strings each word is at each position. */
static void
count_positions(const struct position_words *w, const struct string_range *in, size_t positions,
                uint32_t *count)
{
    memset(count, 0, positions * w->words * sizeof *count);
    for (size_t i = 0; i < in->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(in->strings, in->first + i, &length);
        for (size_t from = 0; from < length && from < positions; from++) {
            size_t code = 0, first = 0, size = 1;
            for (size_t k = 0; k < w->longest && from + k < length; k++) {
                code = code * w->symbols + x[from + k];
                count[from * w->words + first + code]++;
                size *= w->symbols;
                first += size;
            }
        }
    }
}

int
word_positions_init(struct word_search *s, struct err *e)
{
    const struct word_search_options *o = &s->options;
    struct position_words w = position_words(o);
    if (!o->positions || o->length == 0)
        return 0;
    s->at = mem_array(o->length * w.words, sizeof *s->at, e);
    if (s->at != NULL)
        count_positions(&w, &s->counted, o->length, s->at);
    return e->code;
}

/* The words of `length` symbols at position `from`, which the tables `c` and `b` begin with. */
static void
try_position(const struct pass *p, size_t from, size_t length, size_t size, const uint32_t *c,
             const uint32_t *b, struct word_found *best)
{
    const struct word_search_options *o = &p->search->options;
    double price = word_price(p->search, length) + dm_log((double)o->length);
    for (size_t code = 0; code < size; code++) {
        uint8_t symbols[WORD_SEARCH_LENGTH_MAX];
        if (c[code] < 2)
            continue;
        for (size_t i = length, rest = code; i-- > 0; rest /= o->symbols)
            symbols[i] = (uint8_t)(rest % o->symbols);
        struct word w = {WORD_WITHIN, symbols, length, from + 1, from + length};
        try_more(p, &w, c[code], b[code], price, best);
    }
}

int
word_positions_try(const struct pass *p, const struct string_range *set, struct word_found *best,
                   struct err *e)
{
    const struct word_search *s = p->search;
    size_t positions = s->options.length;
    struct position_words w = position_words(&s->options);
    if (s->at == NULL)
        return 0;
    uint32_t *count = mem_array(positions * w.words, sizeof *count, e);
    if (count == NULL)
        return e->code;
    count_positions(&w, set, positions, count);
    for (size_t from = 0; from < positions; from++) {
        size_t at = from * w.words, size = 1;
        for (size_t k = 1; k <= w.longest; k++) {
            size *= w.symbols;
            try_position(p, from, k, size, count + at, s->at + at, best);
            at += size;
        }
    }
    mem_free(count);
    return 0;
}

/* ---- windows */

/* Sets count[a][b] to the number of strings that have the word at one of the places a .. b, of
 * `places` in all: a string is counted where the first place from a on is at most b. */
static void
count_windows(const struct word *w, const struct string_range *in, size_t places, uint32_t *count)
{
    memset(count, 0, places * places * sizeof *count);
    for (size_t i = 0; i < in->count; i++) {
        size_t length, from = 0;
        const uint8_t *x = strings_get(in->strings, in->first + i, &length), *hit;
        while (from < places && from < length &&
               (hit = memmem(x + from, length - from, w->symbols, w->length)) != NULL) {
            size_t place = (size_t)(hit - x);
            for (; from <= place && place < places; from++)
                count[from * places + place]++;
            from = place + 1;
        }
    }
    for (size_t a = 0; a < places; a++)
        for (size_t b = a + 1; b < places; b++)
            count[a * places + b] += count[a * places + b - 1];
}

static int
try_windows(const struct pass *p, struct word w, const struct string_range *set,
            struct word_found *best, struct err *e)
{
    const struct word_search *s = p->search;
    size_t places = s->options.length - w.length + 1, cells = places * places;
    double price = word_price(s, w.length) + dm_log((double)places * (double)(places + 1) / 2);
    uint32_t *c = mem_array(2 * cells, sizeof *c, e);
    if (c == NULL)
        return ERR_NOMEM;
    count_windows(&w, set, places, c);
    count_windows(&w, &s->counted, places, c + cells);
    w.kind = WORD_WITHIN;
    for (size_t a = 0; a < places; a++)
        for (size_t b = a; b < places; b++) {
            w.number = a + 1;
            w.last = b + w.length;
            if (b - a + 1 < places) /* else it is the motif */
                try_more(p, &w, c[a * places + b], c[cells + a * places + b], price, best);
        }
    mem_free(c);
    return 0;
}

/* ---- edits */

static void
try_edits(const struct pass *p, struct word w, const struct string_range *set,
          struct word_found *best)
{
    w.kind = WORD_EDIT;
    for (w.number = 1; w.number <= EDITS_MAX && 3 * w.number < w.length; w.number++)
        try_more(p, &w, word_count(&w, set), word_count(&w, &p->search->counted),
                 word_price(p->search, w.length) + dm_log(EDITS_MAX), best);
}

int
word_variants_try(const struct pass *p, const struct string_range *set, struct word_found *best,
                  struct err *e)
{
    const struct word_search_options *o = &p->search->options;
    int rc = 0;
    for (size_t i = 0; rc == 0 && p->list != NULL && i < p->list->count; i++) {
        struct word w = word_found_word(&p->list->word[i]);
        if (o->edits && w.length <= WORD_EDIT_LENGTH_MAX)
            try_edits(p, w, set, best);
        if (o->windows && o->length > 0)
            rc = try_windows(p, w, set, best, e);
    }
    return rc;
}

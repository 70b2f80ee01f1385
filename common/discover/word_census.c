/* SPDX-License-Identifier: MIT */
#include "discover/word_census.h"

#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "text/strings.h"

/* ---- the automaton */

/* All strings, each with its anchors, one after the other. */
static int
write_text(struct word_census *w, const struct string_range *from, size_t size, unsigned symbols,
           struct err *e)
{
    uint8_t *to = w->text = mem_array(size, 1, e);
    if (to == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < from->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(from->strings, from->first + i, &length);
        *to++ = (uint8_t)symbols;
        memcpy(to, x, length);
        to += length;
        *to++ = (uint8_t)symbols;
    }
    return 0;
}

static int
build_automaton(struct word_census *w, const struct string_range *from, unsigned symbols,
                struct err *e)
{
    uint64_t size = 0;
    for (size_t i = 0; i < from->count; i++) {
        size_t length;
        strings_get(from->strings, from->first + i, &length);
        size += length + 2;
    }
    if (size >= (uint64_t)1 << 31)
        return err_set(e, ERR_LIMIT,
                       "strings have %llu symbols in total, too many for a search of words",
                       (unsigned long long)size);
    if (write_text(w, from, (size_t)size, symbols, e) != 0 ||
        suffix_automaton_begin(&w->automaton, (size_t)size, symbols + 1, e) != 0)
        return e->code;
    const uint8_t *at = w->text;
    for (size_t i = 0; i < from->count; i++) {
        size_t length;
        strings_get(from->strings, from->first + i, &length);
        suffix_automaton_add(&w->automaton, at, length + 2);
        at += length + 2;
    }
    return 0;
}

/* ---- candidates */

/* The length of the longest requested word of state q, 0 if there is none: words that are no
 * longer than the longest one of the link belong to the link. */
static uint32_t
candidate_length(const struct word_census *w, uint32_t q, unsigned kinds, size_t max_word)
{
    const struct suffix_automaton *a = &w->automaton;
    uint32_t length = a->length[q];
    const uint8_t *end = w->text + a->end[q];
    unsigned anchor = a->symbols - 1;
    bool suffix = end[-1] == anchor, prefix = end[-(ptrdiff_t)length] == anchor;
    if (length == 1 && suffix)
        return 0; /* the anchor */
    if (prefix && (suffix || (kinds & WORD_PREFIX) == 0 || length - 1 > max_word)) {
        length--;
        prefix = false;
    }
    if (!prefix && length - suffix > max_word)
        length = (uint32_t)max_word + suffix;
    unsigned kind = prefix ? WORD_PREFIX : suffix ? WORD_SUFFIX : WORD_MOTIF;
    if ((kinds & kind) == 0 || length <= (uint32_t)(prefix || suffix) ||
        length <= a->length[a->link[q]])
        return 0;
    return length;
}

int
word_census_init(struct word_census *w, const struct string_range *from, unsigned symbols,
                 unsigned kinds, size_t max_word, struct err *e)
{
    *w = (struct word_census){0};
    int rc = build_automaton(w, from, symbols, e);
    uint32_t states = w->automaton.states;
    if (rc == 0)
        w->length = mem_array(states, sizeof *w->length, e);
    if (w->length == NULL) {
        word_census_clear(w);
        return e->code;
    }
    w->length[0] = 0;
    for (uint32_t q = 1; q < states; q++)
        w->length[q] = candidate_length(w, q, kinds, max_word);
    return 0;
}

void
word_census_clear(struct word_census *w)
{
    suffix_automaton_clear(&w->automaton);
    mem_free(w->text);
    mem_free(w->length);
    *w = (struct word_census){0};
}

/* ---- counts */

/* Marks the candidates that end here, in a string that is numbered from 1: that of the state
 * if enough of it was matched, and those of all links.  If one was marked before, its links
 * were too. */
static void
mark(const struct word_census *w, uint32_t q, uint32_t matched, uint32_t string, uint32_t *count,
     uint32_t *seen)
{
    if (matched < w->length[q])
        q = w->automaton.link[q];
    for (; q != 0 && seen[q] != string; q = w->automaton.link[q]) {
        seen[q] = string;
        count[q]++;
    }
}

void
word_census_count(const struct word_census *w, const struct string_range *in, uint32_t *count,
                  uint32_t *scratch)
{
    const struct suffix_automaton *a = &w->automaton;
    uint8_t anchor = (uint8_t)(a->symbols - 1);
    memset(count, 0, a->states * sizeof *count);
    memset(scratch, 0, a->states * sizeof *scratch);
    for (size_t i = 0; i < in->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(in->strings, in->first + i, &length);
        uint32_t q = 0, matched = 0;
        suffix_automaton_step(a, &q, &matched, anchor);
        for (size_t t = 0; t <= length; t++) {
            suffix_automaton_step(a, &q, &matched, t < length ? x[t] : anchor);
            mark(w, q, matched, (uint32_t)i + 1, count, scratch);
        }
    }
}

struct word
word_census_word(const struct word_census *w, uint32_t state)
{
    const struct suffix_automaton *a = &w->automaton;
    const uint8_t *end = w->text + a->end[state], *start = end - w->length[state];
    struct word word = {.kind = WORD_MOTIF, .symbols = start};
    if (*start == a->symbols - 1) {
        word.kind = WORD_PREFIX;
        word.symbols++;
    } else if (end[-1] == a->symbols - 1) {
        word.kind = WORD_SUFFIX;
        end--;
    }
    word.length = (size_t)(end - word.symbols);
    return word;
}

/* ---- single words */

uint64_t
word_number(const struct word *w, const uint8_t *symbols, size_t length)
{
    uint64_t count = 0, members = 0;
    if (w->length == 0)
        return length;
    for (size_t i = 0; i < w->length; i++)
        members |= (uint64_t)1 << w->symbols[i];
    for (size_t t = 0; t < length; t++)
        count += members >> symbols[t] & 1;
    return count;
}

static bool
is_in_range(const struct word *w, uint64_t number)
{
    return w->kind == NUMBER_EQUAL     ? number == w->number
           : w->kind == NUMBER_AT_MOST ? number <= w->number
                                       : number >= w->number;
}

/* By the method of Wu and Manber: bit i of near[d] is set if the first i + 1 symbols of the word
 * are at most d edits away from the symbols just read. */
static bool
is_near(const struct word *w, const uint8_t *symbols, size_t length)
{
    uint64_t at[UINT8_MAX + 1] = {0}, near[WORD_EDIT_LENGTH_MAX + 1];
    uint64_t edits = w->number, whole = (uint64_t)1 << (w->length - 1);
    for (size_t i = 0; i < w->length; i++)
        at[w->symbols[i]] |= (uint64_t)1 << i;
    for (uint64_t d = 0; d <= edits; d++)
        near[d] = ((uint64_t)1 << d) - 1;
    for (size_t t = 0; t < length && (near[edits] & whole) == 0; t++) {
        uint64_t before = near[0];
        near[0] = (near[0] << 1 | 1) & at[symbols[t]];
        for (uint64_t d = 1; d <= edits; d++) {
            uint64_t now = near[d];
            near[d] = (now << 1 & at[symbols[t]]) | before | (before | near[d - 1]) << 1 | 1;
            before = now;
        }
    }
    return (near[edits] & whole) != 0;
}

int
word_in_string(const struct word *w, const uint8_t *symbols, size_t length)
{
    if (w->kind >= NUMBER_AT_LEAST)
        return is_in_range(w, word_number(w, symbols, length));
    if (w->kind == WORD_EDIT)
        return is_near(w, symbols, length);
    if (w->kind == WORD_WITHIN) {
        length = w->last < length ? (size_t)w->last : length;
        size_t before = w->number - 1 < length ? (size_t)(w->number - 1) : length;
        symbols += before;
        length -= before;
    }
    if (length < w->length)
        return 0;
    if (w->kind == WORD_PREFIX)
        return memcmp(symbols, w->symbols, w->length) == 0;
    if (w->kind == WORD_SUFFIX)
        return memcmp(symbols + length - w->length, w->symbols, w->length) == 0;
    return memmem(symbols, length, w->symbols, w->length) != NULL;
}

size_t
word_count(const struct word *w, const struct string_range *in)
{
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(in->strings, in->first + i, &length);
        count += (size_t)word_in_string(w, x, length);
    }
    return count;
}

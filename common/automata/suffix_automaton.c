/* SPDX-License-Identifier: MIT */
#include "automata/suffix_automaton.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

static uint32_t
add_state(struct suffix_automaton *s, uint32_t length, uint32_t end)
{
    uint32_t q = s->states++;
    for (unsigned a = 0; a < s->symbols; a++)
        s->next[(size_t)q * s->symbols + a] = SUFFIX_AUTOMATON_NONE;
    s->link[q] = 0;
    s->length[q] = length;
    s->end[q] = end;
    return q;
}

/* Splits off the factors of q that are no longer than length[p] + 1: after the new symbol
 * they end at one more place than the other factors of q. */
static uint32_t
split(struct suffix_automaton *s, uint32_t p, uint32_t q, uint8_t a)
{
    uint32_t copy = add_state(s, s->length[p] + 1, s->end[q]);
    memcpy(s->next + (size_t)copy * s->symbols, s->next + (size_t)q * s->symbols,
           s->symbols * sizeof *s->next);
    s->link[copy] = s->link[q];
    s->link[q] = copy;
    for (;; p = s->link[p]) {
        uint32_t *to = &s->next[(size_t)p * s->symbols + a];
        if (*to != q)
            break;
        *to = copy;
        if (p == 0)
            break;
    }
    return copy;
}

/* Appends a symbol to the word; `last` is the state of the whole word so far.  An earlier word may
 * have led there already. */
static uint32_t
extend(struct suffix_automaton *s, uint32_t last, uint8_t a)
{
    uint32_t p = last, known = s->next[(size_t)last * s->symbols + a];
    s->size++;
    if (known != SUFFIX_AUTOMATON_NONE)
        return s->length[known] == s->length[last] + 1 ? known : split(s, last, known, a);
    uint32_t whole = add_state(s, s->length[last] + 1, s->size);
    while (s->next[(size_t)p * s->symbols + a] == SUFFIX_AUTOMATON_NONE) {
        s->next[(size_t)p * s->symbols + a] = whole;
        if (p == 0)
            return whole;
        p = s->link[p];
    }
    uint32_t q = s->next[(size_t)p * s->symbols + a];
    s->link[whole] = s->length[q] == s->length[p] + 1 ? q : split(s, p, q, a);
    return whole;
}

int
suffix_automaton_begin(struct suffix_automaton *s, size_t most, unsigned symbols, struct err *e)
{
    memset(s, 0, sizeof *s);
    s->symbols = symbols;
    size_t states = 2 * most + 1;
    s->next = mem_array(states, symbols * sizeof *s->next, e);
    s->link = mem_array(states, sizeof *s->link, e);
    s->length = mem_array(states, sizeof *s->length, e);
    s->end = mem_array(states, sizeof *s->end, e);
    if (s->next == NULL || s->link == NULL || s->length == NULL || s->end == NULL) {
        suffix_automaton_clear(s);
        return ERR_NOMEM;
    }
    add_state(s, 0, 0);
    return 0;
}

void
suffix_automaton_add(struct suffix_automaton *s, const uint8_t *word, size_t m)
{
    uint32_t last = 0;
    for (size_t i = 0; i < m; i++)
        last = extend(s, last, word[i]);
}

int
suffix_automaton_init(struct suffix_automaton *s, const uint8_t *word, size_t m, unsigned symbols,
                      struct err *e)
{
    int rc = suffix_automaton_begin(s, m, symbols, e);
    if (rc == 0)
        suffix_automaton_add(s, word, m);
    return rc;
}

void
suffix_automaton_clear(struct suffix_automaton *s)
{
    mem_free(s->next);
    mem_free(s->link);
    mem_free(s->length);
    mem_free(s->end);
    memset(s, 0, sizeof *s);
}

void
suffix_automaton_step(const struct suffix_automaton *s, uint32_t *state, uint32_t *length,
                      uint8_t symbol)
{
    uint32_t q = *state;
    while (q != 0 && s->next[(size_t)q * s->symbols + symbol] == SUFFIX_AUTOMATON_NONE) {
        q = s->link[q];
        *length = s->length[q];
    }
    uint32_t to = s->next[(size_t)q * s->symbols + symbol];
    if (to == SUFFIX_AUTOMATON_NONE) {
        q = 0;
        *length = 0;
    } else {
        q = to;
        ++*length;
    }
    *state = q;
}

/* SPDX-License-Identifier: MIT */
#include "automata/match_counter.h"

#include <math.h>
#include <string.h>

#include "automata/dfa.h"
#include "automata/regex_dfa.h"
#include "core/err.h"
#include "core/mem.h"
#include "text/alphabet.h"

enum { ROWS_MAX = 1025, ENTRIES_MAX = 1 << 18 }; /* of `most` */

/* ---- the automaton ------------------------------------------------------------------- */

/* Represents `m` as a DFA that can be minimized: a state accepts if it has at_end, and an
 * arc that counts has a second arc beside it, in its own column. */
static int
encode(const struct regex_ends *r, struct dfa *d, struct err *e)
{
    unsigned k = r->dfa.symbols;
    size_t entries = (size_t)r->dfa.states * k;
    *d = (struct dfa){.symbols = 2 * k, .states = r->dfa.states};
    d->next = mem_array(2 * entries, sizeof *d->next, e);
    d->accept = mem_array(d->states, 1, e);
    if (d->next == NULL || d->accept == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < entries; i++) {
        uint32_t to = r->dfa.next[i], *row = d->next + i / k * d->symbols;
        row[i % k] = to;
        row[k + i % k] = r->dfa.accept[to] ? 0 : DFA_DEAD;
    }
    for (uint32_t q = 0; q < d->states; q++)
        d->accept[q] = r->at_end[q] && !r->dfa.accept[q];
    return dfa_minimize(d, e);
}

static int
decode(const struct dfa *d, struct match_counter *m, struct err *e)
{
    unsigned k = d->symbols / 2;
    size_t entries = (size_t)d->states * k;
    m->symbols = k;
    m->states = d->states;
    m->next = mem_array(entries, sizeof *m->next, e);
    m->found = mem_array(entries, 1, e);
    m->at_end = mem_array(d->states, 1, e);
    if (m->next == NULL || m->found == NULL || m->at_end == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < entries; i++) {
        const uint32_t *row = d->next + i / k * d->symbols;
        m->next[i] = row[i % k];
        m->found[i] = row[k + i % k] != DFA_DEAD;
    }
    memcpy(m->at_end, d->accept, d->states);
    return 0;
}

/* ---- what can follow ----------------------------------------------------------------- */

static int
find_escapes(struct match_counter *m, struct err *e)
{
    size_t entries = (size_t)m->states * m->symbols;
    struct dfa d = {.symbols = m->symbols, .states = m->states, .accept = m->at_end};
    d.next = mem_array(entries, sizeof *d.next, e);
    m->escape = mem_array(m->states, sizeof *m->escape, e);
    int rc = d.next == NULL || m->escape == NULL ? ERR_NOMEM : 0;
    for (size_t i = 0; rc == 0 && i < entries; i++)
        d.next[i] = m->found[i] ? DFA_DEAD : m->next[i];
    if (rc == 0)
        rc = dfa_distances(&d, 0, m->escape, e);
    mem_free(d.next);
    return rc;
}

/* Computes the row for one more symbol than `before`; returns whether they differ. */
static bool
find_row(const struct match_counter *m, const uint32_t *before, uint32_t *row, uint32_t *peak)
{
    bool differs = false;
    *peak = 0;
    for (uint32_t q = 0; q < m->states; q++) {
        uint32_t best = m->at_end[q];
        for (unsigned a = 0; before != NULL && a < m->symbols; a++) {
            size_t i = (size_t)q * m->symbols + a;
            uint32_t sum = m->found[i] + before[m->next[i]];
            best = sum > best ? sum : best;
        }
        row[q] = best;
        differs |= before == NULL || best != before[q];
        *peak = best > *peak ? best : *peak;
    }
    return differs;
}

static int
find_most(struct match_counter *m, struct err *e)
{
    size_t n = m->states, rows = ENTRIES_MAX / n;
    rows = rows < 2 ? 2 : rows > ROWS_MAX ? ROWS_MAX : rows;
    m->most = mem_array(rows * n, sizeof *m->most, e);
    m->peak = mem_array(rows, sizeof *m->peak, e);
    if (m->most == NULL || m->peak == NULL)
        return ERR_NOMEM;
    for (size_t r = 0; r < rows && !m->bounded; r++) {
        uint32_t *row = m->most + r * n;
        m->bounded = !find_row(m, r > 0 ? row - n : NULL, row, &m->peak[r]);
        m->rows = (uint32_t)r + 1;
    }
    return 0;
}

/* ---- */

int
match_counter_init(struct match_counter *m, const struct alphabet *a, const char *expression,
                   struct err *e)
{
    struct regex_ends ends;
    struct dfa d = {0};
    *m = (struct match_counter){0};
    int rc = regex_dfa_ends(&ends, a, expression, NULL, e);
    if (rc == 0)
        rc = encode(&ends, &d, e);
    if (rc == 0)
        rc = decode(&d, m, e);
    if (rc == 0)
        rc = find_escapes(m, e);
    if (rc == 0)
        rc = find_most(m, e);
    dfa_clear(&d);
    regex_ends_clear(&ends);
    return rc;
}

void
match_counter_clear(struct match_counter *m)
{
    mem_free(m->next);
    mem_free(m->found);
    mem_free(m->at_end);
    mem_free(m->escape);
    mem_free(m->most);
    mem_free(m->peak);
    *m = (struct match_counter){0};
}

uint32_t
match_counter_least(const struct match_counter *m, uint32_t state, uint64_t rest)
{
    return m->escape[state] == DFA_FAR || rest < m->escape[state];
}

/* For more symbols than the last row, r: a string of n r + t symbols adds at most the sum
 * over its parts. */
double
match_counter_most(const struct match_counter *m, uint32_t state, uint64_t rest)
{
    uint64_t r = m->rows - 1;
    if (rest <= r || m->bounded)
        return m->most[(rest < r ? rest : r) * m->states + state];
    if (rest == UINT64_MAX)
        return INFINITY;
    return m->most[r * m->states + state] + (double)((rest - r) / r) * m->peak[r] +
           m->peak[(rest - r) % r];
}

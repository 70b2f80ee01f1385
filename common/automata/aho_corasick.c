/* SPDX-License-Identifier: MIT */
#include "automata/aho_corasick.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

static uint32_t
add_row(struct ac *ac)
{
    uint32_t row = ac->rows++;
    memset(ac->next + (size_t)row * ac->symbols, 0, ac->symbols * sizeof *ac->next);
    ac->word[row] = AC_NONE;
    ac->less[row] = 0;
    return row;
}

int
ac_init(struct ac *ac, unsigned symbols, size_t total_length, struct err *e)
{
    size_t most = total_length + 1;
    memset(ac, 0, sizeof *ac);
    ac->symbols = symbols;
    if (most > (AC_HIT - 1) / symbols)
        return err_set(e, ERR_LIMIT, "the words have more than %zu characters together",
                       (size_t)(AC_HIT - 1) / symbols);
    ac->next = mem_array(most, symbols * sizeof *ac->next, e);
    ac->word = mem_array(most, sizeof *ac->word, e);
    ac->less = mem_array(most, sizeof *ac->less, e);
    if (ac->next == NULL || ac->word == NULL || ac->less == NULL)
        return ERR_NOMEM;
    add_row(ac);
    return 0;
}

void
ac_clear(struct ac *ac)
{
    mem_free(ac->next);
    mem_free(ac->word);
    mem_free(ac->less);
    memset(ac, 0, sizeof *ac);
}

/* Until ac_compile a target of 0 means that there is none. */
uint32_t
ac_add(struct ac *ac, const uint8_t *codes, size_t length, uint32_t number)
{
    uint32_t row = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t *to = &ac->next[(size_t)row * ac->symbols + codes[i]];
        if (*to == 0)
            *to = add_row(ac) * ac->symbols;
        row = *to / ac->symbols;
    }
    ac->word[row] = number;
    return row;
}

/* Completes one row, breadth first.  `back` is its longest proper suffix in the
 * trie, complete already: where the trie has no child the automaton goes on
 * from there, and a child's own suffix is where `back` goes. */
static void
complete_row(struct ac *ac, uint32_t row, uint32_t back, uint32_t *suffix, uint32_t *queue,
             uint32_t *queued)
{
    for (unsigned a = 0; a < ac->symbols; a++) {
        uint32_t *to = &ac->next[(size_t)row * ac->symbols + a];
        uint32_t from_back = row == 0 ? 0 : ac->next[(size_t)back * ac->symbols + a];
        if (*to == 0)
            *to = from_back;
        else {
            uint32_t child = *to / ac->symbols, shorter = from_back / ac->symbols;
            suffix[child] = shorter;
            ac->less[child] = ac->word[shorter] != AC_NONE ? shorter : ac->less[shorter];
            queue[(*queued)++] = child;
        }
    }
}

static void
mark_hits(struct ac *ac)
{
    for (size_t i = 0; i < (size_t)ac->rows * ac->symbols; i++) {
        uint32_t to = ac->next[i] / ac->symbols;
        if (ac->word[to] != AC_NONE || ac->less[to] != 0)
            ac->next[i] |= AC_HIT;
    }
}

int
ac_compile(struct ac *ac, struct err *e)
{
    uint32_t queued = 1;
    uint32_t *queue = mem_zero(ac->rows, sizeof *queue, e);
    uint32_t *suffix = mem_zero(ac->rows, sizeof *suffix, e);
    int rc = queue == NULL || suffix == NULL ? ERR_NOMEM : 0;
    for (uint32_t i = 0; rc == 0 && i < queued; i++)
        complete_row(ac, queue[i], suffix[queue[i]], suffix, queue, &queued);
    if (rc == 0)
        mark_hits(ac);
    mem_free(queue);
    mem_free(suffix);
    return rc;
}

/* SPDX-License-Identifier: MIT */
#include "automata/aho_corasick.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

static uint32_t
add_row(struct aho_corasick *ac)
{
    uint32_t row = ac->rows++;
    memset(ac->next + (size_t)row * ac->symbols, 0, ac->symbols * sizeof *ac->next);
    ac->word[row] = AHO_CORASICK_NONE;
    ac->output_link[row] = 0;
    return row;
}

int
aho_corasick_init(struct aho_corasick *ac, unsigned symbols, size_t total_length, struct err *e)
{
    size_t most = total_length + 1;
    memset(ac, 0, sizeof *ac);
    ac->symbols = symbols;
    if (most > (AHO_CORASICK_HIT - 1) / symbols)
        return err_set(e, ERR_LIMIT, "words have more than %zu characters in total",
                       (size_t)(AHO_CORASICK_HIT - 1) / symbols);
    ac->next = mem_array(most, symbols * sizeof *ac->next, e);
    ac->word = mem_array(most, sizeof *ac->word, e);
    ac->output_link = mem_array(most, sizeof *ac->output_link, e);
    if (ac->next == NULL || ac->word == NULL || ac->output_link == NULL)
        return ERR_NOMEM;
    add_row(ac);
    return 0;
}

void
aho_corasick_clear(struct aho_corasick *ac)
{
    mem_free(ac->next);
    mem_free(ac->word);
    mem_free(ac->output_link);
    memset(ac, 0, sizeof *ac);
}

/* Until aho_corasick_compile, a target of 0 means that there is no child. */
uint32_t
aho_corasick_add(struct aho_corasick *ac, const uint8_t *word, size_t length, uint32_t number)
{
    uint32_t row = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t *to = &ac->next[(size_t)row * ac->symbols + word[i]];
        if (*to == 0)
            *to = add_row(ac) * ac->symbols;
        row = *to / ac->symbols;
    }
    ac->word[row] = number;
    return row;
}

/* Completes one row, in breadth-first order.  `back` is its longest proper suffix in the
 * trie, already complete: where the trie has no child, the automaton continues as `back`
 * does, and the suffix of a child is the target of `back`. */
static void
complete_row(struct aho_corasick *ac, uint32_t row, uint32_t back, uint32_t *suffix,
             uint32_t *queue, uint32_t *queued)
{
    for (unsigned a = 0; a < ac->symbols; a++) {
        uint32_t *to = &ac->next[(size_t)row * ac->symbols + a];
        uint32_t from_back = row == 0 ? 0 : ac->next[(size_t)back * ac->symbols + a];
        if (*to == 0)
            *to = from_back;
        else {
            uint32_t child = *to / ac->symbols, shorter = from_back / ac->symbols;
            suffix[child] = shorter;
            ac->output_link[child] =
                ac->word[shorter] != AHO_CORASICK_NONE ? shorter : ac->output_link[shorter];
            queue[(*queued)++] = child;
        }
    }
}

static void
mark_hits(struct aho_corasick *ac)
{
    for (size_t i = 0; i < (size_t)ac->rows * ac->symbols; i++) {
        uint32_t to = ac->next[i] / ac->symbols;
        if (ac->word[to] != AHO_CORASICK_NONE || ac->output_link[to] != 0)
            ac->next[i] |= AHO_CORASICK_HIT;
    }
}

int
aho_corasick_compile(struct aho_corasick *ac, struct err *e)
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

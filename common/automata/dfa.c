/* SPDX-License-Identifier: MIT */
#include "automata/dfa.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"

void
dfa_clear(struct dfa *d)
{
    mem_free(d->next);
    mem_free(d->accept);
    *d = (struct dfa){0};
}

/* The partition of states into blocks: block b is member[begin[b] .. end[b]-1], of which the
 * first marked[b] are marked. */
struct refinement {
    const struct dfa *d;
    uint32_t blocks;
    uint32_t *member, *place, *block; /* [states]: place is the inverse of member */
    uint32_t *begin, *end, *marked;   /* [blocks] */
    uint32_t *source;                 /* states by (head, symbol) of their arcs */
    uint32_t *source_begin;           /* [states * symbols + 1] */
    uint32_t *touched;                /* blocks with marks */
    uint32_t *todo;                   /* blocks to split by, a stack */
    uint32_t touched_count, todo_count;
};

static int
new_refinement(struct refinement *p, const struct dfa *d, struct err *e)
{
    size_t n = d->states, entries = n * d->symbols;
    *p = (struct refinement){.d = d};
    uint32_t **const each[] = {&p->member, &p->place,  &p->block,   &p->begin,
                               &p->end,    &p->marked, &p->touched, &p->todo};
    bool failed = false;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        failed |= (*each[i] = mem_zero(n, sizeof **each[i], e)) == NULL;
    failed |= (p->source = mem_array(entries, sizeof *p->source, e)) == NULL;
    failed |= (p->source_begin = mem_zero(entries + 1, sizeof *p->source_begin, e)) == NULL;
    return failed ? ERR_NOMEM : 0;
}

static void
clear_refinement(struct refinement *p)
{
    uint32_t *const each[] = {p->member, p->place,   p->block, p->begin,  p->end,
                              p->marked, p->touched, p->todo,  p->source, p->source_begin};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        mem_free(each[i]);
}

/* Reverses the arcs, by counting. */
static void
invert_arcs(struct refinement *p)
{
    const struct dfa *d = p->d;
    unsigned k = d->symbols;
    size_t entries = (size_t)d->states * k;
    for (size_t i = 0; i < entries; i++)
        if (d->next[i] != DFA_DEAD)
            p->source_begin[(size_t)d->next[i] * k + i % k]++;
    uint32_t sum = 0;
    for (size_t i = 0; i <= entries; i++)
        sum += p->source_begin[i], p->source_begin[i] = sum;
    for (size_t i = entries; i-- > 0;)
        if (d->next[i] != DFA_DEAD)
            p->source[--p->source_begin[(size_t)d->next[i] * k + i % k]] = (uint32_t)(i / k);
}

static void
mark(struct refinement *p, uint32_t q)
{
    uint32_t b = p->block[q], front = p->begin[b] + p->marked[b];
    if (p->place[q] < front)
        return;
    if (p->marked[b]++ == 0)
        p->touched[p->touched_count++] = b;
    uint32_t other = p->member[front];
    p->member[p->place[q]] = other;
    p->place[other] = p->place[q];
    p->member[front] = q;
    p->place[q] = front;
}

/* Splits each touched block into marked and unmarked members.  The smaller part becomes a
 * new block and is pushed.  If the old block is still on the stack, both parts are; if it
 * has been used, the smaller part is sufficient. */
static void
split_touched(struct refinement *p)
{
    while (p->touched_count > 0) {
        uint32_t b = p->touched[--p->touched_count];
        uint32_t cut = p->begin[b] + p->marked[b], fresh = p->blocks;
        p->marked[b] = 0;
        if (cut == p->end[b])
            continue;
        if (cut - p->begin[b] <= p->end[b] - cut) {
            p->begin[fresh] = p->begin[b];
            p->end[fresh] = p->begin[b] = cut;
        } else {
            p->end[fresh] = p->end[b];
            p->begin[fresh] = p->end[b] = cut;
        }
        p->blocks++;
        for (uint32_t i = p->begin[fresh]; i < p->end[fresh]; i++)
            p->block[p->member[i]] = fresh;
        p->todo[p->todo_count++] = fresh;
    }
}

static void
split_by(struct refinement *p, uint32_t splitter, uint32_t *copy)
{
    uint32_t n = p->end[splitter] - p->begin[splitter];
    memcpy(copy, p->member + p->begin[splitter], n * sizeof *copy);
    for (unsigned c = 0; c < p->d->symbols; c++) {
        for (uint32_t i = 0; i < n; i++) {
            size_t to = (size_t)copy[i] * p->d->symbols + c;
            for (uint32_t a = p->source_begin[to]; a < p->source_begin[to + 1]; a++)
                mark(p, p->source[a]);
        }
        split_touched(p);
    }
}

static int
refine(struct refinement *p, struct err *e)
{
    const struct dfa *d = p->d;
    uint32_t *copy = mem_array(d->states, sizeof *copy, e);
    if (copy == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < d->states; q++)
        p->member[q] = p->place[q] = q;
    p->blocks = 1;
    p->end[0] = d->states;
    p->todo[p->todo_count++] = 0;
    for (uint32_t q = 0; q < d->states; q++)
        if (d->accept[q])
            mark(p, q);
    split_touched(p);
    while (p->todo_count > 0)
        split_by(p, p->todo[--p->todo_count], copy);
    mem_free(copy);
    return 0;
}

/* Replaces the machine by its blocks.  Blocks are numbered in the order in which they first
 * appear among the old states, which are in breadth-first order: the start stays 0. */
static int
merge_blocks(struct dfa *d, const struct refinement *p, struct err *e)
{
    uint32_t *number = mem_array(p->blocks, sizeof *number, e), merged = 0;
    if (number == NULL)
        return ERR_NOMEM;
    memset(number, 0xFF, p->blocks * sizeof *number);
    for (uint32_t q = 0; q < d->states; q++)
        if (number[p->block[q]] == UINT32_MAX)
            number[p->block[q]] = merged++;
    uint32_t done = 0;
    for (uint32_t q = 0; q < d->states; q++) {
        if (number[p->block[q]] != done) /* not the first of its block */
            continue;
        for (unsigned c = 0; c < d->symbols; c++) {
            uint32_t to = d->next[(size_t)q * d->symbols + c];
            d->next[(size_t)done * d->symbols + c] = to == DFA_DEAD ? to : number[p->block[to]];
        }
        d->accept[done++] = d->accept[q];
    }
    d->states = merged;
    mem_free(number);
    return 0;
}

int
dfa_minimize(struct dfa *d, struct err *e)
{
    struct refinement p;
    int rc = new_refinement(&p, d, e);
    if (rc == 0) {
        invert_arcs(&p);
        rc = refine(&p, e);
    }
    if (rc == 0)
        rc = merge_blocks(d, &p, e);
    clear_refinement(&p);
    return rc;
}

/* Breadth first along reversed arcs, from all wanted states at once. */
int
dfa_distances(const struct dfa *d, uint8_t wanted, uint32_t *distance, struct err *e)
{
    struct refinement p;
    int rc = new_refinement(&p, d, e);
    if (rc == 0)
        invert_arcs(&p);
    uint32_t *queue = p.todo, tail = 0;
    for (uint32_t q = 0; rc == 0 && q < d->states; q++) {
        distance[q] = d->accept[q] == wanted ? 0 : DFA_FAR;
        if (distance[q] == 0)
            queue[tail++] = q;
    }
    for (uint32_t head = 0; head < tail; head++) {
        size_t to = (size_t)queue[head] * d->symbols;
        for (uint32_t a = p.source_begin[to]; a < p.source_begin[to + d->symbols]; a++)
            if (distance[p.source[a]] == DFA_FAR) {
                distance[p.source[a]] = distance[queue[head]] + 1;
                queue[tail++] = p.source[a];
            }
    }
    clear_refinement(&p);
    return rc;
}

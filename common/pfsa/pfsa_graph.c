/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_graph.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"

/* Components are listed after those they lead to. */
static bool
can_finish(const struct pfsa_graph *s, const struct pfsa *p, uint32_t c)
{
    const struct scc *scc = &s->scc;
    for (uint32_t i = scc->begin[c]; i < scc->begin[c + 1]; i++) {
        uint32_t q = scc->member[i];
        if (p->final_logp[q] > -INFINITY)
            return true;
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (scc->of[p->next[a]] != c && s->can_finish[scc->of[p->next[a]]])
                return true;
    }
    return false;
}

static bool
can_come_back(const struct scc *scc, const struct pfsa *p, uint32_t c)
{
    if (scc->begin[c + 1] - scc->begin[c] > 1)
        return true;
    uint32_t q = scc->member[scc->begin[c]];
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (p->next[a] == q)
            return true;
    return false;
}

int
pfsa_graph_find(struct pfsa_graph *s, const struct pfsa *p, uint32_t start, struct err *e)
{
    *s = (struct pfsa_graph){0};
    if (scc_find(&s->scc, p->states, p->first, p->next, start, e) != 0)
        return ERR_NOMEM;
    s->cyclic = mem_array(s->scc.components, sizeof *s->cyclic, e);
    s->can_finish = mem_array(s->scc.components, sizeof *s->can_finish, e);
    if (s->cyclic == NULL || s->can_finish == NULL)
        return ERR_NOMEM;
    for (uint32_t c = 0; c < s->scc.components; c++) {
        s->cyclic[c] = can_come_back(&s->scc, p, c);
        s->can_finish[c] = can_finish(s, p, c);
    }
    return 0;
}

void
pfsa_graph_clear(struct pfsa_graph *s)
{
    scc_clear(&s->scc);
    mem_free(s->cyclic);
    mem_free(s->can_finish);
}

/* Breadth first from the start to the first final state, which exists. */
static int
find_shortest(struct pfsa *p, struct err *e)
{
    uint32_t *queue = mem_array(p->states, sizeof *queue, e);
    bool *seen = mem_zero(p->states, sizeof *seen, e);
    int rc = queue != NULL && seen != NULL ? 0 : ERR_NOMEM;
    uint32_t head = 0, tail = 0, level_end = 1;
    uint64_t length = 0;
    if (rc == 0) {
        queue[tail++] = 0;
        seen[0] = true;
    }
    while (head < tail && p->final_logp[queue[head]] == -INFINITY) {
        uint32_t q = queue[head++];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (!seen[p->next[a]]) {
                seen[p->next[a]] = true;
                queue[tail++] = p->next[a];
            }
        if (head == level_end) {
            level_end = tail;
            length++;
        }
    }
    p->model.min_length = length;
    mem_free(queue);
    mem_free(seen);
    return rc;
}

static int
find_longest(struct pfsa *p, struct err *e)
{
    uint32_t *longest = mem_array(p->states, sizeof *longest, e);
    if (longest == NULL)
        return ERR_NOMEM;
    for (uint32_t q = p->states; q-- > 0;) {
        longest[q] = 0;
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (longest[q] < longest[p->next[a]] + 1)
                longest[q] = longest[p->next[a]] + 1;
    }
    p->model.max_length = longest[0];
    mem_free(longest);
    return 0;
}

int
pfsa_graph_lengths(struct pfsa *p, struct err *e)
{
    int rc = find_shortest(p, e);
    p->model.max_length = MODEL_UNBOUNDED;
    return rc == 0 && p->acyclic ? find_longest(p, e) : rc;
}

/* One pending call of the recursive algorithm. */
struct frame {
    uint32_t state;
    uint32_t low; /* smallest discovery number seen from here that is on the stack */
    uint64_t arc; /* next arc to follow */
};

struct scc_search {
    struct scc *out;
    const uint64_t *first;
    const uint32_t *target;
    uint32_t *number; /* [states] discovery number from 1, 0 if not yet */
    uint32_t *stack;  /* states whose component is still open, by discovery */
    uint32_t open;    /* of them */
    uint32_t found;   /* discovery numbers given */
    struct frame *frame;
    size_t depth, capacity;
};

static int
enter(struct scc_search *s, uint32_t state, struct err *e)
{
    if (mem_reserve(&s->frame, &s->capacity, s->depth + 1, sizeof *s->frame, e) != 0)
        return ERR_NOMEM;
    s->number[state] = ++s->found;
    s->stack[s->open++] = state;
    s->frame[s->depth++] = (struct frame){state, s->number[state], s->first[state]};
    return 0;
}

/* The top frame's state is the first of its component: all states opened after it belong to
 * it. */
static void
close_component(struct scc_search *s, uint32_t root)
{
    struct scc *out = s->out;
    uint32_t from = s->open;
    while (s->stack[--from] != root)
        ;
    out->begin[out->components] = out->reached;
    for (uint32_t i = from; i < s->open; i++) {
        out->member[out->reached++] = s->stack[i];
        out->of[s->stack[i]] = out->components;
        out->place[s->stack[i]] = i - from;
    }
    out->begin[++out->components] = out->reached;
    s->open = from;
}

static void
leave(struct scc_search *s)
{
    struct frame top = s->frame[--s->depth];
    if (top.low == s->number[top.state])
        close_component(s, top.state);
    if (s->depth > 0 && s->frame[s->depth - 1].low > top.low)
        s->frame[s->depth - 1].low = top.low;
}

static int
walk(struct scc_search *s, uint32_t start, struct err *e)
{
    int rc = enter(s, start, e);
    while (rc == 0 && s->depth > 0) {
        struct frame *top = &s->frame[s->depth - 1];
        if (top->arc == s->first[top->state + 1]) {
            leave(s);
            continue;
        }
        uint32_t next = s->target[top->arc++];
        if (s->number[next] == 0)
            rc = enter(s, next, e);
        else if (s->out->of[next] == SCC_NONE && top->low > s->number[next])
            top->low = s->number[next];
    }
    return rc;
}

int
scc_find(struct scc *out, uint32_t states, const uint64_t *first, const uint32_t *target,
         uint32_t start, struct err *e)
{
    struct scc_search s = {.out = out, .first = first, .target = target};
    int rc = ERR_NOMEM;
    *out = (struct scc){0};
    out->member = mem_array(states, sizeof *out->member, e);
    out->begin = mem_array((size_t)states + 1, sizeof *out->begin, e);
    out->of = mem_array(states, sizeof *out->of, e);
    out->place = mem_array(states, sizeof *out->place, e);
    s.number = mem_zero(states, sizeof *s.number, e);
    s.stack = mem_array(states, sizeof *s.stack, e);
    if (out->member != NULL && out->begin != NULL && out->of != NULL && out->place != NULL &&
        s.number != NULL && s.stack != NULL) {
        memset(out->of, 0xFF, states * sizeof *out->of);
        rc = walk(&s, start, e);
    }
    mem_free(s.number);
    mem_free(s.stack);
    mem_free(s.frame);
    return rc;
}

void
scc_clear(struct scc *s)
{
    mem_free(s->member);
    mem_free(s->begin);
    mem_free(s->of);
    mem_free(s->place);
    *s = (struct scc){0};
}

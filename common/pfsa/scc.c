/* SPDX-License-Identifier: MIT */
#include "pfsa/scc.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"

/* One call of the recursive algorithm that has not returned yet. */
struct frame {
    uint32_t state;
    uint32_t low; /* least discovery number seen from here that is on the stack */
    uint64_t arc; /* next arc to follow */
};

struct search {
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
enter(struct search *s, uint32_t state, struct err *e)
{
    if (mem_reserve(&s->frame, &s->capacity, s->depth + 1, sizeof *s->frame, e) != 0)
        return ERR_NOMEM;
    s->number[state] = ++s->found;
    s->stack[s->open++] = state;
    s->frame[s->depth++] = (struct frame){state, s->number[state], s->first[state]};
    return 0;
}

/* The top frame's state is the first of its component: all that was opened
 * after it belongs to it. */
static void
close_component(struct search *s, uint32_t root)
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
leave(struct search *s)
{
    struct frame top = s->frame[--s->depth];
    if (top.low == s->number[top.state])
        close_component(s, top.state);
    if (s->depth > 0 && s->frame[s->depth - 1].low > top.low)
        s->frame[s->depth - 1].low = top.low;
}

static int
walk(struct search *s, uint32_t start, struct err *e)
{
    int status = enter(s, start, e);
    while (status == 0 && s->depth > 0) {
        struct frame *top = &s->frame[s->depth - 1];
        if (top->arc == s->first[top->state + 1]) {
            leave(s);
            continue;
        }
        uint32_t next = s->target[top->arc++];
        if (s->number[next] == 0)
            status = enter(s, next, e);
        else if (s->out->of[next] == SCC_NONE && top->low > s->number[next])
            top->low = s->number[next];
    }
    return status;
}

int
scc_find(struct scc *out, uint32_t states, const uint64_t *first, const uint32_t *target,
         uint32_t start, struct err *e)
{
    struct search s = {.out = out, .first = first, .target = target};
    int status = ERR_NOMEM;
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
        status = walk(&s, start, e);
    }
    mem_free(s.number);
    mem_free(s.stack);
    mem_free(s.frame);
    return status;
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

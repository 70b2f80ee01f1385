/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_graph.h"

#include <math.h>

#include "core/err.h"
#include "core/mem.h"
#include "pfsa/pfsa.h"

/* Components are listed after those they lead to. */
static bool
can_finish(const struct pfsa_shape *s, const struct pfsa *p, uint32_t c)
{
    const struct scc *scc = &s->scc;
    for (uint32_t i = scc->begin[c]; i < scc->begin[c + 1]; i++) {
        uint32_t q = scc->member[i];
        if (p->final_logp[q] > -INFINITY)
            return true;
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (scc->of[p->target[a]] != c && s->finishing[scc->of[p->target[a]]])
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
        if (p->target[a] == q)
            return true;
    return false;
}

int
pfsa_shape_find(struct pfsa_shape *s, const struct pfsa *p, uint32_t start, struct err *e)
{
    *s = (struct pfsa_shape){0};
    if (scc_find(&s->scc, p->states, p->first, p->target, start, e) != 0)
        return ERR_NOMEM;
    s->cyclic = mem_array(s->scc.components, sizeof *s->cyclic, e);
    s->finishing = mem_array(s->scc.components, sizeof *s->finishing, e);
    if (s->cyclic == NULL || s->finishing == NULL)
        return ERR_NOMEM;
    for (uint32_t c = 0; c < s->scc.components; c++) {
        s->cyclic[c] = can_come_back(&s->scc, p, c);
        s->finishing[c] = can_finish(s, p, c);
    }
    return 0;
}

void
pfsa_shape_clear(struct pfsa_shape *s)
{
    scc_clear(&s->scc);
    mem_free(s->cyclic);
    mem_free(s->finishing);
}

/* Breadth first from the start to the first final state; every state leads to one. */
static int
find_shortest(struct pfsa *p, struct err *e)
{
    uint32_t *queue = mem_array(p->states, sizeof *queue, e);
    bool *seen = mem_zero(p->states, sizeof *seen, e);
    int status = queue != NULL && seen != NULL ? 0 : ERR_NOMEM;
    uint32_t head = 0, tail = 0, level_end = 1;
    uint64_t length = 0;
    if (status == 0) {
        queue[tail++] = 0;
        seen[0] = true;
    }
    while (head < tail && p->final_logp[queue[head]] == -INFINITY) {
        uint32_t q = queue[head++];
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (!seen[p->target[a]]) {
                seen[p->target[a]] = true;
                queue[tail++] = p->target[a];
            }
        if (head == level_end) {
            level_end = tail;
            length++;
        }
    }
    p->model.min_length = length;
    mem_free(queue);
    mem_free(seen);
    return status;
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
            if (longest[q] < longest[p->target[a]] + 1)
                longest[q] = longest[p->target[a]] + 1;
    }
    p->model.max_length = longest[0];
    mem_free(longest);
    return 0;
}

int
pfsa_shape_lengths(struct pfsa *p, struct err *e)
{
    int status = find_shortest(p, e);
    p->model.max_length = MODEL_UNBOUNDED;
    return status == 0 && p->acyclic ? find_longest(p, e) : status;
}

/* SPDX-License-Identifier: MIT */
#include "automata/line_dfa.h"

#include <string.h>

#include "automata/dfa.h"
#include "core/err.h"
#include "core/mem.h"
#include "text/alphabet.h"

enum { PARTS = 4 };

int
line_dfa_init(struct line_dfa *l, const struct dfa *d, const struct alphabet *a, struct err *e)
{
    unsigned symbols = d->symbols, columns = symbols + 2;
    *l = (struct line_dfa){.line_feed = symbols + 1};
    l->next = mem_array(d->states, columns * sizeof *l->next, e);
    if (l->next == NULL)
        return ERR_NOMEM;
    for (uint32_t q = 0; q < d->states; q++) {
        uint32_t *row = l->next + (size_t)q * columns;
        for (unsigned s = 0; s < symbols; s++)
            row[s] = d->next[(size_t)q * symbols + s] * columns;
        row[symbols] = q * columns; /* CR */
        row[symbols + 1] = d->accept[q];
    }
    for (unsigned c = 0; c < 256; c++)
        l->column[c] = a->symbol[c] < symbols ? a->symbol[c] : (uint8_t)symbols;
    l->column['\n'] = (uint8_t)(symbols + 1);
    return 0;
}

void
line_dfa_clear(struct line_dfa *l)
{
    mem_free(l->next);
    l->next = NULL;
}

/* A stretch of the text, and the state of the automaton at its place. */
struct stretch {
    const unsigned char *at, *end;
    uint32_t state;
};

/* One byte; returns whether it ends a line that is accepted. */
static inline uint32_t
step(const struct line_dfa *l, struct stretch *p)
{
    unsigned c = l->column[*p->at++];
    uint32_t next = l->next[p->state + c];
    p->state = c == l->line_feed ? 0 : next;
    return c == l->line_feed ? next : 0;
}

/* Cuts a text into parts of about equal size at the ends of lines. */
static void
cut(const char *text, size_t size, struct stretch *part)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    for (int i = 0; i < PARTS; i++) {
        const unsigned char *until = at + (size_t)(end - at) / (size_t)(PARTS - i);
        const unsigned char *feed = until < end ? memchr(until, '\n', (size_t)(end - until)) : NULL;
        part[i] = (struct stretch){at, feed != NULL ? feed + 1 : end, 0};
        at = part[i].end;
    }
}

uint64_t
line_dfa_count(const struct line_dfa *l, const char *text, size_t size)
{
    struct stretch part[PARTS];
    uint64_t found = 0;
    size_t together = SIZE_MAX;
    cut(text, size, part);
    for (int i = 0; i < PARTS; i++) {
        size_t length = (size_t)(part[i].end - part[i].at);
        together = length < together ? length : together;
    }
    struct stretch a = part[0], b = part[1], c = part[2], d = part[3];
    for (size_t i = 0; i < together; i++)
        found += step(l, &a) + step(l, &b) + step(l, &c) + step(l, &d);
    struct stretch *const rest[PARTS] = {&a, &b, &c, &d};
    for (int i = 0; i < PARTS; i++)
        while (rest[i]->at < rest[i]->end)
            found += step(l, rest[i]);
    return found;
}

/* SPDX-License-Identifier: MIT */
#include "text/bag.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"

void
bag_clear(struct bag *b)
{
    mem_free(b->codes);
    mem_free(b->start);
    mem_free(b->string);
    *b = (struct bag){0};
}

void
bag_reset(struct bag *b)
{
    b->kinds = b->strings = 0;
}

static size_t
codes_used(const struct bag *b)
{
    return b->kinds > 0 ? b->start[b->kinds] : 0;
}

static int
make_room(struct bag *b, size_t length, uint64_t count, struct err *e)
{
    if (count > UINT32_MAX - b->strings || b->kinds == UINT32_MAX)
        return err_set(e, ERR_LIMIT, "more than 2^32 strings in one round");
    if (mem_reserve(&b->codes, &b->codes_room, codes_used(b) + length, 1, e) != 0 ||
        mem_reserve(&b->start, &b->start_room, b->kinds + 2, sizeof *b->start, e) != 0)
        return ERR_NOMEM;
    return mem_reserve(&b->string, &b->string_room, b->strings + count, sizeof *b->string, e);
}

int
bag_add(struct bag *b, const uint8_t *codes, size_t length, uint64_t count, struct err *e)
{
    int rc = make_room(b, length, count, e);
    if (rc != 0)
        return rc;
    size_t from = codes_used(b);
    memcpy(b->codes + from, codes, length);
    b->start[b->kinds] = from;
    b->start[b->kinds + 1] = from + length;
    for (uint64_t i = 0; i < count; i++)
        b->string[b->strings++] = (uint32_t)b->kinds;
    b->kinds++;
    return 0;
}

void
bag_shuffle(struct bag *b, struct rng *r)
{
    for (size_t i = b->strings; i > 1; i--) {
        size_t j = rng_below(r, i);
        uint32_t kind = b->string[j];
        b->string[j] = b->string[i - 1];
        b->string[i - 1] = kind;
    }
}

/* Shuffled strings lie anywhere in memory: asks early for those that come
 * next.  That is a quarter of the time of drawing short strings. */
static void
look_ahead(const struct bag *b, size_t i)
{
    enum { NEAR = 16, FAR = 32 };
    if (i + FAR >= b->strings)
        return;
    __builtin_prefetch(&b->start[b->string[i + FAR]]);
    __builtin_prefetch(&b->codes[b->start[b->string[i + NEAR]]]);
}

const uint8_t *
bag_get(const struct bag *b, size_t i, size_t *length)
{
    look_ahead(b, i);
    uint32_t kind = b->string[i];
    *length = b->start[kind + 1] - b->start[kind];
    return b->codes + b->start[kind];
}

uint64_t
bag_symbols(const struct bag *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->strings; i++)
        sum += b->start[b->string[i] + 1] - b->start[b->string[i]];
    return sum;
}

/* SPDX-License-Identifier: MIT
 * Random growth and death of paths against plain strings. */
#include "text/prefix_store.h"

#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { LIVE = 50, LONGEST = 200 };

struct copy {
    uint32_t path;
    size_t length;
    uint8_t symbols[LONGEST];
};

static bool
same(const struct prefix_store *s, const struct copy *c)
{
    uint8_t symbols[LONGEST];
    prefix_copy(s, c->path, symbols, c->length);
    return memcmp(symbols, c->symbols, c->length) == 0;
}

/* Extends the path in one slot: into another slot, whose path is released, or in place. */
static void
grow(struct prefix_store *s, struct copy *from, struct copy *to, uint8_t symbol, bool *fine)
{
    if (from->length == LONGEST) {
        prefix_release(s, from->path);
        *from = (struct copy){0};
    }
    uint32_t old = to->path;
    if (from == to) {
        *fine &= prefix_append(s, &to->path, symbol, IGNORE_ERR) == 0;
    } else {
        uint32_t child;
        *fine &= prefix_extend(s, from->path, symbol, &child, IGNORE_ERR) == 0;
        *to = *from;
        to->path = child;
        prefix_release(s, old);
    }
    to->symbols[to->length++] = symbol;
}

/* The store claims to hold a gigabyte of nodes of 16 bytes: the next one is refused before
 * any memory is allocated. */
static void
test_limit(void)
{
    struct prefix_store full = {.used = 1u << 26};
    struct err e = {0};
    uint32_t path;
    ok(prefix_extend(&full, PREFIX_EMPTY, 1, &path, &e) == ERR_LIMIT && full.node == NULL, "%s",
       e.text);
}

int
main(void)
{
    static struct copy live[LIVE];
    struct prefix_store s = {0};
    struct rng r;
    bool fine = true;
    rng_init(&r, 1, "test_path", 0);
    for (int i = 0; i < 200000; i++) {
        struct copy *from = &live[rng_below(&r, LIVE)];
        struct copy *to = rng_below(&r, 4) > 0 ? from : &live[rng_below(&r, LIVE)];
        grow(&s, from, to, (uint8_t)rng_below(&r, 4), &fine);
        fine &= same(&s, to) && same(&s, &live[i % LIVE]);
    }
    ok(fine, "paths hold their symbols while others come and go");
    ok(s.used < LIVE * LONGEST, "nodes are used again: %u", (unsigned)s.used);
    for (int i = 0; i < LIVE; i++)
        prefix_release(&s, live[i].path);
    uint32_t used = s.used, path, last = PREFIX_EMPTY;
    for (uint32_t i = 0; i < used; i++, last = path)
        prefix_extend(&s, last, 1, &path, IGNORE_ERR);
    ok(s.used == used, "all nodes are free when all paths are dropped");
    prefix_store_clear(&s);
    test_limit();
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * What goes in comes out, in every order equally often (false alarms: 1e-6). */
#include "text/bag.h"

#include <string.h>

#include "core/err.h"
#include "core/rng.h"
#include "support/chisq.h"
#include "support/tap.h"

static void
test_contents(void)
{
    struct bag b = {0};
    unsigned seen[4] = {0};
    struct rng r;
    rng_init(&r, 1, "test_bag", 0);
    for (int round = 0; round < 2; round++) {
        bag_reset(&b);
        for (uint8_t n = 0; n < 4; n++)
            bag_add(&b, (const uint8_t[]){n, n, n}, n, 100u * n + 1, NULL);
        bag_shuffle(&b, &r);
        ok(b.strings == 604, "all copies are there");
        ok(bag_symbols(&b) == 101 + 2 * 201 + 3 * 301, "and all symbols");
    }
    int wrong = 0;
    for (size_t i = 0; i < b.strings; i++) {
        size_t length;
        const uint8_t *codes = bag_get(&b, i, &length);
        seen[length]++;
        for (size_t k = 0; k < length; k++)
            wrong += codes[k] != length;
    }
    ok(!wrong && seen[0] == 1 && seen[1] == 101 && seen[2] == 201 && seen[3] == 301, "each kind");
    ok(bag_add(&b, NULL, 0, UINT32_MAX, NULL) == ERR_LIMIT, "too many strings are refused");
    bag_clear(&b);
    bag_shuffle(&b, &r);
    ok(b.strings == 0 && bag_symbols(&b) == 0, "an empty bag");
}

/* The 24 orders of four strings. */
static void
test_order(void)
{
    enum { ROUNDS = 48000 };
    static uint64_t seen[256];
    static double expected[256];
    struct bag b = {0};
    struct rng r;
    rng_init(&r, 2, "test_bag", 0);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned order = 0;
        bag_reset(&b);
        for (uint8_t n = 0; n < 4; n++)
            bag_add(&b, &n, 1, 1, NULL);
        bag_shuffle(&b, &r);
        for (size_t k = 0; k < 4; k++) {
            size_t length;
            order = order * 4 + *bag_get(&b, k, &length);
        }
        seen[order]++;
    }
    for (unsigned order = 0; order < 256; order++) {
        unsigned present = 0;
        for (unsigned k = 0; k < 4; k++)
            present |= 1u << (order >> 2 * k & 3);
        expected[order] = present == 15 ? 1.0 / 24 : 0;
    }
    ok(chisq_passes(seen, expected, 256, ROUNDS), "every order is equally likely");
    bag_clear(&b);
}

int
main(void)
{
    test_contents();
    test_order();
    return tap_done();
}

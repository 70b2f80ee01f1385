/* SPDX-License-Identifier: MIT
 * least: against a search through all keys. */
#include "core/bucket_queue.h"
#include "core/rng.h"
#include "support/tap.h"

enum { N = 40, KEYS = 25, OUT = -1 };

static int
least_of(const int *key)
{
    int least = KEYS;
    for (int i = 0; i < N; i++)
        if (key[i] != OUT && key[i] < least)
            least = key[i];
    return least;
}

static void
test_random(void)
{
    int key[N], wrong = 0;
    struct rng r;
    struct least *l = least_new(N, KEYS, NULL);
    rng_init(&r, 1, "test_least", 0);
    for (int i = 0; i < N; i++)
        key[i] = OUT;
    for (int turn = 0; turn < 10000; turn++) {
        uint32_t item = (uint32_t)rng_below(&r, N);
        uint64_t k = rng_below(&r, 2 * KEYS);
        if (rng_below(&r, 2) == 0) {
            least_set(l, item, k);
            key[item] = k < KEYS ? (int)k : KEYS - 1;
            continue;
        }
        int least = least_of(key);
        item = least_take(l);
        wrong += (item == LEAST_NONE) != (least == KEYS);
        wrong += item != LEAST_NONE && key[item] != least;
        if (item != LEAST_NONE)
            key[item] = OUT;
    }
    ok(wrong == 0, "the least key is found while keys change");
    least_free(l);
}

static void
test_ties(void)
{
    struct least *l = least_new(3, 2, NULL);
    for (uint32_t i = 0; i < 3; i++)
        least_set(l, i, 1);
    least_set(l, 1, 1);
    uint32_t first = least_take(l), second = least_take(l), third = least_take(l);
    ok(first == 1 && second == 2 && third == 0, "of equal ones, the last that was set comes first");
    ok(least_take(l) == LEAST_NONE, "then none is left");
    least_free(l);
}

int
main(void)
{
    test_random();
    test_ties();
    return tap_done();
}

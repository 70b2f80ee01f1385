/* SPDX-License-Identifier: MIT
 * least: against a search through all keys. */
#include "core/bucket_queue.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { N = 40, KEYS = 25, OUT = -1 };

static int
bucket_queue_of(const int *key)
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
    struct bucket_queue *l = bucket_queue_new(N, KEYS, IGNORE_ERR);
    rng_init(&r, 1, "test_least", 0);
    for (int i = 0; i < N; i++)
        key[i] = OUT;
    for (int turn = 0; turn < 10000; turn++) {
        uint32_t item = (uint32_t)rng_below(&r, N);
        uint64_t k = rng_below(&r, 2 * KEYS);
        if (rng_below(&r, 2) == 0) {
            bucket_queue_put(l, item, k);
            key[item] = k < KEYS ? (int)k : KEYS - 1;
            continue;
        }
        int least = bucket_queue_of(key);
        item = bucket_queue_pop(l);
        wrong += (item == BUCKET_QUEUE_NONE) != (least == KEYS);
        wrong += item != BUCKET_QUEUE_NONE && key[item] != least;
        if (item != BUCKET_QUEUE_NONE)
            key[item] = OUT;
    }
    ok(wrong == 0, "the least key is found while keys change");
    bucket_queue_free(l);
}

static void
test_ties(void)
{
    struct bucket_queue *l = bucket_queue_new(3, 2, IGNORE_ERR);
    for (uint32_t i = 0; i < 3; i++)
        bucket_queue_put(l, i, 1);
    bucket_queue_put(l, 1, 1);
    uint32_t first = bucket_queue_pop(l), second = bucket_queue_pop(l), third = bucket_queue_pop(l);
    ok(first == 1 && second == 2 && third == 0, "of equal ones, the last that was set comes first");
    ok(bucket_queue_pop(l) == BUCKET_QUEUE_NONE, "then none is left");
    bucket_queue_free(l);
}

int
main(void)
{
    test_random();
    test_ties();
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * wide: 128-bit arithmetic against __int128 where the compiler has it, and against known
 * results where it has not. */
#include "core/wide.h"

#include <stdbool.h>

#include "core/rng.h"
#include "support/tap.h"

static bool
same(struct wide a, uint64_t high, uint64_t low)
{
    return a.high == high && a.low == low;
}

static void
test_known(void)
{
    const uint64_t max = UINT64_MAX;
    ok(same(wide_product_by_halves(max, max), max - 1, 1), "(2^64 - 1)^2 by halves");
    ok(same(wide_product(max, max), max - 1, 1), "(2^64 - 1)^2");
    ok(same(wide_product_by_halves(UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210)),
            UINT64_C(0x121fa00ad77d7422), UINT64_C(0x236d88fe5618cf00)),
       "a product with carries between all halves");
    ok(same(wide_add((struct wide){1, max}, (struct wide){2, 1}), 4, 0), "a sum that carries");
    ok(same(wide_subtract((struct wide){4, 0}, (struct wide){2, 1}), 1, max),
       "a difference that borrows");
    ok(same(wide_scale((struct wide){3, max}, 5), 19, max - 4), "a multiple that carries");
    ok(wide_double((struct wide){0, max}) == 0x1p64 && wide_double((struct wide){1, 0}) == 0x1p64,
       "2^64, rounded up and exact");
    ok(wide_double((struct wide){UINT64_C(1) << 52, UINT64_C(1) << 63}) == 0x1p116,
       "halfway: the even one");
    ok(wide_double((struct wide){UINT64_C(1) << 52, (UINT64_C(1) << 63) + 1}) == 0x1p116 + 0x1p64,
       "a last bit that decides");
    ok(wide_double((struct wide){max, max}) == 0x1p128, "the largest");
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 native;

static native
whole(struct wide a)
{
    return (native)a.high << 64 | a.low;
}

/* Numbers of all sizes, so that carries and roundings of every kind occur. */
static struct wide
draw(struct rng *r)
{
    struct wide a = {rng_u64(r), rng_u64(r)};
    unsigned bits = (unsigned)rng_below(r, 129);
    native mask = bits == 128 ? ~(native)0 : ((native)1 << bits) - 1;
    return (struct wide){a.high & (uint64_t)(mask >> 64), a.low & (uint64_t)mask};
}

static void
test_native(void)
{
    struct rng r;
    int wrong[5] = {0};
    rng_init(&r, 1, "test_wide", 0);
    for (int i = 0; i < 100000; i++) {
        struct wide a = draw(&r), b = draw(&r);
        native x = whole(a), y = whole(b);
        wrong[0] += whole(wide_product_by_halves(a.low, b.low)) != (native)a.low * b.low;
        wrong[1] += whole(wide_add(a, b)) != x + y;
        wrong[2] += whole(wide_subtract(a, b)) != x - y;
        wrong[3] += whole(wide_scale(a, b.low)) != x * b.low;
        wrong[4] += wide_double(a) != (double)x;
    }
    ok(wrong[0] == 0, "products by halves are those of the compiler");
    ok(wrong[1] == 0 && wrong[2] == 0 && wrong[3] == 0, "so are sums, differences, multiples");
    ok(wrong[4] == 0, "and doubles");
}
#else
static void
test_native(void)
{
    tap_skip("the same as __int128", "this compiler has none");
}
#endif

int
main(void)
{
    test_known();
    test_native();
    return tap_done();
}

/* SPDX-License-Identifier: MIT */
#include "core/intern.h"

#include <stdbool.h>

#include "core/err.h"
#include "support/ignore.h"
#include "support/tap.h"

/* A record that is different for each i: multiplication by an odd number and
 * a shift are bijections. */
static uint64_t
record(uint32_t i)
{
    uint64_t x = (i + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 31;
}

/* So many that some, about five, have the same 32-bit hash as another. */
static void
test_many(void)
{
    enum { MANY = 200000 };
    struct intern *t = intern_new(sizeof(uint64_t), MANY, IGNORE_ERR);
    bool fine = true;
    uint32_t number;
    struct err e = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        uint64_t x = record(i);
        fine &= intern_find(t, &x) == INTERN_NONE;
        fine &= intern_add(t, &x, &number, IGNORE_ERR) == 0 && number == i;
    }
    ok(fine && intern_count(t) == MANY, "new records are numbered in order");
    fine = true;
    for (uint32_t i = 0; i < MANY; i++) {
        uint64_t x = record(i);
        fine &=
            intern_add(t, &x, &number, IGNORE_ERR) == 0 && number == i && intern_find(t, &x) == i;
        fine &= *(const uint64_t *)intern_get(t, i) == x;
    }
    ok(fine && intern_count(t) == MANY, "known ones keep their number");
    uint64_t more = record(MANY);
    ok(intern_add(t, &more, &number, &e) == ERR_LIMIT, "%s", e.text);
    ok(intern_find(t, &more) == INTERN_NONE && intern_count(t) == MANY, "which leaves it out");
    intern_free(t);
}

static void
test_nothing(void)
{
    struct intern *t = intern_new(0, 2, IGNORE_ERR);
    uint32_t a = 9, b = 9;
    ok(intern_find(t, "") == INTERN_NONE, "an empty record that never came");
    ok(intern_add(t, "", &a, IGNORE_ERR) == 0 && intern_add(t, "", &b, IGNORE_ERR) == 0 && a == 0 &&
           b == 0,
       "all empty records are equal");
    intern_free(t);
}

int
main(void)
{
    test_many();
    test_nothing();
    return tap_done();
}

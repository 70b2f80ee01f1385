/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/num.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

static int
u64(const char *s, uint64_t lo, uint64_t hi)
{
    uint64_t v;
    return num_parse_u64(s, lo, hi, &v, IGNORE_ERR);
}

static int
f64(const char *s)
{
    double v;
    return num_parse_f64(s, -1e308, 1e308, &v, IGNORE_ERR);
}

static void
test_integers(void)
{
    static const char *const bad[] = {
        "", " 1", "1 ", "+1", "-1", "0x10", "1e3", "1.", "a", "1k", "18446744073709551616"};
    uint64_t v = 0;
    ok(num_parse_u64("18446744073709551615", 0, UINT64_MAX, &v, IGNORE_ERR) == 0 && v == UINT64_MAX,
       "the largest integer");
    ok(num_parse_u64("007", 0, 10, &v, IGNORE_ERR) == 0 && v == 7, "leading zeros");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ok(u64(bad[i], 0, UINT64_MAX) == ERR_USAGE, "'%s' is no integer", bad[i]);
    ok(u64("4", 5, 9) != 0 && u64("10", 5, 9) != 0 && u64("5", 5, 9) == 0, "the range is kept");
    struct err e = {0};
    ok(num_parse_u64("18446744073709551616", 0, UINT64_MAX, &v, &e) != 0 &&
           strcmp(e.text, "'18446744073709551616' is not a whole number from 0 to "
                          "18446744073709551615") == 0,
       "and the text says why");
    struct err e2 = {0};
    ok(num_parse_u64("99", 1, 9, &v, &e2) != 0 &&
           strcmp(e2.text, "'99' is not a whole number from 1 to 9") == 0,
       "with the range");
}

static void
test_reals(void)
{
    static const char *const bad[] = {"",      " 1",  "1 ",  "nan", "inf",   "infinity", "0x1p3",
                                      "1e999", "1e-", "--1", ".",   "1.2.3", "e5",       "1,5"};
    static const char *const good[] = {"0", "-1", "+1", ".5", "5.", "1e-3", "1E+3", "1e-400"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ok(f64(bad[i]) == ERR_USAGE, "'%s' is no number", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        ok(f64(good[i]) == 0, "'%s' is a number", good[i]);
    double v;
    struct err e = {0};
    ok(num_parse_f64("1.5", 0, 1, &v, &e) == ERR_USAGE &&
           strcmp(e.text, "'1.5' is not in the range 0 to 1") == 0,
       "the range is kept and stated");
    ok(num_parse_f64_inf("-inf", &v, IGNORE_ERR) == 0 && v == -INFINITY,
       "-inf where it is welcome");
    ok(num_parse_f64_inf("2.5", &v, IGNORE_ERR) == 0 && v == 2.5, "and an ordinary number");
    ok(num_parse_f64_inf("nan", &v, IGNORE_ERR) == ERR_USAGE, "but no NaN");
}

static void
test_text(void)
{
    char buf[NUM_TEXT_MAX];
    struct rng r;
    int wrong = 0;
    rng_init(&r, 1, "test_num", 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = rng_u64(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            wrong += strtod(num_text(x, buf), NULL) != x;
    }
    ok(wrong == 0, "printed numbers read back as the same bits");
    ok(strcmp(num_text(0.1, buf), "0.1") == 0, "the shortest form is chosen");
    ok(strcmp(num_text(1113640, buf), "1113640") == 0, "whole numbers stay whole");
    ok(strcmp(num_text(-INFINITY, buf), "-inf") == 0, "infinity");
    ok(strcmp(num_text(NAN, buf), "nan") == 0, "not a number");
}

int
main(void)
{
    test_integers();
    test_reals();
    test_text();
    return tap_done();
}

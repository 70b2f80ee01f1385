/* SPDX-License-Identifier: MIT
 *
 * tap: the Test Anything Protocol for C unit tests; prove(1) reads it.
 *
 *     int main(void) { ok(1 + 1 == 2, "sums"); return tap_done(); }
 */
#ifndef GAMUT_TAP_H
#define GAMUT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_tests, tap_failed;

/* One test: prints "ok N - name" or "not ok N - name" and the place. */
#define ok(condition, ...) tap_ok((condition) ? 1 : 0, #condition, __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static inline int
tap_ok(int passed, const char *condition, const char *file, int line, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    printf("%sok %d - ", passed ? "" : "not ", ++tap_tests);
    vprintf(format, ap);
    printf("\n");
    va_end(ap);
    if (!passed) {
        tap_failed++;
        printf("#   failed: %s (%s:%d)\n", condition, file, line);
    }
    fflush(stdout);
    return passed;
}

/* A test that does not apply here, and why; it counts as passed. */
static inline void
tap_skip(const char *name, const char *reason)
{
    printf("ok %d - %s # SKIP %s\n", ++tap_tests, name, reason);
    fflush(stdout);
}

/* Whether long double has more bits than double; under valgrind it has not. */
static inline bool
tap_extended(void)
{
    long double volatile sum = 1;
    sum += 1e-18L;
    return sum != 1;
}

/* The plan, last; the exit status of main. */
static inline int
tap_done(void)
{
    printf("1..%d\n", tap_tests);
    return tap_failed != 0;
}

#endif

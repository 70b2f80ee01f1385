/* SPDX-License-Identifier: MIT
 *
 * seconds: a monotonic clock, for rates and reports.
 *
 * Tested by tests/unit/test_training.c.
 */
#ifndef GAMUT_SECONDS_H
#define GAMUT_SECONDS_H

#include <time.h>

/* Seconds since a fixed moment, which changes only when the machine restarts. */
static inline double
seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * progress: one line on stderr that says how far, how fast, how long still.
 *
 * Redrawn at most ten times a second, cleared at the end.  Nothing is written
 * unless it is switched on; by default that is when stderr is a terminal and
 * this process is in its foreground.
 *
 * Tested by tests/unit/test_report.c.
 */
#ifndef GAMUT_PROGRESS_H
#define GAMUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *to;              /* stderr; a test may put another stream here */
    double (*clock)(void); /* seconds, monotonic; a test may replace it */
    bool on;
    const char *unit;    /* "strings" */
    uint64_t total;      /* 0 = unknown */
    uint64_t before;     /* done by an earlier process: counts, but not for the rate */
    double start, drawn; /* seconds */
    char note[64];       /* shown behind the rate, e.g. "valid 0.4512" */
};

/* `wanted` is struct cli's `progress`: -1 decide by terminal, 0 off, 1 on. */
void progress_begin(struct progress *p, int wanted, const char *unit, uint64_t total);
void progress_update(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

#endif

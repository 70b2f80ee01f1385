/* SPDX-License-Identifier: MIT
 *
 * progress: one line on stderr with the work done, the rate and the remaining time.
 *
 * It is redrawn by updates, at most ten times per second, and by a thread four times per second,
 * so that it also appears while nothing is finished yet.  It is cleared at the end.  Nothing is
 * written unless progress is switched on; by default it is on if stderr is a terminal and this
 * process is in its foreground.
 *
 * Tested by tests/unit/test_report.c.
 */
#ifndef GAMUT_PROGRESS_H
#define GAMUT_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *to;              /* stderr; a test may use another stream */
    double (*clock)(void); /* seconds, monotonic; a test may replace it */
    bool on;
    const char *unit;    /* "strings" */
    double start, drawn; /* seconds */
    /* The thread that redraws; the lock protects what follows. */
    bool ticking, stopping;
    pthread_t ticker;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    uint64_t done;
    uint64_t total;  /* 0 = unknown */
    uint64_t before; /* done by an earlier process: included in the total, but not in the rate */
    uint64_t (*poll)(void *arg); /* NULL, or gives `done` */
    void *arg;
    char note[64]; /* shown after the rate, for example "valid 0.4512" */
};

/* `wanted` is `progress` of struct cli: -1 on a terminal only, 0 off, 1 on. */
void progress_begin(struct progress *p, int wanted, const char *unit, uint64_t total);
void progress_update(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

/* The same without the thread. */
void progress_init(struct progress *p, int wanted, const char *unit, uint64_t total);

void progress_expect(struct progress *p, uint64_t total);
void progress_skip(struct progress *p, uint64_t before);
void progress_note(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* From now on the thread asks how much is done; NULL: no more. */
void progress_poll(struct progress *p, uint64_t (*poll)(void *arg), void *arg);

#endif

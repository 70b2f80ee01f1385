/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "core/seconds.h"

static bool
in_foreground(void)
{
    return isatty(STDERR_FILENO) != 0 && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void
progress_begin(struct progress *p, int wanted, const char *unit, uint64_t total)
{
    *p = (struct progress){.to = stderr, .clock = seconds_now, .unit = unit, .total = total};
    p->on = wanted < 0 ? in_foreground() : wanted != 0;
    p->start = p->clock();
    p->drawn = p->start;
}

/* "1:02:03", "2:03" */
static void
duration(double seconds, char *text, size_t size)
{
    uint64_t s = (uint64_t)fmin(seconds + 0.5, 1e15);
    if (s >= 3600)
        snprintf(text, size, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60),
                 (unsigned)(s % 60));
    else
        snprintf(text, size, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
}

/* "12.3k" */
static void
scaled(double x, char *text, size_t size)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T"};
    unsigned i = 0;
    for (; x >= 1000 && i < 4; i++)
        x /= 1000;
    snprintf(text, size, "%.3g%s", x, prefix[i]);
}

static void
draw(const struct progress *p, uint64_t done, double elapsed)
{
    char so_far[16], rate[16], left[32];
    double speed = elapsed > 0 ? (double)(done - p->before) / elapsed : 0;
    scaled((double)done, so_far, sizeof so_far);
    scaled(speed, rate, sizeof rate);
    if (p->total > 0 && speed > 0 && done <= p->total) {
        duration((double)(p->total - done) / speed, left, sizeof left);
        fprintf(p->to, "\r%s %s %.0f%%, %s/s, %s left", so_far, p->unit,
                100 * (double)done / (double)p->total, rate, left);
    } else {
        duration(elapsed, left, sizeof left);
        fprintf(p->to, "\r%s %s, %s/s, %s", so_far, p->unit, rate, left);
    }
    fprintf(p->to, "%s%s\033[K", p->note[0] != '\0' ? ", " : "", p->note);
    fflush(p->to);
}

void
progress_update(struct progress *p, uint64_t done)
{
    if (!p->on)
        return;
    double now = p->clock();
    if (now - p->drawn < 0.1)
        return;
    p->drawn = now;
    draw(p, done, now - p->start);
}

void
progress_end(struct progress *p)
{
    if (!p->on || p->drawn == p->start)
        return;
    fprintf(p->to, "\r\033[K");
    fflush(p->to);
}

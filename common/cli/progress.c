/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "core/seconds.h"

static bool
in_foreground(void)
{
    return isatty(STDERR_FILENO) != 0 && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void
progress_init(struct progress *p, int wanted, const char *unit, uint64_t total)
{
    *p = (struct progress){.to = stderr, .clock = seconds_now, .unit = unit, .total = total};
    p->on = wanted < 0 ? in_foreground() : wanted != 0;
    p->start = p->clock();
    p->drawn = p->start;
    pthread_mutex_init(&p->lock, NULL);
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
draw(const struct progress *p, double elapsed)
{
    char so_far[16], rate[16], time[32];
    double speed = elapsed > 0 ? (double)(p->done - p->before) / elapsed : 0;
    scaled((double)p->done, so_far, sizeof so_far);
    scaled(speed, rate, sizeof rate);
    duration(elapsed, time, sizeof time);
    if (p->done == p->before && p->note[0] != '\0')
        fprintf(p->to, "\r%s, %s", p->note, time);
    else if (p->total > 0 && speed > 0 && p->done <= p->total) {
        duration((double)(p->total - p->done) / speed, time, sizeof time);
        fprintf(p->to, "\r%s %s %.0f%%, %s/s, %s left", so_far, p->unit,
                100 * (double)p->done / (double)p->total, rate, time);
    } else
        fprintf(p->to, "\r%s %s, %s/s, %s", so_far, p->unit, rate, time);
    if (p->done > p->before && p->note[0] != '\0')
        fprintf(p->to, ", %s", p->note);
    fprintf(p->to, "\033[K");
    fflush(p->to);
}

/* With the lock. */
static void
redraw(struct progress *p)
{
    double now = p->clock();
    if (now - p->drawn < 0.1)
        return;
    if (p->poll != NULL)
        p->done = p->poll(p->arg);
    p->drawn = now;
    draw(p, now - p->start);
}

enum { TICK_NANOSECONDS = 250000000 };

static struct timespec
next_tick(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += TICK_NANOSECONDS;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *
tick(void *arg)
{
    struct progress *p = arg;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping) {
        struct timespec until = next_tick();
        if (pthread_cond_timedwait(&p->stop, &p->lock, &until) == ETIMEDOUT && !p->stopping)
            redraw(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals are for the other threads.  Without the thread, only updates redraw. */
void
progress_begin(struct progress *p, int wanted, const char *unit, uint64_t total)
{
    pthread_condattr_t monotonic;
    sigset_t all, old;
    progress_init(p, wanted, unit, total);
    if (!p->on)
        return;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->stop, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    p->ticking = pthread_create(&p->ticker, NULL, tick, p) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void
progress_update(struct progress *p, uint64_t done)
{
    if (!p->on)
        return;
    pthread_mutex_lock(&p->lock);
    p->done = done;
    redraw(p);
    pthread_mutex_unlock(&p->lock);
}

void
progress_expect(struct progress *p, uint64_t total)
{
    pthread_mutex_lock(&p->lock);
    p->total = total;
    pthread_mutex_unlock(&p->lock);
}

void
progress_skip(struct progress *p, uint64_t before)
{
    pthread_mutex_lock(&p->lock);
    p->before = p->done = before;
    pthread_mutex_unlock(&p->lock);
}

void
progress_note(struct progress *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&p->lock);
    vsnprintf(p->note, sizeof p->note, format, arguments);
    pthread_mutex_unlock(&p->lock);
    va_end(arguments);
}

void
progress_poll(struct progress *p, uint64_t (*poll)(void *arg), void *arg)
{
    pthread_mutex_lock(&p->lock);
    p->poll = poll;
    p->arg = arg;
    pthread_mutex_unlock(&p->lock);
}

void
progress_end(struct progress *p)
{
    if (p->ticking) {
        pthread_mutex_lock(&p->lock);
        p->stopping = true;
        pthread_cond_signal(&p->stop);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->ticker, NULL);
        pthread_cond_destroy(&p->stop);
        p->ticking = false;
    }
    pthread_mutex_destroy(&p->lock);
    if (!p->on || p->drawn == p->start)
        return;
    fprintf(p->to, "\r\033[K");
    fflush(p->to);
}

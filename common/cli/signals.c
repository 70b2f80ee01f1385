/* SPDX-License-Identifier: MIT */
#include "cli/signals.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* A handler can only access global data. */
static char doomed[PATH_MAX + 64];

/* Restores the default action, which may dump core.  SA_RESETHAND is not enough: if two
 * signals arrive close together, as from timeout(1), the second would end the process before
 * the handler runs. */
static void
on_signal(int number)
{
    unlink(doomed);
    signal(number, SIG_DFL);
    raise(number);
}

void
signals_remove_file(const char *path)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGXCPU};
    struct sigaction ours = {.sa_handler = on_signal}, was;
    snprintf(doomed, sizeof doomed, "%s", path);
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
}

void
signals_forget_file(void)
{
    doomed[0] = '\0';
}

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGHUP, SIGINT, SIGTERM};

/* A handler can only access global data. */
static volatile sig_atomic_t caught;
static struct sigaction before[SIGNALS];

/* The next signal, of any kind, has its previous effect. */
static void
on_stop_request(int number)
{
    caught = number;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

const volatile sig_atomic_t *
signals_catch_stop(void)
{
    struct sigaction ours = {.sa_handler = on_stop_request};
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&ours.sa_mask, signals[i]);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], NULL, &before[i]);
    for (int i = 0; i < SIGNALS; i++)
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &ours, NULL);
    return &caught;
}

void
signals_raise_caught(void)
{
    if (caught != 0)
        raise(caught);
}

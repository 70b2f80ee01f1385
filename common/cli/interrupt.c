/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGHUP, SIGINT, SIGTERM};

/* A handler can only reach what is global. */
static volatile sig_atomic_t caught;
static struct sigaction before[SIGNALS];

/* The next signal, whichever it is, does what it would have done without us. */
static void
on_signal(int number)
{
    caught = number;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

const volatile sig_atomic_t *
interrupt_watch(void)
{
    struct sigaction ours = {.sa_handler = on_signal};
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
interrupt_raise(void)
{
    if (caught != 0)
        raise(caught);
}

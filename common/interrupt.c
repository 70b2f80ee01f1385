/* SPDX-License-Identifier: MIT */
#include "interrupt.h"

#include <stddef.h>

static volatile sig_atomic_t caught; /* a handler can only reach what is global */

static void
on_signal(int number)
{
    caught = number;
}

const volatile sig_atomic_t *
interrupt_watch(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, was;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(signals[i], &ours, NULL);
    return &caught;
}

void
interrupt_raise(void)
{
    if (caught != 0)
        raise(caught);
}

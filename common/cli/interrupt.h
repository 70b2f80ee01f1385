/* SPDX-License-Identifier: MIT
 *
 * interrupt: a signal that asks a long run to stop and keep what it has.
 *
 * The first SIGHUP, SIGINT or SIGTERM only sets a flag that the run looks at;
 * the second, whichever it is, ends the process at once, by the handlers that
 * were there before.  A signal that is ignored, as SIGINT is by a job in the
 * background, stays so.
 */
#ifndef GAMUT_INTERRUPT_H
#define GAMUT_INTERRUPT_H

#include <signal.h>

/* The flag: 0, or the number of the signal. */
const volatile sig_atomic_t *interrupt_watch(void);

/* Ends the process by the signal that was caught, if any: to be called when
 * all is tidied up, so that the parent sees why it ended. */
void interrupt_raise(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * signals: the one thing that a process must not leave behind when a signal ends
 * it, the temporary file of its output, where the file system needs one.
 *
 * Tested by tests/cli/kill.t.
 */

#ifndef GAMUT_SIGNALS_H
#define GAMUT_SIGNALS_H

#include <signal.h>

/* Signals that would end the process remove the file first; those that are
 * ignored, or have a handler already, stay as they are. */
void signals_remove_file(const char *path);

/* The file is no longer ours to remove. */
void signals_forget_file(void);

/* interrupt: a signal that asks a long run to stop and keep what it has.
 *
 * The first SIGHUP, SIGINT or SIGTERM only sets a flag that the run looks at;
 * the second, whichever it is, ends the process at once, by the handlers that
 * were there before.  A signal that is ignored, as SIGINT is by a job in the
 * background, stays so.
 */

/* The flag: 0, or the number of the signal. */
const volatile sig_atomic_t *signals_catch_stop(void);

/* Ends the process by the signal that was caught, if any: to be called when
 * all is tidied up, so that the parent sees why it ended. */
void signals_raise_caught(void);

#endif

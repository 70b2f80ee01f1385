/* SPDX-License-Identifier: MIT
 *
 * signals: removes the temporary output file on a fatal signal, on file systems that need such
 * a file.
 *
 * Tested by tests/cli/kill.t.
 */

#ifndef GAMUT_SIGNALS_H
#define GAMUT_SIGNALS_H

#include <signal.h>

/* Signals that would end the process remove the file first.  Signals that are ignored, or
 * already have a handler, are left alone. */
void signals_remove_file(const char *path);

/* The file must no longer be removed. */
void signals_forget_file(void);

/* ---- a signal that asks a long run to stop and keep its results
 *
 * The first SIGHUP, SIGINT or SIGTERM only sets a flag that the run checks.  The second one
 * ends the process at once, by the previous handlers.  A signal that is ignored, as SIGINT
 * is in a background job, stays ignored.
 */

/* The flag: 0, or the number of the signal. */
const volatile sig_atomic_t *signals_catch_stop(void);

/* Ends the process by the signal that was caught, if any.  Must be called after cleanup, so
 * that the parent sees why the process ended. */
void signals_raise_caught(void);

#endif

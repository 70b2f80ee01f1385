/* SPDX-License-Identifier: MIT
 *
 * litter: the one thing that a process must not leave behind when a signal ends
 * it, the temporary file of its output, where the file system needs one.
 */
#ifndef GAMUT_SIGNALS_H
#define GAMUT_SIGNALS_H

/* Signals that would end the process remove the file first; those that are
 * ignored, or have a handler already, stay as they are. */
void litter_remove_on_signal(const char *path);

/* The file is no longer ours to remove. */
void litter_forget(void);

#endif

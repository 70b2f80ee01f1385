/* SPDX-License-Identifier: MIT
 *
 * utf8: texts from files that are shown to people.
 *
 * Bytes that are not well-formed UTF-8 (RFC 3629) make JSON invalid, control characters are
 * commands to a terminal, and some Unicode characters change how the rest of a text is
 * displayed.  None of them is printable.
 */
#ifndef GAMUT_UTF8_H
#define GAMUT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length in bytes of the printable character at the start of a text; 0 if there is none. */
size_t utf8_printable(const char *text);

/* Whether all of a text is printable. */
bool utf8_is_printable(const char *text);

/* Replaces each byte that is not part of a printable character by a blank. */
void utf8_flatten(char *text);

#endif

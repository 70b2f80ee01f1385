/* SPDX-License-Identifier: MIT
 *
 * utf8: texts from files that people will see.
 *
 * What is not well-formed UTF-8 (RFC 3629) makes JSON invalid, a control character
 * is an order to the terminal, and some of Unicode's show a text as another than it
 * is.  None of them is printable.
 */
#ifndef GAMUT_UTF8_H
#define GAMUT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the printable character that a text begins with; 0 if there is none. */
size_t utf8_printable(const char *text);

/* Whether all of a text is printable. */
bool utf8_is_printable(const char *text);

/* Puts a blank for each byte that is not part of a printable character. */
void utf8_flatten(char *text);

#endif

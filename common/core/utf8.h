/* SPDX-License-Identifier: MIT
 *
 * utf8: characters, and texts from files that are shown to people.
 *
 * Bytes that are not well-formed UTF-8 (RFC 3629) make JSON invalid, control characters are
 * commands to a terminal, and some Unicode characters change how the rest of a text is
 * displayed.  None of them is printable.
 */
#ifndef GAMUT_UTF8_H
#define GAMUT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_BYTES_MAX = 4 }; /* of a character */

/* Reads the printable character at the start of n bytes: its length in bytes and its code; 0
 * if there is none. */
size_t utf8_decode(const char *text, size_t n, uint32_t *code);

/* Writes the character of a code up to 0x10ffff; returns its length in bytes. */
size_t utf8_encode(uint32_t code, char text[UTF8_BYTES_MAX]);

/* The same letter in the other case: Latin, Greek and Cyrillic letters that have exactly one
 * other case; any other code is unchanged.  Of the two the lower-case letter has the larger
 * code. */
uint32_t utf8_other_case(uint32_t code);

/* The length in bytes of the printable character at the start of a text; 0 if there is none. */
size_t utf8_printable(const char *text);

/* The number of characters in the first n bytes of a text: bytes that continue one do not
 * count. */
size_t utf8_count(const char *text, size_t n);

/* Whether all of a text is printable. */
bool utf8_is_printable(const char *text);

/* Replaces each byte that is not part of a printable character by a blank. */
void utf8_flatten(char *text);

#endif

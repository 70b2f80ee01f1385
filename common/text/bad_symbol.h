/* SPDX-License-Identifier: MIT
 *
 * bad_symbol: the errors of text that is not a string over an alphabet.
 *
 * They name the file, the line, the record if there is one, and the position, and pass the
 * remedy that helps: another alphabet, the other case, or leaving such strings out.
 *
 * Tested by tests/unit/test_string_reader.c.
 */
#ifndef GAMUT_BAD_SYMBOL_H
#define GAMUT_BAD_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;

/* Where a line stands. */
struct text_place {
    const char *file;
    uint64_t line;
    const char *record; /* its name in FASTA; NULL in lines */
    bool any_symbol;    /* the alphabet grows: only what cannot be a symbol is bad */
};

/* Sets the error of a line of n bytes, without newline and carriage return, that has a
 * symbol outside the alphabet.  Returns its code, ERR_DATA. */
int bad_symbol_refuse(const struct alphabet *a, const struct text_place *at, const char *line,
                      size_t n, struct err *e);

/* The error of a line of more than `most` bytes, or of a record of more than `most` symbols. */
int bad_symbol_too_long(const struct text_place *at, size_t most, struct err *e);

/* The error of a line that begins like a record of FASTA in a file that does not. */
int bad_symbol_header(const struct text_place *at, struct err *e);

#endif

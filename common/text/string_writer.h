/* SPDX-License-Identifier: MIT
 *
 * string_writer: strings of symbols as text, in lines or FASTA, collected in memory.
 *
 * A record of FASTA is named by the number of the string, from 1, and has its sequence on one
 * line.  FASTA cannot express empty strings, nor strings that begin with '>'.
 *
 * Tested by tests/unit/test_string_reader.c.
 */
#ifndef GAMUT_STRING_WRITER_H
#define GAMUT_STRING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct err;

/* The first three are the caller's to set; the rest is zero at first. */
struct string_writer {
    const struct alphabet *alphabet;
    bool fasta;
    uint64_t number; /* of the last string */
    char *text;      /* [used], owned */
    size_t used, capacity;
};

/* Appends a string with its newline.  0, ERR_NOMEM, or ERR_DATA for a string that FASTA cannot
 * express. */
int string_writer_add(struct string_writer *w, const uint8_t *symbols, size_t length,
                      struct err *e);

/* Appends text as it is, between strings.  0 or ERR_NOMEM. */
int string_writer_put(struct string_writer *w, const char *text, size_t length, struct err *e);

void string_writer_clear(struct string_writer *w); /* frees the text */

#endif

/* SPDX-License-Identifier: MIT
 *
 * string_reader: strings from text, one at a time.
 *
 * In lines, each line is a string, and a blank line is the empty string.  In FASTA, a string is
 * a record: a line with '>' and a name, and the lines up to the next one.  All lines of a
 * record but the last have one length (that of tokens may vary), and it has at least one
 * symbol.  Blank lines may stand only between records, and no plain lines follow the records
 * (fasta_shape.h), unless somebody states that it is FASTA.  If nobody states the format, a text
 * that begins with '>' is FASTA, unless '>' is in the alphabet.
 *
 * Anything outside the alphabet (NUL included) and strings of more than LINE_SYMBOLS_MAX
 * symbols are errors that name file, line, record and position (bad_symbol.h).
 *
 * Tested by tests/unit/test_string_reader.c.
 */
#ifndef GAMUT_STRING_READER_H
#define GAMUT_STRING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/fasta_shape.h"

struct alphabet;
struct err;
struct input;
struct string_reader;

enum string_kind { STRINGS_DETECT, STRINGS_LINES, STRINGS_FASTA };

/* All zero: detected, nothing is folded, skipped or added. */
struct string_format {
    enum string_kind kind;
    bool fold_case;        /* see alphabet_fold_case */
    bool skip_bad;         /* leave out strings with symbols that are not in the alphabet */
    struct alphabet *grow; /* not NULL: the alphabet; unknown symbols are added to it */
};

/* Finds the kind of the text in `in`, of which nothing has been read: STRINGS_LINES or
 * STRINGS_FASTA, or a negative error. */
int string_kind_find(struct input *in, const struct alphabet *a, const struct string_format *f,
                     struct err *e);

/* Reads from `in`, which the caller owns; it and the alphabet must outlive the result.  NULL on
 * failure. */
struct string_reader *string_reader_new(struct input *in, const struct alphabet *a,
                                        const struct string_format *f, struct err *e);
void string_reader_free(struct string_reader *r); /* NULL is fine */

/* The text follows `lines` lines and the records of `s` of the same file. */
void string_reader_start_at(struct string_reader *r, uint64_t lines, const struct fasta_shape *s);

/* With the records that have been read. */
struct fasta_shape string_reader_shape(const struct string_reader *r);

/* The next string as symbols, valid until the next call.  1; 0 at the end; or a negative
 * error. */
int string_reader_next(struct string_reader *r, const uint8_t **symbols, size_t *length,
                       struct err *e);

/* The first line of the string returned last, from 1. */
uint64_t string_reader_line(const struct string_reader *r);

/* Strings left out so far. */
uint64_t string_reader_skipped(const struct string_reader *r);

/* Keeps the names of the strings that are returned from now on, and forgets earlier ones. */
void string_reader_keep_names(struct string_reader *r);

/* The names kept, one after the other and each with a NUL; NULL if the strings have none.  A
 * name is the first word after '>'. */
const char *string_reader_names(const struct string_reader *r);

#endif

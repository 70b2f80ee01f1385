/* SPDX-License-Identifier: MIT
 *
 * line_dfa: counts the lines of a text that a DFA accepts, straight from the bytes.
 *
 * Each byte is one look-up in a table, and the next look-up waits for it.  So four parts of the
 * text are walked at the same time: while one waits, the others go on.
 *
 * Tested by tests/cli/motif-freq.t.
 */
#ifndef GAMUT_LINE_DFA_H
#define GAMUT_LINE_DFA_H

#include <stddef.h>
#include <stdint.h>

struct alphabet;
struct dfa;
struct err;

struct line_dfa {
    uint32_t *next;      /* [states][columns]: first entry of the next state's row */
    uint8_t column[256]; /* of a byte: its symbol, CR, or LF */
    unsigned line_feed;  /* column with 1 for accepting states, else 0 */
};

/* From a complete DFA over the symbols of the alphabet.  0 or ERR_NOMEM; clear in either case. */
int line_dfa_init(struct line_dfa *l, const struct dfa *d, const struct alphabet *a, struct err *e);
void line_dfa_clear(struct line_dfa *l); /* a zeroed struct is fine */

/* Lines that are accepted, of whole lines that consist of symbols and end with LF or CR LF. */
uint64_t line_dfa_count(const struct line_dfa *l, const char *text, size_t size);

#endif

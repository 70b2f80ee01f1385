/* SPDX-License-Identifier: MIT */
#include "text/string_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "text/alphabet.h"

enum { HEADER_MAX = 32 };

/* FASTA cannot express an empty string, and takes a line that begins with '>' for a name. */
static int
check_record(const struct string_writer *w, const uint8_t *symbols, size_t length, struct err *e)
{
    size_t n;
    if (length > 0 && *alphabet_symbol(w->alphabet, symbols[0], &n) != '>')
        return 0;
    return err_advise(e, ERR_DATA, REMEDY_SET_FORMAT,
                      "string %" PRIu64 " %s, which FASTA cannot express", w->number,
                      length == 0 ? "is empty" : "begins with '>'");
}

int
string_writer_add(struct string_writer *w, const uint8_t *symbols, size_t length, struct err *e)
{
    size_t most = w->used + HEADER_MAX + alphabet_text_max(w->alphabet, length) + 1;
    w->number++;
    if (w->fasta && check_record(w, symbols, length, e) != 0)
        return e->code;
    if (mem_reserve(&w->text, &w->capacity, most, 1, e) != 0)
        return ERR_NOMEM;
    if (w->fasta)
        w->used += (size_t)snprintf(w->text + w->used, HEADER_MAX, ">%" PRIu64 "\n", w->number);
    w->used += alphabet_decode(w->alphabet, symbols, length, w->text + w->used);
    w->text[w->used++] = '\n';
    return 0;
}

int
string_writer_put(struct string_writer *w, const char *text, size_t length, struct err *e)
{
    if (mem_reserve(&w->text, &w->capacity, w->used + length, 1, e) != 0)
        return ERR_NOMEM;
    memcpy(w->text + w->used, text, length);
    w->used += length;
    return 0;
}

void
string_writer_clear(struct string_writer *w)
{
    mem_free(w->text);
    w->text = NULL;
    w->used = w->capacity = 0;
}

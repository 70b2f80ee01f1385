/* SPDX-License-Identifier: MIT */
#include "text/bad_symbol.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/err.h"
#include "core/utf8.h"
#include "text/alphabet.h"

enum { SHOWN_MAX = 64 }; /* bytes of a token in a message */

/* Puts the place in front of an error. */
static int
locate(const struct text_place *at, struct err *e)
{
    if (at->record != NULL)
        err_prefix(e, "%s:%" PRIu64 ": record '%s'", at->file, at->line, at->record);
    else
        err_prefix(e, "%s:%" PRIu64, at->file, at->line);
    return e->code;
}

int
bad_symbol_too_long(const struct text_place *at, size_t most, struct err *e)
{
    if (at->record != NULL)
        err_set(e, ERR_DATA, "string has more than %zu characters", most);
    else
        err_set(e, ERR_DATA, "line has more than %zu characters", most);
    return locate(at, e);
}

int
bad_symbol_header(const struct text_place *at, struct err *e)
{
    err_advise(e, ERR_DATA, REMEDY_SET_FORMAT,
               "line begins with '>', as in FASTA, but the file does not");
    return locate(at, e);
}

/* The remedy for a printable symbol of n bytes. */
static enum err_remedy
remedy_for(const struct alphabet *a, const char *symbol, size_t n)
{
    struct alphabet folded = *a;
    alphabet_fold_case(&folded);
    return alphabet_find(&folded, symbol, n) != ALPHABET_NONE ? REMEDY_FOLD_CASE
                                                              : REMEDY_BAD_SYMBOL;
}

/* The symbol outside the alphabet; `used` is its bytes, 0 if it is not printable. */
static int
refuse_symbol(const struct alphabet *a, const char *symbol, size_t used, size_t number,
              struct err *e)
{
    char alphabet[ALPHABET_SHOW_MAX];
    unsigned char c = (unsigned char)*symbol;
    const char *unit = a->tokens ? "as token" : "in column";
    if (used > 0)
        return err_advise(e, ERR_DATA, remedy_for(a, symbol, used),
                          "'%.*s'%s %s %zu is not in the alphabet '%s'",
                          used > SHOWN_MAX ? SHOWN_MAX : (int)used, symbol,
                          used > SHOWN_MAX ? "..." : "", unit, number, alphabet_show(a, alphabet));
    if (c >= 0x80 || a->size == 0) /* of -a auto, before any symbol is known */
        return err_advise(e, ERR_DATA, REMEDY_SKIP_BAD,
                          "byte 0x%02x %s %zu is not a printable character in UTF-8", c, unit,
                          number);
    return err_advise(e, ERR_DATA, REMEDY_SKIP_BAD,
                      "byte 0x%02x %s %zu is not in the alphabet '%s'", c, unit, number,
                      alphabet_show(a, alphabet));
}

/* Moves *used to the first byte of a token that is not printable. */
static const char *
point_at(const struct alphabet *a, const char *symbol, size_t n, size_t used)
{
    size_t bytes;
    uint32_t code;
    while (a->tokens && used == 0 && n > 0 && (bytes = utf8_decode(symbol, n, &code)) > 0) {
        symbol += bytes;
        n -= bytes;
    }
    return symbol;
}

int
bad_symbol_refuse(const struct alphabet *a, const struct text_place *at, const char *line, size_t n,
                  struct err *e)
{
    size_t i = 0, number = 1, used = 0;
    for (; i < n; i += used) {
        bool blank = a->tokens && (line[i] == ' ' || line[i] == '\t');
        if (!blank && alphabet_first(a, line + i, n - i, &used) == ALPHABET_NONE &&
            (used == 0 || !at->any_symbol))
            break;
        used = blank ? 1 : used;
        number += !blank;
    }
    refuse_symbol(a, point_at(a, line + i, n - i, used), used, number, e);
    return locate(at, e);
}

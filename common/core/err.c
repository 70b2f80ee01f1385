/* SPDX-License-Identifier: MIT */
#include "core/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If a text is too long, its middle is left out: the beginning names the subject, and the
 * end gives the reason. */
static void
fit(char *to, const char *text)
{
    static const char gap[] = " .. ";
    enum { GAP = sizeof gap - 1, HEAD = ERR_TEXT_MAX / 2, TAIL = ERR_TEXT_MAX - HEAD - GAP };
    size_t n = strlen(text);
    if (n < ERR_TEXT_MAX) {
        memcpy(to, text, n + 1);
        return;
    }
    memcpy(to, text, HEAD);
    memcpy(to + HEAD, gap, GAP);
    memcpy(to + HEAD + GAP, text + n + 1 - TAIL, TAIL);
}

/* If there is no memory for a longer text, keeps what fits into the buffer. */
static void
set_text(char *text, const char *format, va_list ap)
{
    va_list again;
    char *whole;
    va_copy(again, ap);
    int n = vsnprintf(text, ERR_TEXT_MAX, format, ap);
    if (n >= ERR_TEXT_MAX && vasprintf(&whole, format, again) >= 0) {
        fit(text, whole);
        free(whole);
    }
    va_end(again);
}

static void
append(char *text, const char *tail)
{
    char all[2 * ERR_TEXT_MAX + 2];
    snprintf(all, sizeof all, "%s: %s", text, tail);
    fit(text, all);
}

/* Records an error unless one is already recorded. */
static void
record(struct err *e, int code, enum err_remedy remedy, const char *format, va_list ap)
{
    if (e->code != ERR_NONE)
        return;
    e->code = code;
    e->remedy = remedy;
    set_text(e->text, format, ap);
}

int
err_set(struct err *e, int code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    record(e, code, REMEDY_NONE, format, ap);
    va_end(ap);
    return code;
}

int
err_advise(struct err *e, int code, enum err_remedy remedy, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    record(e, code, remedy, format, ap);
    va_end(ap);
    return code;
}

int
err_pass(struct err *e, const struct err *from)
{
    if (e->code == ERR_NONE)
        *e = *from;
    return from->code;
}

int
err_nomem(struct err *e, unsigned long long bytes)
{
    return err_set(e, ERR_NOMEM, "out of memory (%llu bytes requested)", bytes);
}

int
err_errno(struct err *e, const char *format, ...)
{
    int saved = errno;
    if (e->code != ERR_NONE)
        return ERR_IO;
    va_list ap;
    va_start(ap, format);
    record(e, ERR_IO, REMEDY_NONE, format, ap);
    va_end(ap);
    append(e->text, strerror(saved));
    return ERR_IO;
}

void
err_prefix(struct err *e, const char *format, ...)
{
    if (e->code == ERR_NONE)
        return;
    char old[ERR_TEXT_MAX];
    memcpy(old, e->text, sizeof old);
    va_list ap;
    va_start(ap, format);
    set_text(e->text, format, ap);
    va_end(ap);
    append(e->text, old);
}

void
err_point(struct err *e, const char *source, size_t at)
{
    size_t from = at < ERR_SOURCE_MAX / 2 ? 0 : at - ERR_SOURCE_MAX / 2;
    if (e->code == ERR_NONE)
        return;
    snprintf(e->source, sizeof e->source, "%.*s", ERR_SOURCE_MAX - 1, source + from);
    e->column = (unsigned)(at - from) + 1;
}

void
err_recode(struct err *e, int code)
{
    if (e->code != ERR_NONE)
        e->code = code;
}

void
err_remedy(struct err *e, enum err_remedy remedy)
{
    if (e->code != ERR_NONE)
        e->remedy = remedy;
}

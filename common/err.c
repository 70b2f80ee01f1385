/* SPDX-License-Identifier: MIT */
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
err_set(struct err *e, int code, const char *format, ...)
{
    if (e == NULL || e->code != ERR_NONE)
        return code;
    e->code = code;
    va_list ap;
    va_start(ap, format);
    vsnprintf(e->text, sizeof e->text, format, ap);
    va_end(ap);
    return code;
}

int
err_nomem(struct err *e, unsigned long long bytes)
{
    return err_set(e, ERR_NOMEM, "out of memory (%llu bytes wanted)", bytes);
}

int
err_errno(struct err *e, const char *format, ...)
{
    int saved = errno;
    if (e == NULL || e->code != ERR_NONE)
        return ERR_IO;
    e->code = ERR_IO;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(e->text, sizeof e->text, format, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof e->text)
        snprintf(e->text + n, sizeof e->text - (size_t)n, ": %s", strerror(saved));
    return ERR_IO;
}

void
err_prefix(struct err *e, const char *format, ...)
{
    if (e == NULL || e->code == ERR_NONE)
        return;
    char old[ERR_TEXT_MAX];
    memcpy(old, e->text, sizeof old);
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(e->text, sizeof e->text, format, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof e->text)
        snprintf(e->text + n, sizeof e->text - (size_t)n, ": %s", old);
}

void
err_recode(struct err *e, int code)
{
    if (e != NULL && e->code != ERR_NONE)
        e->code = code;
}

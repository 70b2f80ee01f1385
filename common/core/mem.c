/* SPDX-License-Identifier: MIT */
#include "core/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/fault.h"

/* count * size, but at least 1; SIZE_MAX on overflow. */
static size_t
product(uint64_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        return SIZE_MAX;
    return count * size > 0 ? (size_t)count * size : 1;
}

/* Exactly the requested bytes, so that sanitizers detect overruns. */
void *
mem_array(uint64_t count, size_t size, struct err *e)
{
    size_t bytes = product(count, size);
    void *p = NULL;
    if (bytes == SIZE_MAX || fault_due(FAULT_ALLOC) || posix_memalign(&p, MEM_ALIGN, bytes) != 0) {
        err_nomem(e, bytes);
        return NULL;
    }
    return p;
}

void *
mem_zero(uint64_t count, size_t size, struct err *e)
{
    void *p = mem_array(count, size, e);
    if (p != NULL)
        memset(p, 0, (size_t)count * size);
    return p;
}

int
mem_reserve(void *array_pointer, size_t *capacity, uint64_t need, size_t size, struct err *e)
{
    void *old;
    memcpy(&old, array_pointer, sizeof old);
    if (old != NULL && need <= *capacity)
        return 0;
    uint64_t grown = (uint64_t)*capacity + *capacity / 2 + 16;
    if (grown < need)
        grown = need;
    void *p = mem_array(grown, size, e);
    if (p == NULL)
        return ERR_NOMEM;
    if (old != NULL)
        memcpy(p, old, *capacity * size);
    mem_free(old);
    memcpy(array_pointer, &p, sizeof p);
    *capacity = (size_t)grown;
    return 0;
}

char *
mem_string(const char *s, size_t n, struct err *e)
{
    char *p = mem_array(n + 1, 1, e);
    if (p != NULL) {
        memcpy(p, s, n);
        p[n] = '\0';
    }
    return p;
}

char *
mem_format(size_t *length, struct err *e, const char *format, va_list ap)
{
    char *text;
    int n = fault_due(FAULT_ALLOC) ? -1 : vasprintf(&text, format, ap);
    if (n < 0) {
        err_nomem(e, strlen(format));
        return NULL;
    }
    *length = (size_t)n;
    return text;
}

void
mem_free(void *p)
{
    free(p);
}

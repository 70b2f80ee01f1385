/* SPDX-License-Identifier: MIT */
#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "fault.h"

/* count * size rounded up to the alignment, or 0 when it does not fit. */
static size_t
padded_size(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2 - MEM_ALIGN) / size)
        return 0;
    size_t bytes = count * size;
    return (bytes + MEM_ALIGN) / MEM_ALIGN * MEM_ALIGN;
}

void *
mem_array(size_t count, size_t size, struct err *e)
{
    size_t bytes = padded_size(count, size);
    void *p = bytes == 0 || fault_due(FAULT_ALLOC) ? NULL : aligned_alloc(MEM_ALIGN, bytes);
    if (p == NULL)
        err_nomem(e, bytes != 0 ? bytes : SIZE_MAX);
    return p;
}

void *
mem_zero(size_t count, size_t size, struct err *e)
{
    void *p = mem_array(count, size, e);
    if (p != NULL)
        memset(p, 0, count * size);
    return p;
}

void *
mem_grow(void *array, size_t *capacity, size_t need, size_t size, struct err *e)
{
    if (array != NULL && need <= *capacity)
        return array;
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < need)
        grown = need;
    void *p = mem_array(grown, size, e);
    if (p == NULL)
        return NULL;
    if (array != NULL)
        memcpy(p, array, *capacity * size);
    mem_free(array);
    *capacity = grown;
    return p;
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

void
mem_free(void *p)
{
    free(p);
}

/* SPDX-License-Identifier: MIT
 *
 * mem: all heap allocation, including zlib's (see deflate.c).  What xxhash takes
 * for the state of a hash and libc for itself does not come through here.
 *
 * Sizes are given as count and size of an element, and a product that does not
 * fit is an ordinary allocation failure, so no size that came from a file can
 * wrap.  Memory is aligned to MEM_ALIGN bytes (a cache line, and the widest
 * vector), but for the texts of mem_format.  A count of 0 gives a valid
 * pointer.  In a build with -DGAMUT_FAULTS the N-th allocation fails when the
 * environment says GAMUT_FAULT_ALLOC=N, which is how out-of-memory paths are
 * tested.
 */
#ifndef GAMUT_MEM_H
#define GAMUT_MEM_H

#include <stdarg.h>
#include <stddef.h>

struct err;

enum { MEM_ALIGN = 64 };

/* `count` elements of `size` bytes, uninitialised; NULL and an ERR_NOMEM in
 * `e` on failure.  Free with mem_free. */
void *mem_array(size_t count, size_t size, struct err *e) __attribute__((warn_unused_result));

/* The same, all bytes zero. */
void *mem_zero(size_t count, size_t size, struct err *e) __attribute__((warn_unused_result));

/* A growing array: makes room for at least `need` elements.  `array_pointer`
 * is the address of the pointer to the first one, whatever its type, and NULL
 * for an array that is not there yet; it moves with the array.  `*capacity` is
 * the present number and is raised geometrically.  0, or ERR_NOMEM, and the
 * old array stays as it was. */
int mem_reserve(void *array_pointer, size_t *capacity, size_t need, size_t size, struct err *e)
    __attribute__((warn_unused_result));

/* A copy of the first n bytes of s with a NUL behind; NULL on failure. */
char *mem_string(const char *s, size_t n, struct err *e) __attribute__((warn_unused_result));

/* A text as vsprintf makes it, and its length; NULL on failure. */
char *mem_format(size_t *length, struct err *e, const char *format, va_list ap)
    __attribute__((warn_unused_result, format(printf, 3, 0)));

void mem_free(void *p); /* NULL is fine */

#endif

/* SPDX-License-Identifier: MIT
 *
 * mem: all heap allocation, including zlib's (see deflate.c).  Exceptions are the hash state of
 * xxhash and what libc allocates for itself.
 *
 * Sizes are given as a count and the size of an element.  A product that overflows is an
 * ordinary allocation failure, so no size from a file can wrap or be cut to 32 bits.  Memory is
 * aligned to MEM_ALIGN bytes (a cache line, and the widest vector), except for the texts of
 * mem_format.  A count of 0 gives a valid pointer.  In a build with -DGAMUT_FAULTS,
 * GAMUT_FAULT_ALLOC=N in the environment makes the N-th allocation fail; tests reach out-of-memory
 * paths this way.
 */
#ifndef GAMUT_MEM_H
#define GAMUT_MEM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum { MEM_ALIGN = 64 };

/* `count` elements of `size` bytes, uninitialized; NULL and an ERR_NOMEM in
 * `e` on failure.  Free with mem_free. */
void *mem_array(uint64_t count, size_t size, struct err *e) __attribute__((warn_unused_result));

/* The same, all bytes zero. */
void *mem_zero(uint64_t count, size_t size, struct err *e) __attribute__((warn_unused_result));

/* A growing array: makes room for at least `need` elements.  `array_pointer` is the address
 * of the pointer to the first element, of any type; that pointer is NULL for a new array,
 * and changes when the array moves.  `*capacity` is the allocated number of elements; it
 * grows geometrically. 0, or ERR_NOMEM, which leaves the array unchanged. */
int mem_reserve(void *array_pointer, size_t *capacity, uint64_t need, size_t size, struct err *e)
    __attribute__((warn_unused_result));

/* A copy of the first n bytes of s, NUL-terminated; NULL on failure. */
char *mem_string(const char *s, size_t n, struct err *e) __attribute__((warn_unused_result));

/* Formats a text as vsprintf does, and gives its length; NULL on failure. */
char *mem_format(size_t *length, struct err *e, const char *format, va_list ap)
    __attribute__((warn_unused_result, format(printf, 3, 0)));

void mem_free(void *p); /* NULL is fine */

#endif

/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "support/ignore.h"
#include "support/tap.h"

static char *
format(size_t *length, const char *text, ...)
{
    va_list ap;
    va_start(ap, text);
    char *s = mem_format(length, IGNORE_ERR, text, ap);
    va_end(ap);
    return s;
}

int
main(void)
{
    struct err e = {0};
    char *p = mem_array(3, 5, &e);
    ok(p != NULL && (uintptr_t)p % MEM_ALIGN == 0, "arrays are aligned");
    mem_free(p);
    ok(mem_array(SIZE_MAX / 8 + 2, 8, &e) == NULL && e.code == ERR_NOMEM,
       "a product that wraps fails");
    struct err e2 = {0};
    ok(mem_array(SIZE_MAX, 1, &e2) == NULL && e2.code == ERR_NOMEM, "rounding up cannot wrap");
    struct err e3 = {0};
    p = mem_array(0, 8, &e3);
    ok(p != NULL && e3.code == ERR_NONE, "nothing is something");
    mem_free(p);

    unsigned char *z = mem_zero(1000, 1, &e3);
    unsigned char sum = 0;
    for (int i = 0; i < 1000; i++)
        sum |= z[i];
    ok(sum == 0, "mem_zero zeroes");
    mem_free(z);

    size_t capacity = 0;
    int *a = NULL;
    for (int i = 0; i < 10000; i++) {
        if (mem_reserve(&a, &capacity, (size_t)i + 1, sizeof *a, &e3) == 0)
            a[i] = i;
    }
    int wrong = 0;
    for (int i = 0; i < 10000; i++)
        wrong += a[i] != i;
    ok(wrong == 0 && capacity >= 10000, "growing keeps what was there");
    int *same = a;
    ok(mem_reserve(&a, &capacity, 5, sizeof *a, &e3) == 0 && a == same, "no need, no move");
    size_t before = capacity;
    ok(mem_reserve(&a, &capacity, SIZE_MAX / 2, sizeof *a, &e3) == ERR_NOMEM && a == same &&
           capacity == before && a[9999] == 9999,
       "a failure leaves the old array");
    mem_free(a);

    char *s = mem_string("hello", 4, IGNORE_ERR);
    ok(strcmp(s, "hell") == 0, "a string is cut and ended");
    mem_free(s);
    size_t length = 0;
    s = format(&length, "%d of %s", 3, "four");
    ok(s != NULL && length == 9 && strcmp(s, "3 of four") == 0, "a format is filled in");
    mem_free(s);
    mem_free(NULL);
    return tap_done();
}

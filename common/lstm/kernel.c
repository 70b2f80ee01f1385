/* SPDX-License-Identifier: MIT */
#include "lstm/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "core/err.h"

extern const struct kernel kernel_baseline, kernel_avx2, kernel_avx512;

/* __builtin_cpu_supports checks the CPU, and that the operating system saves the registers
 * (XGETBV). */
static int
supported(const char *name)
{
#if defined __x86_64__
    if (strcmp(name, "avx512") == 0) /* the instruction sets for which the Makefile compiles it */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return strcmp(name, "baseline") == 0;
}

/* All variants, the fastest first. */
static const struct kernel *const variants[] = {
#if defined __x86_64__
    &kernel_avx512, &kernel_avx2,
#endif
    &kernel_baseline};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* NULL: the fastest. */
static const struct kernel *
named(const char *name)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        bool wanted = name == NULL || strcasecmp(name, variants[i]->name) == 0;
        if (wanted && supported(variants[i]->name))
            return variants[i];
    }
    return NULL;
}

/* The variants that this machine runs, for example "avx2, baseline". */
static const char *
list_supported(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < VARIANTS; i++)
        if (supported(variants[i]->name))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     variants[i]->name);
    return text;
}

const struct kernel *
kernel_select(const char *force, struct err *e)
{
    char names[64];
    if (force == NULL)
        force = getenv("GAMUT_CPU");
    if (force != NULL && *force == '\0')
        force = NULL;
    const struct kernel *k = named(force);
    if (k == NULL)
        err_set(e, ERR_USAGE,
                "GAMUT_CPU is '%s', which this processor does not support; set it to one of %s, or "
                "unset it",
                force, list_supported(names, sizeof names));
    return k;
}

size_t
kernel_gates_panels(const struct kernel *k, size_t hidden)
{
    return (hidden + k->lanes - 1) / k->lanes;
}

size_t
kernel_gates_size(const struct kernel *k, size_t hidden, size_t inputs)
{
    return kernel_gates_panels(k, hidden) * inputs * 4 * k->lanes;
}

/* to[i * to_row + j] = from[j * from_row + i], for i, j < 4. */
static inline void
transpose_4(const float *from, size_t from_row, float *to, size_t to_row)
{
#ifdef __SSE2__
    __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + from_row);
    __m128 c = _mm_loadu_ps(from + 2 * from_row), d = _mm_loadu_ps(from + 3 * from_row);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(to, a);
    _mm_storeu_ps(to + to_row, b);
    _mm_storeu_ps(to + 2 * to_row, c);
    _mm_storeu_ps(to + 3 * to_row, d);
#else
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            to[i * to_row + j] = from[j * from_row + i];
#endif
}

/* The weights of units first .. first + 3 of a gate, rows of `from`, as columns of `to`. */
static void
pack_units(const float *from, size_t inputs, float *to, size_t to_row)
{
    size_t i = 0;
    for (; i + 4 <= inputs; i += 4)
        transpose_4(from + i, inputs, to + i * to_row, to_row);
    for (; i < inputs; i++)
        for (size_t j = 0; j < 4; j++)
            to[i * to_row + j] = from[j * inputs + i];
}

/* to[panel][half][input][gate of the half][lane]: four times LANES columns, as kernel_pack
 * would order them.  Columns of units that do not exist stay 0. */
void
kernel_pack_gates(const struct kernel *k, const float *from, size_t hidden, size_t inputs,
                  size_t panel, float *to)
{
    const size_t lanes = k->lanes, first = panel * lanes;
    const size_t units = hidden - first < lanes ? hidden - first : lanes;
    to += panel * inputs * 4 * lanes;
    for (size_t gate = 0; gate < 4; gate++) {
        float *half = to + (gate / 2 * inputs * 2 + gate % 2) * lanes;
        const float *rows = from + (gate * hidden + first) * inputs;
        size_t unit = 0;
        for (; unit + 4 <= units; unit += 4)
            pack_units(rows + unit * inputs, inputs, half + unit, 2 * lanes);
        for (; unit < units; unit++)
            for (size_t i = 0; i < inputs; i++)
                half[i * 2 * lanes + unit] = rows[unit * inputs + i];
    }
}

size_t
kernel_panels(const struct kernel *k, size_t columns)
{
    return (columns + 2 * k->lanes - 1) / (2 * k->lanes);
}

size_t
kernel_size(const struct kernel *k, size_t inner, size_t columns)
{
    return kernel_panels(k, columns) * kernel_panel_size(k, inner);
}

size_t
kernel_panel_size(const struct kernel *k, size_t inner)
{
    return inner * 2 * k->lanes;
}

/* to[inner][column within the panel] */
void
kernel_pack(const struct kernel *k, const float *from, size_t row, size_t column, size_t inner,
            size_t columns, size_t panel, float *to)
{
    const size_t width = 2 * k->lanes, first = panel * width;
    const size_t used = columns - first < width ? columns - first : width;
    from += first * column;
    for (size_t i = 0; i < inner; i++, to += width, from += row) {
        if (column == 1 && used == width) {
            for (size_t n = 0; n < width; n += 8) /* a size that the compiler knows */
                memcpy(to + n, from + n, 8 * sizeof *to);
            continue;
        }
        for (size_t n = 0; n < width; n++)
            to[n] = n < used ? from[n * column] : 0;
    }
}

size_t
kernel_outer_scratch(size_t n)
{
    return KERNEL_CHUNK * (n + 2 * KERNEL_PAD);
}

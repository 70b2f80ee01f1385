/* SPDX-License-Identifier: MIT
 *
 * avx512: included before every file by `make test-avx512`.  It makes a machine with AVX2 run
 * the kernels for AVX-512: every instruction set is reported as available, and where
 * AVX512_EMULATED is defined, the few AVX-512 operations of simd.h are done in two halves.
 */
#define __builtin_cpu_supports(feature) 1

#if defined AVX512_EMULATED && !defined __AVX512F__
#include <immintrin.h>

#define __AVX512F__ 1

union avx512 {
    __m512 whole;
    __m256 half[2];
};

#define AVX512_INLINE         static inline __attribute__((always_inline)) __m512
#define AVX512_HALVES(result) (union avx512){.half = {result(0), result(1)}}.whole

AVX512_INLINE
avx512_set1(float x)
{
#define SET1(i) _mm256_set1_ps(x)
    return AVX512_HALVES(SET1);
}

AVX512_INLINE
avx512_fmadd(__m512 a, __m512 b, __m512 c)
{
    union avx512 x = {a}, y = {b}, z = {c};
#define FMADD(i) _mm256_fmadd_ps(x.half[i], y.half[i], z.half[i])
    return AVX512_HALVES(FMADD);
}

AVX512_INLINE
avx512_min(__m512 a, __m512 b)
{
    union avx512 x = {a}, y = {b};
#define MIN(i) _mm256_min_ps(x.half[i], y.half[i])
    return AVX512_HALVES(MIN);
}

AVX512_INLINE
avx512_max(__m512 a, __m512 b)
{
    union avx512 x = {a}, y = {b};
#define MAX(i) _mm256_max_ps(x.half[i], y.half[i])
    return AVX512_HALVES(MAX);
}

AVX512_INLINE
avx512_sqrt(__m512 a)
{
    union avx512 x = {a};
#define SQRT(i) _mm256_sqrt_ps(x.half[i])
    return AVX512_HALVES(SQRT);
}

#define _mm512_set1_ps  avx512_set1
#define _mm512_fmadd_ps avx512_fmadd
#define _mm512_min_ps   avx512_min
#define _mm512_max_ps   avx512_max
#define _mm512_sqrt_ps  avx512_sqrt
#endif

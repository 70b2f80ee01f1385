/* SPDX-License-Identifier: MIT
 *
 * simd: the few vector operations in which the kernels are written.
 *
 * `vf` is LANES floats; +, -, *, / and unary minus work on it as they do on a float, in gcc and
 * clang alike.  The compiler flags of a file decide its width: 16 lanes with AVX-512, 8 with
 * AVX2 and FMA, else 4.  Every operation rounds as IEEE prescribes, and v_fma rounds once on
 * every machine, so a loop whose sums do not cross lanes gives the same bits at any width.
 *
 * Baseline x86-64 has no fused multiply-add.  It is emulated in double precision, where a
 * product of floats is exact.  This slows a matrix product down by a factor of about twenty.
 * Without fma, every machine since 2013 would lose half its speed, and there would be two
 * roundings instead of one.
 */
#ifndef GAMUT_SIMD_H
#define GAMUT_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined __AVX512F__
#include <immintrin.h>
#define LANES 16
typedef __m512 vf;
#elif defined __AVX2__ && defined __FMA__
#include <immintrin.h>
#define LANES 8
typedef __m256 vf;
#elif defined __SSE2__
#include <emmintrin.h>
#define LANES 4
typedef __m128 vf;
#else
#define LANES 4
typedef float vf __attribute__((vector_size(16)));
#endif

typedef int32_t vi __attribute__((vector_size(4 * LANES)));

#define SIMD_INLINE static inline __attribute__((always_inline, unused))

SIMD_INLINE vf
v_load(const float *p)
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void
v_store(float *p, vf v)
{
    memcpy(p, &v, sizeof v);
}

/* v_set1: x in all lanes.  v_fma: a b + c, rounded once.  v_min: bound < x ?
 * bound : x, so that a NaN in x survives; v_max likewise.  v_sqrt. */
#if defined __AVX512F__

SIMD_INLINE vf
v_set1(float x)
{
    return _mm512_set1_ps(x);
}

SIMD_INLINE vf
v_fma(vf a, vf b, vf c)
{
    return _mm512_fmadd_ps(a, b, c);
}

SIMD_INLINE vf
v_min(vf bound, vf x)
{
    return _mm512_min_ps(bound, x);
}

SIMD_INLINE vf
v_max(vf bound, vf x)
{
    return _mm512_max_ps(bound, x);
}

SIMD_INLINE vf
v_sqrt(vf x)
{
    return _mm512_sqrt_ps(x);
}

#elif defined __AVX2__ && defined __FMA__

SIMD_INLINE vf
v_set1(float x)
{
    return _mm256_set1_ps(x);
}

SIMD_INLINE vf
v_fma(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}

SIMD_INLINE vf
v_min(vf bound, vf x)
{
    return _mm256_min_ps(bound, x);
}

SIMD_INLINE vf
v_max(vf bound, vf x)
{
    return _mm256_max_ps(bound, x);
}

SIMD_INLINE vf
v_sqrt(vf x)
{
    return _mm256_sqrt_ps(x);
}

#elif defined __SSE2__

/* p + c rounded to odd: the last bit is set whenever the sum is inexact.  Such a result can
 * be rounded again, to fewer bits, without double rounding.  The error of the rounded sum
 * (Knuth's two-sum) says whether and in which direction it was inexact; an overshoot is
 * first reduced by one ulp. */
SIMD_INLINE __m128d
simd_sum_to_odd(__m128d p, __m128d c)
{
    const __m128d zero = _mm_setzero_pd();
    __m128d s = p + c, b = s - p;
    __m128d error = (p - (s - b)) + (c - b);
    __m128d below = _mm_cmplt_pd(error, zero), above = _mm_cmpgt_pd(error, zero);
    __m128d inexact = _mm_or_pd(below, above);
    __m128d overshoot = _mm_and_pd(inexact, _mm_xor_pd(below, _mm_cmplt_pd(s, zero)));
    __m128i bits = _mm_add_epi64(_mm_castpd_si128(s), _mm_castpd_si128(overshoot));
    __m128i odd = _mm_and_si128(_mm_castpd_si128(inexact), _mm_set1_epi64x(1));
    return _mm_castsi128_pd(_mm_or_si128(bits, odd));
}

/* True if rounding a lane of s to float might differ from rounding the exact sum: s lies
 * halfway between two floats, or is subnormal as a float. */
SIMD_INLINE int
simd_doubtful(__m128d s)
{
    const __m128i low = _mm_set1_epi64x(0x1fffffff), half = _mm_set1_epi64x(0x10000000);
    const __m128d sign = _mm_set1_pd(-0.0), least = _mm_set1_pd(0x1p-126);
    __m128i tie = _mm_cmpeq_epi32(_mm_and_si128(_mm_castpd_si128(s), low), half);
    __m128d tiny = _mm_cmplt_pd(_mm_andnot_pd(sign, s), least);
    /* the high words of `tie` carry no information: they compare 0 with 0 */
    return (_mm_movemask_ps(_mm_castsi128_ps(tie)) & 5) | _mm_movemask_pd(tiny);
}

SIMD_INLINE vf
v_fma(vf a, vf b, vf c)
{
    __m128d low = _mm_cvtps_pd(a) * _mm_cvtps_pd(b), clow = _mm_cvtps_pd(c);
    __m128d high = _mm_cvtps_pd(_mm_movehl_ps(a, a)) * _mm_cvtps_pd(_mm_movehl_ps(b, b));
    __m128d chigh = _mm_cvtps_pd(_mm_movehl_ps(c, c));
    __m128d slow = low + clow, shigh = high + chigh;
    if (__builtin_expect(simd_doubtful(slow) | simd_doubtful(shigh), 0)) {
        slow = simd_sum_to_odd(low, clow);
        shigh = simd_sum_to_odd(high, chigh);
    }
    return _mm_movelh_ps(_mm_cvtpd_ps(slow), _mm_cvtpd_ps(shigh));
}

SIMD_INLINE vf
v_set1(float x)
{
    return _mm_set1_ps(x);
}

SIMD_INLINE vf
v_min(vf bound, vf x)
{
    return _mm_min_ps(bound, x);
}

SIMD_INLINE vf
v_max(vf bound, vf x)
{
    return _mm_max_ps(bound, x);
}

SIMD_INLINE vf
v_sqrt(vf x)
{
    return _mm_sqrt_ps(x);
}

#else

SIMD_INLINE vf
v_set1(float x)
{
    return (vf){x, x, x, x};
}

SIMD_INLINE vf
v_fma(vf a, vf b, vf c)
{
    vf r;
    for (int i = 0; i < LANES; i++)
        r[i] = fmaf(a[i], b[i], c[i]);
    return r;
}

SIMD_INLINE vf
v_min(vf bound, vf x)
{
    vf r;
    for (int i = 0; i < LANES; i++)
        r[i] = bound[i] < x[i] ? bound[i] : x[i];
    return r;
}

SIMD_INLINE vf
v_max(vf bound, vf x)
{
    vf r;
    for (int i = 0; i < LANES; i++)
        r[i] = bound[i] > x[i] ? bound[i] : x[i];
    return r;
}

SIMD_INLINE vf
v_sqrt(vf x)
{
    vf r;
    for (int i = 0; i < LANES; i++)
        r[i] = sqrtf(x[i]);
    return r;
}

#endif

/* exp(x) - 1 = scale * part + (scale - 1), with scale = 2^n and part =
 * exp(r) - 1 for x = n ln 2 + r, |r| <= ln(2)/2.  The polynomial's error is
 * below 1.6e-8 of `part`.  |x| must not exceed 87. */
struct v_exp_parts {
    vf scale, part;
};

SIMD_INLINE struct v_exp_parts
v_exp_split(vf x)
{
    const vf magic = v_set1(0x1.8p23f); /* adding it rounds to a whole number */
    vf shifted = v_fma(x, v_set1(0x1.715476p0f), magic);
    vf n = shifted - magic;
    vf r = v_fma(n, v_set1(-0x1.62e43p-1f), x);
    r = v_fma(n, v_set1(0x1.05c61p-29f), r);
    vf p = v_set1(0x1.6d995cp-10f);
    p = v_fma(p, r, v_set1(0x1.122838p-7f));
    p = v_fma(p, r, v_set1(0x1.555486p-5f));
    p = v_fma(p, r, v_set1(0x1.5554bp-3f));
    p = v_fma(p, r, v_set1(0.5f));
    vi exponent;
    memcpy(&exponent, &shifted, sizeof exponent);
    exponent = (exponent << 23) + 0x3f800000; /* the low bits of `shifted` are n */
    struct v_exp_parts e = {.part = v_fma(p, r * r, r)};
    memcpy(&e.scale, &exponent, sizeof e.scale);
    return e;
}

SIMD_INLINE vf
v_clamp(vf x, float bound)
{
    return v_max(v_set1(-bound), v_min(v_set1(bound), x));
}

/* Relative error below 2^-23; arguments beyond +-87 count as +-87. */
SIMD_INLINE vf
v_exp(vf x)
{
    struct v_exp_parts e = v_exp_split(v_clamp(x, 87));
    return v_fma(e.scale, e.part, e.scale);
}

/* 1 / (1 + exp(-x)), relative error below 2^-22 for |x| <= 87. */
SIMD_INLINE vf
v_sigmoid(vf x)
{
    return v_set1(1) / (v_set1(1) + v_exp(-x));
}

/* (e^2x - 1) / (e^2x + 1), relative error below 2^-22. */
SIMD_INLINE vf
v_tanh(vf x)
{
    vf y = v_clamp(x, 10);
    struct v_exp_parts e = v_exp_split(y + y);
    vf m = v_fma(e.scale, e.part, e.scale - v_set1(1));
    return m / (m + v_set1(2));
}

#endif

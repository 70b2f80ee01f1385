/* SPDX-License-Identifier: MIT
 *
 * The kernels with AVX2 and FMA: 16 registers of 8 floats, of which 12 hold
 * sums. */
#ifdef __AVX2__
#define KERNEL_TABLE    kernel_avx2
#define KERNEL_NAME     "avx2"
#define PRODUCT_ROWS    6
#define WIDE_ROWS       2
#define PRODUCT_HEIGHTS HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6)
#include "lstm/kernel_body.h"
#endif

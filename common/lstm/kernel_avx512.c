/* SPDX-License-Identifier: MIT
 *
 * The kernels with AVX-512: 32 registers of 16 floats.  16 of them hold sums, enough to keep
 * two multipliers busy.  A tile with more rows needs more row pointers than there are
 * registers; loading them costs a tenth of the speed.
 */
#ifdef __AVX512F__
#define KERNEL_TABLE kernel_avx512
#define KERNEL_NAME  "avx512"
#define PRODUCT_ROWS 8
#define WIDE_ROWS    5
#define PRODUCT_HEIGHTS                                                                            \
    HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7) HEIGHT(8)
#include "lstm/kernel_body.h"
#endif

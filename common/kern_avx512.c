/* SPDX-License-Identifier: MIT
 *
 * The kernels with AVX-512: 32 registers of 16 floats, of which 24 hold sums. */
#ifdef __AVX512F__
#define KERN_TABLE   kern_avx512
#define KERN_NAME    "avx512"
#define PRODUCT_ROWS 12
#define PRODUCT_HEIGHTS                                                                            \
    HEIGHT(1)                                                                                      \
    HEIGHT(2)                                                                                      \
    HEIGHT(3)                                                                                      \
    HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7) HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11) HEIGHT(12)
#include "kern_loops.h"
#endif

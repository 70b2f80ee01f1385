/* SPDX-License-Identifier: MIT
 *
 * The kernels with AVX-512: 32 registers of 16 floats, of which 24 hold sums. */
#ifdef __AVX512F__
#define KERN_TABLE   kern_avx512
#define KERN_NAME    "avx512"
#define GATES_ROWS   6
#define PRODUCT_ROWS 12
#include "kern_loops.h"
#endif

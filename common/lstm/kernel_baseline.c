/* SPDX-License-Identifier: MIT
 *
 * The kernels for any machine: SSE2 on x86-64, else plain C. */
#define KERNEL_TABLE    kernel_baseline
#define KERNEL_NAME     "baseline"
#define PRODUCT_ROWS    2
#define WIDE_ROWS       1
#define PRODUCT_HEIGHTS HEIGHT(1) HEIGHT(2)
#include "lstm/kernel_body.h"

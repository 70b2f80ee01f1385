/* SPDX-License-Identifier: MIT
 *
 * carve: the parts of one block of floats, each aligned as the kernels like it.
 * Measured first, with a NULL base; then allocated; then handed out.
 */
#ifndef GAMUT_CARVE_H
#define GAMUT_CARVE_H

#include <stddef.h>

#include "lstm/kernel.h"

struct carver {
    float *base; /* NULL: only measures */
    size_t used; /* floats */
};

static inline float *
carve(struct carver *c, size_t count)
{
    float *part = c->base == NULL ? NULL : c->base + c->used;
    c->used += kern_padded(count);
    return part;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "lstm/lstm_drop.h"

#include <math.h>

#include "core/rng.h"

uint32_t
lstm_drop_threshold(double p)
{
    return (uint32_t)lrint(p * 65536);
}

void
lstm_drop_fill(const struct lstm_dropout *d, uint32_t layer, uint32_t node, uint32_t threshold,
               float *mask, size_t n)
{
    const float keep = (float)(65536.0 / (65536.0 - threshold));
    uint32_t ctr[4] = {0, node, d->tree << 8 | layer, d->step}, bits[4];
    for (size_t i = 0; i < n; i += 8, ctr[0]++) {
        rng_philox(ctr, d->key, bits);
        for (size_t j = 0; j < 4; j++) {
            mask[i + 2 * j] = (bits[j] & 0xffff) < threshold ? 0 : keep;
            mask[i + 2 * j + 1] = bits[j] >> 16 < threshold ? 0 : keep;
        }
    }
}

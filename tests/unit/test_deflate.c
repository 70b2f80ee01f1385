/* SPDX-License-Identifier: MIT
 * flate: there and back, and everything that is not what was packed. */
#include "io/deflate.h"

#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "support/ignore.h"
#include "support/tap.h"

enum { SIZE = 100000 };

/* Packs `size` bytes and expands them again; gives the packed bytes, or 0. */
static size_t
there_and_back(const unsigned char *data, size_t size, unsigned char *packed)
{
    unsigned char *again = mem_zero(size, 1, IGNORE_ERR);
    struct err e = {0};
    size_t used = 0;
    bool same = deflate_compress(data, size, packed, &used, &e) == 0 &&
                deflate_expand(packed, used, again, size, &e) == 0 &&
                memcmp(again, data, size) == 0;
    mem_free(again);
    return same && used <= deflate_bound(size) ? used : 0;
}

/* zlib's own one-shot functions agree: the format is its format. */
static bool
zlib_agrees(const unsigned char *data, size_t size, const unsigned char *packed, size_t used)
{
    uLongf bound = compressBound(size);
    unsigned char *theirs = mem_array(bound, 1, IGNORE_ERR);
    bool same = compress2(theirs, &bound, data, size, 6) == Z_OK && bound == used &&
                memcmp(theirs, packed, used) == 0;
    mem_free(theirs);
    return same;
}

static void
test_wrong(const unsigned char *packed, size_t used, unsigned char *data)
{
    unsigned accepted = 0;
    struct err e = {0};
    for (size_t n = 0; n < used; n++)
        accepted += deflate_expand(packed, n, data, SIZE, &e) != ERR_DATA;
    ok(accepted == 0, "%zu truncations are refused", used);
    ok(deflate_expand(packed, used + 1, data, SIZE, &e) == ERR_DATA, "so is a byte too many");
    ok(deflate_expand(packed, used, data, SIZE - 1, &e) == ERR_DATA, "and too many bytes");
    ok(deflate_expand(packed, used, data, SIZE + 1, &e) == ERR_DATA, "and too few");
    ok(e.code == ERR_NONE, "the words are the caller's");
}

int
main(void)
{
    unsigned char *data = mem_zero(SIZE + 1, 1, IGNORE_ERR);
    unsigned char *packed = mem_zero(deflate_bound(SIZE) + 1, 1, IGNORE_ERR);
    struct rng r;
    rng_init(&r, 1, "test_flate", 0);

    size_t used = there_and_back(data, SIZE, packed);
    ok(used > 0 && used < SIZE / 100, "zeros take %zu bytes of %d", used, SIZE);
    test_wrong(packed, used, data);
    memset(data, 0, SIZE + 1);
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)(rng_u64(&r) >> 60);
    used = there_and_back(data, SIZE, packed);
    ok(used > SIZE / 2 && used < SIZE * 6 / 10, "half random bytes about half");
    ok(zlib_agrees(data, SIZE, packed, used), "as zlib packs them itself");
    for (size_t i = 0; i < SIZE; i++)
        data[i] = (unsigned char)rng_u64(&r);
    ok(there_and_back(data, SIZE, packed) > SIZE, "random bytes a little more");
    ok(there_and_back(data, 0, packed) > 0, "no bytes can be packed too");
    mem_free(data);
    mem_free(packed);
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * A model file of any kind; checksums do not count in this build. */
#include "fuzz.h"
#include "support/anymodel.h"
#include "support/ignore.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pool *pool;
    struct err e = {0};
    bool sound;
    if (pool == NULL)
        pool = pool_new(1, IGNORE_ERR);
    bool accepted = anymodel_try(data, size, "m", pool, &sound, &e);
    MUST(sound);
    MUST_NOT_CHECK(e);
    MUST(accepted == (e.code == ERR_NONE));
    return 0;
}

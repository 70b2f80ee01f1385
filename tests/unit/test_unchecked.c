/* SPDX-License-Identifier: MIT
 *
 * Damaged models without the protection of checksums: linked with a container_read.c that skips
 * them.  Accepted or refused, never a crash, a hang or much memory.
 */
#include "support/damage.h"
#include "support/ignore.h"

int
main(void)
{
    struct pool *pool = pool_new(1, IGNORE_ERR);
    for (size_t i = 0; i < DAMAGE_FILES; i++) {
        struct damage_file f;
        if (!ok(damage_read(&f, damage_names[i]), "%s is there", damage_names[i]))
            continue;
        struct damage_counts c = damage_truncate(&f, pool);
        ok(c.accepted == 0 && c.unnamed == 0, "%s: %lu truncations are refused by name", f.name,
           c.tried);
        c = damage_flip(&f, pool);
        /* The checksums' own bits alone are 8 x 8 for each header. */
        ok(c.accepted > 64, "%s: %lu of %lu flipped bits are accepted: nothing was checked", f.name,
           c.accepted, c.tried);
        ok(c.unsound == 0 && c.unnamed == 0, "%s: %lu flipped bits unchecked are no danger", f.name,
           c.tried);
        mem_free(f.bytes);
    }
    damage_check_memory();
    pool_free(pool);
    return tap_done();
}

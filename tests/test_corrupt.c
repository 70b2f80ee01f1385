/* SPDX-License-Identifier: MIT
 * Damaged models: each golden file truncated at every byte and with bits
 * flipped, checksums left alone and mended; and with each value changed. */
#include <xxhash.h>

#include "damage.h"
#include "meta.h"
#include "out.h"

static struct pool *pool;
static struct damage_counts total;

static void
put64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static void
add(const struct damage_counts *c)
{
    total.tried += c->tried;
    total.accepted += c->accepted;
}

/* Makes all checksums of `copy` right again, at the places where f has them. */
static void
mend(const struct damage_file *f, unsigned char *copy)
{
    put64(copy + DAMAGE_FILE_HEADER - 8, XXH3_64bits(copy, DAMAGE_FILE_HEADER - 8));
    for (size_t start = DAMAGE_FILE_HEADER; start < f->size;) {
        unsigned char *header = copy + start, *payload = header + DAMAGE_SECTION_HEADER;
        size_t size = damage_stored(f->bytes + start);
        uint64_t sum = XXH3_64bits(header, DAMAGE_SECTION_HEADER - 8);
        put64(header + DAMAGE_SECTION_HEADER - 8, sum);
        start += DAMAGE_SECTION_HEADER + size + 8;
        if (start <= f->size)
            put64(payload + size, XXH3_64bits_withSeed(payload, size, sum));
    }
}

static void
test_truncations(const struct damage_file *f)
{
    struct damage_counts c = damage_truncate(f, pool);
    ok(c.accepted == 0 && c.unnamed == 0, "%s: %lu truncations are refused by name", f->name,
       c.tried);
    add(&c);
}

static void
test_flips(const struct damage_file *f)
{
    struct damage_counts c = damage_flip(f, pool);
    ok(c.accepted == 0 && c.unnamed == 0, "%s: %lu flipped bits are refused by name", f->name,
       c.tried);
    add(&c);
}

static void
test_mended(const struct damage_file *f)
{
    struct damage_counts c = {0};
    unsigned char *copy = mem_array(f->size, 1, NULL);
    for (size_t i = 0; i < f->size; i++)
        for (unsigned bit = 0; bit < (damage_in_header(f, i) ? 8 : 1); bit++) {
            memcpy(copy, f->bytes, f->size);
            copy[i] ^= (unsigned char)(1u << (3 * bit + i) % 8);
            mend(f, copy);
            damage_try(&c, copy, f->size, f->name, pool);
        }
    mem_free(copy);
    ok(c.unsound == 0 && c.unnamed == 0,
       "%s: %lu flipped bits with right checksums, %lu of them accepted, are no danger", f->name,
       c.tried, c.accepted);
    add(&c);
}

/* The file again, with `change` added to byte `at` of section k's elements. */
static struct out *
rewrite(const struct mdl *m, size_t k, size_t at, unsigned char change)
{
    struct err e = {0};
    struct out *out = out_memory(&e);
    struct mdl_writer *w = mdl_writer_new(out, mdl_kind(m), mdl_meta(m), &e);
    for (size_t i = 1; i < mdl_sections(m); i++) { /* 0 is the metadata */
        const struct mdl_section *s = mdl_section(m, i);
        unsigned char *data = s->data;
        if (i == k)
            data[at] ^= change;
        mdl_put(w, s->name, s->type, s->data, s->count, &e);
        if (i == k)
            data[at] ^= change;
    }
    mdl_finish(w, &e);
    mdl_writer_free(w);
    return out;
}

static size_t
section_bytes(const struct mdl_section *s)
{
    static const size_t sizes[] = {[MDL_U8] = 1,  [MDL_TEXT] = 1, [MDL_U32] = 4,  [MDL_U64] = 8,
                                   [MDL_F32] = 4, [MDL_F64] = 8,  [MDL_MODEL] = 1};
    return s->count * sizes[s->type];
}

/* What only a program can do: wrong values in a file that is right. */
static void
test_values(const struct damage_file *f)
{
    static const unsigned char changes[] = {0x01, 0x80, 0x7f, 0xff};
    struct damage_counts c = {0};
    struct err e = {0};
    struct in *in = in_memory(f->bytes, f->size, f->name, &e);
    struct mdl *m = mdl_read(in, &e);
    for (size_t k = 1; k < mdl_sections(m); k++) {
        size_t bytes = section_bytes(mdl_section(m, k)), step = bytes > 256 ? 7 : 1;
        for (size_t i = 0; i < bytes * sizeof changes; i += step) {
            size_t size;
            struct out *out = rewrite(m, k, i / sizeof changes, changes[i % sizeof changes]);
            const void *data = out_bytes(out, &size);
            damage_try(&c, data, size, f->name, pool);
            out_abort(out);
        }
    }
    mdl_free(m);
    in_close(in);
    ok(c.unsound == 0 && c.unnamed == 0,
       "%s: %lu changed values, %lu of them accepted, are no danger", f->name, c.tried, c.accepted);
    add(&c);
}

int
main(void)
{
    pool = pool_new(1, NULL);
    for (size_t i = 0; i < DAMAGE_FILES; i++) {
        struct damage_file f;
        if (!ok(damage_read(&f, damage_names[i]), "%s is there", damage_names[i]))
            continue;
        struct damage_counts c = {0};
        damage_try(&c, f.bytes, f.size, f.name, pool);
        ok(c.accepted == 1 && c.unsound == 0, "%s is sound", damage_names[i]);
        test_truncations(&f);
        test_flips(&f);
        test_mended(&f);
        test_values(&f);
        mem_free(f.bytes);
    }
    damage_check_memory();
    printf("# damaged files tried: %lu, accepted: %lu\n", total.tried, total.accepted);
    pool_free(pool);
    return tap_done();
}

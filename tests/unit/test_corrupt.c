/* SPDX-License-Identifier: MIT
 *
 * Damaged models: each golden file truncated at every byte and with bits flipped, with wrong
 * and with corrected checksums; and with each value changed.
 */
#include <zlib.h>

#include "io/output.h"
#include "model/model.h"
#include "support/damage.h"
#include "support/ignore.h"
#include "support/tempfile.h"

static struct pool *pool;
static struct damage_counts total;

static void
add(const struct damage_counts *c)
{
    total.tried += c->tried;
    total.accepted += c->accepted;
}

/* Corrects all checksums of `copy`, at the places where f has them. */
static void
mend(const struct damage_file *f, unsigned char *copy)
{
    forge_put64(copy + FORGE_FILE_HEADER - 8, XXH3_64bits(copy, FORGE_FILE_HEADER - 8));
    for (size_t start = FORGE_FILE_HEADER; start < f->size;) {
        unsigned char *header = copy + start, *payload = header + FORGE_SECTION_HEADER;
        size_t size = damage_stored(f->bytes + start);
        uint64_t sum = XXH3_64bits(header, FORGE_SECTION_HEADER - 8);
        forge_put64(header + FORGE_SECTION_HEADER - 8, sum);
        start += FORGE_SECTION_HEADER + size + 8;
        if (start <= f->size)
            forge_put64(payload + size, XXH3_64bits_withSeed(payload, size, sum));
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
    unsigned char *copy = mem_array(f->size, 1, IGNORE_ERR);
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

/* A section's elements, to be changed. */
static unsigned char *
elements(struct container *m, const struct section_info *s)
{
    return (unsigned char *)(uintptr_t)container_get(m, s->name, s->type, s->count, IGNORE_ERR);
}

/* Writes the sections of a file again, except for the metadata. */
static void
rewrite(struct container *m, struct output *out)
{
    struct err e = {0};
    struct container_writer *w =
        container_writer_new(out, container_kind(m), container_version(m), container_meta(m), &e);
    for (size_t i = 1; i < container_sections(m); i++) {
        const struct section_info *s = container_section(m, i);
        container_put(w, s->name, s->type, elements(m, s), s->count, &e);
    }
    container_finish(w, &e);
    container_writer_free(w);
}

/* Tries the file with `change` added to byte `at` of the elements of section k.  A writer
 * makes only valid metadata, so these are forged. */
static void
try_value(struct damage_counts *c, const struct damage_file *f, struct container *m, size_t k,
          size_t at, unsigned char change)
{
    const struct section_info *s = container_section(m, k);
    unsigned char *data = elements(m, s);
    size_t size;
    data[at] ^= change;
    if (k == 0) {
        unsigned char *copy = forge_meta(f->bytes, f->size, data, s->count, &size);
        damage_try(c, copy, size, f->name, pool);
        mem_free(copy);
    } else {
        struct output *out = output_to_memory(IGNORE_ERR);
        rewrite(m, out);
        const void *bytes = output_bytes(out, &size);
        damage_try(c, bytes, size, f->name, pool);
        output_abort(out);
    }
    data[at] ^= change;
}

static size_t
section_bytes(const struct section_info *s)
{
    static const size_t sizes[] = {
        [SECTION_U8] = 1,  [SECTION_TEXT] = 1, [SECTION_U32] = 4,  [SECTION_U64] = 8,
        [SECTION_F32] = 4, [SECTION_F64] = 8,  [SECTION_MODEL] = 1};
    return s->count * sizes[s->type];
}

/* Damage that only a program can do: wrong values in a file with correct checksums. */
static void
test_values(const struct damage_file *f)
{
    static const unsigned char changes[] = {0x01, 0x80, 0x7f, 0xff};
    struct damage_counts c = {0};
    struct err e = {0};
    struct input *in = input_from_memory(f->bytes, f->size, f->name, &e);
    struct container *m = container_read(in, &e);
    for (size_t k = 0; k < container_sections(m); k++) {
        size_t bytes = section_bytes(container_section(m, k)), step = bytes > 256 ? 7 : 1;
        for (size_t i = 0; i < bytes * sizeof changes; i += step)
            try_value(&c, f, m, k, i / sizeof changes, changes[i % sizeof changes]);
    }
    container_free(m);
    input_close(in);
    ok(c.unsound == 0 && c.unnamed == 0,
       "%s: %lu changed values, %lu of them accepted, are no danger", f->name, c.tried, c.accepted);
    add(&c);
}

enum { BOMB = 80 << 20 }; /* more than damage_check_memory allows */

/* The bytes of f, and before the end marker a section of zeros under its own name, all
 * compressed. */
static void
write_bomb(const struct damage_file *f, size_t sections, const char *path)
{
    static const unsigned char zeros[1 << 16];
    unsigned char h[FORGE_SECTION_HEADER], trailer[8];
    size_t at = f->size - FORGE_SECTION_HEADER;
    gzFile gz = gzopen(path, "wb1");
    XXH3_state_t *state = XXH3_createState();
    gzwrite(gz, f->bytes, (unsigned)at);
    XXH3_64bits_reset_withSeed(
        state, forge_header(h, "SECT", SECTION_U8, "zeros", BOMB, BOMB, 0, sections));
    gzwrite(gz, h, sizeof h);
    for (size_t i = 0; i < BOMB; i += sizeof zeros) {
        gzwrite(gz, zeros, sizeof zeros);
        XXH3_64bits_update(state, zeros, sizeof zeros);
    }
    forge_put64(trailer, XXH3_64bits_digest(state));
    gzwrite(gz, trailer, sizeof trailer);
    forge_header(h, "DONE", SECTION_U8, "end", sections + 1, at + sizeof h + BOMB + sizeof trailer,
                 0, sections + 1);
    gzwrite(gz, h, sizeof h);
    gzclose(gz);
    XXH3_freeState(state);
}

/* A small file with a large unknown section is a valid model, and costs no more memory; see
 * damage_check_memory. */
static void
test_bomb(const struct damage_file *f)
{
    struct err e = {0};
    char path[TEMPFILE_MAX];
    tempfile_new(path);
    struct input *in = input_from_memory(f->bytes, f->size, f->name, &e);
    struct container *m = container_read(in, &e);
    write_bomb(f, container_sections(m), path);
    container_free(m);
    input_close(in);
    m = container_load(path, NULL, &e);
    ok(m != NULL && container_section(m, container_sections(m) - 1)->count == BOMB,
       "%s with %d MB in a section of its own is read%s%s", f->name, BOMB >> 20,
       m == NULL ? ": " : "", e.text);
    container_free(m);
    unlink(path);
}

enum { DEFLATED = 1 };
static unsigned char packed_zeros[1 << 17]; /* BOMB of them, deflated */

/* In pieces, since the memory of the test counts too; gives the bytes. */
static size_t
pack_zeros(void)
{
    static unsigned char zeros[1 << 16];
    z_stream z = {.next_out = packed_zeros, .avail_out = sizeof packed_zeros};
    deflateInit(&z, 9);
    for (size_t left = BOMB; left > 0; left -= sizeof zeros) {
        z.next_in = zeros;
        z.avail_in = sizeof zeros;
        deflate(&z, left > sizeof zeros ? Z_NO_FLUSH : Z_FINISH);
    }
    size_t size = z.total_out;
    deflateEnd(&z);
    return size;
}

/* The number of bytes before section `name`, whose index goes to k. */
static size_t
offset_of(const struct damage_file *f, const char *name, size_t *k)
{
    size_t at = FORGE_FILE_HEADER;
    for (*k = 0; strcmp((const char *)f->bytes + at + 8, name) != 0; ++*k)
        at += FORGE_SECTION_HEADER + damage_stored(f->bytes + at) + 8;
    return at;
}

/* Ends the container at `at`, reads it, and expects `text` in the error. */
static void
refuses(unsigned char *file, unsigned char *at, size_t sections, const char *name, const char *text)
{
    struct err e = {0};
    bool sound;
    size_t size = forge_end(file, at, sections);
    ok(!anymodel_try(file, size, name, pool, &sound, &e) && strstr(e.text, text) != NULL, "%s",
       e.text);
}

/* A network with more weights than its shape has, in few stored bytes: it is refused before
 * they are inflated; see damage_check_memory. */
static void
test_weights_bomb(const struct damage_file *f)
{
    static unsigned char file[1 << 18];
    size_t k, at = offset_of(f, "weights", &k), stored = pack_zeros();
    memcpy(file, f->bytes, at);
    unsigned char *end = forge_section(file + at, SECTION_F32, "weights", BOMB / 4, packed_zeros,
                                       stored, DEFLATED, k);
    refuses(file, end, k + 1, f->name, "section 'weights': 20971520 elements, expected");
}

/* The number of parameters of one layer of H units over 4 symbols and the end. */
static size_t
parameters(size_t h)
{
    return 4 * h * (5 + h) + 8 * h + 5 * h + 5;
}

/* A network with matching shape and weights, all of them 0, and its size. */
static size_t
forge_wide(unsigned char *file, const struct damage_file *f)
{
    enum { H = 2280 };
    const uint32_t shape[] = {5, H, 1};
    size_t k, at = offset_of(f, "shape", &k), stored = pack_zeros();
    memcpy(file, f->bytes, at);
    unsigned char *end =
        forge_section(file + at, SECTION_U32, "shape", 3, shape, sizeof shape, 0, k);
    end = forge_section(end, SECTION_U64, "max_length", 1, "\7\0\0\0\0\0\0", 8, 0, k + 1);
    end = forge_section(end, SECTION_F32, "weights", parameters(H), packed_zeros, stored, DEFLATED,
                        k + 2);
    return forge_end(file, end, k + 3);
}

/* It is valid, except that it is deflated twice: as the base of a GAM, or as a gzip file
 * (below). */
static void
test_base_bomb(const unsigned char *wide, size_t wide_size, const struct damage_file *gam)
{
    static unsigned char file[1 << 18], packed[1 << 18];
    uLongf size = sizeof packed;
    size_t k, at = offset_of(gam, "base", &k);
    compress2(packed, &size, wide, wide_size, 9);
    memcpy(file, gam->bytes, at);
    unsigned char *end =
        forge_section(file + at, SECTION_MODEL, "base", wide_size, packed, size, DEFLATED, k);
    refuses(file, end, k + 1, gam->name, "section 'base': section 'weights': expands");
}

/* The same as a gzip file. */
static void
test_gzip_bomb(const unsigned char *wide, size_t wide_size)
{
    struct err e = {0};
    char path[TEMPFILE_MAX];
    tempfile_new(path);
    gzFile gz = gzopen(path, "wb9");
    gzwrite(gz, wide, (unsigned)wide_size);
    gzclose(gz);
    ok(model_load(path, &e) == NULL && e.code == ERR_FORMAT &&
           strstr(e.text, "section 'weights': expands") != NULL,
       "and so when it is compressed as a whole");
    unlink(path);
}

static void
test_bombs_in_two_layers(void)
{
    static unsigned char wide[1 << 18];
    struct damage_file lstm, gam;
    if (!ok(damage_read(&lstm, "dna.lstm") && damage_read(&gam, "dna.gam"), "models to forge"))
        return;
    size_t size = forge_wide(wide, &lstm);
    test_base_bomb(wide, size, &gam);
    test_gzip_bomb(wide, size);
    mem_free(lstm.bytes);
    mem_free(gam.bytes);
}

/* A part of the optimizer state is not accepted. */
static void
test_half_optimizer(const struct damage_file *f)
{
    static unsigned char file[1 << 16];
    size_t k, at = offset_of(f, "adam.step", &k);
    memcpy(file, f->bytes, at);
    refuses(file, file + at, k, f->name, "section 'adam.step' is missing");
}

/* Sections that only --resume uses are checked anyway. */
static void
test_rest(const struct damage_file *f)
{
    struct err e = {0};
    size_t k, at = offset_of(f, "best.m", &k);
    unsigned char *file = mem_array(f->size, 1, IGNORE_ERR);
    memcpy(file, f->bytes, f->size);
    memset(file + at + FORGE_SECTION_HEADER, 'x', damage_stored(file + at));
    mend(f, file);
    struct input *in = input_from_memory(file, f->size, f->name, &e);
    struct container *m = container_read(in, &e);
    ok(m != NULL && container_verify_rest(m, &e) == ERR_FORMAT &&
           strstr(e.text, "'best.m': cannot be decompressed") != NULL,
       "%s", e.text);
    container_free(m);
    input_close(in);
    mem_free(file);
}

int
main(void)
{
    pool = pool_new(1, IGNORE_ERR);
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
        if (i == 0)
            test_bomb(&f);
        if (strcmp(f.name, "dna.lstm") == 0)
            test_weights_bomb(&f);
        if (strcmp(f.name, "epoch.lstm") == 0) {
            test_rest(&f);
            test_half_optimizer(&f);
        }
        mem_free(f.bytes);
    }
    test_bombs_in_two_layers();
    damage_check_memory();
    printf("# damaged files tried: %lu, accepted: %lu\n", total.tried, total.accepted);
    pool_free(pool);
    return tap_done();
}

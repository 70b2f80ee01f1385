/* SPDX-License-Identifier: MIT
 * Damaged models: each golden file truncated at every byte and with bits
 * flipped, checksums left alone and mended; and with each value changed. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

#include "anymodel.h"
#include "corpus.h"
#include "meta.h"
#include "out.h"
#include "tap.h"

enum {
    FILE_HEADER = 32,   /* bytes, the last 8 its checksum */
    SECTION_HEADER = 56 /* likewise */
};

struct file {
    const char *name;
    unsigned char *bytes;
    size_t size;
};

struct counts {
    unsigned long tried, accepted, unsound, unnamed;
};

static struct pool *pool;
static struct counts total;

static bool
read_golden(struct file *f, const char *name)
{
    char path[64];
    struct err e = {0};
    snprintf(path, sizeof path, "tests/golden/%s", name);
    struct in *in = in_open(path, &e);
    f->name = name;
    f->bytes = in != NULL ? (unsigned char *)in_read_all(in, &f->size, &e) : NULL;
    in_close(in);
    return f->bytes != NULL;
}

/* Every refusal names the file, the place and a reason; a machine that is wrong
 * as a whole has no section to blame. */
static bool
names_place(const struct err *e, const char *name)
{
    size_t n = strlen(name);
    return strncmp(e->text, name, n) == 0 && e->text[n] == ':' &&
           (strstr(e->text, "section") != NULL || strstr(e->text, "file header") != NULL ||
            strstr(e->text, "end marker") != NULL || strstr(e->text, "automaton") != NULL);
}

static void
try_bytes(struct counts *c, const unsigned char *bytes, size_t size, const char *name)
{
    struct err e = {0};
    bool sound, accepted = anymodel_try(bytes, size, name, pool, &sound, &e);
    c->tried++;
    c->accepted += accepted;
    c->unsound += !sound;
    if (!accepted && !names_place(&e, name) && c->unnamed++ == 0)
        printf("# does not name the place: %s\n", e.text);
}

static void
add(const struct counts *c)
{
    total.tried += c->tried;
    total.accepted += c->accepted;
}

static uint64_t
get64(const unsigned char *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static void
put64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

/* Bytes of a section as stored, from its header. */
static size_t
stored(const unsigned char *header)
{
    return memcmp(header, "DONE", 4) == 0 ? 0 : (size_t)get64(header + 32);
}

/* Whether byte `at` belongs to a header; gives the end of its part. */
static bool
in_header(const struct file *f, size_t at)
{
    size_t start = FILE_HEADER;
    while (at >= start && start < f->size) {
        if (at < start + SECTION_HEADER)
            return true;
        start += SECTION_HEADER + stored(f->bytes + start) + 8;
    }
    return at < FILE_HEADER;
}

/* Makes all checksums of `copy` right again, at the places where f has them. */
static void
mend(const struct file *f, unsigned char *copy)
{
    put64(copy + FILE_HEADER - 8, XXH3_64bits(copy, FILE_HEADER - 8));
    for (size_t start = FILE_HEADER; start < f->size;) {
        unsigned char *header = copy + start, *payload = header + SECTION_HEADER;
        size_t size = stored(f->bytes + start);
        uint64_t sum = XXH3_64bits(header, SECTION_HEADER - 8);
        put64(header + SECTION_HEADER - 8, sum);
        start += SECTION_HEADER + size + 8;
        if (start <= f->size)
            put64(payload + size, XXH3_64bits_withSeed(payload, size, sum));
    }
}

static void
test_truncations(const struct file *f)
{
    struct counts c = {0};
    for (size_t n = 0; n < f->size; n++)
        try_bytes(&c, f->bytes, n, f->name);
    ok(c.accepted == 0 && c.unnamed == 0, "%s: %lu truncations are refused by name", f->name,
       c.tried);
    add(&c);
}

/* All bits of headers, one of every other byte. */
static void
test_flips(const struct file *f)
{
    struct counts c = {0};
    for (size_t i = 0; i < f->size; i++)
        for (unsigned bit = 0; bit < (in_header(f, i) ? 8 : 1); bit++) {
            f->bytes[i] ^= (unsigned char)(1u << (bit + i) % 8);
            try_bytes(&c, f->bytes, f->size, f->name);
            f->bytes[i] ^= (unsigned char)(1u << (bit + i) % 8);
        }
    ok(c.accepted == 0 && c.unnamed == 0, "%s: %lu flipped bits are refused by name", f->name,
       c.tried);
    add(&c);
}

static void
test_mended(const struct file *f)
{
    struct counts c = {0};
    unsigned char *copy = mem_array(f->size, 1, NULL);
    for (size_t i = 0; i < f->size; i++)
        for (unsigned bit = 0; bit < (in_header(f, i) ? 8 : 1); bit++) {
            memcpy(copy, f->bytes, f->size);
            copy[i] ^= (unsigned char)(1u << (3 * bit + i) % 8);
            mend(f, copy);
            try_bytes(&c, copy, f->size, f->name);
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
test_values(const struct file *f)
{
    static const unsigned char changes[] = {0x01, 0x80, 0x7f, 0xff};
    struct counts c = {0};
    struct err e = {0};
    struct in *in = in_memory(f->bytes, f->size, f->name, &e);
    struct mdl *m = mdl_read(in, &e);
    for (size_t k = 1; k < mdl_sections(m); k++) {
        size_t bytes = section_bytes(mdl_section(m, k)), step = bytes > 256 ? 7 : 1;
        for (size_t i = 0; i < bytes * sizeof changes; i += step) {
            size_t size;
            struct out *out = rewrite(m, k, i / sizeof changes, changes[i % sizeof changes]);
            const void *data = out_bytes(out, &size);
            try_bytes(&c, data, size, f->name);
            out_abort(out);
        }
    }
    mdl_free(m);
    in_close(in);
    ok(c.unsound == 0 && c.unnamed == 0,
       "%s: %lu changed values, %lu of them accepted, are no danger", f->name, c.tried, c.accepted);
    add(&c);
}

/* No file of a few kilobytes may cost much memory; a sanitizer keeps what is
 * freed, and has its own. */
static void
test_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    ok(usage.ru_maxrss < 64L << 10, "all of it in %ld MB of memory", usage.ru_maxrss >> 10);
#endif
}

int
main(void)
{
    static const char *const names[] = {"mixture.pfsa", "dna.pfsa",    "dna.lstm",
                                        "epoch.lstm",   "mixture.gam", "dna.gam"};
    pool = pool_new(1, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct file f;
        if (!ok(read_golden(&f, names[i]), "%s is there", names[i]))
            continue;
        struct counts c = {0};
        try_bytes(&c, f.bytes, f.size, f.name);
        ok(c.accepted == 1 && c.unsound == 0, "%s is sound", names[i]);
        test_truncations(&f);
        test_flips(&f);
        test_mended(&f);
        test_values(&f);
        mem_free(f.bytes);
    }
    test_memory();
    printf("# damaged files tried: %lu, accepted: %lu\n", total.tried, total.accepted);
    pool_free(pool);
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 * The container: what is put comes back; anything else is refused by name. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/input.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "pfsa/pfsa.h"
#include "support/forge.h"
#include "support/ignore.h"
#include "support/tap.h"

static unsigned char *file; /* a container with one section of each type, and one unknown */
static size_t file_size;

static const double f64s[3] = {1.5, -0.0, 1e300};
static const float f32s[2] = {0.1f, -2};
static const uint32_t u32s[4] = {1, 2, 3, 0xffffffff};
static uint64_t zeros[1000];

static void
make_file(void)
{
    struct err e = {0};
    struct output *o = output_to_memory(&e);
    struct meta *m = meta_new(&e);
    meta_set(m, "tool", &e, "test");
    meta_set(m, "seed", &e, "%d", 1);
    struct container_writer *w = container_writer_new(o, &lstm_kind, 1, m, &e);
    container_put(w, "train.rows", SECTION_F64, f64s, 3, &e);
    container_put(w, "weights", SECTION_F32, f32s, 2, &e);
    container_put(w, "shape", SECTION_U32, u32s, 4, &e);
    container_put(w, "train.average", SECTION_U64, zeros, 1000, &e);
    container_put(w, "best.m", SECTION_U8, "", 0, &e);
    container_put(w, "other", SECTION_U64, zeros, 1000, &e);
    container_finish(w, &e);
    container_writer_free(w);
    meta_free(m);
    const void *bytes = output_bytes(o, &file_size);
    file = mem_array(file_size, 1, IGNORE_ERR);
    memcpy(file, bytes, file_size);
    ok(e.code == 0, "a container of %zu bytes is written", file_size);
    output_abort(o);
}

static struct container *
parse(const unsigned char *bytes, size_t size, struct err *e)
{
    *e = (struct err){0};
    struct input *in = input_from_memory(bytes, size, "m", e);
    struct container *m = container_read(in, e);
    input_close(in);
    return m;
}

/* A container of other sections: start, container_put, and finish, which reads it and frees
 * the old one. */
static struct container_writer *
start(struct output *o, const struct model_kind *kind)
{
    struct meta *meta = meta_new(IGNORE_ERR);
    struct container_writer *w = container_writer_new(o, kind, 1, meta, IGNORE_ERR);
    meta_free(meta);
    return w;
}

static struct container *
finish(struct container_writer *w, struct output *o, struct err *e)
{
    size_t size;
    container_finish(w, IGNORE_ERR);
    const void *bytes = output_bytes(o, &size);
    struct container *m = parse(bytes, size, e);
    container_writer_free(w);
    output_abort(o);
    return m;
}

/* A thousand equal floats and doubles take what they take in memory. */
static bool
stored_as_is(void)
{
    static const float singles[1000];
    static const double doubles[1000];
    struct err e = {0};
    struct output *o = output_to_memory(&e);
    struct container_writer *w = start(o, &lstm_kind);
    container_put(w, "weights", SECTION_F32, singles, 1000, &e);
    container_put(w, "train.rows", SECTION_F64, doubles, 1000, &e);
    struct container *m = finish(w, o, &e);
    bool raw = m != NULL && container_section(m, 1)->stored == sizeof singles &&
               container_section(m, 2)->stored == sizeof doubles;
    container_free(m);
    return raw;
}

static void
test_round_trip(void)
{
    struct err e;
    struct container *m = parse(file, file_size, &e);
    ok(m != NULL && container_kind(m) == &lstm_kind, "it is read back");
    const void *p = container_get(m, "train.rows", SECTION_F64, SIZE_MAX, &e);
    ok(container_count(m, "train.rows") == 3 && memcmp(p, f64s, sizeof f64s) == 0, "doubles");
    p = container_get(m, "weights", SECTION_F32, 2, &e);
    ok(p != NULL && memcmp(p, f32s, sizeof f32s) == 0, "floats, of a known count");
    ok(stored_as_is(), "floats that would deflate well are stored as they are");
    p = container_get(m, "train.average", SECTION_U64, SIZE_MAX, &e);
    ok(container_count(m, "train.average") == 1000 && memcmp(p, zeros, sizeof zeros) == 0,
       "integers");
    ok(container_section(m, 4)->stored < 100, "which were deflated");
    ok(container_get(m, "best.m", SECTION_U8, 0, &e) != NULL, "an empty section");
    ok(strcmp(meta_get(container_meta(m), "seed"), "1") == 0, "metadata");
    ok(container_get(m, "weights", SECTION_F32, 3, &e) == NULL && e.code == ERR_FORMAT, "%s",
       e.text);
    e = (struct err){0};
    ok(container_get(m, "weights", SECTION_F64, 3, &e) == NULL && strstr(e.text, "weights") != NULL,
       "%s", e.text);
    e = (struct err){0};
    ok(container_get(m, "gone", SECTION_F64, 3, &e) == NULL && strstr(e.text, "gone") != NULL, "%s",
       e.text);
    container_free(m);
}

/* A section that no tool uses: it is listed as its header says, and nothing else is done
 * with it. */
static void
test_unknown(void)
{
    struct err e;
    struct container *m = parse(file, file_size, &e);
    const struct section_info *s = container_section(m, 6);
    ok(container_sections(m) == 7 && strcmp(s->name, "other") == 0 && s->type == SECTION_U64 &&
           s->count == 1000 && s->stored < 100,
       "an unknown section is listed");
    ok(container_get(m, "other", SECTION_U64, 1000, &e) == NULL &&
           strstr(e.text, "is missing") != NULL,
       "but not to be had: %s", e.text);
    container_free(m);
    struct output *o = output_to_memory(&e);
    struct container_writer *w = start(o, &pfsa_kind);
    container_put(w, "weights", SECTION_F32, f32s, 2, &e);
    m = finish(w, o, &e);
    ok(m != NULL && container_get(m, "weights", SECTION_F32, 2, &e) == NULL,
       "a network's weights in an automaton are one");
    container_free(m);
}

static void
test_limits(void)
{
    struct err e;
    struct output *o = output_to_memory(IGNORE_ERR);
    struct container_writer *w = start(o, &lstm_kind);
    container_put(w, "shape", SECTION_U32, zeros, 65, IGNORE_ERR);
    ok(finish(w, o, &e) == NULL &&
           strcmp(e.text, "m: section 'shape': 65 elements, maximum is 64") == 0,
       "%s", e.text);
    o = output_to_memory(IGNORE_ERR);
    w = start(o, &lstm_kind);
    container_put(w, "weights", SECTION_F32, f32s, 2, IGNORE_ERR);
    container_put(w, "weights", SECTION_F32, f32s, 2, IGNORE_ERR);
    ok(finish(w, o, &e) == NULL && strcmp(e.text, "m: section 'weights': repeated") == 0, "%s",
       e.text);
    for (unsigned last = 4095; last <= 4096; last++) { /* 0 is the metadata */
        char name[SECTION_NAME_MAX + 1];
        o = output_to_memory(IGNORE_ERR);
        w = start(o, &lstm_kind);
        for (unsigned i = 1; i <= last; i++) {
            snprintf(name, sizeof name, "s%u", i);
            container_put(w, name, SECTION_U8, "", 0, IGNORE_ERR);
        }
        struct container *m = finish(w, o, &e);
        ok(last == 4095 ? m != NULL
                        : strcmp(e.text, "m: section 's4096': more than 4096 sections") == 0,
           "%u sections: %s", last + 1, m != NULL ? "accepted" : e.text);
        container_free(m);
    }
}

/* Every message names the file, and a section, the header or the end marker; or it says that the
 * file is not a model at all. */
static int
names_place(const struct err *e)
{
    return e->code == ERR_FORMAT && strncmp(e->text, "m: ", 3) == 0 &&
           (strstr(e->text, "section") != NULL || strstr(e->text, "file header") != NULL ||
            strstr(e->text, "end marker") != NULL || strstr(e->text, "file is empty") != NULL ||
            strstr(e->text, "not a gamut model file") != NULL);
}

static void
test_damage(void)
{
    struct err e;
    int accepted = 0, unnamed = 0;
    for (size_t n = 0; n < file_size; n++) {
        struct container *m = parse(file, n, &e);
        accepted += m != NULL;
        unnamed += !names_place(&e);
        container_free(m);
    }
    ok(accepted == 0 && unnamed == 0, "all %zu truncations are refused by name", file_size);
    accepted = unnamed = 0;
    for (size_t i = 0; i < 8 * file_size; i++) {
        file[i / 8] ^= (unsigned char)(1 << i % 8);
        struct container *m = parse(file, file_size, &e);
        accepted += m != NULL;
        unnamed += !names_place(&e);
        container_free(m);
        file[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    ok(accepted == 0 && unnamed == 0, "all %zu flipped bits are refused by name", 8 * file_size);
    unsigned char *longer = mem_array(file_size + 1, 1, IGNORE_ERR);
    memcpy(longer, file, file_size);
    longer[file_size] = 0;
    ok(parse(longer, file_size + 1, &e) == NULL && strstr(e.text, "extra bytes") != NULL, "%s",
       e.text);
    mem_free(longer);
}

/* Sets `size` bytes at `at` to v and corrects the checksum of `covered` bytes from `start`,
 * which follows them. */
static void
set_and_mend(unsigned char *b, size_t at, uint64_t v, int size, size_t start, size_t covered)
{
    for (int i = 0; i < size; i++)
        b[at + (size_t)i] = (unsigned char)(v >> 8 * i);
    uint64_t sum = XXH3_64bits(b + start, covered);
    for (int i = 0; i < 8; i++)
        b[start + covered + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

static void
forged(const char *name, size_t at, uint64_t v, int size, size_t start, size_t covered,
       const char *text)
{
    struct err e;
    unsigned char *copy = mem_array(file_size, 1, IGNORE_ERR);
    memcpy(copy, file, file_size);
    set_and_mend(copy, at, v, size, start, covered);
    struct container *m = parse(copy, file_size, &e);
    ok(m == NULL && strstr(e.text, text) != NULL, "%s: %s", name, e.text);
    container_free(m);
    mem_free(copy);
}

/* Files with correct checksums and wrong contents, which only a program can make. */
static void
test_forgeries(void)
{
    struct err e;
    forged("newer", 8, 4, 4, 0, 24, "format version 4");
    forged("older", 8, 0, 4, 0, 24, "format version 0");
    forged("kind", 12, 9, 4, 0, 24, "unknown kind");
    forged("type", 32 + 4, 77, 4, 32, 48, "section 'meta': unknown type");
    forged("flags", 32 + 40, 8, 4, 32, 48, "section 'meta': unknown flags");
    forged("count", 32 + 24, UINT64_MAX / 2, 8, 32, 48, "section 'meta'");
    forged("stored", 32 + 32, UINT64_MAX / 2, 8, 32, 48, "section 'meta'");
    forged("order", 32 + 44, 5, 4, 32, 48, "not a section header");
    forged("name", 32 + 8, '\n', 1, 32, 48, "invalid characters");
    forged("end", file_size - 56 + 24, 5, 8, file_size - 56, 48, "sections are missing");
    ok(parse((const unsigned char *)"01010\n", 6, &e) == NULL &&
           strstr(e.text, "not a gamut model") != NULL,
       "strings: %s", e.text);
    ok(parse(file, 0, &e) == NULL && strstr(e.text, "empty") != NULL, "nothing: %s", e.text);
}

static void
test_meta(void)
{
    struct err e = {0};
    struct meta *m = meta_new(&e);
    meta_set(m, "a", &e, "1");
    meta_set(m, "b", &e, "two\nlines\tand a tab");
    meta_set(m, "a", &e, "3");
    ok(meta_count(m) == 2 && strcmp(meta_get(m, "a"), "3") == 0, "a key is set again in place");
    ok(strcmp(meta_get(m, "b"), "two lines and a tab") == 0, "a value is one line");
    ok(meta_get(m, "c") == NULL, "an unknown key");
    size_t n;
    char *text = meta_text(m, &n, &e);
    ok(strcmp(text, "a\t3\nb\ttwo lines and a tab\n") == 0 && strlen(text) == n, "as text");
    mem_free(text);
    meta_set_number(m, "c", 0.1, &e);
    meta_set_hash(m, "d", 0xbeef, &e);
    ok(strcmp(meta_get(m, "c"), "0.1") == 0 && strcmp(meta_get(m, "d"), "000000000000beef") == 0,
       "numbers and hashes");
    meta_free(m);
}

/* Whether the value of that key has that type. */
static bool
is_type(const char *key, const char *value, enum meta_type type)
{
    struct err e = {0};
    struct meta *m = meta_new(&e);
    uint64_t whole;
    double real;
    meta_set(m, key, &e, "%s", value);
    bool same = meta_number(m, 0, &whole, &real) == type;
    meta_free(m);
    return same;
}

static void
test_meta_number(void)
{
    ok(is_type("seed", "18446744073709551615", META_WHOLE) && is_type("epochs", "0", META_WHOLE),
       "whole numbers");
    ok(is_type("lr", "0.004", META_REAL) && is_type("log_z", "-3", META_REAL) &&
           is_type("lr", "1e-05", META_REAL) && is_type("lr", "18446744073709551616", META_TEXT),
       "real numbers");
    ok(is_type("train_ce", "nan", META_REAL) && is_type("log_z", "-inf", META_REAL),
       "that are not finite");
    ok(is_type("code", "007", META_TEXT) && is_type("lr", "4e-3", META_TEXT) &&
           is_type("end", "epochs", META_TEXT) && is_type("note", "", META_TEXT),
       "what we would not write is text");
    ok(is_type("version", "1.5", META_TEXT) && is_type("input", "1234567890123456", META_TEXT) &&
           is_type("input.valid", "1234567890123456", META_TEXT),
       "and so are versions and checksums");
}

static void
bad_meta(const char *text, size_t length, const char *reason)
{
    struct err e = {0};
    ok(meta_parse(text, length, &e) == NULL && strstr(e.text, reason) != NULL, "%s", e.text);
}

/* The maximum number of keys, and the maximum length of the last value; and one more. */
static void
test_meta_limits(void)
{
    struct err e = {0};
    struct meta *m = meta_new(&e);
    char key[8];
    for (int i = 0; i < META_LINES_MAX; i++) {
        snprintf(key, sizeof key, "k%d", i);
        meta_set(m, key, &e, "v");
    }
    size_t used, after;
    mem_free(meta_text(m, &used, &e));
    int rest = META_BYTES_MAX - (int)used;
    ok(meta_set(m, key, &e, "%*s", rest + 1, "") == 0, "a megabyte of metadata in 1000 lines");
    mem_free(meta_text(m, &after, &e));
    ok(after == META_BYTES_MAX, "is told to the byte");
    struct meta *copy = meta_copy(m, &e);
    ok(copy != NULL, "and read");
    ok(meta_set(m, key, &e, "%*s", rest + 2, "") == ERR_LIMIT, "%s", e.text);
    struct err more = {0};
    ok(meta_set(m, "one", &more, "more") == ERR_LIMIT, "%s", more.text);
    mem_free(meta_text(m, &used, &e));
    ok(used == after && meta_get(m, "one") == NULL, "what is refused changes nothing");
    meta_free(copy);
    meta_free(m);
}

static void
forged_meta(const char *text, size_t length, const char *message)
{
    struct err e;
    size_t size;
    unsigned char *copy = forge_meta(file, file_size, text, length, &size);
    ok(parse(copy, size, &e) == NULL && strcmp(e.text, message) == 0, "%s", e.text);
    mem_free(copy);
}

/* Metadata that no writer makes. */
static void
test_bad_meta(void)
{
    bad_meta("key value\n", 10, "line 1: expected 'key<TAB>value'");
    bad_meta("k\tv", 3, "line 1: expected 'key<TAB>value'");
    bad_meta("k\tv\0\n", 5, "NUL");
    bad_meta("k\tv\nk\tw\n", 8, "line 2: repeated key");
    bad_meta("k\033\tv\n", 5, "line 1: invalid characters in the key");
    bad_meta("a\tv\nK\tv\n", 8, "line 2: invalid characters in the key");
    struct err e = {0};
    struct output *text = output_to_memory(&e);
    size_t size;
    for (int i = 0; i <= META_LINES_MAX; i++)
        output_printf(text, &e, "k%d\tv\n", i);
    const char *bytes = output_bytes(text, &size);
    bad_meta(bytes, size, "more than 1000 lines of metadata");
    forged_meta(bytes, size, "m: section 'meta': more than 1000 lines of metadata");
    forged_meta("k v\n", 4, "m: section 'meta': line 1: expected 'key<TAB>value'");
    char *blanks = mem_zero(META_BYTES_MAX + 1, 1, &e);
    forged_meta(blanks, META_BYTES_MAX + 1,
                "m: section 'meta': 1048577 elements, maximum is 1048576");
    mem_free(blanks);
    output_abort(text);
}

/* A file of which `meta` is the second section; checksums are right. */
static void
test_meta_second(void)
{
    unsigned char bytes[512] = {0};
    memcpy(bytes, file, FORGE_FILE_HEADER);
    unsigned char *at = bytes + FORGE_FILE_HEADER;
    at = forge_section(at, SECTION_TEXT, "alphabet", 2, "01", 2, 0, 0);
    at = forge_section(at, SECTION_TEXT, "meta", 4, "k\tv\n", 4, 0, 1);
    size_t size = forge_end(bytes, at, 2);
    struct err e;
    struct container *m = parse(bytes, size, &e);
    ok(m == NULL && strstr(e.text, "section 'alphabet': the first section is not 'meta'") != NULL,
       "%s", e.text);
    container_free(m);
}

/* Control characters, which a terminal would obey and JSON forbids, are not passed on. */
static void
test_shown_meta(void)
{
    static const char text[] = "tool\t\033]0;title\007\nname\tcaf\xc3\xa9 \xff\xc2\x9b\n";
    struct err e;
    size_t size;
    unsigned char *copy = forge_meta(file, file_size, text, sizeof text - 1, &size);
    struct container *m = parse(copy, size, &e);
    ok(m != NULL && strcmp(meta_get(container_meta(m), "tool"), " ]0;title ") == 0,
       "no control bytes");
    ok(m != NULL && strcmp(meta_get(container_meta(m), "name"), "caf\xc3\xa9    ") == 0,
       "only UTF-8");
    container_free(m);
    mem_free(copy);
}

int
main(void)
{
    make_file();
    test_round_trip();
    test_unknown();
    test_limits();
    test_damage();
    test_forgeries();
    test_meta();
    test_meta_number();
    test_meta_limits();
    test_bad_meta();
    test_meta_second();
    test_shown_meta();
    mem_free(file);
    return tap_done();
}

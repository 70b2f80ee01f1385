/* SPDX-License-Identifier: MIT */
#include "model/container.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/err.h"
#include "core/fault.h"
#include "core/mem.h"
#include "io/input.h"
#include "model/container_internal.h"
#include "model/meta.h"
#include "model/model.h"

/* A section header, decoded. */
struct header {
    bool last; /* the end marker */
    uint32_t type, flags, index;
    char name[SECTION_NAME_MAX + 1];
    uint64_t count, stored, sum;
};

/* Compares two checksums.  A fuzzer would never get past them, so in its build all are
 * equal, and the code after them must be safe without them. */
static bool
differ(uint64_t a, uint64_t b)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)a, (void)b;
    return false;
#else
    return a != b;
#endif
}

/* Exactly `size` bytes; `where` names what is being read. */
static int
read_exactly(struct container *m, struct input *in, void *buf, size_t size, const char *where,
             struct err *e)
{
    ssize_t n = input_read(in, buf, size, e);
    if (n < 0)
        return (int)n;
    m->offset += (uint64_t)n;
    if (m->depth == 0)
        m->stored = input_stored(in);
    if ((size_t)n < size)
        return err_set(e, ERR_FORMAT, "%s: file is truncated after %" PRIu64 " bytes", where,
                       m->offset);
    return 0;
}

static const struct model_kind *
find_kind(uint64_t number)
{
    const struct model_kind *const *kind = model_kinds;
    while (*kind != NULL && (*kind)->number != number)
        kind++;
    return *kind;
}

static int
read_file_header(struct container *m, struct input *in, struct err *e)
{
    unsigned char h[CONTAINER_HEADER_SIZE];
    ssize_t n = input_read(in, h, sizeof h, e);
    if (n < 0)
        return (int)n;
    m->offset = (uint64_t)n;
    if (n == 0)
        return err_set(e, ERR_FORMAT, "file is empty");
    size_t common = (size_t)n < sizeof container_magic ? (size_t)n : sizeof container_magic;
    if (memcmp(h, container_magic, common) != 0)
        return err_set(e, ERR_FORMAT, "not a gamut model file");
    if ((size_t)n < sizeof h)
        return err_set(e, ERR_FORMAT, "file header: file is truncated after %zd bytes", n);
    if (differ(container_get_le(h + 24, 8), XXH3_64bits(h, 24)))
        return err_set(e, ERR_FORMAT, "file header: checksum mismatch (the file is damaged)");
    uint64_t version = container_get_le(h + 8, 4), kind = container_get_le(h + 12, 4);
    if (version < 1 || version > CONTAINER_VERSION_MAX)
        return err_set(e, ERR_FORMAT,
                       "file header: format version %" PRIu64
                       "; this program reads versions 1 to %d",
                       version, CONTAINER_VERSION_MAX);
    m->version = (uint32_t)version;
    m->kind = find_kind(kind);
    return m->kind != NULL
               ? 0
               : err_set(e, ERR_FORMAT, "file header: unknown kind of model %" PRIu64, kind);
}

/* Returns, for example, "header of section 3, after 'meta'" before the name of section 3 is
 * known. */
static void
describe_place(const struct container *m, char *text, size_t size)
{
    const char *after = m->sections > 0 ? m->section[m->sections - 1].is.name : "the file header";
    snprintf(text, size, "header of section %zu, after '%s'", m->sections + 1, after);
}

static int
read_header(struct container *m, struct input *in, struct header *h, struct err *e)
{
    unsigned char b[CONTAINER_SECTION_SIZE];
    char place[64];
    describe_place(m, place, sizeof place);
    int rc = read_exactly(m, in, b, sizeof b, place, e);
    if (rc != 0)
        return rc;
    h->sum = container_get_le(b + 48, 8);
    if (differ(h->sum, XXH3_64bits(b, 48)))
        return err_set(e, ERR_FORMAT, "%s: checksum mismatch (the file is damaged)", place);
    h->last = memcmp(b, "DONE", 4) == 0;
    h->type = (uint32_t)container_get_le(b + 4, 4);
    memcpy(h->name, b + 8, sizeof h->name);
    h->count = container_get_le(b + 24, 8);
    h->stored = container_get_le(b + 32, 8);
    h->flags = (uint32_t)container_get_le(b + 40, 4);
    h->index = (uint32_t)container_get_le(b + 44, 4);
    bool named = h->name[SECTION_NAME_MAX] == '\0' && h->name[0] != '\0';
    if ((!h->last && memcmp(b, "SECT", 4) != 0) || !named || h->index != m->sections)
        return err_set(e, ERR_FORMAT, "%s: not a section header", place);
    return 0;
}

static bool
name_is_plain(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

/* The rule for a section of this model kind; NULL if there is none. */
static const struct section_rule *
find_rule(const struct model_kind *kind, const char *name)
{
    static const struct section_rule meta = {"meta", META_BYTES_MAX};
    const struct section_rule *rule = kind->sections;
    if (strcmp(name, meta.name) == 0)
        return &meta;
    while (rule->name != NULL && strcmp(rule->name, name) != 0)
        rule++;
    return rule->name != NULL ? rule : NULL;
}

/* Checks everything in a header before any of it is used. */
static int
check_header(const struct container *m, const struct header *h, struct err *e)
{
    if (!name_is_plain(h->name))
        return err_set(e, ERR_FORMAT, "section %zu: invalid characters in the name",
                       m->sections + 1);
    if (m->sections == 0 && strcmp(h->name, "meta") != 0)
        return err_set(e, ERR_FORMAT, "section '%s': the first section is not 'meta'", h->name);
    if (h->type < SECTION_U8 || h->type > SECTION_MODEL)
        return err_set(e, ERR_FORMAT, "section '%s': unknown type %" PRIu32, h->name, h->type);
    if ((h->flags & ~(uint32_t)CONTAINER_DEFLATED) != 0)
        return err_set(e, ERR_FORMAT, "section '%s': unknown flags", h->name);
    if (m->sections == CONTAINER_SECTIONS_MAX)
        return err_set(e, ERR_FORMAT, "section '%s': more than %d sections", h->name,
                       CONTAINER_SECTIONS_MAX);
    for (size_t i = 0; i < m->sections; i++)
        if (strcmp(m->section[i].is.name, h->name) == 0)
            return err_set(e, ERR_FORMAT, "section '%s': repeated", h->name);
    uint64_t size = section_type_size(h->type);
    if (h->stored > SIZE_MAX / CONTAINER_DEFLATE_RATIO_MAX || h->count > SIZE_MAX / size)
        return err_set(e, ERR_FORMAT, "section '%s': too large", h->name);
    bool fits = (h->flags & CONTAINER_DEFLATED) != 0
                    ? h->count * size <= h->stored * CONTAINER_DEFLATE_RATIO_MAX
                    : h->count * size == h->stored;
    if (!fits)
        return err_set(e, ERR_FORMAT,
                       "section '%s': %" PRIu64 " elements cannot come from %" PRIu64
                       " stored bytes",
                       h->name, h->count, h->stored);
    const struct section_rule *rule = find_rule(m->kind, h->name);
    if (rule != NULL && h->count > rule->max_count)
        return err_set(e, ERR_FORMAT, "section '%s': %" PRIu64 " elements, maximum is %" PRIu64 "",
                       h->name, h->count, rule->max_count);
    return 0;
}

/* Reads the stored bytes of a section.  The buffer grows with the bytes that arrive, so a
 * wrong size in the header costs no memory. */
static unsigned char *
read_payload(struct container *m, struct input *in, const struct header *h, struct err *e)
{
    enum { STEP = 1 << 20 };
    unsigned char *data = NULL;
    char place[SECTION_NAME_MAX + 16];
    size_t capacity = 0, have = 0;
    snprintf(place, sizeof place, "section '%s'", h->name);
    do {
        size_t want = h->stored - have < STEP ? (size_t)h->stored - have : STEP;
        if (container_charge(m, h->name, want, e) != 0 ||
            mem_reserve(&data, &capacity, have + want, 1, e) != 0)
            goto fail;
        if (read_exactly(m, in, data + have, want, place, e) != 0)
            goto fail;
        have += want;
    } while (have < h->stored);
    return data;
fail:
    mem_free(data);
    return NULL;
}

/* Skips the stored bytes of a section that is not kept; `sum` gets their checksum. */
static int
skip_payload(struct container *m, struct input *in, const struct header *h, uint64_t *sum,
             struct err *e)
{
    unsigned char piece[4096];
    char place[SECTION_NAME_MAX + 16];
    XXH3_state_t *state = fault_due(FAULT_ALLOC) ? NULL : XXH3_createState();
    if (state == NULL)
        return err_nomem(e, sizeof piece);
    snprintf(place, sizeof place, "section '%s'", h->name);
    XXH3_64bits_reset_withSeed(state, h->sum);
    int rc = 0;
    for (uint64_t left = h->stored; rc == 0 && left > 0;) {
        size_t n = left < sizeof piece ? (size_t)left : sizeof piece;
        rc = read_exactly(m, in, piece, n, place, e);
        if (rc == 0)
            XXH3_64bits_update(state, piece, n);
        left -= n;
    }
    *sum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return rc;
}

/* Reads the recorded checksum, which must equal `sum`, into `recorded`. */
static int
verify_payload(struct container *m, struct input *in, const struct header *h, uint64_t sum,
               uint64_t *recorded, struct err *e)
{
    unsigned char trailer[8];
    char place[SECTION_NAME_MAX + 16];
    snprintf(place, sizeof place, "section '%s'", h->name);
    int rc = read_exactly(m, in, trailer, sizeof trailer, place, e);
    if (rc != 0)
        return rc;
    *recorded = container_get_le(trailer, 8);
    if (differ(*recorded, sum))
        return err_set(e, ERR_FORMAT, "section '%s': checksum mismatch (the file is damaged)",
                       h->name);
    return 0;
}

/* Reads the stored bytes of a known section into s->data, and their checksum into
 * s->is.hash. */
static int
keep_section(struct container *m, struct input *in, const struct header *h, struct section_data *s,
             struct err *e)
{
    unsigned char *payload = read_payload(m, in, h, e);
    if (payload == NULL)
        return e->code;
    uint64_t sum = XXH3_64bits_withSeed(payload, (size_t)h->stored, h->sum);
    int rc = verify_payload(m, in, h, sum, &s->is.hash, e);
    if (rc == 0)
        s->data = payload;
    else
        mem_free(payload);
    return rc;
}

static int
skip_section(struct container *m, struct input *in, const struct header *h, struct section_data *s,
             struct err *e)
{
    uint64_t sum;
    int rc = skip_payload(m, in, h, &sum, e);
    return rc == 0 ? verify_payload(m, in, h, sum, &s->is.hash, e) : rc;
}

static int
read_section(struct container *m, struct input *in, const struct header *h, struct err *e)
{
    int rc = check_header(m, h, e);
    if (rc != 0)
        return rc;
    if (mem_reserve(&m->section, &m->capacity, m->sections + 1, sizeof *m->section, e) != 0)
        return ERR_NOMEM;
    struct section_data s = {.deflated = (h->flags & CONTAINER_DEFLATED) != 0};
    s.is.type = (enum section_type)h->type;
    s.is.count = (size_t)h->count;
    s.is.stored = h->stored;
    memcpy(s.is.name, h->name, sizeof s.is.name);
    rc = find_rule(m->kind, h->name) != NULL ? keep_section(m, in, h, &s, e)
                                             : skip_section(m, in, h, &s, e);
    if (rc == 0)
        m->section[m->sections++] = s;
    return rc;
}

/* The end marker must agree with what was read, and nothing may follow. */
static int
check_end(struct container *m, struct input *in, const struct header *h, struct err *e)
{
    char byte;
    if (h->count != m->sections || h->stored != m->offset - CONTAINER_SECTION_SIZE)
        return err_set(e, ERR_FORMAT, "end marker: sections are missing");
    ssize_t n = input_read(in, &byte, 1, e);
    if (n < 0)
        return (int)n;
    return n == 0 ? 0 : err_set(e, ERR_FORMAT, "extra bytes after the end marker");
}

static int
read_sections(struct container *m, struct input *in, struct err *e)
{
    for (;;) {
        struct header h;
        int rc = read_header(m, in, &h, e);
        if (rc != 0)
            return rc;
        if (h.last)
            return check_end(m, in, &h, e);
        rc = read_section(m, in, &h, e);
        if (rc != 0)
            return rc;
    }
}

static int
parse_meta(struct container *m, struct err *e)
{
    const char *text = container_get(m, "meta", SECTION_TEXT, SIZE_MAX, e);
    if (text == NULL)
        return ERR_FORMAT;
    m->meta = meta_parse(text, container_count(m, "meta"), e);
    if (m->meta != NULL)
        return 0;
    if (e->code != ERR_NOMEM) {
        err_recode(e, ERR_FORMAT);
        err_prefix(e, "section 'meta'");
    }
    return ERR_FORMAT;
}

/* Each level takes stack, so a file does not decide how many there are. */
static int
check_depth(const struct container *m, struct err *e)
{
    if (m->depth < CONTAINER_DEPTH_MAX)
        return 0;
    return err_set(e, ERR_FORMAT, "file header: more than %d models inside each other",
                   CONTAINER_DEPTH_MAX);
}

struct container *
container_read(struct input *in, struct err *e)
{
    return container_read_within(NULL, in, e);
}

struct container *
container_read_within(const struct container *outer, struct input *in, struct err *e)
{
    struct container *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    if (outer != NULL) {
        m->depth = outer->depth + 1;
        m->held = outer->held;
        m->stored = outer->stored;
    }
    m->name = mem_string(input_name(in), strlen(input_name(in)), e);
    if (m->name == NULL || check_depth(m, e) != 0 || read_file_header(m, in, e) != 0 ||
        read_sections(m, in, e) != 0 || parse_meta(m, e) != 0) {
        if (e->code == ERR_FORMAT)
            err_prefix(e, "%s", input_name(in));
        container_free(m);
        return NULL;
    }
    return m;
}

void
container_absorb(struct container *outer, const struct container *inner)
{
    outer->held = inner->held;
}

struct container *
container_load(const char *path, uint64_t *hash, struct err *e)
{
    struct input *in = input_open(path, e);
    struct container *m = in != NULL ? container_read(in, e) : NULL;
    if (in != NULL && hash != NULL)
        *hash = input_hash(in);
    input_close(in);
    return m;
}

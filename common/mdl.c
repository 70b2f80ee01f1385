/* SPDX-License-Identifier: MIT
 *
 *   file header            section header           section
 *    0  magic  89 GAMUT CR LF    0  tag "SECT"          header   56
 *    8  version   u32            4  type     u32        payload  stored
 *   12  kind      u32            8  name[16], NULs      checksum u64
 *   16  reserved  u64           24  count    u64
 *   24  checksum  u64           32  stored   u64       end marker: a section
 *                               40  flags    u32       header with tag "DONE",
 *                               44  index    u32       count = sections and
 *                               48  checksum u64       stored = its offset
 *
 * A checksum is XXH3-64 of the header's bytes before it; a payload's is
 * XXH3-64 seeded with its header's checksum, which ties the two together.
 */
#include "mdl.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "alphabet.h"
#include "err.h"
#include "fault.h"
#include "flate.h"
#include "in.h"
#include "mem.h"
#include "meta.h"
#include "out.h"

enum {
    VERSION = 1,
    HEADER_SIZE = 32,
    SECTION_SIZE = 56,
    SECTIONS_MAX = 4096,
    DEFLATED = 1,            /* the only flag */
    DEFLATE_RATIO_MAX = 1032 /* no deflate stream expands further */
};

static const unsigned char magic[8] = {0x89, 'G', 'A', 'M', 'U', 'T', '\r', '\n'};

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [MDL_U8] = {"u8", 1},       [MDL_TEXT] = {"text", 1}, [MDL_U32] = {"u32", 4},
    [MDL_U64] = {"u64", 8},     [MDL_F32] = {"f32", 4},   [MDL_F64] = {"f64", 8},
    [MDL_MODEL] = {"model", 1},
};

/* The sections that readers ask for, the kinds of model that have them, and the
 * most elements; FEW where more would be no model.  No other section is kept: it
 * could be of any size, and for nothing. */
enum {
    PFSA = 1 << MDL_PFSA,
    LSTM = 1 << MDL_LSTM,
    GAM = 1 << MDL_GAM,
    FEW = ALPHABET_MAX /* the alphabet; others have less */
};
#define ANY UINT64_MAX

static const struct known {
    const char *name;
    unsigned kinds;
    uint64_t most;
} known[] = {
    {"meta", PFSA | LSTM | GAM, META_BYTES_MAX},
    {"alphabet", PFSA | LSTM, FEW},
    {"max_length", LSTM | GAM, FEW},
    {"log_partition", PFSA, FEW},
    {"final", PFSA, ANY},
    {"first", PFSA, ANY},
    {"symbol", PFSA, ANY},
    {"target", PFSA, ANY},
    {"logp", PFSA, ANY},
    {"shape", LSTM, FEW},
    {"weights", LSTM, ANY},
    {"adam.m", LSTM, ANY},
    {"adam.v", LSTM, ANY},
    {"adam.step", LSTM, FEW},
    {"train.identity", LSTM, FEW},
    {"train.state", LSTM, FEW},
    {"train.sums", LSTM, FEW},
    {"train.rows", LSTM, ANY},
    {"train.average", LSTM, ANY},
    {"best.weights", LSTM, ANY},
    {"best.m", LSTM, ANY},
    {"best.v", LSTM, ANY},
    {"best.step", LSTM, FEW},
    {"features", GAM, ANY},
    {"lambda", GAM, ANY},
    {"base", GAM, ANY},
};

/* What is known of a section in a model of that kind; NULL if nothing is. */
static const struct known *
find_known(enum mdl_kind kind, const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].kinds & 1u << kind) != 0 && strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

static const char *const kinds[] = {[MDL_PFSA] = "pfsa", [MDL_LSTM] = "lstm", [MDL_GAM] = "gam"};

const char *
mdl_type_name(enum mdl_type type)
{
    return types[type].name;
}

const char *
mdl_kind_name(enum mdl_kind kind)
{
    return kinds[kind];
}

static void
put_le(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static uint64_t
get_le(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

/* Reverses the bytes of each element, on machines that need it: the file is
 * little-endian. */
static void
swap_elements(unsigned char *data, size_t count, size_t size)
{
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || size == 1)
        return;
    for (size_t i = 0; i < count; i++, data += size)
        for (size_t j = 0; j < size / 2; j++) {
            unsigned char t = data[j];
            data[j] = data[size - 1 - j];
            data[size - 1 - j] = t;
        }
}

/* ---- writing ---- */

struct mdl_writer {
    struct out *out;
    uint64_t offset;
    uint32_t sections;
};

static int
emit(struct mdl_writer *w, const void *data, size_t size, struct err *e)
{
    w->offset += size;
    return out_write(w->out, data, size, e);
}

/* Completes a section header with its checksum and writes it. */
static int
emit_header(struct mdl_writer *w, const char *tag, unsigned char h[SECTION_SIZE], uint64_t *sum,
            struct err *e)
{
    memcpy(h, tag, 4);
    put_le(h + 44, w->sections, 4);
    *sum = XXH3_64bits(h, 48);
    put_le(h + 48, *sum, 8);
    return emit(w, h, SECTION_SIZE, e);
}

static int
emit_section(struct mdl_writer *w, unsigned char h[SECTION_SIZE], const void *payload, size_t size,
             struct err *e)
{
    uint64_t sum;
    unsigned char trailer[8];
    put_le(h + 32, size, 8);
    int status = emit_header(w, "SECT", h, &sum, e);
    if (status == 0)
        status = emit(w, payload, size, e);
    put_le(trailer, XXH3_64bits_withSeed(payload, size, sum), 8);
    if (status == 0)
        status = emit(w, trailer, sizeof trailer, e);
    w->sections++;
    return status;
}

struct mdl_writer *
mdl_writer_new(struct out *out, enum mdl_kind kind, const struct meta *meta, struct err *e)
{
    unsigned char h[HEADER_SIZE] = {0};
    size_t length;
    struct mdl_writer *w = mem_zero(1, sizeof *w, e);
    char *text = meta_text(meta, &length, e);
    if (w == NULL || text == NULL)
        goto fail;
    w->out = out;
    memcpy(h, magic, sizeof magic);
    put_le(h + 8, VERSION, 4);
    put_le(h + 12, kind, 4);
    put_le(h + 24, XXH3_64bits(h, 24), 8);
    if (emit(w, h, sizeof h, e) != 0 || mdl_put(w, "meta", MDL_TEXT, text, length, e) != 0)
        goto fail;
    mem_free(text);
    return w;
fail:
    mem_free(text);
    mdl_writer_free(w);
    return NULL;
}

/* The elements as the file has them, deflated where that is shorter; *stored
 * and the flag in `h` say which.  The result is freed by the caller. */
static unsigned char *
pack(unsigned char h[SECTION_SIZE], const void *data, size_t count, size_t size, size_t *stored,
     struct err *e)
{
    size_t bytes = count * size, packed_bytes;
    unsigned char *raw = mem_array(bytes, 1, e);
    unsigned char *packed = mem_array(flate_bound(bytes), 1, e);
    if (raw == NULL || packed == NULL)
        goto fail;
    memcpy(raw, data, bytes);
    swap_elements(raw, count, size);
    if (flate_pack(raw, bytes, packed, &packed_bytes, e) != 0)
        goto fail;
    bool shorter = packed_bytes < bytes;
    put_le(h + 40, shorter ? DEFLATED : 0, 4);
    *stored = shorter ? packed_bytes : bytes;
    mem_free(shorter ? raw : packed);
    return shorter ? packed : raw;
fail:
    mem_free(raw);
    mem_free(packed);
    return NULL;
}

int
mdl_put(struct mdl_writer *w, const char *name, enum mdl_type type, const void *data, size_t count,
        struct err *e)
{
    unsigned char h[SECTION_SIZE] = {0};
    size_t stored;
    put_le(h + 4, type, 4);
    strncpy((char *)h + 8, name, MDL_NAME_MAX);
    put_le(h + 24, count, 8);
    unsigned char *payload = pack(h, data, count, types[type].size, &stored, e);
    if (payload == NULL)
        return ERR_NOMEM;
    int status = emit_section(w, h, payload, stored, e);
    mem_free(payload);
    return status;
}

int
mdl_finish(struct mdl_writer *w, struct err *e)
{
    unsigned char h[SECTION_SIZE] = {0};
    uint64_t sum;
    memcpy(h + 8, "end", 3);
    put_le(h + 24, w->sections, 8);
    put_le(h + 32, w->offset, 8);
    return emit_header(w, "DONE", h, &sum, e);
}

void
mdl_writer_free(struct mdl_writer *w)
{
    mem_free(w);
}

/* ---- reading ---- */

struct mdl {
    char *name;
    enum mdl_kind kind;
    struct meta *meta;
    struct mdl_section *section;
    size_t sections, capacity;
    uint64_t offset; /* bytes read so far */
};

/* A section header, decoded. */
struct header {
    bool last; /* the end marker */
    uint32_t type, flags, index;
    char name[MDL_NAME_MAX + 1];
    uint64_t count, stored, sum;
};

/* Two checksums.  A fuzzer would never come past them, so in its build none
 * differ, and everything behind has to hold without them. */
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
read_exactly(struct mdl *m, struct in *in, void *buf, size_t size, const char *where, struct err *e)
{
    ssize_t n = in_read(in, buf, size, e);
    if (n < 0)
        return (int)n;
    m->offset += (uint64_t)n;
    if ((size_t)n < size)
        return err_set(e, ERR_FORMAT, "%s: file is truncated after %" PRIu64 " bytes", where,
                       m->offset);
    return 0;
}

static int
read_file_header(struct mdl *m, struct in *in, struct err *e)
{
    unsigned char h[HEADER_SIZE];
    ssize_t n = in_read(in, h, sizeof h, e);
    if (n < 0)
        return (int)n;
    m->offset = (uint64_t)n;
    if (n == 0)
        return err_set(e, ERR_FORMAT, "file header: the file is empty");
    size_t common = (size_t)n < sizeof magic ? (size_t)n : sizeof magic;
    if (memcmp(h, magic, common) != 0)
        return err_set(e, ERR_FORMAT, "file header: this is not a gamut model");
    if ((size_t)n < sizeof h)
        return err_set(e, ERR_FORMAT, "file header: file is truncated after %zd bytes", n);
    if (differ(get_le(h + 24, 8), XXH3_64bits(h, 24)))
        return err_set(e, ERR_FORMAT, "file header: checksum mismatch (the file is damaged)");
    uint64_t version = get_le(h + 8, 4), kind = get_le(h + 12, 4);
    if (version != VERSION)
        return err_set(e, ERR_FORMAT,
                       "file header: format version %" PRIu64 "; this program reads version %d",
                       version, VERSION);
    if (kind < MDL_PFSA || kind > MDL_GAM)
        return err_set(e, ERR_FORMAT, "file header: unknown kind of model %" PRIu64, kind);
    m->kind = (enum mdl_kind)kind;
    return 0;
}

/* Says "header of section 3, after 'meta'" before the name of section 3 is known. */
static void
describe_place(const struct mdl *m, char *text, size_t size)
{
    const char *after = m->sections > 0 ? m->section[m->sections - 1].name : "the file header";
    snprintf(text, size, "header of section %zu, after '%s'", m->sections + 1, after);
}

static int
read_header(struct mdl *m, struct in *in, struct header *h, struct err *e)
{
    unsigned char b[SECTION_SIZE];
    char place[64];
    describe_place(m, place, sizeof place);
    int status = read_exactly(m, in, b, sizeof b, place, e);
    if (status != 0)
        return status;
    h->sum = get_le(b + 48, 8);
    if (differ(h->sum, XXH3_64bits(b, 48)))
        return err_set(e, ERR_FORMAT, "%s: checksum mismatch (the file is damaged)", place);
    h->last = memcmp(b, "DONE", 4) == 0;
    h->type = (uint32_t)get_le(b + 4, 4);
    memcpy(h->name, b + 8, sizeof h->name);
    h->count = get_le(b + 24, 8);
    h->stored = get_le(b + 32, 8);
    h->flags = (uint32_t)get_le(b + 40, 4);
    h->index = (uint32_t)get_le(b + 44, 4);
    bool named = h->name[MDL_NAME_MAX] == '\0' && h->name[0] != '\0';
    if ((!h->last && memcmp(b, "SECT", 4) != 0) || !named || h->index != m->sections)
        return err_set(e, ERR_FORMAT, "%s: not a section header", place);
    return 0;
}

static bool
name_is_plain(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

/* Everything a header says is checked before any of it is used. */
static int
check_header(const struct mdl *m, const struct header *h, struct err *e)
{
    if (!name_is_plain(h->name))
        return err_set(e, ERR_FORMAT, "section %zu: the name has foreign characters",
                       m->sections + 1);
    if (h->type < MDL_U8 || h->type > MDL_MODEL)
        return err_set(e, ERR_FORMAT, "section '%s': unknown type %" PRIu32, h->name, h->type);
    if ((h->flags & ~(uint32_t)DEFLATED) != 0)
        return err_set(e, ERR_FORMAT, "section '%s': unknown flags", h->name);
    if (m->sections == SECTIONS_MAX)
        return err_set(e, ERR_FORMAT, "section '%s': more than %d sections", h->name, SECTIONS_MAX);
    for (size_t i = 0; i < m->sections; i++)
        if (strcmp(m->section[i].name, h->name) == 0)
            return err_set(e, ERR_FORMAT, "section '%s': stands twice", h->name);
    uint64_t size = types[h->type].size;
    if (h->stored > SIZE_MAX / DEFLATE_RATIO_MAX || h->count > SIZE_MAX / size)
        return err_set(e, ERR_FORMAT, "section '%s': too large", h->name);
    bool fits = (h->flags & DEFLATED) != 0 ? h->count * size <= h->stored * DEFLATE_RATIO_MAX
                                           : h->count * size == h->stored;
    if (!fits)
        return err_set(e, ERR_FORMAT,
                       "section '%s': %" PRIu64 " elements cannot come from %" PRIu64
                       " stored bytes",
                       h->name, h->count, h->stored);
    const struct known *k = find_known(m->kind, h->name);
    if (k != NULL && h->count > k->most)
        return err_set(e, ERR_FORMAT,
                       "section '%s': %" PRIu64 " elements where %" PRIu64 " are the most", h->name,
                       h->count, k->most);
    return 0;
}

/* The stored bytes of a section.  The buffer grows with what arrives, so a
 * size that the file does not keep costs no memory. */
static unsigned char *
read_payload(struct mdl *m, struct in *in, const struct header *h, struct err *e)
{
    enum { STEP = 1 << 20 };
    unsigned char *data = NULL;
    char place[MDL_NAME_MAX + 16];
    size_t capacity = 0, have = 0;
    snprintf(place, sizeof place, "section '%s'", h->name);
    do {
        size_t want = h->stored - have < STEP ? (size_t)h->stored - have : STEP;
        if (mem_reserve(&data, &capacity, have + want, 1, e) != 0)
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

/* Reads past the stored bytes of a section that nobody will ask for; `sum` gets
 * their checksum. */
static int
skip_payload(struct mdl *m, struct in *in, const struct header *h, uint64_t *sum, struct err *e)
{
    unsigned char piece[4096];
    char place[MDL_NAME_MAX + 16];
    XXH3_state_t *state = fault_due(FAULT_ALLOC) ? NULL : XXH3_createState();
    if (state == NULL)
        return err_nomem(e, sizeof piece);
    snprintf(place, sizeof place, "section '%s'", h->name);
    XXH3_64bits_reset_withSeed(state, h->sum);
    int status = 0;
    for (uint64_t left = h->stored; status == 0 && left > 0;) {
        size_t n = left < sizeof piece ? (size_t)left : sizeof piece;
        status = read_exactly(m, in, piece, n, place, e);
        if (status == 0)
            XXH3_64bits_update(state, piece, n);
        left -= n;
    }
    *sum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return status;
}

/* The recorded checksum, which has to be `sum`, into `recorded`. */
static int
verify_payload(struct mdl *m, struct in *in, const struct header *h, uint64_t sum,
               uint64_t *recorded, struct err *e)
{
    unsigned char trailer[8];
    char place[MDL_NAME_MAX + 16];
    snprintf(place, sizeof place, "section '%s'", h->name);
    int status = read_exactly(m, in, trailer, sizeof trailer, place, e);
    if (status != 0)
        return status;
    *recorded = get_le(trailer, 8);
    if (differ(*recorded, sum))
        return err_set(e, ERR_FORMAT, "section '%s': checksum mismatch (the file is damaged)",
                       h->name);
    return 0;
}

/* Native elements from stored bytes; takes ownership of `payload`. */
static unsigned char *
unpack(const struct header *h, unsigned char *payload, struct err *e)
{
    size_t size = types[h->type].size, bytes = (size_t)h->count * size;
    unsigned char *data = payload;
    if ((h->flags & DEFLATED) != 0) {
        data = mem_array(bytes, 1, e);
        int status =
            data == NULL ? ERR_NOMEM : flate_unpack(payload, (size_t)h->stored, data, bytes, e);
        mem_free(payload);
        if (status != 0) {
            err_set(e, ERR_FORMAT, "section '%s': cannot be inflated to %" PRIu64 " elements",
                    h->name, h->count); /* unless there was no memory */
            mem_free(data);
            return NULL;
        }
    }
    swap_elements(data, (size_t)h->count, size);
    return data;
}

/* The elements of a known section into s->data, its checksum into s->hash. */
static int
keep_section(struct mdl *m, struct in *in, const struct header *h, struct mdl_section *s,
             struct err *e)
{
    unsigned char *payload = read_payload(m, in, h, e);
    if (payload == NULL)
        return e->code;
    uint64_t sum = XXH3_64bits_withSeed(payload, (size_t)h->stored, h->sum);
    int status = verify_payload(m, in, h, sum, &s->hash, e);
    if (status != 0) {
        mem_free(payload);
        return status;
    }
    s->data = unpack(h, payload, e);
    return s->data != NULL ? 0 : e->code;
}

static int
skip_section(struct mdl *m, struct in *in, const struct header *h, struct mdl_section *s,
             struct err *e)
{
    uint64_t sum;
    int status = skip_payload(m, in, h, &sum, e);
    return status == 0 ? verify_payload(m, in, h, sum, &s->hash, e) : status;
}

static int
read_section(struct mdl *m, struct in *in, const struct header *h, struct err *e)
{
    int status = check_header(m, h, e);
    if (status != 0)
        return status;
    if (mem_reserve(&m->section, &m->capacity, m->sections + 1, sizeof *m->section, e) != 0)
        return ERR_NOMEM;
    struct mdl_section s = {.type = (enum mdl_type)h->type, .count = (size_t)h->count};
    memcpy(s.name, h->name, sizeof s.name);
    s.stored = h->stored;
    status = find_known(m->kind, h->name) != NULL ? keep_section(m, in, h, &s, e)
                                                  : skip_section(m, in, h, &s, e);
    if (status == 0)
        m->section[m->sections++] = s;
    return status;
}

/* The end marker must agree with what was read, and nothing may follow. */
static int
check_end(struct mdl *m, struct in *in, const struct header *h, struct err *e)
{
    char byte;
    if (h->count != m->sections || h->stored != m->offset - SECTION_SIZE)
        return err_set(e, ERR_FORMAT, "end marker: sections are missing");
    ssize_t n = in_read(in, &byte, 1, e);
    if (n < 0)
        return (int)n;
    return n == 0 ? 0 : err_set(e, ERR_FORMAT, "end marker: more bytes follow it");
}

static int
read_sections(struct mdl *m, struct in *in, struct err *e)
{
    for (;;) {
        struct header h;
        int status = read_header(m, in, &h, e);
        if (status != 0)
            return status;
        if (h.last)
            return check_end(m, in, &h, e);
        status = read_section(m, in, &h, e);
        if (status != 0)
            return status;
    }
}

static int
parse_meta(struct mdl *m, struct err *e)
{
    size_t length = SIZE_MAX;
    const char *text = mdl_get(m, "meta", MDL_TEXT, &length, e);
    if (text == NULL)
        return ERR_FORMAT;
    m->meta = meta_parse(text, length, e);
    if (m->meta != NULL)
        return 0;
    if (e != NULL && e->code != ERR_NOMEM) {
        err_recode(e, ERR_FORMAT);
        err_prefix(e, "section 'meta'");
    }
    return ERR_FORMAT;
}

struct mdl *
mdl_read(struct in *in, struct err *e)
{
    struct mdl *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    m->name = mem_string(in_name(in), strlen(in_name(in)), e);
    if (m->name == NULL || read_file_header(m, in, e) != 0 || read_sections(m, in, e) != 0 ||
        parse_meta(m, e) != 0) {
        if (e != NULL && e->code == ERR_FORMAT)
            err_prefix(e, "%s", in_name(in));
        mdl_free(m);
        return NULL;
    }
    return m;
}

struct mdl *
mdl_load(const char *path, uint64_t *hash, struct err *e)
{
    struct in *in = in_open(path, e);
    struct mdl *m = in != NULL ? mdl_read(in, e) : NULL;
    if (in != NULL && hash != NULL)
        *hash = in_hash(in);
    in_close(in);
    return m;
}

void
mdl_free(struct mdl *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->sections; i++)
        mem_free(m->section[i].data);
    mem_free(m->section);
    meta_free(m->meta);
    mem_free(m->name);
    mem_free(m);
}

enum mdl_kind
mdl_kind(const struct mdl *m)
{
    return m->kind;
}

int
mdl_expect(const struct mdl *m, enum mdl_kind kind, struct err *e)
{
    if (m->kind == kind)
        return 0;
    return err_set(e, ERR_FORMAT, "%s: expected a model of kind '%s', found '%s'", m->name,
                   mdl_kind_name(kind), mdl_kind_name(m->kind));
}

const struct meta *
mdl_meta(const struct mdl *m)
{
    return m->meta;
}

const char *
mdl_name(const struct mdl *m)
{
    return m->name;
}

size_t
mdl_sections(const struct mdl *m)
{
    return m->sections;
}

const struct mdl_section *
mdl_section(const struct mdl *m, size_t i)
{
    return &m->section[i];
}

const void *
mdl_get(const struct mdl *m, const char *name, enum mdl_type type, size_t *count, struct err *e)
{
    for (size_t i = 0; i < m->sections; i++) {
        const struct mdl_section *s = &m->section[i];
        if (strcmp(s->name, name) != 0 || s->data == NULL)
            continue;
        if (s->type != type) {
            err_set(e, ERR_FORMAT, "section '%s': holds %s where %s is expected", name,
                    types[s->type].name, types[type].name);
            return NULL;
        }
        if (*count != SIZE_MAX && *count != s->count) {
            err_set(e, ERR_FORMAT, "section '%s': %zu elements where %zu are expected", name,
                    s->count, *count);
            return NULL;
        }
        *count = s->count;
        return s->data;
    }
    err_set(e, ERR_FORMAT, "section '%s' is missing", name);
    return NULL;
}

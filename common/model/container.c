/* SPDX-License-Identifier: MIT */
#include "model/container.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "io/deflate.h"
#include "model/container_internal.h"
#include "model/meta.h"
#include "text/alphabet.h"

const unsigned char mdl_magic[8] = {0x89, 'G', 'A', 'M', 'U', 'T', '\r', '\n'};

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [MDL_U8] = {"u8", 1},       [MDL_TEXT] = {"text", 1}, [MDL_U32] = {"u32", 4},
    [MDL_U64] = {"u64", 8},     [MDL_F32] = {"f32", 4},   [MDL_F64] = {"f64", 8},
    [MDL_MODEL] = {"model", 1},
};

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

size_t
mdl_type_size(enum mdl_type type)
{
    return types[type].size;
}

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

static const struct mdl_known known[] = {
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
    {"features", GAM, 64 << 20},
    {"lambda", GAM, FEATURES_MAX},
    {"base", GAM, ANY},
};

const struct mdl_known *
mdl_known(enum mdl_kind kind, const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].kinds & 1u << kind) != 0 && strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

void
mdl_put_le(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

uint64_t
mdl_get_le(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

void
mdl_swap(unsigned char *data, size_t count, size_t size)
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

/* What may be held of a file: as much as it can hold that is deflated once, and
 * any little.  A few kilobytes that expand twice, in a gzip file or in a model
 * within a model, would be gigabytes. */
static uint64_t
allowance(const struct mdl *m)
{
    const uint64_t little = 64 << 20;
    return little + m->stored * MDL_DEFLATE_RATIO_MAX;
}

int
mdl_hold(struct mdl *m, const char *section, uint64_t bytes, struct err *e)
{
    if (bytes > allowance(m) || m->held > allowance(m) - bytes)
        return err_set(e, ERR_FORMAT,
                       "section '%s': expands to more than %d times the file; if that is meant, "
                       "decompress the file first",
                       section, MDL_DEFLATE_RATIO_MAX);
    m->held += bytes;
    return 0;
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
    return &m->section[i].is;
}

static int
inflate_section(struct mdl *m, struct mdl_held *s, struct err *e)
{
    size_t bytes = s->is.count * mdl_type_size(s->is.type);
    int status = mdl_hold(m, s->is.name, bytes, e);
    unsigned char *data = status == 0 ? mem_array(bytes, 1, e) : NULL;
    if (data == NULL)
        return status != 0 ? status : ERR_NOMEM;
    status = flate_unpack(s->data, (size_t)s->is.stored, data, bytes, e);
    if (status != 0) {
        mem_free(data);
        return err_set(e, ERR_FORMAT, "section '%s': cannot be inflated to %zu elements",
                       s->is.name, s->is.count); /* unless there was no memory */
    }
    mem_free(s->data);
    s->data = data;
    return 0;
}

/* Stored bytes become native elements, once. */
static int
unpack(struct mdl *m, struct mdl_held *s, struct err *e)
{
    int status = !s->native && s->deflated ? inflate_section(m, s, e) : 0;
    if (status == 0 && !s->native)
        mdl_swap(s->data, s->is.count, mdl_type_size(s->is.type));
    s->native |= status == 0;
    return status;
}

static struct mdl_held *
find(const struct mdl *m, const char *name)
{
    for (size_t i = 0; i < m->sections; i++)
        if (strcmp(m->section[i].is.name, name) == 0 && m->section[i].data != NULL)
            return &m->section[i];
    return NULL;
}

size_t
mdl_count(const struct mdl *m, const char *name)
{
    const struct mdl_held *s = find(m, name);
    return s != NULL ? s->is.count : SIZE_MAX;
}

int
mdl_check(const struct mdl *m, const char *name, enum mdl_type type, size_t count, struct err *e)
{
    const struct mdl_held *s = find(m, name);
    if (s == NULL)
        return err_set(e, ERR_FORMAT, "section '%s' is missing", name);
    if (s->is.type != type)
        return err_set(e, ERR_FORMAT, "section '%s': holds %s where %s is expected", name,
                       mdl_type_name(s->is.type), mdl_type_name(type));
    if (count != SIZE_MAX && count != s->is.count)
        return err_set(e, ERR_FORMAT, "section '%s': %zu elements where %zu are expected", name,
                       s->is.count, count);
    return 0;
}

const void *
mdl_get(struct mdl *m, const char *name, enum mdl_type type, size_t *count, struct err *e)
{
    struct mdl_held *s = mdl_check(m, name, type, *count, e) == 0 ? find(m, name) : NULL;
    if (s == NULL || unpack(m, s, e) != 0)
        return NULL;
    *count = s->is.count;
    return s->data;
}

int
mdl_check_rest(struct mdl *m, struct err *e)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < m->sections; i++) {
        struct mdl_held *s = &m->section[i];
        if (s->data == NULL || s->native)
            continue;
        status = unpack(m, s, e);
        m->held -= status == 0 && s->deflated ? s->is.count * mdl_type_size(s->is.type) : 0;
        mem_free(s->data);
        s->data = NULL;
    }
    if (status == ERR_FORMAT)
        err_prefix(e, "%s", m->name);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "model/container.h"

#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/deflate.h"
#include "model/container_internal.h"
#include "model/meta.h"

const unsigned char container_magic[8] = {0x89, 'G', 'A', 'M', 'U', 'T', '\r', '\n'};

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [SECTION_U8] = {"u8", 1},       [SECTION_TEXT] = {"text", 1}, [SECTION_U32] = {"u32", 4},
    [SECTION_U64] = {"u64", 8},     [SECTION_F32] = {"f32", 4},   [SECTION_F64] = {"f64", 8},
    [SECTION_MODEL] = {"model", 1},
};

const char *
section_type_name(enum section_type type)
{
    return types[type].name;
}

size_t
section_type_size(enum section_type type)
{
    return types[type].size;
}

void
container_put_le(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

uint64_t
container_get_le(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

void
container_swap(unsigned char *data, size_t count, size_t size)
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

/* Limits the memory for a file to what a single deflate of its bytes could hold, plus a
 * constant.  A few kilobytes that expand twice, in a gzip file or in a model within a model,
 * could become gigabytes. */
static uint64_t
allowance(const struct container *m)
{
    const uint64_t little = 64 << 20;
    return little + m->stored * CONTAINER_DEFLATE_RATIO_MAX;
}

int
container_charge(struct container *m, const char *section, uint64_t bytes, struct err *e)
{
    if (bytes > allowance(m) || m->held > allowance(m) - bytes)
        return err_set(e, ERR_FORMAT,
                       "section '%s': expands to more than %d times the file; if this is intended, "
                       "decompress the file first",
                       section, CONTAINER_DEFLATE_RATIO_MAX);
    m->held += bytes;
    return 0;
}

void
container_free(struct container *m)
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

const struct model_kind *
container_kind(const struct container *m)
{
    return m->kind;
}

uint32_t
container_version(const struct container *m)
{
    return m->version;
}

const struct meta *
container_meta(const struct container *m)
{
    return m->meta;
}

const char *
container_name(const struct container *m)
{
    return m->name;
}

size_t
container_sections(const struct container *m)
{
    return m->sections;
}

const struct section_info *
container_section(const struct container *m, size_t i)
{
    return &m->section[i].is;
}

static int
inflate_section(struct container *m, struct section_data *s, struct err *e)
{
    size_t bytes = s->is.count * section_type_size(s->is.type);
    int rc = container_charge(m, s->is.name, bytes, e);
    unsigned char *data = rc == 0 ? mem_array(bytes, 1, e) : NULL;
    if (data == NULL)
        return rc != 0 ? rc : ERR_NOMEM;
    rc = deflate_expand(s->data, (size_t)s->is.stored, data, bytes, e);
    if (rc != 0) {
        mem_free(data);
        return err_set(e, ERR_FORMAT, "section '%s': cannot be decompressed to %zu elements",
                       s->is.name, s->is.count); /* unless out of memory */
    }
    mem_free(s->data);
    s->data = data;
    return 0;
}

/* Converts stored bytes to native elements, once. */
static int
unpack(struct container *m, struct section_data *s, struct err *e)
{
    int rc = !s->native && s->deflated ? inflate_section(m, s, e) : 0;
    if (rc == 0 && !s->native)
        container_swap(s->data, s->is.count, section_type_size(s->is.type));
    s->native |= rc == 0;
    return rc;
}

static struct section_data *
find(const struct container *m, const char *name)
{
    for (size_t i = 0; i < m->sections; i++)
        if (strcmp(m->section[i].is.name, name) == 0 && m->section[i].data != NULL)
            return &m->section[i];
    return NULL;
}

size_t
container_count(const struct container *m, const char *name)
{
    const struct section_data *s = find(m, name);
    return s != NULL ? s->is.count : SIZE_MAX;
}

int
container_check(const struct container *m, const char *name, enum section_type type, size_t count,
                struct err *e)
{
    const struct section_data *s = find(m, name);
    if (s == NULL)
        return err_set(e, ERR_FORMAT, "section '%s' is missing", name);
    if (s->is.type != type)
        return err_set(e, ERR_FORMAT, "section '%s': type is %s, expected %s", name,
                       section_type_name(s->is.type), section_type_name(type));
    if (count != SIZE_MAX && count != s->is.count)
        return err_set(e, ERR_FORMAT, "section '%s': %zu elements, expected %zu", name, s->is.count,
                       count);
    return 0;
}

const void *
container_get(struct container *m, const char *name, enum section_type type, size_t count,
              struct err *e)
{
    struct section_data *s = container_check(m, name, type, count, e) == 0 ? find(m, name) : NULL;
    return s != NULL && unpack(m, s, e) == 0 ? s->data : NULL;
}

int
container_verify_rest(struct container *m, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->sections; i++) {
        struct section_data *s = &m->section[i];
        if (s->data == NULL || s->native)
            continue;
        rc = unpack(m, s, e);
        m->held -= rc == 0 && s->deflated ? s->is.count * section_type_size(s->is.type) : 0;
        mem_free(s->data);
        s->data = NULL;
    }
    if (rc == ERR_FORMAT)
        err_prefix(e, "%s", m->name);
    return rc;
}

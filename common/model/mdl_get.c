/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/deflate.h"
#include "model/mdl_file.h"
#include "model/mdl_held.h"
#include "model/meta.h"

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

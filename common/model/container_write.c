/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/deflate.h"
#include "io/output.h"
#include "model/container_internal.h"
#include "model/meta.h"
#include "model/model.h"

struct container_writer {
    struct output *out;
    uint64_t offset;
    uint32_t sections;
};

static int
emit(struct container_writer *w, const void *data, size_t size, struct err *e)
{
    w->offset += size;
    return output_write(w->out, data, size, e);
}

/* Completes a section header with its checksum and writes it. */
static int
emit_header(struct container_writer *w, const char *tag, unsigned char h[CONTAINER_SECTION_SIZE],
            uint64_t *sum, struct err *e)
{
    memcpy(h, tag, 4);
    container_put_le(h + 44, w->sections, 4);
    *sum = XXH3_64bits(h, 48);
    container_put_le(h + 48, *sum, 8);
    return emit(w, h, CONTAINER_SECTION_SIZE, e);
}

static int
emit_section(struct container_writer *w, unsigned char h[CONTAINER_SECTION_SIZE],
             const void *payload, size_t size, struct err *e)
{
    uint64_t sum;
    unsigned char trailer[8];
    container_put_le(h + 32, size, 8);
    int rc = emit_header(w, "SECT", h, &sum, e);
    if (rc == 0)
        rc = emit(w, payload, size, e);
    container_put_le(trailer, XXH3_64bits_withSeed(payload, size, sum), 8);
    if (rc == 0)
        rc = emit(w, trailer, sizeof trailer, e);
    w->sections++;
    return rc;
}

struct container_writer *
container_writer_new(struct output *out, const struct model_kind *kind, uint32_t version,
                     const struct meta *meta, struct err *e)
{
    unsigned char h[CONTAINER_HEADER_SIZE] = {0};
    size_t length;
    struct container_writer *w = mem_zero(1, sizeof *w, e);
    char *text = meta_text(meta, &length, e);
    if (w == NULL || text == NULL)
        goto fail;
    w->out = out;
    memcpy(h, container_magic, sizeof container_magic);
    container_put_le(h + 8, version, 4);
    container_put_le(h + 12, kind->number, 4);
    container_put_le(h + 24, XXH3_64bits(h, 24), 8);
    if (emit(w, h, sizeof h, e) != 0 ||
        container_put(w, "meta", SECTION_TEXT, text, length, e) != 0)
        goto fail;
    mem_free(text);
    return w;
fail:
    mem_free(text);
    container_writer_free(w);
    return NULL;
}

/* Whether a section is worth deflating.  Floats are not: trained parameters shrink by
 * 7 % and take 2.7 times as long to read.  Nor is a model within a model: its sections
 * are packed already, and readers refuse data that expand
 * twice (container.c). */
static bool
compressible(enum section_type type)
{
    return type != SECTION_F32 && type != SECTION_F64 && type != SECTION_MODEL;
}

/* The elements as the file has them, deflated where that is shorter; *stored
 * and the flag in `h` say which.  The result is freed by the caller. */
static unsigned char *
pack(unsigned char h[CONTAINER_SECTION_SIZE], const void *data, size_t count,
     enum section_type type, size_t *stored, struct err *e)
{
    size_t size = section_type_size(type), bytes = count * size;
    unsigned char *raw = mem_array(bytes, 1, e), *packed = NULL;
    *stored = bytes;
    if (raw == NULL)
        return NULL;
    memcpy(raw, data, bytes);
    container_swap(raw, count, size);
    if (!compressible(type))
        return raw;
    packed = mem_array(deflate_bound(bytes), 1, e);
    if (packed == NULL || deflate_compress(raw, bytes, packed, stored, e) != 0)
        goto fail;
    bool shorter = *stored < bytes;
    *stored = shorter ? *stored : bytes;
    container_put_le(h + 40, shorter ? CONTAINER_DEFLATED : 0, 4);
    mem_free(shorter ? raw : packed);
    return shorter ? packed : raw;
fail:
    mem_free(raw);
    mem_free(packed);
    return NULL;
}

int
container_put(struct container_writer *w, const char *name, enum section_type type,
              const void *data, size_t count, struct err *e)
{
    unsigned char h[CONTAINER_SECTION_SIZE] = {0};
    size_t stored;
    container_put_le(h + 4, type, 4);
    strncpy((char *)h + 8, name, SECTION_NAME_MAX);
    container_put_le(h + 24, count, 8);
    unsigned char *payload = pack(h, data, count, type, &stored, e);
    if (payload == NULL)
        return ERR_NOMEM;
    int rc = emit_section(w, h, payload, stored, e);
    mem_free(payload);
    return rc;
}

int
container_finish(struct container_writer *w, struct err *e)
{
    unsigned char h[CONTAINER_SECTION_SIZE] = {0};
    uint64_t sum;
    memcpy(h + 8, "end", 3);
    container_put_le(h + 24, w->sections, 8);
    container_put_le(h + 32, w->offset, 8);
    return emit_header(w, "DONE", h, &sum, e);
}

void
container_writer_free(struct container_writer *w)
{
    mem_free(w);
}

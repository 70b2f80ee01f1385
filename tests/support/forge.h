/* SPDX-License-Identifier: MIT
 *
 * forge: containers that no writer makes, with correct checksums.
 */
#ifndef GAMUT_FORGE_H
#define GAMUT_FORGE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/mem.h"
#include "model/container.h"
#include "support/ignore.h"

enum {
    FORGE_FILE_HEADER = 32,   /* bytes, the last 8 its checksum */
    FORGE_SECTION_HEADER = 56 /* likewise */
};

static inline uint64_t
forge_get64(const unsigned char *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

static inline void
forge_put64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

/* Writes a section header with its checksum, which is returned. */
static inline uint64_t
forge_header(unsigned char *h, const char *tag, enum section_type type, const char *name,
             uint64_t count, uint64_t stored, uint64_t flags, uint64_t index)
{
    memset(h, 0, FORGE_SECTION_HEADER);
    memcpy(h, tag, 4);
    h[4] = (unsigned char)type;
    snprintf((char *)h + 8, SECTION_NAME_MAX + 1, "%s", name);
    forge_put64(h + 24, count);
    forge_put64(h + 32, stored);
    forge_put64(h + 40, flags | index << 32);
    uint64_t sum = XXH3_64bits(h, FORGE_SECTION_HEADER - 8);
    forge_put64(h + FORGE_SECTION_HEADER - 8, sum);
    return sum;
}

/* Writes a complete section, and returns its end.  The payload may already be there. */
static inline unsigned char *
forge_section(unsigned char *at, enum section_type type, const char *name, uint64_t count,
              const void *payload, size_t stored, uint64_t flags, uint64_t index)
{
    unsigned char *to = at + FORGE_SECTION_HEADER;
    uint64_t sum = forge_header(at, "SECT", type, name, count, stored, flags, index);
    memmove(to, payload, stored);
    forge_put64(to + stored, XXH3_64bits_withSeed(to, stored, sum));
    return to + stored + 8;
}

/* Writes the end marker for `sections` sections, and returns the size of the file. */
static inline size_t
forge_end(unsigned char *file, unsigned char *at, uint64_t sections)
{
    forge_header(at, "DONE", SECTION_U8, "end", sections, (uint64_t)(at - file), 0, sections);
    return (size_t)(at - file) + FORGE_SECTION_HEADER;
}

/* A copy of a container with another text for its metadata; freed with mem_free. */
static inline unsigned char *
forge_meta(const unsigned char *file, size_t size, const void *text, size_t length,
           size_t *new_size)
{
    const unsigned char *meta = file + FORGE_FILE_HEADER, *end = file + size - FORGE_SECTION_HEADER;
    const unsigned char *rest = meta + FORGE_SECTION_HEADER + forge_get64(meta + 32) + 8;
    *new_size =
        FORGE_FILE_HEADER + FORGE_SECTION_HEADER + length + 8 + (size_t)(file + size - rest);
    unsigned char *copy = mem_array(*new_size, 1, IGNORE_ERR), *p = copy + FORGE_FILE_HEADER;
    memcpy(copy, file, FORGE_FILE_HEADER);
    p = forge_section(p, SECTION_TEXT, "meta", length, text, length, 0, 0);
    memcpy(p, rest, (size_t)(end - rest));
    forge_end(copy, p + (end - rest), forge_get64(end + 24));
    return copy;
}

#endif

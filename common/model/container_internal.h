/* SPDX-License-Identifier: MIT
 *
 * container_internal: what the writer and the reader of containers agree on.
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

#ifndef GAMUT_CONTAINER_INTERNAL_H
#define GAMUT_CONTAINER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/container.h"

enum {
    CONTAINER_VERSION_MAX = 3, /* files of all versions from 1 on are read */
    CONTAINER_HEADER_SIZE = 32,
    CONTAINER_SECTION_SIZE = 56,
    CONTAINER_SECTIONS_MAX = 4096,
    CONTAINER_DEPTH_MAX = 8,           /* containers inside each other */
    CONTAINER_DEFLATED = 1,            /* the only flag */
    CONTAINER_DEFLATE_RATIO_MAX = 1032 /* no deflate stream expands further */
};

extern const unsigned char container_magic[8];

/* Bytes of an element. */
size_t section_type_size(enum section_type type);

/* Numbers of the file, which are little-endian. */
void container_put_le(unsigned char *p, uint64_t v, int bytes);
uint64_t container_get_le(const unsigned char *p, int bytes);

/* Elements from the order of this machine's bytes to that of the file, or back. */
void container_swap(unsigned char *data, size_t count, size_t size);

/* A section of a container in memory, filled by container_read.c and queried by container.c.
 * Sections are kept as they are stored until they are used: so a size that does not fit is
 * refused before it costs memory. */
struct section_data {
    struct section_info is;
    unsigned char *data;   /* stored bytes, then native elements; NULL if not kept */
    bool native, deflated; /* what data is */
};

struct container {
    char *name;
    const struct model_kind *kind;
    uint32_t version;
    struct meta *meta;
    struct section_data *section;
    size_t sections, capacity;
    uint64_t offset; /* bytes read so far */
    uint64_t held;   /* bytes of kept sections, including those of the enclosing model */
    uint64_t stored; /* bytes of the outermost file read so far */
    unsigned depth;  /* containers around it; the outermost one is the file */
};

/* Counts bytes that a section is about to take; ERR_FORMAT if that exceeds the limit for a
 * file of this size. */
int container_charge(struct container *m, const char *section, uint64_t bytes, struct err *e);

#endif

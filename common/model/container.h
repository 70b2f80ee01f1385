/* SPDX-License-Identifier: MIT
 *
 * container: the file format of all models, for files and pipes.
 *
 * A file is a header, typed and named sections, and an end marker; each part has an XXH3-64
 * checksum of its bytes as stored.  gamut-model(5) specifies the format byte by byte.  Numbers
 * are little-endian in the file and native in memory.  The reader checks every size before it
 * uses it: memory grows with the bytes that arrive, a section is inflated when it is first
 * used, and no file may expand beyond what a single deflate can do.  It keeps only the sections
 * in the table of the model's kind (model.h), and 'meta'.
 */

#ifndef GAMUT_CONTAINER_H
#define GAMUT_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct input;
struct meta;
struct model_kind;
struct output;
struct container_writer;
struct container;

enum section_type {
    SECTION_U8 = 1, /* bytes */
    SECTION_TEXT,   /* UTF-8, no NUL */
    SECTION_U32,
    SECTION_U64,
    SECTION_F32,
    SECTION_F64,
    SECTION_MODEL /* a whole nested container, as SECTION_U8 */
};

enum { SECTION_NAME_MAX = 15 }; /* characters of a section name: [a-z0-9_.] */

/* A section that readers of one model kind use.  Others are not kept: they could have any
 * size. */
struct section_rule {
    const char *name;
    uint64_t max_count; /* elements */
};
#define SECTION_FEW  UINT64_C(64) /* of a fixed small count, which the kind checks */
#define SECTION_MANY UINT64_MAX   /* as many as the shape of the model requires */

/* Writing: create, put sections in any order, finish.  `version` is that of the format, 1 to 3.
 * The writer never owns `out`.  After an error the writer can only be freed. */
struct container_writer *container_writer_new(struct output *out, const struct model_kind *kind,
                                              uint32_t version, const struct meta *meta,
                                              struct err *e);
int container_put(struct container_writer *w, const char *name, enum section_type type,
                  const void *data, size_t count, struct err *e);
int container_finish(struct container_writer *w, struct err *e); /* the end marker */
void container_writer_free(struct container_writer *w);          /* NULL is fine */

/* Reads a complete container and verifies every checksum.  Sections that the model kind does
 * not have are neither kept nor inflated. */
struct container *container_read(struct input *in, struct err *e);

/* The same for a container inside another one.  Both count as one file for the limit on
 * expansion. */
struct container *container_read_within(const struct container *outer, struct input *in,
                                        struct err *e);

/* From now on, the memory of an inner container counts as that of the outer one: call it when
 * the inner model stays in memory while other inner containers are read. */
void container_absorb(struct container *outer, const struct container *inner);

/* Opens, reads and closes a file ("-" is stdin); `hash` (may be NULL) gets input_hash. */
struct container *container_load(const char *path, uint64_t *hash, struct err *e);
void container_free(struct container *m); /* NULL is fine */

const struct model_kind *container_kind(const struct container *m);
uint32_t container_version(const struct container *m);
const struct meta *container_meta(const struct container *m);
const char *container_name(const struct container *m); /* the input's name, for messages */

/* The number of elements of a section according to its header; SIZE_MAX if it is missing. */
size_t container_count(const struct container *m, const char *name);

/* ERR_FORMAT if a section is missing, has another type, or another count (SIZE_MAX: any).
 * Takes no time, so all sections are checked before one is inflated. */
int container_check(const struct container *m, const char *name, enum section_type type,
                    size_t count, struct err *e);

/* The elements of a section, owned by `m`, which inflates them on first use; NULL for the
 * errors of container_check.  A count of SIZE_MAX means any; container_count gives it. */
const void *container_get(struct container *m, const char *name, enum section_type type,
                          size_t count, struct err *e);

/* Inflates and discards, one at a time, all sections that were not used yet.  0, or the
 * error of a damaged section. */
int container_verify_rest(struct container *m, struct err *e);

/* Describes a section for model-info; i < container_sections. */
struct section_info {
    char name[SECTION_NAME_MAX + 1];
    enum section_type type;
    size_t count;    /* elements */
    uint64_t stored; /* bytes in the file, without header */
    uint64_t hash;   /* its checksum */
};
size_t container_sections(const struct container *m);
const struct section_info *container_section(const struct container *m, size_t i);
const char *section_type_name(enum section_type type);

#endif

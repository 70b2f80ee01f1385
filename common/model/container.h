/* SPDX-License-Identifier: MIT
 *
 * container: the container that every model travels in, through files and pipes.
 *
 * A file is a header, typed and named sections, and an end marker; each part
 * carries an XXH3-64 checksum of its bytes as stored.  gamut-model(5)
 * specifies it byte by byte.  Numbers are little-endian in the file and native
 * in memory.  The reader believes no size before it has checked it: memory
 * grows with the bytes that really arrive, a section is inflated when it is asked
 * for, and no file may expand beyond what a single deflate can do.  It keeps only
 * the sections in the table of the model's kind (model.h), and its own 'meta'.
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

/* A section that readers of one kind of model ask for.  Others are not kept: they
 * could be of any size, and for nothing. */
struct section_rule {
    const char *name;
    uint64_t max_count; /* elements */
};
#define SECTION_FEW  UINT64_C(64) /* of a fixed small count, which the kind checks */
#define SECTION_MANY UINT64_MAX   /* as many as the model's shape needs */

/* Writing: create, put sections in any order, finish.  The writer never owns
 * `out`.  After an error the writer only remains to be freed. */
struct container_writer *container_writer_new(struct output *out, const struct model_kind *kind,
                                              const struct meta *meta, struct err *e);
int container_put(struct container_writer *w, const char *name, enum section_type type,
                  const void *data, size_t count, struct err *e);
int container_finish(struct container_writer *w, struct err *e); /* the end marker */
void container_writer_free(struct container_writer *w);          /* NULL is fine */

/* Reading: the whole container, every checksum verified.  Sections that a model
 * of its kind does not have are not kept, nor inflated. */
struct container *container_read(struct input *in, struct err *e);

/* The same of a container inside another, which count as one where it matters how
 * far a file expands. */
struct container *container_read_within(const struct container *outer, struct input *in,
                                        struct err *e);

/* Opens, reads and closes a file ("-" is stdin); `hash` (may be NULL) gets input_hash. */
struct container *container_load(const char *path, uint64_t *hash, struct err *e);
void container_free(struct container *m); /* NULL is fine */

const struct model_kind *container_kind(const struct container *m);
const struct meta *container_meta(const struct container *m);
const char *container_name(const struct container *m); /* the input's name, for messages */

/* Elements that a section has as its header says; SIZE_MAX if it is missing. */
size_t container_count(const struct container *m, const char *name);

/* ERR_FORMAT if a section is missing, of another type, or of another count, any if
 * that is SIZE_MAX.  Costs nothing, so all are looked at before one is inflated. */
int container_check(const struct container *m, const char *name, enum section_type type,
                    size_t count, struct err *e);

/* A section's elements, owned by `m`, which inflates them when they are first asked
 * for; NULL for the errors of container_check.  Of any count if that is SIZE_MAX:
 * container_count knows it. */
const void *container_get(struct container *m, const char *name, enum section_type type,
                          size_t count, struct err *e);

/* Inflates, one at a time, what nobody has asked for, and gives it up.  0, or why
 * it cannot be had. */
int container_verify_rest(struct container *m, struct err *e);

/* What a section is, for model-info; i < container_sections. */
struct section_info {
    char name[SECTION_NAME_MAX + 1];
    enum section_type type;
    size_t count;    /* elements */
    uint64_t stored; /* bytes in the file, header excluded */
    uint64_t hash;   /* its checksum */
};
size_t container_sections(const struct container *m);
const struct section_info *container_section(const struct container *m, size_t i);
const char *section_type_name(enum section_type type);

#endif

/* SPDX-License-Identifier: MIT
 *
 * mdl: the container that every model travels in, through files and pipes.
 *
 * A file is a header, typed and named sections, and an end marker; each part
 * carries an XXH3-64 checksum of its bytes as stored.  gamut-model(5)
 * specifies it byte by byte.  Numbers are little-endian in the file and native
 * in memory.  The reader believes no size before it has checked it: memory
 * grows with the bytes that really arrive, a section is inflated when it is asked
 * for, and no file may expand beyond what a single deflate can do.  It keeps only
 * what is in its table of the format's sections; a new section is to be entered
 * there.
 */

#ifndef GAMUT_CONTAINER_H
#define GAMUT_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct in;
struct meta;
struct out;
struct mdl_writer;
struct mdl;

enum mdl_type {
    MDL_U8 = 1, /* bytes */
    MDL_TEXT,   /* UTF-8, no NUL */
    MDL_U32,
    MDL_U64,
    MDL_F32,
    MDL_F64,
    MDL_MODEL /* a whole nested container, as MDL_U8 */
};

enum mdl_kind { MDL_PFSA = 1, MDL_LSTM, MDL_GAM };

enum { MDL_NAME_MAX = 15 }; /* characters of a section name: [a-z0-9_.] */

/* Writing: create, put sections in any order, finish.  The writer never owns
 * `out`.  After an error the writer only remains to be freed. */
struct mdl_writer *mdl_writer_new(struct out *out, enum mdl_kind kind, const struct meta *meta,
                                  struct err *e);
int mdl_put(struct mdl_writer *w, const char *name, enum mdl_type type, const void *data,
            size_t count, struct err *e);
int mdl_finish(struct mdl_writer *w, struct err *e); /* the end marker */
void mdl_writer_free(struct mdl_writer *w);          /* NULL is fine */

/* Reading: the whole container, every checksum verified.  Sections that a model
 * of its kind does not have are not kept, nor inflated. */
struct mdl *mdl_read(struct in *in, struct err *e);

/* The same of a container inside another, which count as one where it matters how
 * far a file expands. */
struct mdl *mdl_read_within(const struct mdl *outer, struct in *in, struct err *e);

/* Opens, reads and closes a file ("-" is stdin); `hash` (may be NULL) gets in_hash. */
struct mdl *mdl_load(const char *path, uint64_t *hash, struct err *e);
void mdl_free(struct mdl *m); /* NULL is fine */

enum mdl_kind mdl_kind(const struct mdl *m);
const char *mdl_kind_name(enum mdl_kind kind); /* "pfsa", "lstm", "gam" */
/* 0 if it is of this kind; else ERR_FORMAT, saying what was found instead. */
int mdl_expect(const struct mdl *m, enum mdl_kind kind, struct err *e);
const struct meta *mdl_meta(const struct mdl *m);
const char *mdl_name(const struct mdl *m); /* the input's name, for messages */

/* Elements that a section has as its header says; SIZE_MAX if it is missing. */
size_t mdl_count(const struct mdl *m, const char *name);

/* ERR_FORMAT if a section is missing, of another type, or of another count, any if
 * that is SIZE_MAX.  Costs nothing, so all are looked at before one is inflated. */
int mdl_check(const struct mdl *m, const char *name, enum mdl_type type, size_t count,
              struct err *e);

/* A section's elements, owned by `m`, which inflates them when they are first asked
 * for; NULL for the errors of mdl_check.  A *count of SIZE_MAX is set. */
const void *mdl_get(struct mdl *m, const char *name, enum mdl_type type, size_t *count,
                    struct err *e);

/* Inflates, one at a time, what nobody has asked for, and gives it up.  0, or why
 * it cannot be had. */
int mdl_check_rest(struct mdl *m, struct err *e);

/* What a section is, for model-info; i < mdl_sections. */
struct mdl_section {
    char name[MDL_NAME_MAX + 1];
    enum mdl_type type;
    size_t count;    /* elements */
    uint64_t stored; /* bytes in the file, header excluded */
    uint64_t hash;   /* its checksum */
};
size_t mdl_sections(const struct mdl *m);
const struct mdl_section *mdl_section(const struct mdl *m, size_t i);
const char *mdl_type_name(enum mdl_type type);

#endif

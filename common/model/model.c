/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "io/input.h"
#include "io/output.h"
#include "model/container.h"
#include "model/meta.h"

struct model_run {
    const struct model *model;
    void *scratch;
    size_t capacity;
    uint64_t steps;
};

void
model_free(struct model *m)
{
    if (m == NULL)
        return;
    model_free(m->base);
    meta_free(m->meta);
    m->kind->free(m);
}

/* ---- files ----------------------------------------------------------------------------- */

struct model *
model_read(struct container *file, struct err *e)
{
    struct err why = {0};
    struct model *m = container_kind(file)->read(file, &why);
    if (m != NULL && (m->meta = meta_copy(container_meta(file), &why)) != NULL)
        return m;
    model_free(m);
    err_set(e, why.code == ERR_NOMEM ? ERR_NOMEM : ERR_FORMAT, "%s: %s", container_name(file),
            why.text);
    return NULL;
}

struct model *
model_read_kind(struct container *file, const struct model_kind *kind, struct err *e)
{
    if (container_kind(file) == kind)
        return model_read(file, e);
    err_set(e, ERR_FORMAT, "%s: expected a model of kind '%s', found '%s'", container_name(file),
            kind->name, container_kind(file)->name);
    return NULL;
}

struct model *
model_load(const char *path, struct err *e)
{
    struct container *file = container_load(path, NULL, e);
    struct model *m = file != NULL ? model_read(file, e) : NULL;
    container_free(file);
    return m;
}

struct model *
model_load_kind(const char *path, const struct model_kind *kind, uint64_t *hash, struct err *e)
{
    struct container *file = container_load(path, hash, e);
    struct model *m = file != NULL ? model_read_kind(file, kind, e) : NULL;
    container_free(file);
    return m;
}

struct container_writer *
model_begin_file(const struct model *m, const struct meta *meta, struct output *out, struct err *e)
{
    uint32_t version = m->kind->format_version != NULL ? m->kind->format_version(m) : 1;
    return container_writer_new(out, m->kind, version, meta, e);
}

int
model_write(const struct model *m, const struct meta *meta, struct output *out, struct err *e)
{
    struct container_writer *w = model_begin_file(m, meta, out, e);
    int rc = w != NULL ? m->kind->write(m, w, e) : ERR_NOMEM;
    if (rc == 0)
        rc = container_finish(w, e);
    container_writer_free(w);
    return rc;
}

typedef struct model *model_reader(struct container *file, struct err *e);

static struct model *
read_autoregressive(struct container *file, struct err *e)
{
    char names[256] = "";
    size_t n = 0;
    if (container_kind(file)->step != NULL)
        return model_read(file, e);
    for (const struct model_kind *const *k = model_kinds; *k != NULL && n < sizeof names; k++)
        if ((*k)->step != NULL)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s'%s'", n > 0 ? " or " : "",
                                  (*k)->name);
    err_set(e, ERR_FORMAT, "%s: expected a model of kind %s, found '%s'", container_name(file),
            names, container_kind(file)->name);
    return NULL;
}

/* Reads the model from `in`, which is taken over, also on failure, by `read`; `outer` is the
 * container that holds it as a section, or NULL.  Bytes are kept as they are read, section by
 * section, so a file that is not a model is not read to its end. */
static struct model *
read_part(struct container *outer, struct input *in, model_reader *read, struct model_file *bytes,
          struct err *e)
{
    if (in == NULL)
        return NULL;
    input_keep(in);
    struct container *file = container_read_within(outer, in, e);
    struct model *m = file != NULL ? read(file, e) : NULL;
    if (m != NULL && outer != NULL)
        container_absorb(outer, file);
    bytes->bytes = input_take(in, &bytes->size);
    container_free(file);
    input_close(in);
    return m;
}

struct model *
model_load_part(const char *path, struct model_file *file, struct err *e)
{
    return read_part(NULL, input_open(path, e), read_autoregressive, file, e);
}

struct model *
model_load_file(const char *path, struct model_file *file, struct err *e)
{
    return read_part(NULL, input_open(path, e), model_read, file, e);
}

int
model_pack(const struct model *m, const struct meta *meta, struct model_file *file, struct err *e)
{
    struct output *out = output_to_memory(e);
    int rc = out != NULL ? model_write(m, meta, out, e) : ERR_NOMEM;
    if (rc == 0) {
        const void *bytes = output_bytes(out, &file->size);
        file->bytes = mem_array(file->size, 1, e);
        if (file->bytes != NULL)
            memcpy(file->bytes, bytes, file->size);
        rc = file->bytes != NULL ? 0 : ERR_NOMEM;
    }
    output_abort(out);
    return rc;
}

struct model *
model_read_part(struct container *outer, const char *section, struct model_file *file,
                struct err *e)
{
    char name[SECTION_NAME_MAX + 16];
    const void *data = container_get(outer, section, SECTION_MODEL, SIZE_MAX, e);
    if (data == NULL)
        return NULL;
    snprintf(name, sizeof name, "section '%s'", section);
    return read_part(outer, input_from_memory(data, container_count(outer, section), name, e),
                     read_autoregressive, file, e);
}

/* ---- alphabets -------------------------------------------------------------------------- */

/* The section of an alphabet, by format version: 1 for those that all readers know. */
static const char *const alphabet_sections[] = {"alphabet", "characters", "tokens"};

/* A text that is too long, or contains a NUL, becomes one that is refused. */
static int
read_alphabet(struct container *file, const char *section, struct alphabet *a, struct err *e)
{
    char text[ALPHABET_TEXT_MAX + 1] = "";
    const char *symbols = container_get(file, section, SECTION_TEXT, SIZE_MAX, e);
    if (symbols == NULL)
        return e->code;
    size_t length = container_count(file, section);
    if (length <= ALPHABET_TEXT_MAX)
        memcpy(text, symbols, length);
    int rc = strcmp(section, "tokens") == 0 ? alphabet_init_tokens(a, text, e)
                                            : alphabet_init(a, text, e);
    if (rc == 0 && (strcmp(section, "alphabet") == 0) != alphabet_is_simple(a))
        rc = err_set(e, ERR_FORMAT, "the symbols belong to another section");
    if (rc != 0)
        err_prefix(e, "section '%s'", section);
    return rc;
}

int
model_get_alphabet(struct container *file, struct alphabet *a, struct err *e)
{
    const char *section = alphabet_sections[0];
    for (size_t i = 1; i < sizeof alphabet_sections / sizeof *alphabet_sections; i++)
        if (container_count(file, alphabet_sections[i]) != SIZE_MAX)
            section = alphabet_sections[i];
    return read_alphabet(file, section, a, e);
}

int
model_put_alphabet(const struct alphabet *a, struct container_writer *w, struct err *e)
{
    const char *section = alphabet_sections[alphabet_is_simple(a) ? 0 : a->tokens ? 2 : 1];
    return container_put(w, section, SECTION_TEXT, a->text, strlen(a->text), e);
}

uint32_t
model_alphabet_version(const struct alphabet *a)
{
    return alphabet_is_simple(a) ? 1 : 3;
}

/* ---- strings --------------------------------------------------------------------------- */

const struct model *
model_proposal(const struct model *m)
{
    return m->base != NULL ? m->base : m;
}

int
model_check_length(const struct model *m, uint64_t max_length, struct err *e)
{
    if (max_length >= m->min_length)
        return 0;
    return err_set(e, ERR_DATA,
                   "no string has at most %llu symbols; the shortest string of the model has %llu",
                   (unsigned long long)max_length, (unsigned long long)m->min_length);
}

int
model_check_sampling(const struct model *m, uint64_t max_length, struct err *e)
{
    const struct model *proposal = model_proposal(m);
    return proposal->kind->check_sampling != NULL
               ? proposal->kind->check_sampling(proposal, max_length, e)
               : 0;
}

size_t
model_weight_bytes(const struct model *m)
{
    return m->kind->weight_bytes != NULL ? m->kind->weight_bytes(m) : 0;
}

double
model_log_weight(const struct model *m, const uint8_t *symbols, size_t length, void *scratch)
{
    return m->kind->log_weight != NULL ? m->kind->log_weight(m, symbols, length, scratch) : 0;
}

size_t
model_state_bytes(const struct model *m)
{
    return m->kind->state_bytes(m);
}

struct model_run *
model_begin(const struct model *m, struct pool *pool, size_t capacity, struct err *e)
{
    struct model_run *run = mem_zero(1, sizeof *run, e);
    if (run == NULL)
        return NULL;
    run->model = m;
    run->capacity = capacity;
    if (m->kind->scratch_new == NULL)
        return run;
    run->scratch = m->kind->scratch_new(m, pool, e);
    if (run->scratch == NULL) {
        mem_free(run);
        return NULL;
    }
    return run;
}

void
model_end(struct model_run *run)
{
    if (run == NULL)
        return;
    if (run->scratch != NULL)
        run->model->kind->scratch_free(run->scratch);
    mem_free(run);
}

void
model_root(struct model_run *run, void *state, double *logp)
{
    run->steps++;
    run->model->kind->root(run->model, run->scratch, state, logp);
}

void
model_step(struct model_run *run, size_t n, const void *parents, const uint32_t *parent,
           const uint8_t *symbol, void *children, double *logp)
{
    assert(n <= run->capacity);
    run->steps += n;
    run->model->kind->step(run->model, run->scratch, n, parents, parent, symbol, children, logp);
}

uint64_t
model_steps(const struct model_run *run)
{
    return run->steps;
}

/* SPDX-License-Identifier: MIT */
#include "lstm/safetensors.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "io/input.h"
#include "io/json.h"
#include "io/output.h"
#include "lstm/lstm.h"

enum { HEADER_MAX = 1 << 24, PREFIX = 8, TENSORS_MAX = 4 * LSTM_LAYERS_MAX + 2 };

static size_t
elements(const struct lstm_tensor *t)
{
    return (size_t)t->rows * (t->columns != 0 ? t->columns : 1);
}

/* ---- writing ---- */

static int
write_metadata(const struct lstm *m, struct output *o, struct err *e)
{
    int rc = output_printf(o, e, "{\"__metadata__\":{\"format\":\"pt\",\"%s\":",
                           m->model.alphabet.tokens ? "tokens" : "alphabet");
    if (rc == 0)
        rc = json_write_string(o, m->model.alphabet.text, e);
    if (rc == 0)
        rc = output_printf(o, e, ",\"max_length\":\"%" PRIu64 "\"", m->model.max_length);
    if (rc == 0 && m->fixed_length)
        rc = output_printf(o, e, ",\"fixed_length\":\"%" PRIu64 "\"", m->model.max_length);
    return rc == 0 ? output_printf(o, e, "}") : rc;
}

/* The JSON header, padded with blanks to a multiple of 8 bytes. */
static int
write_header(const struct lstm *m, struct output *o, struct err *e)
{
    uint64_t at = 0;
    size_t size;
    int rc = write_metadata(m, o, e);
    for (unsigned i = 0; rc == 0 && i < lstm_tensors(&m->layout); i++) {
        struct lstm_tensor t;
        char columns[16] = "";
        lstm_tensor(&m->layout, i, &t);
        if (t.columns != 0)
            snprintf(columns, sizeof columns, ",%u", t.columns);
        uint64_t end = at + elements(&t) * sizeof(float);
        rc = output_printf(o, e,
                           ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%u%s],\"data_offsets\":[%" PRIu64
                           ",%" PRIu64 "]}",
                           t.name, t.rows, columns, at, end);
        at = end;
    }
    if (rc == 0)
        rc = output_printf(o, e, "}");
    output_bytes(o, &size);
    return rc == 0 ? output_printf(o, e, "%*s", (int)(-size % 8), "") : rc;
}

/* Floats as little-endian bytes, a block at a time. */
static int
write_floats(const float *x, size_t count, struct output *out, struct err *e)
{
    unsigned char block[4096];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count;) {
        size_t n = 0;
        for (; n < sizeof block && i < count; n += 4, i++) {
            uint32_t bits;
            memcpy(&bits, &x[i], sizeof bits);
            for (unsigned k = 0; k < 4; k++)
                block[n + k] = (unsigned char)(bits >> 8 * k);
        }
        rc = output_write(out, block, n, e);
    }
    return rc;
}

int
safetensors_write(const struct lstm *m, struct output *out, struct err *e)
{
    struct output *header = output_to_memory(e);
    if (header == NULL)
        return ERR_NOMEM;
    int rc = write_header(m, header, e);
    size_t size;
    const void *bytes = output_bytes(header, &size);
    unsigned char prefix[PREFIX];
    for (unsigned i = 0; i < PREFIX; i++)
        prefix[i] = (unsigned char)((uint64_t)size >> 8 * i);
    if (rc == 0)
        rc = output_write(out, prefix, sizeof prefix, e);
    if (rc == 0)
        rc = output_write(out, bytes, size, e);
    output_abort(header);
    for (unsigned i = 0; rc == 0 && i < lstm_tensors(&m->layout); i++) {
        struct lstm_tensor t;
        lstm_tensor(&m->layout, i, &t);
        rc = write_floats(m->params + t.offset, elements(&t), out, e);
    }
    return rc;
}

/* ---- reading ---- */

/* The header comes first and states how much follows. */
struct file {
    struct json *header;
    char *bytes; /* of the tensors */
    size_t size;
};

/* Reads exactly that many bytes, or ERR_DATA. */
static int
read_exactly(struct input *in, void *to, size_t size, struct err *e)
{
    ssize_t n = input_read(in, to, size, e);
    if (n < 0)
        return (int)n;
    return (size_t)n == size ? 0 : err_set(e, ERR_DATA, "not a safetensors file, or truncated");
}

static int
read_header(struct file *f, struct input *in, struct err *e)
{
    unsigned char prefix[PREFIX];
    uint64_t length = 0;
    int rc = read_exactly(in, prefix, sizeof prefix, e);
    for (unsigned i = 0; rc == 0 && i < PREFIX; i++)
        length |= (uint64_t)prefix[i] << 8 * i;
    if (rc == 0 && length > HEADER_MAX)
        rc = err_set(e, ERR_DATA, "not a safetensors file, or truncated");
    char *text = rc == 0 ? mem_array((size_t)length, 1, e) : NULL;
    if (text == NULL)
        return e->code;
    rc = read_exactly(in, text, (size_t)length, e);
    if (rc == 0) {
        f->header = json_parse(text, (size_t)length, e);
        if (f->header == NULL)
            err_prefix(e, "header");
    }
    mem_free(text);
    return e->code;
}

/* The weights and nothing else; memory grows with the bytes that arrive, not with the size
 * in the header. */
static int
read_data(struct file *f, struct input *in, size_t weights, struct err *e)
{
    size_t bytes = weights * sizeof(float);
    f->bytes = input_read_all(in, bytes + 1, &f->size, e);
    if (f->bytes == NULL)
        return e->code;
    if (f->size < bytes)
        return err_set(e, ERR_DATA, "header announces %zu parameters that are not in the file",
                       weights);
    return f->size == bytes ? 0 : err_set(e, ERR_DATA, "extra bytes after the last tensor");
}

/* A string of the metadata, or NULL. */
static const char *
metadata(const struct file *f, const char *key)
{
    struct err absent = {0};
    const struct json_value *m =
        json_member(json_root(f->header), "__metadata__", JSON_OBJECT, &absent);
    const struct json_value *v = m != NULL ? json_member(m, key, JSON_STRING, &absent) : NULL;
    return v != NULL ? v->string : NULL;
}

/* The header's entry for a tensor; NULL if there is none. */
static const struct json_value *
find_tensor(const struct file *f, const char *name)
{
    struct err absent = {0};
    return json_member(json_root(f->header), name, JSON_OBJECT, &absent);
}

/* A member of the header's entry for a tensor. */
static const struct json_value *
tensor_member(const struct file *f, const char *name, const char *key, enum json_type type,
              struct err *e)
{
    const struct json_value *t = find_tensor(f, name);
    const struct json_value *v = t != NULL ? json_member(t, key, type, e) : NULL;
    if (t == NULL)
        err_set(e, ERR_DATA, "tensor '%s' is missing", name);
    else if (v == NULL)
        err_prefix(e, "tensor '%s'", name);
    return v;
}

/* The shape of a tensor: one or two numbers, columns 0 for a vector. */
static int
tensor_shape(const struct file *f, const char *name, uint64_t shape[2], struct err *e)
{
    const struct json_value *s = tensor_member(f, name, "shape", JSON_ARRAY, e);
    if (s == NULL)
        return ERR_DATA;
    if (s->count < 1 || s->count > 2)
        return err_set(e, ERR_DATA, "tensor '%s': unexpected number of dimensions %zu", name,
                       s->count);
    shape[1] = 0;
    int rc = json_whole(s->first, UINT32_MAX, &shape[0], e);
    if (rc == 0 && s->count == 2)
        rc = json_whole(s->first->next, UINT32_MAX, &shape[1], e);
    if (rc == 0 && (shape[0] == 0 || (s->count == 2 && shape[1] == 0)))
        rc = err_set(e, ERR_DATA, "tensor '%s': a dimension is 0", name);
    return rc;
}

static int
check_tensor(const struct file *f, const struct lstm_tensor *t, struct err *e)
{
    uint64_t shape[2];
    if (tensor_shape(f, t->name, shape, e) != 0)
        return ERR_DATA;
    if (shape[0] != t->rows || shape[1] != t->columns)
        return err_set(e, ERR_DATA,
                       "tensor '%s': shape is %" PRIu64 " x %" PRIu64 ", expected %u x %u", t->name,
                       shape[0], shape[1], t->rows, t->columns);
    const struct json_value *type = tensor_member(f, t->name, "dtype", JSON_STRING, e);
    if (type != NULL && strcmp(type->string, "F32") != 0)
        return err_set(e, ERR_DATA, "tensor '%s': type is %s, expected F32", t->name, type->string);
    return type != NULL ? 0 : ERR_DATA;
}

/* The offsets of a tensor, which must lie inside the file. */
static int
tensor_span(const struct file *f, const struct lstm_tensor *t, uint64_t span[2], struct err *e)
{
    const struct json_value *offsets = tensor_member(f, t->name, "data_offsets", JSON_ARRAY, e);
    struct err outside = {0};
    if (offsets == NULL)
        return ERR_DATA;
    if (offsets->count == 2 && json_whole(offsets->first, f->size, &span[0], &outside) == 0 &&
        json_whole(offsets->first->next, f->size, &span[1], &outside) == 0 && span[0] <= span[1] &&
        span[1] - span[0] == elements(t) * sizeof(float))
        return 0;
    return err_set(e, ERR_DATA, "tensor '%s': data are outside the file", t->name);
}

/* If tensors do not overlap and their total size is that of the file, there is no gap. */
static int
check_overlap(const struct file *f, const struct lstm *m, struct err *e)
{
    uint64_t span[TENSORS_MAX][2];
    struct lstm_tensor t;
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < lstm_tensors(&m->layout); i++) {
        lstm_tensor(&m->layout, i, &t);
        rc = tensor_span(f, &t, span[i], e);
        for (unsigned k = 0; rc == 0 && k < i; k++)
            if (span[i][0] < span[k][1] && span[k][0] < span[i][1])
                rc = err_set(e, ERR_DATA, "tensor '%s': overlaps another tensor", t.name);
    }
    return rc;
}

static int
read_tensor(const struct file *f, const struct lstm_tensor *t, float *to, struct err *e)
{
    uint64_t span[2];
    if (check_tensor(f, t, e) != 0 || tensor_span(f, t, span, e) != 0)
        return ERR_DATA;
    const unsigned char *p = (const unsigned char *)f->bytes + span[0];
    for (size_t i = 0; i < elements(t); i++, p += 4) {
        uint32_t bits = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        memcpy(&to[i], &bits, sizeof bits);
        if ((bits & 0x7f800000) == 0x7f800000)
            return err_set(e, ERR_DATA, "tensor '%s': element %zu is not finite", t->name, i);
    }
    return 0;
}

/* The caller's value, else that of the metadata; an error in the metadata is ERR_DATA, not
 * ERR_USAGE. */
static int
settle_alphabet(const struct file *f, const struct alphabet *given, struct alphabet *a,
                struct err *e)
{
    const char *text = metadata(f, "alphabet"), *tokens = metadata(f, "tokens");
    if (given != NULL) {
        *a = *given;
        return 0;
    }
    if (text == NULL && tokens == NULL)
        return err_advise(e, ERR_USAGE, REMEDY_SET_ALPHABET, "file does not name its alphabet");
    int rc = tokens != NULL ? alphabet_init_tokens(a, tokens, e) : alphabet_init(a, text, e);
    if (rc != 0) {
        err_prefix(e, tokens != NULL ? "tokens" : "alphabet");
        err_recode(e, ERR_DATA);
    }
    return e->code;
}

static int
settle_length(const struct file *f, uint64_t *max_length, struct err *e)
{
    const char *text = metadata(f, "max_length");
    if (*max_length != SAFETENSORS_LENGTH)
        return 0;
    if (text == NULL)
        return err_advise(e, ERR_USAGE, REMEDY_SET_MAX_LENGTH,
                          "file does not have a maximum length");
    if (num_parse_u64(text, 0, UINT64_MAX, max_length, e) == 0)
        return 0;
    err_prefix(e, "max_length");
    err_recode(e, ERR_DATA);
    return e->code;
}

/* The length of all strings, if the file says that they have one. */
static int
settle_fixed_length(const struct file *f, struct lstm *m, struct err *e)
{
    const char *text = metadata(f, "fixed_length");
    uint64_t length, most = m->model.max_length;
    if (text == NULL)
        return 0;
    if (num_parse_u64(text, 0, UINT64_MAX, &length, e) != 0) {
        err_prefix(e, "fixed_length");
        err_recode(e, ERR_DATA);
        return e->code;
    }
    if (length != most)
        return err_set(e, ERR_DATA,
                       "fixed_length is %" PRIu64 " and the maximum length is %" PRIu64, length,
                       most);
    lstm_set_length(m, length, true);
    return 0;
}

/* The number of layers, from the highest one that has a tensor; 1 if there is none. */
static unsigned
count_layers(const struct file *f)
{
    struct lstm_layout all = {.layers = LSTM_LAYERS_MAX}; /* only the names matter */
    unsigned layers = 1;
    for (unsigned i = 0; i < 4 * LSTM_LAYERS_MAX; i++) {
        struct lstm_tensor t;
        lstm_tensor(&all, i, &t);
        if (find_tensor(f, t.name) != NULL)
            layers = i / 4 + 1;
    }
    return layers;
}

/* Whether the model has a tensor of that name. */
static bool
is_known(const struct lstm_layout *l, const char *name)
{
    for (unsigned i = 0; i < lstm_tensors(l); i++) {
        struct lstm_tensor t;
        lstm_tensor(l, i, &t);
        if (strcmp(name, t.name) == 0)
            return true;
    }
    return false;
}

/* The tensors of the file must be those of the model: if one were ignored, results could
 * differ from its author's. */
static int
check_names(const struct file *f, const struct lstm_layout *l, struct err *e)
{
    const struct json_value *root = json_root(f->header);
    for (const struct json_value *v = root->type == JSON_OBJECT ? root->first : NULL; v != NULL;
         v = v->next)
        if (strcmp(v->key, "__metadata__") != 0 && !is_known(l, v->key))
            return err_set(e, ERR_DATA, "tensor '%s': unexpected in an LSTM", v->key);
    for (unsigned i = 0; i < lstm_tensors(l); i++) {
        struct lstm_tensor t;
        lstm_tensor(l, i, &t);
        if (find_tensor(f, t.name) == NULL)
            return err_set(e, ERR_DATA, "tensor '%s' is missing", t.name);
    }
    return 0;
}

/* The names give the number of layers, the shape of the decoder gives the rest. */
static int
find_layout(const struct file *f, const struct alphabet *a, struct lstm_layout *l, struct err *e)
{
    uint64_t shape[2];
    unsigned layers = count_layers(f);
    if (lstm_layout(l, a->size + 1, 1, layers, e) != 0 || check_names(f, l, e) != 0 ||
        tensor_shape(f, "decoder.weight", shape, e) != 0)
        return e->code;
    if (shape[0] != a->size + 1)
        return err_set(e, ERR_DATA,
                       "decoder has %" PRIu64
                       " outputs, but the alphabet '%s' and the end of string require %u",
                       shape[0], a->text, a->size + 1);
    uint64_t hidden = shape[1] <= LSTM_HIDDEN_MAX ? shape[1] : 0;
    return lstm_layout(l, a->size + 1, (unsigned)hidden, layers, e);
}

/* Memory is not allocated before the sizes in the header were checked against the file. */
static struct lstm *
shaped_model(struct file *f, struct input *in, const struct alphabet *alphabet, uint64_t max_length,
             struct err *e)
{
    struct alphabet a;
    struct lstm_layout l;
    if (settle_alphabet(f, alphabet, &a, e) != 0 || settle_length(f, &max_length, e) != 0 ||
        find_layout(f, &a, &l, e) != 0 || read_data(f, in, l.count, e) != 0)
        return NULL;
    return lstm_new(&a, l.hidden, l.layers, max_length, e);
}

struct lstm *
safetensors_read(struct input *in, const struct alphabet *alphabet, uint64_t max_length,
                 struct err *e)
{
    struct file f = {0};
    struct lstm *m = NULL;
    int rc = read_header(&f, in, e);
    if (rc == 0)
        m = shaped_model(&f, in, alphabet, max_length, e);
    for (unsigned i = 0; m != NULL && rc == 0 && i < lstm_tensors(&m->layout); i++) {
        struct lstm_tensor t;
        lstm_tensor(&m->layout, i, &t);
        rc = read_tensor(&f, &t, m->params + t.offset, e);
    }
    if (m != NULL && rc == 0)
        rc = settle_fixed_length(&f, m, e);
    if (m != NULL && rc == 0)
        rc = check_overlap(&f, m, e);
    if (m != NULL && rc == 0)
        rc = lstm_check_weights(m, e);
    if (m == NULL || rc != 0) {
        err_prefix(e, "%s", input_name(in));
        lstm_free(m);
        m = NULL;
    }
    json_free(f.header);
    mem_free(f.bytes);
    return m;
}

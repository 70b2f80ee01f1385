/* SPDX-License-Identifier: MIT */
#include "model/mdl_file.h"

#include <string.h>

#include "feature/feature.h"
#include "model/meta.h"
#include "text/alphabet.h"

const unsigned char mdl_magic[8] = {0x89, 'G', 'A', 'M', 'U', 'T', '\r', '\n'};

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [MDL_U8] = {"u8", 1},       [MDL_TEXT] = {"text", 1}, [MDL_U32] = {"u32", 4},
    [MDL_U64] = {"u64", 8},     [MDL_F32] = {"f32", 4},   [MDL_F64] = {"f64", 8},
    [MDL_MODEL] = {"model", 1},
};

static const char *const kinds[] = {[MDL_PFSA] = "pfsa", [MDL_LSTM] = "lstm", [MDL_GAM] = "gam"};

const char *
mdl_type_name(enum mdl_type type)
{
    return types[type].name;
}

const char *
mdl_kind_name(enum mdl_kind kind)
{
    return kinds[kind];
}

size_t
mdl_type_size(enum mdl_type type)
{
    return types[type].size;
}

/* The sections that readers ask for, the kinds of model that have them, and the
 * most elements; FEW where more would be no model.  No other section is kept: it
 * could be of any size, and for nothing. */
enum {
    PFSA = 1 << MDL_PFSA,
    LSTM = 1 << MDL_LSTM,
    GAM = 1 << MDL_GAM,
    FEW = ALPHABET_MAX /* the alphabet; others have less */
};
#define ANY UINT64_MAX

static const struct mdl_known known[] = {
    {"meta", PFSA | LSTM | GAM, META_BYTES_MAX},
    {"alphabet", PFSA | LSTM, FEW},
    {"max_length", LSTM | GAM, FEW},
    {"log_partition", PFSA, FEW},
    {"final", PFSA, ANY},
    {"first", PFSA, ANY},
    {"symbol", PFSA, ANY},
    {"target", PFSA, ANY},
    {"logp", PFSA, ANY},
    {"shape", LSTM, FEW},
    {"weights", LSTM, ANY},
    {"adam.m", LSTM, ANY},
    {"adam.v", LSTM, ANY},
    {"adam.step", LSTM, FEW},
    {"train.identity", LSTM, FEW},
    {"train.state", LSTM, FEW},
    {"train.sums", LSTM, FEW},
    {"train.rows", LSTM, ANY},
    {"train.average", LSTM, ANY},
    {"best.weights", LSTM, ANY},
    {"best.m", LSTM, ANY},
    {"best.v", LSTM, ANY},
    {"best.step", LSTM, FEW},
    {"features", GAM, 64 << 20},
    {"lambda", GAM, FEATURES_MAX},
    {"base", GAM, ANY},
};

const struct mdl_known *
mdl_known(enum mdl_kind kind, const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].kinds & 1u << kind) != 0 && strcmp(known[i].name, name) == 0)
            return &known[i];
    return NULL;
}

void
mdl_put_le(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

uint64_t
mdl_get_le(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

void
mdl_swap(unsigned char *data, size_t count, size_t size)
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

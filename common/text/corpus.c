/* SPDX-License-Identifier: MIT */
#include "text/corpus.h"

#include "core/err.h"
#include "core/mem.h"
#include "io/input.h"
#include "text/line_reader.h"

enum { STRIDE = 64 }; /* strings between two entries of the index */

struct entry {
    uint64_t symbol; /* number of the first symbol of this string */
    uint64_t length; /* where its length stands in `lengths` */
};

struct corpus {
    struct alphabet alphabet;
    unsigned bits; /* of a symbol; a symbol never straddles two words */
    unsigned per_word;
    uint64_t *words;
    size_t words_capacity;
    uint8_t *lengths; /* 7 bits a byte, low first, bit 7 says that more follow */
    size_t lengths_used, lengths_capacity;
    struct entry *index; /* one for every STRIDE strings */
    size_t index_capacity;
    size_t count;
    uint64_t symbols;
    size_t longest, shortest;
};

struct corpus *
corpus_new(const struct alphabet *a, struct err *e)
{
    struct corpus *c = mem_zero(1, sizeof *c, e);
    if (c == NULL)
        return NULL;
    c->alphabet = *a;
    c->bits = 1;
    while ((1u << c->bits) < a->size)
        c->bits++;
    c->per_word = 64 / c->bits;
    return c;
}

void
corpus_free(struct corpus *c)
{
    if (c == NULL)
        return;
    mem_free(c->words);
    mem_free(c->lengths);
    mem_free(c->index);
    mem_free(c);
}

/* Room for one more string, so that corpus_add cannot fail half way. */
static int
reserve(struct corpus *c, size_t length, struct err *e)
{
    size_t words = (size_t)((c->symbols + length) / c->per_word) + 1;
    if (mem_reserve(&c->words, &c->words_capacity, words, sizeof *c->words, e) != 0 ||
        mem_reserve(&c->lengths, &c->lengths_capacity, c->lengths_used + 10, 1, e) != 0)
        return ERR_NOMEM;
    size_t entries = c->count / STRIDE + 1;
    return mem_reserve(&c->index, &c->index_capacity, entries, sizeof *c->index, e);
}

static void
append_length(struct corpus *c, size_t length)
{
    for (; length >= 128; length >>= 7)
        c->lengths[c->lengths_used++] = (uint8_t)(length | 128);
    c->lengths[c->lengths_used++] = (uint8_t)length;
}

static void
append_symbols(struct corpus *c, const uint8_t *codes, size_t length)
{
    uint64_t word = c->symbols / c->per_word;
    unsigned slot = (unsigned)(c->symbols % c->per_word);
    for (size_t i = 0; i < length; i++) {
        if (slot == 0)
            c->words[word] = 0;
        c->words[word] |= (uint64_t)codes[i] << (slot * c->bits);
        if (++slot == c->per_word) {
            slot = 0;
            word++;
        }
    }
    c->symbols += length;
}

int
corpus_add(struct corpus *c, const uint8_t *codes, size_t length, struct err *e)
{
    int rc = reserve(c, length, e);
    if (rc != 0)
        return rc;
    if (c->count % STRIDE == 0)
        c->index[c->count / STRIDE] = (struct entry){c->symbols, c->lengths_used};
    append_length(c, length);
    append_symbols(c, codes, length);
    c->longest = length > c->longest ? length : c->longest;
    c->shortest = c->count == 0 || length < c->shortest ? length : c->shortest;
    c->count++;
    return 0;
}

int
corpus_read(struct corpus *c, struct input *in, struct err *e)
{
    struct line_reader *l = line_reader_new(in, &c->alphabet, e);
    if (l == NULL)
        return ERR_NOMEM;
    const uint8_t *codes;
    size_t length;
    int rc;
    while ((rc = line_reader_next(l, &codes, &length, e)) > 0) {
        rc = corpus_add(c, codes, length, e);
        if (rc != 0)
            break;
    }
    line_reader_free(l);
    return rc;
}

int
corpus_load(struct corpus *c, const char *path, uint64_t *hash, struct err *e)
{
    struct input *in = input_open(path, e);
    if (in == NULL)
        return e != NULL ? e->code : ERR_IO;
    int rc = corpus_read(c, in, e);
    if (hash != NULL)
        *hash = input_hash(in);
    input_close(in);
    return rc;
}

const struct alphabet *
corpus_alphabet(const struct corpus *c)
{
    return &c->alphabet;
}

size_t
corpus_count(const struct corpus *c)
{
    return c->count;
}

uint64_t
corpus_symbols(const struct corpus *c)
{
    return c->symbols;
}

size_t
corpus_longest(const struct corpus *c)
{
    return c->longest;
}

size_t
corpus_shortest(const struct corpus *c)
{
    return c->shortest;
}

static size_t
next_length(const struct corpus *c, uint64_t *at)
{
    size_t length = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = c->lengths[(*at)++];
        length |= (size_t)(byte & 127) << shift;
        if (byte < 128)
            return length;
    }
}

static void
unpack(const struct corpus *c, uint64_t symbol, size_t length, uint8_t *codes)
{
    uint64_t mask = (1u << c->bits) - 1, word = symbol / c->per_word;
    unsigned slot = (unsigned)(symbol % c->per_word);
    for (size_t i = 0; i < length; i++) {
        codes[i] = (uint8_t)(c->words[word] >> (slot * c->bits) & mask);
        if (++slot == c->per_word) {
            slot = 0;
            word++;
        }
    }
}

size_t
corpus_get(const struct corpus *c, size_t i, uint8_t *codes)
{
    struct entry at = c->index[i / STRIDE];
    for (size_t skip = i % STRIDE; skip > 0; skip--)
        at.symbol += next_length(c, &at.length);
    size_t length = next_length(c, &at.length);
    if (codes != NULL)
        unpack(c, at.symbol, length, codes);
    return length;
}

size_t
corpus_memory(const struct corpus *c)
{
    return sizeof *c + c->words_capacity * sizeof *c->words + c->lengths_capacity +
           c->index_capacity * sizeof *c->index;
}

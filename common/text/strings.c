/* SPDX-License-Identifier: MIT */
#include "text/strings.h"

#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/input.h"
#include "text/alphabet.h"
#include "text/string_reader.h"

/* Chunk k has FIRST_CHUNK 2^k elements, so it begins with element FIRST_CHUNK (2^k - 1).
 * This holds for symbols, which are numbered by position, and for the positions of strings.
 * Each string lies in one chunk of symbols: elements at the end of a chunk can stay unused,
 * and chunks can be skipped. */
#define FIRST_CHUNK (UINT64_C(1) << 16)

static uint64_t
chunk_begin(unsigned k)
{
    return FIRST_CHUNK * ((UINT64_C(1) << k) - 1);
}

static unsigned
chunk_of(uint64_t number)
{
    return 63 - (unsigned)__builtin_clzll(number / FIRST_CHUNK + 1);
}

/* The position of string i, or of the next string if i is the number of strings. */
static uint64_t *
start_of(const struct strings *s, size_t i)
{
    unsigned k = chunk_of(i);
    return s->start[k] + (i - chunk_begin(k));
}

static uint8_t *
symbols_at(const struct strings *s, uint64_t position)
{
    unsigned k = chunk_of(position);
    return s->chunk[k] + (position - chunk_begin(k));
}

void
strings_clear(struct strings *s)
{
    for (unsigned k = 0; k < STRINGS_CHUNKS; k++) {
        mem_free(s->chunk[k]);
        mem_free(s->start[k]);
    }
    *s = (struct strings){0};
}

void
strings_reset(struct strings *s)
{
    s->count = 0;
    s->symbols = 0;
    s->longest = s->shortest = 0;
}

/* The position for a new string of that length: after the last one, or at the beginning of
 * the next chunk that is large enough. */
static uint64_t
next_position(const struct strings *s, size_t length)
{
    uint64_t at = s->count > 0 ? *start_of(s, s->count) : 0;
    for (unsigned k = chunk_of(at); chunk_begin(k + 1) - at < length; k++)
        at = chunk_begin(k + 1);
    return at;
}

/* Allocates symbol chunk k, and space for the start of the next string. */
static int
reserve(struct strings *s, unsigned k, struct err *e)
{
    unsigned first = chunk_of(s->count), next = chunk_of(s->count + 1);
    if (s->chunk[k] == NULL)
        s->chunk[k] = mem_array((size_t)FIRST_CHUNK << k, 1, e);
    if (s->start[first] == NULL)
        s->start[first] = mem_array((size_t)FIRST_CHUNK << first, sizeof **s->start, e);
    if (s->start[next] == NULL)
        s->start[next] = mem_array((size_t)FIRST_CHUNK << next, sizeof **s->start, e);
    return s->chunk[k] != NULL && s->start[first] != NULL && s->start[next] != NULL ? 0 : ERR_NOMEM;
}

int
strings_add(struct strings *s, const uint8_t *symbols, size_t length, struct err *e)
{
    if (s->count == UINT32_MAX)
        return err_set(e, ERR_LIMIT, "more than %u strings", UINT32_MAX);
    const uint64_t at = next_position(s, length);
    const unsigned k = chunk_of(at);
    int rc = reserve(s, k, e);
    if (rc != 0)
        return rc;
    if (length > 0)
        memcpy(symbols_at(s, at), symbols, length);
    s->longest = length > s->longest ? length : s->longest;
    s->shortest = s->count == 0 || length < s->shortest ? length : s->shortest;
    s->symbols += length;
    *start_of(s, s->count++) = at;
    *start_of(s, s->count) = s->end[k] = at + length;
    return 0;
}

/* The next string begins where this one ends, except after the last string of a chunk. */
const uint8_t *
strings_get(const struct strings *s, size_t i, size_t *length)
{
    uint64_t at = *start_of(s, i), next = *start_of(s, i + 1), end = s->end[chunk_of(at)];
    *length = (size_t)((next < end ? next : end) - at);
    return symbols_at(s, at);
}

int
strings_compare(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

int
strings_read(struct strings *s, struct string_reader *r, size_t max_count, uint64_t max_symbols,
             struct err *e)
{
    while (s->count < max_count && s->symbols < max_symbols) {
        const uint8_t *symbols;
        size_t length;
        int rc = string_reader_next(r, &symbols, &length, e);
        if (rc <= 0)
            return rc;
        rc = strings_add(s, symbols, length, e);
        if (rc != 0)
            return rc;
    }
    return 1;
}

int
strings_load(struct strings *s, const char *path, const struct alphabet *a,
             const struct string_format *f, uint64_t *hash, struct err *e)
{
    struct input *in = input_open(path, e);
    struct string_reader *r = in != NULL ? string_reader_new(in, a, f, e) : NULL;
    int rc = r != NULL ? strings_read(s, r, SIZE_MAX, UINT64_MAX, e) : e->code;
    if (rc == 0) {
        *hash = input_hash(in);
        s->bytes += input_bytes(in);
        s->skipped += string_reader_skipped(r);
    }
    string_reader_free(r);
    input_close(in);
    return rc;
}

void
strings_map(struct strings *s, const uint8_t *map)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        uint64_t at = *start_of(s, i);
        uint8_t *symbols = symbols_at(s, at);
        strings_get(s, i, &length);
        for (size_t k = 0; k < length; k++)
            symbols[k] = map[symbols[k]];
    }
}

int
strings_settle_alphabet(struct strings *s, struct alphabet *a, struct err *e)
{
    uint8_t map[ALPHABET_MAX];
    if (a->size == 0)
        return err_advise(e, ERR_DATA, REMEDY_SET_ALPHABET, "the strings have no symbols");
    alphabet_sort(a, map);
    strings_map(s, map);
    return 0;
}

uint64_t
strings_default_max_length(uint64_t shortest, uint64_t longest)
{
    return shortest == longest ? longest : 2 * longest + 1;
}

/* ---- orders */

void
string_order_clear(struct string_order *o)
{
    mem_free(o->at);
    *o = (struct string_order){0};
}

void
string_order_reset(struct string_order *o)
{
    o->count = 0;
}

static int
order_reserve(struct string_order *o, uint64_t more, struct err *e)
{
    if (more > UINT32_MAX - o->count)
        return err_set(e, ERR_LIMIT, "more than %u strings", UINT32_MAX);
    return mem_reserve(&o->at, &o->capacity, o->count + more, sizeof *o->at, e);
}

int
string_order_add(struct string_order *o, size_t number, uint64_t copies, struct err *e)
{
    int rc = order_reserve(o, copies, e);
    for (; rc == 0 && copies > 0; copies--)
        o->at[o->count++] = (uint32_t)number;
    return rc;
}

int
string_order_add_range(struct string_order *o, size_t first, size_t end, struct err *e)
{
    int rc = order_reserve(o, end - first, e);
    for (; rc == 0 && first < end; first++)
        o->at[o->count++] = (uint32_t)first;
    return rc;
}

int
string_order_append(struct string_order *o, const uint32_t *numbers, size_t count, struct err *e)
{
    int rc = order_reserve(o, count, e);
    if (rc != 0)
        return rc;
    memcpy(o->at + o->count, numbers, count * sizeof *numbers);
    o->count += count;
    return 0;
}

/* Fisher and Yates. */
void
string_order_shuffle(struct string_order *o, struct rng *r)
{
    for (size_t i = o->count; i > 1; i--) {
        size_t j = (size_t)rng_below(r, i);
        uint32_t number = o->at[j];
        o->at[j] = o->at[i - 1];
        o->at[i - 1] = number;
    }
}

/* Strings that are adjacent in an order can be anywhere in memory, so the next ones are
 * prefetched.  This saves a quarter of the time of drawing short strings. */
static void
look_ahead(const struct string_order *o, const struct strings *s, size_t i)
{
    enum { NEAR = 16, FAR = 32 };
    if (i + FAR >= o->count)
        return;
    __builtin_prefetch(start_of(s, o->at[i + FAR]));
    __builtin_prefetch(symbols_at(s, *start_of(s, o->at[i + NEAR])));
}

const uint8_t *
string_order_get(const struct string_order *o, const struct strings *s, size_t i, size_t *length)
{
    look_ahead(o, s, i);
    return strings_get(s, o->at[i], length);
}

uint64_t
string_order_symbols(const struct string_order *o, const struct strings *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < o->count; i++) {
        size_t length;
        strings_get(s, o->at[i], &length);
        sum += length;
    }
    return sum;
}

/* ---- sorting
 *
 * Comparing two strings that are far apart in memory waits for both.  So an order is divided
 * into blocks; each block is sorted, and the blocks are merged by a heap of their first
 * strings: each string is fetched twice.  Most comparisons use only keys: the first symbols
 * of a string as one number.  Scratch memory is 4 bytes per string.
 */

enum { SORT_BLOCK = 1 << 15 }; /* strings */

struct sort_item {
    uint64_t key;
    const uint8_t *rest; /* the symbols that are not in the key */
    uint32_t rest_length, number;
};

/* A sorted block: its first string, and the position of the others in the order. */
struct sorted_block {
    struct sort_item first;
    size_t next, end;
};

struct sorting {
    struct string_order *order;
    const struct strings *strings;
    unsigned bits; /* of a symbol in a key; 0 is the end of the string */
};

/* Bits that the largest symbol + 1 needs. */
static unsigned
symbol_bits(const struct strings *s)
{
    unsigned bits = 1;
    uint8_t largest = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        for (size_t k = 0; k < length; k++)
            largest = symbols[k] > largest ? symbols[k] : largest;
    }
    while ((largest + 1u) >> bits != 0)
        bits++;
    return bits;
}

static struct sort_item
item_at(const struct sorting *x, size_t i)
{
    size_t length;
    const uint8_t *symbols = strings_get(x->strings, x->order->at[i], &length);
    size_t fit = 64 / x->bits, n = length < fit ? length : fit;
    uint64_t key = 0;
    for (size_t k = 0; k < n; k++)
        key = key << x->bits | (symbols[k] + 1u);
    key = n > 0 ? key << (64 - n * x->bits) : 0;
    return (struct sort_item){key, symbols + n, (uint32_t)(length - n), x->order->at[i]};
}

static int
compare_items(const void *a, const void *b)
{
    const struct sort_item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return strings_compare(x->rest, x->rest_length, y->rest, y->rest_length);
}

/* `item` is scratch, [count]. */
static void
sort_block(const struct sorting *x, size_t first, size_t count, struct sort_item *item)
{
    for (size_t i = 0; i < count; i++)
        item[i] = item_at(x, first + i);
    qsort(item, count, sizeof *item, compare_items);
    for (size_t i = 0; i < count; i++)
        x->order->at[first + i] = item[i].number;
}

/* Moves block i down until its first string does not come after those of the blocks below
 * it. */
static void
sift_down(struct sorted_block *heap, size_t count, size_t i)
{
    struct sorted_block moving = heap[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && compare_items(&heap[child + 1].first, &heap[child].first) < 0)
            child++;
        if (compare_items(&moving.first, &heap[child].first) <= 0)
            break;
        heap[i] = heap[child];
    }
    heap[i] = moving;
}

/* Repeatedly takes the smallest first string of all blocks. */
static void
merge(const struct sorting *x, struct sorted_block *heap, size_t count, uint32_t *to)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i);
    while (count > 0) {
        struct sorted_block *top = &heap[0];
        *to++ = top->first.number;
        if (top->next < top->end)
            top->first = item_at(x, top->next++);
        else
            *top = heap[--count];
        sift_down(heap, count, 0);
    }
}

static int
merge_blocks(const struct sorting *x, struct err *e)
{
    struct string_order *o = x->order;
    size_t blocks = (o->count + SORT_BLOCK - 1) / SORT_BLOCK;
    struct sorted_block *heap = mem_array(blocks, sizeof *heap, e);
    uint32_t *merged = heap != NULL ? mem_array(o->count, sizeof *merged, e) : NULL;
    if (merged == NULL) {
        mem_free(heap);
        return ERR_NOMEM;
    }
    for (size_t i = 0; i < blocks; i++) {
        size_t first = i * SORT_BLOCK, end = first + SORT_BLOCK;
        heap[i] =
            (struct sorted_block){item_at(x, first), first + 1, end < o->count ? end : o->count};
    }
    merge(x, heap, blocks, merged);
    mem_free(heap);
    mem_free(o->at);
    o->at = merged;
    o->capacity = o->count;
    return 0;
}

int
string_order_sort(struct string_order *o, const struct strings *s, struct err *e)
{
    const struct sorting x = {o, s, symbol_bits(s)};
    struct sort_item *item =
        mem_array(o->count < SORT_BLOCK ? o->count : SORT_BLOCK, sizeof *item, e);
    if (item == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < o->count; i += SORT_BLOCK)
        sort_block(&x, i, o->count - i < SORT_BLOCK ? o->count - i : SORT_BLOCK, item);
    mem_free(item);
    return o->count > SORT_BLOCK ? merge_blocks(&x, e) : 0;
}

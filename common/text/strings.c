/* SPDX-License-Identifier: MIT */
#include "text/strings.h"

#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/input.h"
#include "text/line_reader.h"

/* Chunk k has FIRST_CHUNK 2^k elements, so chunk k begins with number
 * FIRST_CHUNK (2^k - 1).  That goes for symbols, whose numbers are positions: some
 * at the end of a chunk may stay unused, and some chunks are skipped, so that each
 * string lies in one chunk.  It goes for the positions of the strings, too. */
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

/* Where string i begins, or the next one may, if i is the number of strings. */
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

/* Where a string of that length goes: behind the last one, or to the beginning of
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

/* The next string begins where this one ends, but for the last of a chunk. */
const uint8_t *
strings_get(const struct strings *s, size_t i, size_t *length)
{
    uint64_t at = *start_of(s, i), next = *start_of(s, i + 1), end = s->end[chunk_of(at)];
    *length = (next < end ? next : end) - at;
    return symbols_at(s, at);
}

int
strings_compare(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

int
strings_read(struct strings *s, struct line_reader *l, size_t max_count, uint64_t max_symbols,
             struct err *e)
{
    while (s->count < max_count && s->symbols < max_symbols) {
        const uint8_t *symbols;
        size_t length;
        int rc = line_reader_next(l, &symbols, &length, e);
        if (rc <= 0)
            return rc;
        rc = strings_add(s, symbols, length, e);
        if (rc != 0)
            return rc;
    }
    return 1;
}

int
strings_load(struct strings *s, const char *path, const struct alphabet *a, uint64_t *hash,
             struct err *e)
{
    struct input *in = input_open(path, e);
    struct line_reader *l = in != NULL ? line_reader_new(in, a, e) : NULL;
    int rc = l != NULL ? strings_read(s, l, SIZE_MAX, UINT64_MAX, e) : e->code;
    if (rc == 0)
        *hash = input_hash(in);
    line_reader_free(l);
    input_close(in);
    return rc;
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
        size_t j = rng_below(r, i);
        uint32_t number = o->at[j];
        o->at[j] = o->at[i - 1];
        o->at[i - 1] = number;
    }
}

/* Neighbors of an order lie anywhere in memory: asks early for those that come
 * next.  That is a quarter of the time of drawing short strings. */
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
 * A comparison of two strings far apart in memory waits for both.  So an order is
 * cut into blocks whose strings fit into the cache; each block is sorted, and the
 * blocks are merged by a heap of their first strings.  Each string is fetched
 * twice, and memory is 4 bytes per string more. */

enum { SORT_BLOCK = 1 << 15 }; /* strings */

struct item {
    const uint8_t *symbols;
    uint32_t length, number;
};

/* A sorted block: its first string, and where the others are in the order. */
struct block {
    struct item first;
    size_t next, end;
};

static struct item
item_of(const struct strings *s, uint32_t number)
{
    size_t length;
    const uint8_t *symbols = strings_get(s, number, &length);
    return (struct item){symbols, (uint32_t)length, number};
}

static int
by_symbols(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return strings_compare(x->symbols, x->length, y->symbols, y->length);
}

/* `item` is scratch, [count]. */
static void
sort_block(uint32_t *at, size_t count, const struct strings *s, struct item *item)
{
    for (size_t i = 0; i < count; i++)
        item[i] = item_of(s, at[i]);
    qsort(item, count, sizeof *item, by_symbols);
    for (size_t i = 0; i < count; i++)
        at[i] = item[i].number;
}

/* Lets block i sink until its first string is not behind those below it. */
static void
sift_down(struct block *heap, size_t count, size_t i)
{
    struct block sinking = heap[i];
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && by_symbols(&heap[child + 1].first, &heap[child].first) < 0)
            child++;
        if (by_symbols(&sinking.first, &heap[child].first) <= 0)
            break;
        heap[i] = heap[child];
    }
    heap[i] = sinking;
}

/* Takes the least string of all blocks, again and again. */
static void
merge(struct block *heap, size_t count, const uint32_t *at, const struct strings *s, uint32_t *to)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i);
    while (count > 0) {
        struct block *top = &heap[0];
        *to++ = top->first.number;
        if (top->next < top->end)
            top->first = item_of(s, at[top->next++]);
        else
            *top = heap[--count];
        sift_down(heap, count, 0);
    }
}

static int
merge_blocks(struct string_order *o, const struct strings *s, struct err *e)
{
    size_t blocks = (o->count + SORT_BLOCK - 1) / SORT_BLOCK;
    struct block *heap = mem_array(blocks, sizeof *heap, e);
    uint32_t *merged = heap != NULL ? mem_array(o->count, sizeof *merged, e) : NULL;
    if (merged == NULL) {
        mem_free(heap);
        return ERR_NOMEM;
    }
    for (size_t i = 0; i < blocks; i++) {
        size_t first = i * SORT_BLOCK, end = first + SORT_BLOCK;
        heap[i] =
            (struct block){item_of(s, o->at[first]), first + 1, end < o->count ? end : o->count};
    }
    merge(heap, blocks, o->at, s, merged);
    mem_free(heap);
    mem_free(o->at);
    o->at = merged;
    o->capacity = o->count;
    return 0;
}

int
string_order_sort(struct string_order *o, const struct strings *s, struct err *e)
{
    struct item *item = mem_array(o->count < SORT_BLOCK ? o->count : SORT_BLOCK, sizeof *item, e);
    if (item == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < o->count; i += SORT_BLOCK) {
        size_t count = o->count - i < SORT_BLOCK ? o->count - i : SORT_BLOCK;
        sort_block(o->at + i, count, s, item);
    }
    mem_free(item);
    return o->count > SORT_BLOCK ? merge_blocks(o, s, e) : 0;
}

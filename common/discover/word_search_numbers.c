/* SPDX-License-Identifier: MIT
 * Ranges of the length of a string, and of the number of its symbols of a class. */
#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "discover/word_search_internal.h"
#include "text/strings.h"

enum { NUMBERS = WORD_SEARCH_NUMBER_MAX + 1 };

/* ---- tables: of each string, the number of each symbol, then the length */

static uint16_t
clamped(size_t number)
{
    return (uint16_t)(number < WORD_SEARCH_NUMBER_MAX ? number : WORD_SEARCH_NUMBER_MAX);
}

static uint16_t *
number_table(const struct string_range *in, unsigned symbols, struct err *e)
{
    uint16_t *table = mem_zero(in->count * (symbols + 1), sizeof *table, e);
    for (size_t i = 0; table != NULL && i < in->count; i++) {
        size_t length;
        const uint8_t *x = strings_get(in->strings, in->first + i, &length);
        uint16_t *row = table + i * (symbols + 1);
        for (size_t t = 0; t < length; t++)
            row[x[t]] = clamped(row[x[t]] + (size_t)1);
        row[symbols] = clamped(length);
    }
    return table;
}

/* How many strings have each sum of the columns in `member`. */
static void
count_sums(const uint16_t *table, size_t strings, unsigned columns, const uint8_t *member, size_t n,
           uint64_t *count)
{
    memset(count, 0, NUMBERS * sizeof *count);
    for (size_t i = 0; i < strings; i++) {
        size_t sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += table[i * columns + member[k]];
        count[clamped(sum)]++;
    }
}

int
word_numbers_init(struct word_search *s, struct err *e)
{
    const struct word_search_options *o = &s->options;
    unsigned columns = o->symbols + 1;
    if (!o->lengths && !o->counts && !o->classes)
        return 0;
    s->numbers = number_table(&s->counted, o->symbols, e);
    s->histogram = mem_array((size_t)columns * NUMBERS, sizeof *s->histogram, e);
    for (unsigned a = 0; s->numbers != NULL && s->histogram != NULL && a < columns; a++) {
        uint8_t member = (uint8_t)a;
        count_sums(s->numbers, s->counted.count, columns, &member, 1, s->histogram + a * NUMBERS);
    }
    return e->code;
}

/* ---- candidates */

/* The numbers of one set. */
struct numbers {
    const struct pass *pass;
    uint16_t *table;
    size_t strings;
    uint64_t *c, *b; /* [NUMBERS] of a candidate: strings of the set, and of those counted */
};

/* All ranges of one number; `choices` is the number of such numbers, and of kinds of ranges. */
static void
try_ranges(const struct numbers *m, struct word w, const uint64_t *b, double choices,
           struct word_found *best)
{
    const struct pass *p = m->pass;
    const uint64_t *c = m->c;
    uint64_t c_below = 0, b_below = 0, top = WORD_SEARCH_NUMBER_MAX, all = 0;
    while (top > 0 && c[top] + b[top] == 0)
        top--;
    for (uint64_t i = 0; i <= top; i++)
        all += b[i];
    double price = dm_log(choices * (double)(top + 1));
    for (w.number = 0; w.number <= top && w.number < WORD_SEARCH_NUMBER_MAX; w.number++) {
        w.kind = NUMBER_AT_LEAST;
        if (w.number > 0)
            try_more(p, &w, m->strings - c_below, all - b_below, price, best);
        c_below += c[w.number];
        b_below += b[w.number];
        w.kind = NUMBER_AT_MOST;
        if (w.number < top)
            try_more(p, &w, c_below, b_below, price, best);
        w.kind = NUMBER_EQUAL;
        if (w.length == 0)
            try_more(p, &w, c[w.number], b[w.number], price, best);
    }
}

/* A symbol, or the length. */
static void
try_single(const struct numbers *m, unsigned column, struct word_found *best)
{
    const struct word_search *s = m->pass->search;
    unsigned symbols = s->options.symbols;
    uint8_t member = (uint8_t)column;
    struct word w = {.symbols = &member, .length = column < symbols};
    count_sums(m->table, m->strings, symbols + 1, &member, 1, m->c);
    try_ranges(m, w, s->histogram + column * NUMBERS, column < symbols ? 2.0 * symbols : 3, best);
}

/* The symbols of a class are in the order of the alphabet. */
static void
try_class(const struct numbers *m, const uint8_t *from, size_t n, struct word_found *best)
{
    const struct word_search *s = m->pass->search;
    unsigned symbols = s->options.symbols;
    uint8_t member[ALPHABET_MAX];
    double classes = 1;
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && member[at - 1] > from[i]; at--)
            member[at] = member[at - 1];
        member[at] = from[i];
        classes *= (double)(symbols - i) / (double)(i + 1);
    }
    struct word w = {.symbols = member, .length = n};
    count_sums(m->table, m->strings, symbols + 1, member, n, m->c);
    count_sums(s->numbers, s->counted.count, symbols + 1, member, n, m->b);
    try_ranges(m, w, m->b, 2 * classes, best);
}

/* ---- classes */

/* How much more frequent a symbol is in the set, in units of about a standard deviation. */
static double
enrichment(const struct numbers *m, unsigned column)
{
    const struct word_search *s = m->pass->search;
    double in_set = 0, counted = 0;
    for (size_t i = 0; i < m->strings; i++)
        in_set += m->table[i * (s->options.symbols + 1) + column];
    for (size_t i = 0; i < NUMBERS; i++)
        counted += (double)i * (double)s->histogram[column * NUMBERS + i];
    counted /= (double)s->counted.count;
    return (in_set / (double)m->strings - counted) / sqrt(counted + 1e-9);
}

/* Of 2^A classes those that are likely: the symbols that the set has most, and those that it has
 * least.  Their sizes grow like Fibonacci's numbers. */
static void
try_classes(const struct numbers *m, struct word_found *best)
{
    const struct word_search *s = m->pass->search;
    uint8_t order[ALPHABET_MAX];
    double value[ALPHABET_MAX];
    size_t n = 0;
    for (unsigned a = 0; a < s->options.symbols; a++) {
        if (!s->options.class_member[a])
            continue;
        double of = enrichment(m, a);
        size_t at = n++;
        for (; at > 0 && value[at - 1] < of; at--) {
            value[at] = value[at - 1];
            order[at] = order[at - 1];
        }
        value[at] = of;
        order[at] = (uint8_t)a;
    }
    for (size_t size = 2, last = 1; size < n; size += last, last = size - last) {
        try_class(m, order, size, best);
        try_class(m, order + n - size, size, best);
    }
}

int
word_numbers_try(const struct pass *p, const struct string_range *set, struct word_found *best,
                 struct err *e)
{
    const struct word_search *s = p->search;
    const struct word_search_options *o = &s->options;
    if (s->numbers == NULL)
        return 0;
    struct numbers m = {.pass = p,
                        .table = number_table(set, o->symbols, e),
                        .strings = set->count,
                        .c = mem_array(NUMBERS, sizeof *m.c, e),
                        .b = mem_array(NUMBERS, sizeof *m.b, e)};
    if (e->code == 0) {
        for (unsigned a = o->counts ? 0 : o->symbols; a < o->symbols + o->lengths; a++)
            try_single(&m, a, best);
        if (o->classes)
            try_classes(&m, best);
    }
    mem_free(m.table);
    mem_free(m.c);
    mem_free(m.b);
    return e->code;
}

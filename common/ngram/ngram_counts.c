/* SPDX-License-Identifier: MIT */
#include "ngram/ngram_counts.h"

#include <math.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "text/alphabet.h"
#include "text/strings.h"

enum { MARK = ALPHABET_NONE };

/* Records of both indexes: (parent, symbol before it) and (context, symbol after it). */
struct ngram_key {
    uint32_t context, symbol;
};

/* ---- contexts and events */

static int
add_context(struct ngram_counts *c, uint32_t parent, uint8_t first, struct err *e)
{
    if (mem_reserve(&c->context, &c->context_capacity, c->contexts + 1, sizeof *c->context, e) != 0)
        return ERR_NOMEM;
    uint32_t depth = c->contexts > 0 ? c->context[parent].depth + 1 : 0;
    c->context[c->contexts++] =
        (struct ngram_context){.parent = parent, .depth = depth, .first = first};
    return 0;
}

int
ngram_counts_init(struct ngram_counts *c, unsigned alphabet, bool has_end, unsigned order,
                  struct err *e)
{
    *c = (struct ngram_counts){
        .symbols = alphabet + (has_end ? 1 : 0), .has_end = has_end, .order = order};
    c->context_index = intern_new(sizeof(struct ngram_key), NGRAM_EVENTS_MAX, e);
    c->event_index = intern_new(sizeof(struct ngram_key), NGRAM_EVENTS_MAX, e);
    c->with_count = mem_zero((size_t)order + 1, sizeof *c->with_count, e);
    c->discount = mem_zero((size_t)order + 1, sizeof *c->discount, e);
    if (c->context_index == NULL || c->event_index == NULL || c->with_count == NULL ||
        c->discount == NULL)
        return ERR_NOMEM;
    return add_context(c, 0, 0, e);
}

void
ngram_counts_clear(struct ngram_counts *c)
{
    intern_free(c->context_index);
    intern_free(c->event_index);
    mem_free(c->context);
    mem_free(c->event);
    mem_free(c->with_count);
    mem_free(c->discount);
    *c = (struct ngram_counts){0};
}

uint8_t
ngram_counts_mark(void)
{
    return MARK;
}

uint32_t
ngram_counts_context(const struct ngram_counts *c, uint32_t parent, uint8_t first)
{
    uint32_t number = intern_find(c->context_index, &(struct ngram_key){parent, first});
    return number == INTERN_NONE ? NGRAM_NO_CONTEXT : number + 1;
}

uint32_t
ngram_counts_start(const struct ngram_counts *c)
{
    uint32_t mark = c->order > 0 ? ngram_counts_context(c, 0, MARK) : 0;
    return mark != NGRAM_NO_CONTEXT ? mark : 0;
}

bool
ngram_counts_seen(const struct ngram_counts *c, uint32_t context, unsigned symbol)
{
    return intern_find(c->event_index, &(struct ngram_key){context, symbol}) != INTERN_NONE;
}

/* The longest context after a context and a symbol is that of the parent, or one symbol
 * longer; it can be longer only if the parent's is not truncated. */
static void
find_next(const struct ngram_counts *c, uint32_t context, unsigned alphabet, uint32_t *table)
{
    const struct ngram_context *at = &c->context[context];
    uint32_t *next = table + (size_t)context * alphabet;
    const uint32_t *parent = table + (size_t)at->parent * alphabet;
    for (unsigned i = 0; i < alphabet; i++) {
        uint32_t shorter = context > 0 ? parent[i] : 0;
        bool whole = context == 0 || c->context[shorter].depth == at->depth;
        uint32_t longer = NGRAM_NO_CONTEXT;
        if (whole && at->depth < c->order)
            longer = ngram_counts_context(c, shorter, context > 0 ? at->first : (uint8_t)i);
        next[i] = longer != NGRAM_NO_CONTEXT ? longer : shorter;
    }
}

void
ngram_counts_next(const struct ngram_counts *c, unsigned alphabet, uint32_t *next)
{
    for (uint32_t i = 0; i < c->contexts; i++)
        find_next(c, i, alphabet, next);
}

static int
make_context(struct ngram_counts *c, uint32_t parent, uint8_t first, uint32_t *context,
             struct err *e)
{
    uint32_t number;
    int rc = intern_add(c->context_index, &(struct ngram_key){parent, first}, &number, e);
    *context = rc == 0 ? number + 1 : 0;
    return rc == 0 && *context == c->contexts ? add_context(c, parent, first, e) : rc;
}

static int
make_event(struct ngram_counts *c, uint32_t context, unsigned symbol, uint32_t *event,
           struct err *e)
{
    size_t known = intern_count(c->event_index);
    int rc = intern_add(c->event_index, &(struct ngram_key){context, symbol}, event, e);
    if (rc != 0 || *event < known)
        return rc;
    rc = mem_reserve(&c->event, &c->event_capacity, known + 1, sizeof *c->event, e);
    if (rc == 0)
        c->event[known] = (struct ngram_event){0};
    return rc;
}

/* ---- counting */

/* The class of a positive count: 1, 2, 3 or more. */
static unsigned
class_of(uint64_t count)
{
    return count < 3 ? (unsigned)count - 1 : 2;
}

/* Changes one count by 1, and everything derived from it. */
static void
change(struct ngram_counts *c, uint32_t context, uint32_t event, enum ngram_count_kind kind,
       bool raise)
{
    struct ngram_context *at = &c->context[context];
    struct ngram_tally *tally = &at->tally[kind];
    uint64_t *with = c->with_count[at->depth][kind], *count = &c->event[event].count[kind];
    if (*count > 0) {
        tally->seen[class_of(*count)]--;
        if (*count <= 4)
            with[*count - 1]--;
    }
    *count += raise ? 1 : UINT64_MAX;
    tally->total += raise ? 1 : UINT64_MAX;
    if (*count > 0) {
        tally->seen[class_of(*count)]++;
        if (*count <= 4)
            with[*count - 1]++;
    }
}

/* What follows a position: its symbol, or the end. */
static unsigned
symbol_at(const struct ngram_counts *c, const uint8_t *symbols, size_t length, size_t at)
{
    return at < length ? symbols[at] : c->symbols - 1;
}

/* The symbol or mark before the last `depth` symbols that precede a position. */
static uint8_t
symbol_before(const uint8_t *symbols, size_t at, size_t depth)
{
    return depth < at ? symbols[at - 1 - depth] : MARK;
}

/* One position, in all its contexts.  When a raw count becomes positive or 0, the parent's
 * lower count changes by one. */
static int
count_position(struct ngram_counts *c, const uint8_t *symbols, size_t at, unsigned symbol,
               bool raise, struct err *e)
{
    uint32_t context = 0, parent_event = 0, event;
    for (size_t depth = 0;; depth++) {
        int rc = make_event(c, context, symbol, &event, e);
        if (rc != 0)
            return rc;
        change(c, context, event, NGRAM_RAW, raise);
        if (c->event[event].count[NGRAM_RAW] == (raise ? 1 : 0) && depth > 0)
            change(c, c->context[context].parent, parent_event, NGRAM_LOWER, raise);
        if (depth > at)
            change(c, context, event, NGRAM_LOWER, raise);
        if (depth == c->order || depth > at)
            return 0;
        parent_event = event;
        rc = make_context(c, context, symbol_before(symbols, at, depth), &context, e);
        if (rc != 0)
            return rc;
    }
}

static int
count_string(struct ngram_counts *c, const uint8_t *symbols, size_t length, bool raise,
             struct err *e)
{
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < length + c->has_end; at++)
        rc = count_position(c, symbols, at, symbol_at(c, symbols, length, at), raise, e);
    return rc;
}

int
ngram_counts_add(struct ngram_counts *c, const uint8_t *symbols, size_t length, struct err *e)
{
    return count_string(c, symbols, length, true, e);
}

int
ngram_counts_add_all(struct ngram_counts *c, const struct strings *s, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        rc = ngram_counts_add(c, symbols, length, e);
    }
    return rc;
}

/* All contexts and events of the string exist, so nothing is allocated. */
void
ngram_counts_remove(struct ngram_counts *c, const uint8_t *symbols, size_t length)
{
    struct err none = {0};
    count_string(c, symbols, length, false, &none);
}

void
ngram_counts_restore(struct ngram_counts *c, const uint8_t *symbols, size_t length)
{
    struct err none = {0};
    count_string(c, symbols, length, true, &none);
}

/* ---- probabilities */

static struct ngram_discount
estimate(const uint64_t *with)
{
    struct ngram_discount d;
    double n[4];
    for (unsigned i = 0; i < 4; i++)
        n[i] = (double)with[i] + 0.5;
    double y = n[0] / (n[0] + 2 * n[1] - 0.5);
    for (unsigned k = 1; k <= 3; k++) {
        double estimated = k - (k + 1) * y * n[k] / n[k - 1];
        d.by[k - 1] = k == 1 ? y : fmin(fmax(estimated, y), k - 1 + y);
    }
    return d;
}

void
ngram_counts_estimate(struct ngram_counts *c)
{
    for (size_t depth = 0; depth <= c->order; depth++)
        for (unsigned kind = 0; kind < NGRAM_COUNT_KINDS; kind++)
            c->discount[depth][kind] = estimate(c->with_count[depth][kind]);
}

static double
kneser_ney(const struct ngram_tally *t, const struct ngram_discount *d, uint64_t count,
           double lower)
{
    double mass = 0, kept = 0;
    for (unsigned i = 0; i < 3; i++)
        mass += d->by[i] * t->seen[i];
    if (count > 0)
        kept = (double)count - d->by[class_of(count)];
    return (kept + mass * lower) / (double)t->total;
}

static double
witten_bell(const struct ngram_tally *t, uint64_t count, double lower)
{
    double types = (double)t->seen[0] + t->seen[1] + t->seen[2];
    return ((double)count + types * lower) / ((double)t->total + types);
}

double
ngram_counts_step(const struct ngram_counts *c, uint32_t context, unsigned symbol,
                  enum ngram_smoothing smoothing, enum ngram_count_kind kind, double lower)
{
    const struct ngram_context *at = &c->context[context];
    const struct ngram_tally *t = &at->tally[kind];
    if (t->total == 0)
        return lower;
    uint32_t event = intern_find(c->event_index, &(struct ngram_key){context, symbol});
    uint64_t count = event != INTERN_NONE ? c->event[event].count[kind] : 0;
    return smoothing == NGRAM_WB ? witten_bell(t, count, lower)
                                 : kneser_ney(t, &c->discount[at->depth][kind], count, lower);
}

void
ngram_counts_predict(const struct ngram_counts *c, const uint8_t *symbols, size_t length, size_t at,
                     double (*p)[NGRAM_SMOOTHINGS])
{
    unsigned symbol = symbol_at(c, symbols, length, at), depth = 0;
    double wb = 1.0 / c->symbols, lower = wb;
    uint32_t context = 0;
    for (;; depth++) {
        p[depth][NGRAM_WB] = wb = ngram_counts_step(c, context, symbol, NGRAM_WB, NGRAM_RAW, wb);
        p[depth][NGRAM_KN] = ngram_counts_step(c, context, symbol, NGRAM_KN, NGRAM_RAW, lower);
        if (depth == c->order)
            return;
        lower = ngram_counts_step(c, context, symbol, NGRAM_KN, NGRAM_LOWER, lower);
        if (depth <= at)
            context = ngram_counts_context(c, context, symbol_before(symbols, at, depth));
        if (depth > at || context == NGRAM_NO_CONTEXT)
            break;
    }
    while (++depth <= c->order) {
        p[depth][NGRAM_WB] = wb;
        p[depth][NGRAM_KN] = lower;
    }
}

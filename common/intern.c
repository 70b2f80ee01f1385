/* SPDX-License-Identifier: MIT */
#include "intern.h"

#include <string.h>
#include <xxhash.h>

#include "err.h"
#include "mem.h"

struct intern {
    size_t bytes;
    uint32_t count, most;
    unsigned char *record; /* [count][bytes] */
    size_t capacity;
    uint32_t *slot; /* [slots] number + 1, 0 if free; probed linearly */
    size_t slots;   /* a power of two, at least twice the count */
};

struct intern *
intern_new(size_t bytes, uint32_t most, struct err *e)
{
    enum { FIRST_SLOTS = 64 };
    struct intern *t = mem_zero(1, sizeof *t, e);
    if (t == NULL)
        return NULL;
    t->bytes = bytes;
    t->most = most;
    t->slots = FIRST_SLOTS;
    t->slot = mem_zero(t->slots, sizeof *t->slot, e);
    if (t->slot != NULL)
        return t;
    intern_free(t);
    return NULL;
}

void
intern_free(struct intern *t)
{
    if (t == NULL)
        return;
    mem_free(t->record);
    mem_free(t->slot);
    mem_free(t);
}

const void *
intern_get(const struct intern *t, uint32_t number)
{
    return t->record + number * t->bytes;
}

/* The slot that holds the record, or the free one where it belongs. */
static uint32_t *
find_slot(const struct intern *t, const void *record)
{
    size_t i = (size_t)XXH3_64bits(record, t->bytes);
    for (;; i++) {
        uint32_t *slot = &t->slot[i & (t->slots - 1)];
        if (*slot == 0 || memcmp(intern_get(t, *slot - 1), record, t->bytes) == 0)
            return slot;
    }
}

static int
widen(struct intern *t, struct err *e)
{
    uint32_t *wider = mem_zero(2 * t->slots, sizeof *wider, e);
    if (wider == NULL)
        return ERR_NOMEM;
    mem_free(t->slot);
    t->slot = wider;
    t->slots *= 2;
    for (uint32_t i = 0; i < t->count; i++)
        *find_slot(t, intern_get(t, i)) = i + 1;
    return 0;
}

int
intern_add(struct intern *t, const void *record, uint32_t *number, struct err *e)
{
    uint32_t *slot = find_slot(t, record);
    if (*slot != 0) {
        *number = *slot - 1;
        return 0;
    }
    if (t->count == t->most)
        return err_set(e, ERR_LIMIT, "more than %u different records", t->most);
    unsigned char *grown =
        mem_grow(t->record, &t->capacity, (size_t)t->count + 1, t->bytes > 0 ? t->bytes : 1, e);
    if (grown == NULL)
        return ERR_NOMEM;
    t->record = grown;
    memcpy(t->record + t->count * t->bytes, record, t->bytes);
    *number = t->count++;
    *slot = t->count;
    return 2 * (size_t)t->count > t->slots ? widen(t, e) : 0;
}

uint32_t
intern_find(const struct intern *t, const void *record)
{
    uint32_t *slot = find_slot(t, record);
    return *slot == 0 ? INTERN_NONE : *slot - 1;
}

uint32_t
intern_count(const struct intern *t)
{
    return t->count;
}

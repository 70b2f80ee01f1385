/* SPDX-License-Identifier: MIT */
#include "core/intern.h"

#include <string.h>
#include <xxhash.h>

#include "core/err.h"
#include "core/mem.h"

/* The hash is stored beside the number: records are compared only if their hashes are equal,
 * and never when the table grows. */
struct slot {
    uint32_t number; /* + 1; 0: free */
    uint32_t hash;
};

struct intern {
    size_t bytes;
    uint32_t count, most;
    unsigned char *record; /* [count][bytes] */
    size_t capacity;
    struct slot *slot; /* [slots], probed linearly */
    size_t slots;      /* a power of two, at least twice the count */
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

uint32_t
intern_most(size_t each, size_t budget, uint32_t most)
{
    size_t n = budget / (each + 2 * sizeof(struct slot));
    return n < most ? (uint32_t)n : most;
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

static uint32_t
hash_of(const struct intern *t, const void *record)
{
    return (uint32_t)XXH3_64bits(record, t->bytes);
}

/* The slot that holds the record, or the free one where it belongs. */
static struct slot *
find_slot(const struct intern *t, const void *record, uint32_t hash)
{
    for (size_t i = hash;; i++) {
        struct slot *s = &t->slot[i & (t->slots - 1)];
        if (s->number == 0 ||
            (s->hash == hash && memcmp(intern_get(t, s->number - 1), record, t->bytes) == 0))
            return s;
    }
}

static int
widen(struct intern *t, struct err *e)
{
    size_t slots = 2 * t->slots;
    struct slot *wider = mem_zero(slots, sizeof *wider, e);
    if (wider == NULL)
        return ERR_NOMEM;
    for (size_t k = 0; k < t->slots; k++) {
        size_t i = t->slot[k].hash;
        if (t->slot[k].number == 0)
            continue;
        while (wider[i & (slots - 1)].number != 0)
            i++;
        wider[i & (slots - 1)] = t->slot[k];
    }
    mem_free(t->slot);
    t->slot = wider;
    t->slots = slots;
    return 0;
}

int
intern_add(struct intern *t, const void *record, uint32_t *number, struct err *e)
{
    uint32_t hash = hash_of(t, record);
    struct slot *slot = find_slot(t, record, hash);
    if (slot->number != 0) {
        *number = slot->number - 1;
        return 0;
    }
    if (t->count == t->most)
        return err_set(e, ERR_LIMIT, "more than %u states", t->most);
    size_t need = (size_t)t->count + 1;
    if (mem_reserve(&t->record, &t->capacity, need, t->bytes > 0 ? t->bytes : 1, e) != 0)
        return ERR_NOMEM;
    memcpy(t->record + t->count * t->bytes, record, t->bytes);
    *number = t->count++;
    *slot = (struct slot){t->count, hash};
    return 2 * (size_t)t->count > t->slots ? widen(t, e) : 0;
}

uint32_t
intern_find(const struct intern *t, const void *record)
{
    const struct slot *slot = find_slot(t, record, hash_of(t, record));
    return slot->number == 0 ? INTERN_NONE : slot->number - 1;
}

uint32_t
intern_count(const struct intern *t)
{
    return t->count;
}

size_t
intern_bytes(const struct intern *t)
{
    return t->capacity * t->bytes + t->slots * sizeof *t->slot;
}

/* SPDX-License-Identifier: MIT */
#include "text/sorted.h"

#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "text/corpus.h"

static int
by_codes(const void *a, const void *b)
{
    return weighted_string_compare(a, b);
}

int
sorted_init(struct sorted *s, const struct corpus *c, bool by_length, struct err *e)
{
    memset(s, 0, sizeof *s);
    s->count = corpus_count(c);
    if (s->count > UINT32_MAX)
        return err_set(e, ERR_LIMIT, "%zu strings are more than %u", s->count, UINT32_MAX);
    size_t room = (size_t)corpus_symbols(c) + corpus_longest(c);
    s->string = mem_array(s->count, sizeof *s->string, e);
    s->codes = mem_array(room, 1, e);
    if (s->string == NULL || s->codes == NULL) {
        sorted_clear(s);
        return ERR_NOMEM;
    }
    uint8_t *at = s->codes;
    for (size_t i = 0; i < s->count; i++) {
        size_t length = corpus_get(c, i, at);
        s->string[i] = (struct weighted_string){.codes = at,
                                                .length = (uint32_t)length,
                                                .weight = by_length ? 1 / (float)(length + 1) : 1};
        at += length;
    }
    qsort(s->string, s->count, sizeof *s->string, by_codes);
    return 0;
}

void
sorted_clear(struct sorted *s)
{
    mem_free(s->string);
    mem_free(s->codes);
    memset(s, 0, sizeof *s);
}

double
sorted_weight(const struct weighted_string *string, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)string[i].weight * (string[i].length + 1.0);
    return sum;
}

/* SPDX-License-Identifier: MIT */
#include "gam/provenance.h"

#include <stdlib.h>

#include "core/err.h"
#include "core/num.h"
#include "mix/mix.h"
#include "model/meta.h"
#include "model/model.h"

static void
add_meta(struct provenance *p, const struct meta *meta)
{
    const char *hash = meta != NULL ? meta_get(meta, "input") : NULL;
    const char *bytes = meta != NULL ? meta_get(meta, "input_bytes") : NULL;
    struct err unknown = {0}; /* models of earlier versions have no size */
    if (hash == NULL || p->count == PROVENANCE_MAX)
        return;
    struct input_mark *m = &p->mark[p->count++];
    *m = (struct input_mark){.hash = strtoull(hash, NULL, 16)};
    if (bytes == NULL || num_parse_u64(bytes, 0, UINT64_MAX, &m->bytes, &unknown) != 0)
        m->bytes = 0;
}

void
provenance_add(struct provenance *p, const struct model *m)
{
    if (m == NULL)
        return;
    add_meta(p, m->meta);
    provenance_add(p, m->base);
    const struct mix *mix = mix_of(m);
    for (size_t i = 0; mix != NULL && i < mix->count; i++)
        provenance_add(p, mix->part[i].model);
}

enum provenance_answer
provenance_of(const struct provenance *p, const struct input *in)
{
    enum provenance_answer answer = DATA_NEW;
    for (size_t i = 0; i < p->count; i++) {
        if (p->mark[i].hash == input_hash(in))
            return DATA_TRAINED_ON;
        if (p->mark[i].found)
            answer = DATA_BEGIN_AS_TRAINED;
    }
    return answer;
}

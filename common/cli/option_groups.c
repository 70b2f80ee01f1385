/* SPDX-License-Identifier: MIT */
#include "cli/option_groups.h"

#include "core/err.h"
#include "core/num.h"
#include "feature/feature.h"
#include "feature/feature_paper.h"

int
feature_options_set(struct feature_options *o, int key, const char *value, struct err *e)
{
    int rc = 0;
    switch (key) {
    case FEATURE_OPTION_SPEC:
        rc = words_add(&o->specs, value, e);
        break;
    case FEATURE_OPTION_FT:
        o->bits = value;
        break;
    case FEATURE_OPTION_L:
        rc = num_u64(value, 1, UINT32_MAX, &o->max_length, e);
        break;
    default:
        return 0;
    }
    return rc < 0 ? rc : 1;
}

void
feature_options_clear(struct feature_options *o)
{
    words_clear(&o->specs);
    *o = (struct feature_options){0};
}

static int
add_bits(struct features *f, const char *bits, const char *const *motif, size_t motifs,
         struct err *e)
{
    if (bits == NULL)
        return 0;
    int rc = motifs == 1 ? feature_paper_add(f, motif[0], bits, e)
                         : err_set(e, ERR_USAGE, "exactly one --motif is needed, not %zu", motifs);
    if (rc < 0)
        err_prefix(e, "--ft");
    return rc;
}

struct features *
feature_options_build(const struct feature_options *o, const struct alphabet *a,
                      const char *const *motif, size_t motifs, struct err *e)
{
    struct features *f = features_new(a, e);
    int rc = f == NULL ? ERR_NOMEM : add_bits(f, o->bits, motif, motifs, e);
    for (size_t i = 0; rc == 0 && i < o->specs.count; i++) {
        rc = features_add(f, o->specs.word[i], e);
        if (rc < 0)
            err_prefix(e, "--feature");
    }
    if (rc < 0) {
        features_free(f);
        return NULL;
    }
    if (o->max_length > 0)
        features_set_max_length(f, o->max_length);
    return f;
}

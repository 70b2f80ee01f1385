/* SPDX-License-Identifier: MIT */
#include "gam/gam.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_set.h"
#include "gam/kinds.h"
#include "io/input.h"
#include "io/output.h"
#include "model/container.h"
#include "model/meta.h"
#include "model/model.h"

/* ---- on a base ------------------------------------------------------------------- */

/* The base in `in`, which is taken over, also on failure; `outer` is the model that
 * it is a section of, or NULL.  The file is kept as it is read, section by
 * section, so that one that is no model is not read to its end. */
static struct gam *
from_file(const struct mdl *outer, struct in *in, struct err *e)
{
    struct gam *g = in != NULL ? mem_zero(1, sizeof *g, e) : NULL;
    if (g != NULL) {
        in_keep(in);
        struct mdl *m = mdl_read_within(outer, in, e);
        g->base = m != NULL ? base_from_mdl(m, e) : NULL;
        g->base_file = in_take(in, &g->base_size);
        mdl_free(m);
    }
    in_close(in);
    if (g != NULL && g->base != NULL)
        return g;
    gam_free(g);
    return NULL;
}

struct gam *
gam_on_base(const char *path, struct err *e)
{
    return from_file(NULL, in_open(path, e), e);
}

int
gam_settle(struct gam *g, struct features *f, uint64_t max_length, struct err *e)
{
    size_t n = features_count(f);
    g->features = f;
    for (size_t i = 0; i < n && max_length == MODEL_UNBOUNDED; i++)
        if (feature_needs_max_length(f, i))
            return err_set(e, ERR_USAGE,
                           "the feature '%s' is relative to the maximum length, and the base has "
                           "none; give --max-length",
                           features_name(f, i));
    g->max_length = max_length;
    features_set_max_length(f, max_length > 0 ? max_length : 1);
    g->lambda = mem_zero(n, sizeof *g->lambda, e);
    return g->lambda != NULL ? 0 : ERR_NOMEM;
}

void
gam_free(struct gam *g)
{
    if (g == NULL)
        return;
    model_free(g->base);
    mem_free(g->base_file);
    features_free(g->features);
    mem_free(g->lambda);
    meta_free(g->meta);
    mem_free(g);
}

/* ---- the weight of a string -------------------------------------------------------- */

/* Values of the features, then their record. */
size_t
gam_scratch_bytes(const struct gam *g)
{
    return features_count(g->features) * sizeof(double) + features_state_bytes(g->features);
}

double
gam_log_weight(const struct gam *g, const uint8_t *codes, size_t length, void *scratch)
{
    double *phi = scratch;
    void *record = phi + features_count(g->features);
    if (length > g->max_length)
        return -INFINITY;
    features_follow(g->features, record, codes, length);
    features_values(g->features, record, phi);
    return features_dot(g->features, g->lambda, phi);
}

/* ---- the file ------------------------------------------------------------------------ */

/* "name<TAB>spec" lines. */
static int
put_features(const struct gam *g, struct mdl_writer *w, struct err *e)
{
    struct out *text = out_memory(e);
    int status = text != NULL ? 0 : ERR_NOMEM;
    for (size_t i = 0; i < features_count(g->features) && status == 0; i++)
        status = out_printf(text, e, "%s\t%s\n", features_name(g->features, i),
                            features_spec(g->features, i));
    if (status == 0) {
        size_t size;
        const void *bytes = out_bytes(text, &size);
        status = mdl_put(w, "features", MDL_TEXT, bytes, size, e);
    }
    out_abort(text);
    return status;
}

int
gam_save(const struct gam *g, const struct meta *meta, struct out *out, struct err *e)
{
    struct mdl_writer *w = mdl_writer_new(out, MDL_GAM, meta, e);
    int status = w != NULL ? put_features(g, w, e) : ERR_NOMEM;
    if (status == 0)
        status = mdl_put(w, "lambda", MDL_F64, g->lambda, features_count(g->features), e);
    if (status == 0)
        status = mdl_put(w, "max_length", MDL_U64, &g->max_length, 1, e);
    if (status == 0)
        status = mdl_put(w, "base", MDL_MODEL, g->base_file, g->base_size, e);
    if (status == 0)
        status = mdl_finish(w, e);
    mdl_writer_free(w);
    return status;
}

static struct gam *
get_base(struct mdl *m, struct err *e)
{
    size_t size = SIZE_MAX;
    const void *data = mdl_get(m, "base", MDL_MODEL, &size, e);
    return data != NULL ? from_file(m, in_memory(data, size, "section 'base'", e), e) : NULL;
}

/* Adds the feature of one line, which is cut up. */
static int
get_feature(struct features *f, char *line, struct err *e)
{
    size_t name = strcspn(line, "\t");
    bool named = line[name] != '\0';
    line[name] = '\0';
    if (!utf8_is_printable(line) || (named && !utf8_is_printable(line + name + 1)))
        return err_set(e, ERR_FORMAT, "feature %zu is not printable", features_count(f) + 1);
    if (!named)
        return err_set(e, ERR_FORMAT, "the feature '%s' has no spec", line);
    return features_add_named(f, line, line + name + 1, e);
}

/* Adds the feature of each line of a text, which is cut up. */
static int
parse_features(struct features *f, char *text, size_t size, struct err *e)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL)
            return err_set(e, ERR_FORMAT, "the last feature has no newline");
        *end = '\0';
        int status = get_feature(f, line, e);
        if (status != 0)
            return status;
    }
    return 0;
}

static struct features *
get_features(const struct gam *g, struct mdl *m, struct err *e)
{
    size_t size = SIZE_MAX;
    const char *data = mdl_get(m, "features", MDL_TEXT, &size, e);
    char *text = data != NULL ? mem_string(data, size, e) : NULL;
    struct features *f = text != NULL ? features_new(&g->base->alphabet, e) : NULL;
    if (f != NULL && parse_features(f, text, size, e) != 0) {
        err_prefix(e, "section 'features'");
        features_free(f);
        f = NULL;
    }
    mem_free(text);
    return f;
}

static int
get_weights(struct gam *g, struct mdl *m, struct err *e)
{
    size_t one = 1;
    struct features *f = get_features(g, m, e);
    if (f == NULL)
        return e->code;
    const uint64_t *max_length = mdl_get(m, "max_length", MDL_U64, &one, e);
    int status = gam_settle(g, f, max_length != NULL ? *max_length : 0, e);
    size_t n = features_count(f);
    const double *lambda = mdl_get(m, "lambda", MDL_F64, &n, e);
    if (max_length == NULL || status != 0 || lambda == NULL)
        return e->code;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(lambda[i]) <= GAM_WEIGHT_MAX) && lambda[i] != -INFINITY)
            return err_set(e, ERR_FORMAT,
                           "section 'lambda': the weight of '%s' is %g, neither -inf nor in the "
                           "range %.0f to %.0f",
                           features_name(f, i), lambda[i], -GAM_WEIGHT_MAX, GAM_WEIGHT_MAX);
        g->lambda[i] = lambda[i];
    }
    return 0;
}

struct gam *
gam_from_mdl(struct mdl *m, struct err *e)
{
    struct err why = {0};
    struct gam *g = get_base(m, &why);
    if (g != NULL && get_weights(g, m, &why) == 0 &&
        (g->meta = meta_copy(mdl_meta(m), &why)) != NULL)
        return g;
    gam_free(g);
    err_set(e, why.code == ERR_NOMEM ? ERR_NOMEM : ERR_FORMAT, "%s: %s", mdl_name(m), why.text);
    return NULL;
}

int
gam_from_any(struct mdl *m, struct model **model, struct gam **gam, struct err *e)
{
    *gam = mdl_kind(m) == MDL_GAM ? gam_from_mdl(m, e) : NULL;
    if (mdl_kind(m) == MDL_GAM)
        *model = *gam != NULL ? (*gam)->base : NULL;
    else
        *model = base_from_mdl(m, e);
    return *model != NULL ? 0 : e->code;
}

int
gam_load_any(const char *path, struct model **model, struct gam **gam, struct err *e)
{
    struct mdl *m = mdl_load(path, NULL, e);
    *model = NULL;
    *gam = NULL;
    int status = m != NULL ? gam_from_any(m, model, gam, e) : e->code;
    mdl_free(m);
    return status;
}

void
gam_free_any(struct model *model, struct gam *gam)
{
    if (gam != NULL)
        gam_free(gam);
    else
        model_free(model);
}

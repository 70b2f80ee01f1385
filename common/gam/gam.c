/* SPDX-License-Identifier: MIT */
#include "gam/gam.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_set.h"
#include "io/input.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "model/meta.h"
#include "model/model.h"
#include "pfsa/pfsa.h"

/* ---- on a base ------------------------------------------------------------------- */

struct model *
base_from_mdl(struct container *m, struct err *e)
{
    if (container_kind(m) == &pfsa_kind) {
        struct pfsa *p = pfsa_from_mdl(m, e);
        return p != NULL ? &p->model : NULL;
    }
    if (container_kind(m) == &lstm_kind) {
        struct lstm *l = lstm_from_mdl(m, e);
        return l != NULL ? &l->model : NULL;
    }
    err_set(e, ERR_FORMAT, "%s: expected a model of kind 'lstm' or 'pfsa', found '%s'",
            container_name(m), container_kind(m)->name);
    return NULL;
}

/* The base in `in`, which is taken over, also on failure; `outer` is the model that
 * it is a section of, or NULL.  The file is kept as it is read, section by
 * section, so that one that is no model is not read to its end. */
static struct gam *
from_file(const struct container *outer, struct input *in, struct err *e)
{
    struct gam *g = in != NULL ? mem_zero(1, sizeof *g, e) : NULL;
    if (g != NULL) {
        input_keep(in);
        struct container *m = container_read_within(outer, in, e);
        g->base = m != NULL ? base_from_mdl(m, e) : NULL;
        g->base_file = input_take(in, &g->base_size);
        container_free(m);
    }
    input_close(in);
    if (g != NULL && g->base != NULL)
        return g;
    gam_free(g);
    return NULL;
}

struct gam *
gam_from_base(const char *path, struct err *e)
{
    return from_file(NULL, input_open(path, e), e);
}

int
gam_set_features(struct gam *g, struct feature_set *f, uint64_t max_length, struct err *e)
{
    size_t n = feature_set_count(f);
    g->features = f;
    for (size_t i = 0; i < n && max_length == MODEL_UNBOUNDED; i++)
        if (feature_needs_max_length(f, i))
            return err_set(e, ERR_USAGE,
                           "the feature '%s' is relative to the maximum length, and the base has "
                           "none; give --max-length",
                           feature_set_name(f, i));
    g->max_length = max_length;
    feature_set_set_max_length(f, max_length > 0 ? max_length : 1);
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
    feature_set_free(g->features);
    mem_free(g->lambda);
    meta_free(g->meta);
    mem_free(g);
}

/* ---- the weight of a string -------------------------------------------------------- */

/* Values of the features, then their record. */
size_t
gam_scratch_bytes(const struct gam *g)
{
    return feature_set_count(g->features) * sizeof(double) + feature_set_state_bytes(g->features);
}

double
gam_log_weight(const struct gam *g, const uint8_t *codes, size_t length, void *scratch)
{
    double *phi = scratch;
    void *record = phi + feature_set_count(g->features);
    if (length > g->max_length)
        return -INFINITY;
    feature_set_run(g->features, record, codes, length);
    feature_set_values(g->features, record, phi);
    return feature_set_dot(g->features, g->lambda, phi);
}

/* ---- the file ------------------------------------------------------------------------ */

static const struct section_rule sections[] = {
    {"features", 64 << 20},
    {"lambda", FEATURE_SET_MAX},
    {"max_length", SECTION_FEW},
    {"base", SECTION_MANY},
    {NULL, 0},
};

const struct model_kind gam_kind = {.number = 3, .name = "gam", .sections = sections};

/* "name<TAB>spec" lines. */
static int
put_features(const struct gam *g, struct container_writer *w, struct err *e)
{
    struct output *text = output_to_memory(e);
    int rc = text != NULL ? 0 : ERR_NOMEM;
    for (size_t i = 0; i < feature_set_count(g->features) && rc == 0; i++)
        rc = output_printf(text, e, "%s\t%s\n", feature_set_name(g->features, i),
                           feature_set_spec(g->features, i));
    if (rc == 0) {
        size_t size;
        const void *bytes = output_bytes(text, &size);
        rc = container_put(w, "features", SECTION_TEXT, bytes, size, e);
    }
    output_abort(text);
    return rc;
}

int
gam_save(const struct gam *g, const struct meta *meta, struct output *out, struct err *e)
{
    struct container_writer *w = container_writer_new(out, &gam_kind, meta, e);
    int rc = w != NULL ? put_features(g, w, e) : ERR_NOMEM;
    if (rc == 0)
        rc = container_put(w, "lambda", SECTION_F64, g->lambda, feature_set_count(g->features), e);
    if (rc == 0)
        rc = container_put(w, "max_length", SECTION_U64, &g->max_length, 1, e);
    if (rc == 0)
        rc = container_put(w, "base", SECTION_MODEL, g->base_file, g->base_size, e);
    if (rc == 0)
        rc = container_finish(w, e);
    container_writer_free(w);
    return rc;
}

static struct gam *
get_base(struct container *m, struct err *e)
{
    size_t size = SIZE_MAX;
    const void *data = container_get(m, "base", SECTION_MODEL, &size, e);
    return data != NULL ? from_file(m, input_from_memory(data, size, "section 'base'", e), e)
                        : NULL;
}

/* Adds the feature of one line, which is cut up. */
static int
get_feature(struct feature_set *f, char *line, struct err *e)
{
    size_t name = strcspn(line, "\t");
    bool named = line[name] != '\0';
    line[name] = '\0';
    if (!utf8_is_printable(line) || (named && !utf8_is_printable(line + name + 1)))
        return err_set(e, ERR_FORMAT, "feature %zu is not printable", feature_set_count(f) + 1);
    if (!named)
        return err_set(e, ERR_FORMAT, "the feature '%s' has no spec", line);
    return feature_set_add_named(f, line, line + name + 1, e);
}

/* Adds the feature of each line of a text, which is cut up. */
static int
parse_features(struct feature_set *f, char *text, size_t size, struct err *e)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL)
            return err_set(e, ERR_FORMAT, "the last feature has no newline");
        *end = '\0';
        int rc = get_feature(f, line, e);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static struct feature_set *
get_features(const struct gam *g, struct container *m, struct err *e)
{
    size_t size = SIZE_MAX;
    const char *data = container_get(m, "features", SECTION_TEXT, &size, e);
    char *text = data != NULL ? mem_string(data, size, e) : NULL;
    struct feature_set *f = text != NULL ? feature_set_new(&g->base->alphabet, e) : NULL;
    if (f != NULL && parse_features(f, text, size, e) != 0) {
        err_prefix(e, "section 'features'");
        feature_set_free(f);
        f = NULL;
    }
    mem_free(text);
    return f;
}

static int
get_weights(struct gam *g, struct container *m, struct err *e)
{
    size_t one = 1;
    struct feature_set *f = get_features(g, m, e);
    if (f == NULL)
        return e->code;
    const uint64_t *max_length = container_get(m, "max_length", SECTION_U64, &one, e);
    int rc = gam_set_features(g, f, max_length != NULL ? *max_length : 0, e);
    size_t n = feature_set_count(f);
    const double *lambda = container_get(m, "lambda", SECTION_F64, &n, e);
    if (max_length == NULL || rc != 0 || lambda == NULL)
        return e->code;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(lambda[i]) <= GAM_WEIGHT_MAX) && lambda[i] != -INFINITY)
            return err_set(e, ERR_FORMAT,
                           "section 'lambda': the weight of '%s' is %g, neither -inf nor in the "
                           "range %.0f to %.0f",
                           feature_set_name(f, i), lambda[i], -GAM_WEIGHT_MAX, GAM_WEIGHT_MAX);
        g->lambda[i] = lambda[i];
    }
    return 0;
}

struct gam *
gam_from_mdl(struct container *m, struct err *e)
{
    struct err why = {0};
    struct gam *g = get_base(m, &why);
    if (g != NULL && get_weights(g, m, &why) == 0 &&
        (g->meta = meta_copy(container_meta(m), &why)) != NULL)
        return g;
    gam_free(g);
    err_set(e, why.code == ERR_NOMEM ? ERR_NOMEM : ERR_FORMAT, "%s: %s", container_name(m),
            why.text);
    return NULL;
}

int
gam_from_any(struct container *m, struct model **model, struct gam **gam, struct err *e)
{
    *gam = container_kind(m) == &gam_kind ? gam_from_mdl(m, e) : NULL;
    if (container_kind(m) == &gam_kind)
        *model = *gam != NULL ? (*gam)->base : NULL;
    else
        *model = base_from_mdl(m, e);
    return *model != NULL ? 0 : e->code;
}

int
gam_load_any(const char *path, struct model **model, struct gam **gam, struct err *e)
{
    struct container *m = container_load(path, NULL, e);
    *model = NULL;
    *gam = NULL;
    int rc = m != NULL ? gam_from_any(m, model, gam, e) : e->code;
    container_free(m);
    return rc;
}

void
gam_free_any(struct model *model, struct gam *gam)
{
    if (gam != NULL)
        gam_free(gam);
    else
        model_free(model);
}

/* SPDX-License-Identifier: MIT */
#include "gam/gam.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/utf8.h"
#include "feature/feature_set.h"
#include "io/output.h"
#include "io/report.h"
#include "model/container.h"

/* ---- on a base ------------------------------------------------------------------- */

struct gam *
gam_of(const struct model *m)
{
    return m != NULL && m->kind == &gam_kind ? (struct gam *)m : NULL;
}

/* An empty GAM; set_base and gam_set_features must follow. */
static struct gam *
new_gam(struct err *e)
{
    struct gam *g = mem_zero(1, sizeof *g, e);
    if (g != NULL)
        g->model.kind = &gam_kind;
    return g;
}

/* Takes over the base; false, and the GAM is freed, if there is none. */
static bool
set_base(struct gam *g, struct model *base)
{
    g->model.base = base;
    if (base == NULL) {
        gam_free(g);
        return false;
    }
    g->model.alphabet = base->alphabet;
    g->model.min_length = base->min_length;
    g->model.max_length = base->max_length;
    return true;
}

struct gam *
gam_from_base(const char *path, struct err *e)
{
    struct gam *g = new_gam(e);
    return g != NULL && set_base(g, model_load_part(path, &g->base_file, e)) ? g : NULL;
}

struct gam *
gam_without_base(const struct alphabet *a, struct err *e)
{
    struct gam *g = new_gam(e);
    if (g != NULL)
        g->model.alphabet = *a;
    return g;
}

int
gam_set_base(struct gam *g, struct model *base, const struct meta *meta, struct err *e)
{
    if (g->model.base != base)
        model_free(g->model.base);
    mem_free(g->base_file.bytes);
    g->model.base = base;
    g->model.min_length = base->min_length;
    return model_pack(base, meta, &g->base_file, e);
}

int
gam_set_features(struct gam *g, struct feature_set *f, uint64_t max_length, struct err *e)
{
    size_t n = feature_set_count(f);
    g->features = f;
    for (size_t i = 0; i < n && max_length == MODEL_UNBOUNDED; i++)
        if (feature_needs_max_length(f, i))
            return err_advise(e, ERR_USAGE, REMEDY_SET_MAX_LENGTH,
                              "feature '%s' is relative to the maximum length, but the base model "
                              "has none",
                              feature_set_name(f, i));
    g->model.max_length = max_length;
    feature_set_set_max_length(f, max_length > 0 ? max_length : 1);
    g->lambda = mem_zero(n, sizeof *g->lambda, e);
    return g->lambda != NULL ? 0 : ERR_NOMEM;
}

struct gam *
gam_from_model(struct model *base, uint64_t max_length, struct err *e)
{
    struct gam *g = new_gam(e);
    if (g == NULL) {
        model_free(base);
        return NULL;
    }
    set_base(g, base);
    struct feature_set *f = feature_set_new(&base->alphabet, e);
    if (f != NULL && gam_set_features(g, f, max_length, e) == 0)
        return g;
    gam_free(g);
    return NULL;
}

static size_t
find_spec(const struct feature_set *f, const char *spec)
{
    size_t i = 0;
    while (i < feature_set_count(f) && strcmp(feature_set_spec(f, i), spec) != 0)
        i++;
    return i;
}

int
gam_constrain(struct gam *g, const struct feature_set *c, struct err *e)
{
    size_t n = feature_set_count(g->features), most = n + feature_set_count(c);
    double *lambda = mem_zero(most, sizeof *lambda, e);
    if (lambda == NULL)
        return ERR_NOMEM;
    if (n > 0)
        memcpy(lambda, g->lambda, n * sizeof *lambda);
    mem_free(g->lambda);
    g->lambda = lambda;
    g->log_z = g->log_z_se = g->ess = 0;
    int rc = 0;
    for (size_t k = 0; k < feature_set_count(c) && rc == 0; k++) {
        size_t i = find_spec(g->features, feature_set_spec(c, k));
        if (i == feature_set_count(g->features))
            rc = feature_set_add_named(g->features, feature_set_name(c, k), feature_set_spec(c, k),
                                       e);
        if (rc == 0)
            lambda[i] = -INFINITY;
    }
    return rc;
}

void
gam_free(struct gam *g)
{
    if (g != NULL)
        model_free(&g->model);
}

/* ---- the weight of a string -------------------------------------------------------- */

/* Values of the features, then their record. */
static size_t
weight_bytes(const struct model *m)
{
    const struct feature_set *f = gam_of(m)->features;
    return feature_set_count(f) * sizeof(double) + feature_set_state_bytes(f);
}

/* lambda . phi(x), or -inf beyond L. */
static double
log_weight(const struct model *m, const uint8_t *symbols, size_t length, void *scratch)
{
    const struct gam *g = gam_of(m);
    double *phi = scratch;
    void *record = phi + feature_set_count(g->features);
    if (length > m->max_length)
        return -INFINITY;
    feature_set_run(g->features, record, symbols, length);
    feature_set_values(g->features, record, phi);
    return feature_set_dot(g->features, g->lambda, phi);
}

/* ---- the file ------------------------------------------------------------------------ */

static const struct section_rule sections[] = {
    {"features", 64 << 20}, {"lambda", FEATURE_SET_MAX}, {"max_length", SECTION_FEW},
    {"log_z", SECTION_FEW}, {"base", SECTION_MANY},      {NULL, 0},
};

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

static int
write_model(const struct model *m, struct container_writer *w, struct err *e)
{
    const struct gam *g = gam_of(m);
    int rc = put_features(g, w, e);
    if (rc == 0)
        rc = container_put(w, "lambda", SECTION_F64, g->lambda, feature_set_count(g->features), e);
    if (rc == 0)
        rc = container_put(w, "max_length", SECTION_U64, &m->max_length, 1, e);
    if (rc == 0 && g->ess > 0) {
        const double z[] = {g->log_z, g->log_z_se, g->ess};
        rc = container_put(w, "log_z", SECTION_F64, z, 3, e);
    }
    if (rc == 0)
        rc = container_put(w, "base", SECTION_MODEL, g->base_file.bytes, g->base_file.size, e);
    return rc;
}

/* Adds the feature of one line, which is modified. */
static int
get_feature(struct feature_set *f, char *line, struct err *e)
{
    size_t name = strcspn(line, "\t");
    bool named = line[name] != '\0';
    line[name] = '\0';
    if (!utf8_is_printable(line) || (named && !utf8_is_printable(line + name + 1)))
        return err_set(e, ERR_FORMAT, "name of feature %zu is not printable",
                       feature_set_count(f) + 1);
    if (!named)
        return err_set(e, ERR_FORMAT, "feature '%s' has no specification", line);
    return feature_set_add_named(f, line, line + name + 1, e);
}

/* Adds the feature of each line of a text, which is modified. */
static int
parse_features(struct feature_set *f, char *text, size_t size, struct err *e)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL)
            return err_set(e, ERR_FORMAT, "last feature has no newline");
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
    const char *data = container_get(m, "features", SECTION_TEXT, SIZE_MAX, e);
    size_t size = container_count(m, "features");
    char *text = data != NULL ? mem_string(data, size, e) : NULL;
    struct feature_set *f = text != NULL ? feature_set_new(&g->model.alphabet, e) : NULL;
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
    struct feature_set *f = get_features(g, m, e);
    if (f == NULL)
        return e->code;
    const uint64_t *max_length = container_get(m, "max_length", SECTION_U64, 1, e);
    int rc = gam_set_features(g, f, max_length != NULL ? *max_length : 0, e);
    size_t n = feature_set_count(f);
    const double *lambda = container_get(m, "lambda", SECTION_F64, n, e);
    if (max_length == NULL || rc != 0 || lambda == NULL)
        return e->code;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(lambda[i]) <= GAM_WEIGHT_MAX) && lambda[i] != -INFINITY)
            return err_set(e, ERR_FORMAT,
                           "section 'lambda': weight of '%s' is %g, neither -inf nor in the range "
                           "%.0f to %.0f",
                           feature_set_name(f, i), lambda[i], -GAM_WEIGHT_MAX, GAM_WEIGHT_MAX);
        g->lambda[i] = lambda[i];
    }
    return 0;
}

/* The estimate of log Z; files of earlier versions have none. */
static int
get_log_z(struct gam *g, struct container *m, struct err *e)
{
    if (container_count(m, "log_z") == SIZE_MAX)
        return 0;
    const double *z = container_get(m, "log_z", SECTION_F64, 3, e);
    if (z == NULL)
        return e->code;
    if (!isfinite(z[0]) || !(z[1] > 0) || !(z[2] > 0))
        return err_set(e, ERR_FORMAT, "section 'log_z': invalid value");
    g->log_z = z[0];
    g->log_z_se = z[1];
    g->ess = z[2];
    return 0;
}

static struct model *
read_model(struct container *m, struct err *e)
{
    struct gam *g = new_gam(e);
    if (g == NULL || !set_base(g, model_read_part(m, "base", &g->base_file, e)))
        return NULL;
    if (get_weights(g, m, e) == 0 && get_log_z(g, m, e) == 0)
        return &g->model;
    gam_free(g);
    return NULL;
}

/* ---- the kind ------------------------------------------------------------------------ */

static void
describe(const struct model *m, struct report *r)
{
    report_text(r, "base", m->base->kind->name);
}

static void
list_features(const struct model *m, struct report *r)
{
    static const char *const columns[] = {"feature", "spec", "lambda", NULL};
    const struct gam *g = gam_of(m);
    report_table(r, "features", columns);
    for (size_t i = 0; i < feature_set_count(g->features); i++) {
        report_cell_text(r, feature_set_name(g->features, i));
        report_cell_text(r, feature_set_spec(g->features, i));
        report_cell_f64(r, g->lambda[i]);
    }
    report_table_end(r);
}

static void
free_model(struct model *m)
{
    struct gam *g = gam_of(m);
    mem_free(g->base_file.bytes);
    feature_set_free(g->features);
    mem_free(g->lambda);
    mem_free(g);
}

const struct model_kind gam_kind = {
    .number = 3,
    .name = "gam",
    .sections = sections,
    .read = read_model,
    .write = write_model,
    .describe = describe,
    .list = list_features,
    .free = free_model,
    .weight_bytes = weight_bytes,
    .log_weight = log_weight,
};

/* SPDX-License-Identifier: MIT
 * GAM files: round trips, damage, and weight of strings by definition. */
#include "gam/gam.h"

#include "core/mem.h"
#include "core/pool.h"
#include "io/input.h"
#include "model/container.h"
#include "support/gamtest.h"
#include "support/ignore.h"
#include "support/tap.h"

static const struct gamtest_setting bits = {
    .alphabet = "01",
    .stop = 0.15,
    .longest = 9,
    .spec = {"motif:0110", "prefix:1", "count:11", "length", "length:4", "lcs:10010"}};

static struct output *
save(const struct gam *g)
{
    struct err e = {0};
    struct meta *meta = meta_new(&e);
    struct output *out = output_to_memory(&e);
    meta_set(meta, "tool", &e, "test");
    ok(model_write(&g->model, meta, out, &e) == 0, "is saved");
    meta_free(meta);
    return out;
}

static struct gam *
load(const void *bytes, size_t size, struct err *e)
{
    struct input *in = input_from_memory(bytes, size, "test", e);
    struct container *m = container_read(in, e);
    struct gam *g = m != NULL ? gam_of(model_read_kind(m, &gam_kind, e)) : NULL;
    container_free(m);
    input_close(in);
    return g;
}

static void
test_round_trip(const struct gamtest_setting *s, const char *name)
{
    struct err e = {0};
    size_t size, again_size;
    struct gam *g = gamtest_new(s);
    for (size_t i = 0; i < feature_set_count(g->features); i++)
        g->lambda[i] = i == 1 ? -INFINITY : 0.1 + (double)i / 3;
    struct output *out = save(g);
    const void *bytes = output_bytes(out, &size);
    struct gam *h = load(bytes, size, &e);
    ok(h != NULL, "%s: is read", name);
    size_t n = feature_set_count(g->features);
    ok(feature_set_count(h->features) == n && h->model.max_length == 9, "%s: features and L", name);
    ok(memcmp(h->lambda, g->lambda, n * sizeof *g->lambda) == 0, "%s: weights", name);
    int same = 1;
    for (size_t i = 0; i < n; i++)
        same &= strcmp(feature_set_spec(h->features, i), s->spec[i]) == 0;
    ok(same, "%s: specs", name);
    ok(h->base_file.size == g->base_file.size &&
           memcmp(h->base_file.bytes, g->base_file.bytes, g->base_file.size) == 0,
       "%s: the base's bytes", name);
    ok(strcmp(meta_get(h->model.meta, "tool"), "test") == 0, "%s: meta", name);
    struct output *again = save(h);
    const void *again_bytes = output_bytes(again, &again_size);
    /* meta_set is the same, so all bytes are. */
    ok(again_size == size && memcmp(again_bytes, bytes, size) == 0, "%s: the same file", name);
    output_abort(again);
    output_abort(out);
    gam_free(g);
    gam_free(h);
}

static void
test_weights(void)
{
    struct gam *g = gamtest_new(&bits);
    struct pool *pool = pool_new(1, IGNORE_ERR);
    struct gamtest_space sp;
    static const double lambda[] = {-2, 0.5, 3, -1.5, 0.25, -INFINITY};
    memcpy(g->lambda, lambda, sizeof lambda);
    gamtest_enumerate(&sp, &bits, g, pool);
    void *scratch = mem_array(1, model_weight_bytes(&g->model), IGNORE_ERR);
    double worst = 0;
    int infinite = 1;
    for (size_t x = 0; x < sp.count; x++) {
        uint8_t codes[20];
        size_t length = space_string(&sp.all, x, codes);
        const double *phi = sp.phi + x * sp.features;
        double sum = 0, got = model_log_weight(&g->model, codes, length, scratch);
        for (size_t i = 0; i < 5; i++)
            sum += lambda[i] * phi[i];
        if (phi[5] != 0)
            infinite &= got == -INFINITY;
        else
            worst = fmax(worst, fabs(got - sum));
    }
    ok(worst < 1e-14, "weights of all strings: %g", worst);
    ok(infinite, "a hard constraint");
    uint8_t zeros[10] = {0};
    g->lambda[5] = 0;
    ok(model_log_weight(&g->model, zeros, 9, scratch) > -INFINITY, "a string of L symbols");
    ok(model_log_weight(&g->model, zeros, 10, scratch) == -INFINITY, "one of more than L");
    mem_free(scratch);
    gamtest_space_clear(&sp);
    gam_free(g);
    pool_free(pool);
}

/* Every truncation and every flipped bit is refused. */
static void
test_damage(void)
{
    struct gam *g = gamtest_new(&bits);
    struct output *out = save(g);
    size_t size, kept = 0;
    const void *bytes = output_bytes(out, &size);
    unsigned char *copy = malloc(size);
    for (size_t i = 0; i < size; i++) {
        struct err e = {0};
        struct gam *h = load(bytes, i, &e);
        kept += h != NULL || e.code != ERR_FORMAT;
        gam_free(h);
        memcpy(copy, bytes, size);
        copy[i] ^= (unsigned char)(1 << i % 8);
        e.code = 0;
        h = load(copy, size, &e);
        kept += h != NULL || e.code != ERR_FORMAT;
        gam_free(h);
    }
    ok(kept == 0, "%zu bytes, cut or flipped anywhere", size);
    free(copy);
    output_abort(out);
    gam_free(g);
}

/* ---- sound containers with wrong contents */

struct wrong {
    const char *features;
    double lambda[2];
    size_t lambdas;
    uint64_t max_length;
    const char *text; /* in the message */
};

static void
test_wrong(const struct wrong *w)
{
    struct err e = {0};
    struct gam *g = gamtest_base(&bits);
    struct meta *meta = meta_new(&e);
    struct output *out = output_to_memory(&e);
    struct container_writer *writer = container_writer_new(out, &gam_kind, 1, meta, &e);
    container_put(writer, "features", SECTION_TEXT, w->features, strlen(w->features), &e);
    container_put(writer, "lambda", SECTION_F64, w->lambda, w->lambdas, &e);
    container_put(writer, "max_length", SECTION_U64, &w->max_length, 1, &e);
    container_put(writer, "base", SECTION_MODEL, g->base_file.bytes, g->base_file.size, &e);
    container_finish(writer, &e);
    size_t size;
    const void *bytes = output_bytes(out, &size);
    struct gam *h = load(bytes, size, &e);
    ok(h == NULL && e.code == ERR_FORMAT && strstr(e.text, w->text) != NULL, "refused: %s", e.text);
    gam_free(h);
    container_writer_free(writer);
    output_abort(out);
    meta_free(meta);
    gam_free(g);
}

static void
test_contents(void)
{
    static const struct wrong all[] = {
        {"a\tmotif:01\n", {NAN}, 1, 9, "weight of 'a'"},
        {"a\tmotif:01\n", {INFINITY}, 1, 9, "weight of 'a'"},
        {"a\tmotif:01\n", {1000001}, 1, 9, "section 'lambda': weight of 'a'"},
        {"a\tmotif:01\n", {-1.7e308}, 1, 9, "section 'lambda': weight of 'a'"},
        {"a\tmotif:01\n", {0, 0}, 2, 9, "'lambda'"},
        {"a\tmotif:01", {0}, 1, 9, "newline"},
        {"a motif:01\n", {0}, 1, 9, "no spec"},
        {"a\tmotif:2\n", {0}, 1, 9, "motif:2"},
        {"a\tmotif:0\na\tmotif:1\n", {0, 0}, 2, 9, "twice"},
        {"a\tmotif:0\nb\033\tmotif:1\n", {0, 0}, 2, 9, "section 'features': name of feature 2 is"},
        {"\xff\tmotif:1\n", {0}, 1, 9, "name of feature 1 is not printable"},
        {"a\tmotif:\xff\n", {0}, 1, 9, "name of feature 1 is not printable"},
        {"\033\n", {0}, 1, 9, "name of feature 1 is not printable"},
        {"a\tlength\n", {0}, 1, UINT64_MAX, "maximum length"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_wrong(&all[i]);
}

/* A GAM's base is not a GAM. */
static void
test_nesting(void)
{
    struct err e = {0};
    struct gam *g = gamtest_new(&bits);
    struct output *out = save(g);
    size_t size;
    const void *bytes = output_bytes(out, &size);
    mem_free(g->base_file.bytes);
    g->base_file.bytes = mem_array(size, 1, &e);
    memcpy(g->base_file.bytes, bytes, size);
    g->base_file.size = size;
    struct output *outer = save(g);
    bytes = output_bytes(outer, &size);
    struct gam *h = load(bytes, size, &e);
    ok(h == NULL && e.code == ERR_FORMAT, "refused: %s", e.text);
    output_abort(out);
    output_abort(outer);
    gam_free(g);
}

int
main(void)
{
    struct gamtest_setting lstm = bits;
    lstm.lstm = true;
    test_round_trip(&bits, "automaton");
    test_round_trip(&lstm, "LSTM");
    test_weights();
    test_damage();
    test_contents();
    test_nesting();
    return tap_done();
}

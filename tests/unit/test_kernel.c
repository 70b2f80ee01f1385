/* SPDX-License-Identifier: MIT
 *
 * Kernels: error bounds of the functions, exactness of fma, and the same bits
 * from every instruction set that this machine runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "lstm/kernel.h"
#include "support/tap.h"

static const char *const names[] = {"baseline", "avx2", "avx512"};
enum { VARIANTS = 3, POINTS = 1 << 16 };

/* Points from -range to range, more of them near 0, with 0 among them. */
static void
fill_points(float *x, double range)
{
    for (int i = 0; i < POINTS; i++) {
        double u = (i - POINTS / 2) / (double)(POINTS / 2);
        x[i] = (float)(range * u * u * u);
    }
}

static double
sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The largest relative error, or the absolute one where the value is 0. */
static double
worst_error(const float *x, const float *y, double (*f)(double))
{
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        double exact = f((double)x[i]), error = fabs((double)y[i] - exact);
        worst = fmax(worst, exact != 0 ? error / fabs(exact) : error);
    }
    return worst;
}

static void
test_functions(const struct kernel *k)
{
    static float x[POINTS], y[POINTS];
    fill_points(x, 86.9);
    k->exp(x, y, POINTS);
    double e = worst_error(x, y, exp);
    ok(e < 0x1p-23, "%s: exp errs by less than 2^-23 (2^%.2f)", k->name, log2(e));
    k->sigmoid(x, y, POINTS);
    e = worst_error(x, y, sigmoid);
    ok(e < 0x1p-22, "%s: sigmoid errs by less than 2^-22 (2^%.2f)", k->name, log2(e));
    fill_points(x, 20);
    k->tanh(x, y, POINTS);
    e = worst_error(x, y, tanh);
    ok(e < 0x1p-22, "%s: tanh errs by less than 2^-22 (2^%.2f)", k->name, log2(e));
    const float odd[KERNEL_PAD] = {NAN, INFINITY, -INFINITY, 1000, -1000};
    k->exp(odd, y, KERNEL_PAD);
    ok(isnan(y[0]) && y[1] == y[3] && y[3] > 1e37f && y[2] == y[4] && y[4] < 1e-37f && y[4] > 0,
       "%s: exp keeps NaN and is cut off at +-87", k->name);
    k->tanh(odd, y, KERNEL_PAD);
    ok(isnan(y[0]) && y[1] == 1 && y[2] == -1, "%s: tanh of NaN and infinity", k->name);
}

/* Random bits as floats, and sums made to end near a tie or below the normal
 * range, where rounding twice would show. */
static void
draw_fma(struct rng *rng, float a[3], int kind)
{
    for (int i = 0; i < 3; i++) {
        uint32_t bits = rng_u32(rng);
        if (kind > 0)
            bits = (bits & 0x807fffff) | (uint32_t)(127 - 12 + rng_below(rng, 24)) << 23;
        memcpy(&a[i], &bits, 4);
    }
    if (kind == 2) /* product of 12-bit numbers: its sum with c is often a tie */
        for (int i = 0; i < 2; i++)
            a[i] = (float)(4097 + 2 * (double)rng_below(rng, 2000)) * 0x1p-12f;
    if (kind == 2)
        a[2] = ldexpf(a[2], (int)rng_below(rng, 30));
    if (kind == 4) { /* almost a tie: a b is half an ulp of c except for 2^-46 of it */
        float step = ldexpf((float)(1 + rng_below(rng, 3)), -23);
        a[0] = ldexpf(1 + step, -24);
        a[1] = rng_below(rng, 2) == 0 ? 1 - step : -1 + step;
        a[2] = 1 + ldexpf((float)rng_below(rng, 64), -23);
    }
    if (kind == 5) { /* the same where c and the sum are subnormal */
        float step = ldexpf((float)(1 + rng_below(rng, 3)), -23);
        a[0] = ldexpf(1 + step, -75);
        a[1] = ldexpf(rng_below(rng, 2) == 0 ? 1 - step : -1 + step, -75);
        a[2] = ldexpf((float)(128 + rng_below(rng, 1 << 16)), -149);
    }
    if (kind == 3) { /* subnormal results */
        a[0] = ldexpf(a[0], -70);
        a[1] = ldexpf(a[1], -70);
        a[2] = ldexpf(a[2], -140 + (int)rng_below(rng, 16));
    }
}

static void
test_fma(const struct kernel *k)
{
    enum { N = 4096 };
    static float a[N], b[N], c[N], y[N];
    struct rng rng;
    size_t wrong = 0;
    rng_init(&rng, 1, "test/fma", 0);
    for (int round = 0; round < 80; round++) {
        for (int i = 0; i < N; i++) {
            float t[3];
            draw_fma(&rng, t, round % 6);
            a[i] = t[0], b[i] = t[1], c[i] = t[2];
        }
        k->fma(a, b, c, y, N);
        for (int i = 0; i < N; i++) {
            float exact = fmaf(a[i], b[i], c[i]);
            bool same = isnan(exact) ? isnan(y[i]) : memcmp(&exact, &y[i], 4) == 0;
            wrong += same ? 0 : 1;
        }
    }
    ok(wrong == 0, "%s: fma rounds once (%zu of %d differ)", k->name, wrong, 80 * N);
}

static float *
random_floats(struct rng *rng, size_t n, struct err *e)
{
    float *x = mem_array(n, sizeof *x, e);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(4 * rng_double(rng) - 2);
    return x;
}

/* Only the columns with data: padding may hold anything. */
static XXH64_hash_t
hash_rows(const float *x, size_t rows, size_t columns, size_t stride, XXH64_hash_t seed)
{
    for (size_t i = 0; i < rows; i++)
        seed = XXH3_64bits_withSeed(x + i * stride, columns * sizeof *x, seed);
    return seed;
}

/* One random shape through product, outer and adam. */
static XXH64_hash_t
run_products(const struct kernel *k, uint64_t index, XXH64_hash_t hash)
{
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, 1, "test/products", index);
    size_t rows = 1 + rng_below(&rng, 300), inner = 1 + rng_below(&rng, 40);
    size_t columns = 1 + rng_below(&rng, 70), stride = kernel_padded(columns);
    float *a = random_floats(&rng, rows * inner, &e);
    float *b = random_floats(&rng, inner * columns, &e);
    float *packed = mem_zero(kernel_size(k, inner, columns), sizeof *packed, &e);
    float *out = mem_zero(rows * stride + 64, sizeof *out, &e);
    float *grad = mem_zero(inner * stride, sizeof *grad, &e);
    float *scratch = mem_zero(kernel_outer_scratch(columns), sizeof *scratch, &e);
    for (size_t panel = 0; panel < kernel_panels(k, columns); panel++)
        kernel_pack(k, b, columns, 1, inner, columns, panel,
                    packed + panel * kernel_panel_size(k, inner));
    struct kernel_product p = {rows, inner, columns, {a, inner, NULL}, packed, out, stride, false};
    k->product(&p);
    hash = hash_rows(out, rows, columns, stride, hash);
    struct kernel_outer o = {rows, inner,  columns, 1,      a, inner, 0, {out, stride, NULL},
                             grad, stride, 0,       scratch};
    k->outer(&o);
    hash = hash_rows(grad, inner, columns, stride, hash);
    double sum = k->squares(out, rows * stride - 3);
    hash = XXH64(&sum, sizeof sum, hash);
    uint32_t bits[32];
    for (size_t i = 0; i < 32; i++)
        bits[i] = rng_u32(&rng);
    k->mask(out, bits, 0x4000, 1.5f, kernel_padded(inner));
    hash = hash_rows(out, 1, inner, 0, hash);
    float *m = mem_zero(rows * inner, sizeof *m, &e), *v = mem_zero(rows * inner, sizeof *v, &e);
    float *average = mem_zero(rows * inner, sizeof *average, &e);
    struct kernel_adam t = {rows * inner, a,     m,     v, out,     0.5f, 0.9f,
                            0.999f,       1e-8f, 0.01f, 3, average, 0.25f};
    if (rows * inner <= rows * stride)
        k->adam(&t);
    hash = hash_rows(a, 1, rows * inner, 0, hash_rows(average, 1, rows * inner, 0, hash));
    float *all[] = {a, b, packed, out, grad, scratch, m, v, average};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    return hash;
}

enum { ROWS = 17, SYMBOLS = 3 };

/* One layer forward, with and without parents and dropout. */
static XXH64_hash_t
run_gates(const struct kernel *k, uint64_t index, XXH64_hash_t hash)
{
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, 1, "test/gates", index);
    size_t H = 1 + rng_below(&rng, 50), stride = kernel_padded(H), row = ROWS * stride;
    float *w = random_floats(&rng, 4 * H * H, &e), *bias = random_floats(&rng, 4 * stride, &e);
    float *table = random_floats(&rng, (SYMBOLS + 1) * 4 * stride, &e);
    float *x = random_floats(&rng, row, &e), *state = random_floats(&rng, row, &e);
    float *wh = mem_zero(kernel_gates_size(k, H, H), sizeof *wh, &e);
    float *gates = mem_zero(KERNEL_PLANES * row, sizeof *gates, &e);
    float *h = mem_zero(row, sizeof *h, &e), *c = mem_zero(row, sizeof *c, &e);
    float *mask = random_floats(&rng, row, &e), *y = random_floats(&rng, row, &e);
    uint8_t symbol[ROWS];
    uint32_t parent[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        symbol[i] = (uint8_t)rng_below(&rng, SYMBOLS + 1);
        parent[i] = (uint32_t)rng_below(&rng, ROWS);
    }
    for (size_t panel = 0; panel < kernel_gates_panels(k, H); panel++)
        kernel_pack_gates(k, w, H, H, panel, wh);
    struct kernel_gates g = {.rows = ROWS,
                             .hidden = H,
                             .stride = stride,
                             .bias = bias,
                             .wh = wh,
                             .gates = gates,
                             .h_out = h,
                             .c_out = c,
                             .mask = index % 4 < 2 ? mask : NULL,
                             .y_out = y,
                             .out_stride = stride};
    if (index % 2 == 0) {
        g.table = table;
        g.symbol = symbol;
    } else {
        g.x = (struct kernel_rows){x, stride, NULL};
        g.inputs = H;
        g.wx = wh;
    }
    if (index % 3 != 0)
        g.h = g.c = (struct kernel_rows){state, stride, parent};
    k->gates(&g);
    hash = hash_rows(h, ROWS, H, stride, hash_rows(c, ROWS, H, stride, hash));
    hash = hash_rows(y, ROWS, H, stride, hash);
    hash = hash_rows(gates, ROWS * KERNEL_PLANES, H, stride, hash);
    float *all[] = {w, bias, table, x, state, wh, gates, h, c, mask, y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    return hash;
}

/* One layer backward, with and without parents, children and dropout, and the sums of its rows. */
static XXH64_hash_t
run_gates_back(const struct kernel *k, uint64_t index, XXH64_hash_t hash)
{
    static const uint32_t parent_of[] = {101, 103, 103, 107, 108};
    struct err e = {0};
    struct rng rng;
    rng_init(&rng, 1, "test/gates_back", index);
    size_t H = 1 + rng_below(&rng, 50), stride = kernel_padded(H), row = ROWS * stride;
    float *gates = random_floats(&rng, KERNEL_PLANES * row, &e);
    float *x = random_floats(&rng, 6 * row, &e);
    float *sum = random_floats(&rng, 4 * stride, &e);
    float *table = random_floats(&rng, (SYMBOLS + 1) * 4 * stride, &e);
    struct kernel_gates_back b = {
        .rows = ROWS, .hidden = H, .stride = stride, .gates = gates, .dh = x, .dc = x + row};
    if (index % 3 != 0)
        b.c = (struct kernel_rows){x + 2 * row, stride, NULL};
    if (index % 4 < 2) {
        b.mask = x + 3 * row;
        b.children = sizeof parent_of / sizeof *parent_of;
        b.parent = parent_of;
        b.number = 100;
        b.child_dh = x + 4 * row;
        b.child_dc = x + 5 * row;
    }
    uint8_t symbol[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        symbol[i] = (uint8_t)rng_below(&rng, SYMBOLS + 1);
    struct kernel_sum s = {ROWS, 4 * stride, gates,  KERNEL_PLANES * stride,
                           sum,  table,      symbol, index % 2 == 0 ? x + 3 * row : NULL};
    k->gates_back(&b);
    hash = hash_rows(gates, ROWS * KERNEL_PLANES, H, stride, hash);
    hash = hash_rows(b.dc, ROWS, H, stride, hash);
    k->sum_rows(&s);
    hash = hash_rows(sum, 4, H, stride, hash_rows(table, 4 * SYMBOLS, H, stride, hash));
    float *all[] = {gates, x, sum, table};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    return hash;
}

/* The vector forms of exp and log give the bits of core/dmath. */
static void
test_doubles(const struct kernel *k)
{
    enum { N = 4096 };
    static double x[N], y[N];
    struct rng rng;
    size_t wrong = 0;
    rng_init(&rng, 1, "test/doubles", 0);
    for (int round = 0; round < 40; round++) {
        /* special values in some rounds only: they change the path of all numbers of a call */
        for (size_t i = 0; i < N; i++)
            x[i] =
                ldexp(2 * rng_double(&rng) - 1, (int)rng_below(&rng, round % 4 == 0 ? 14 : 10) - 2);
        k->exp64(x, y, N);
        for (size_t i = 0; i < N; i++) {
            double exact = dm_exp(x[i]);
            wrong += memcmp(&exact, &y[i], sizeof exact) == 0 ? 0 : 1;
            x[i] = ldexp(1 + rng_double(&rng), (int)rng_below(&rng, 2040) - 1020);
        }
        if (round % 4 == 0)
            x[5] = 0, x[77] = INFINITY, x[99] = 0x1p-1070;
        k->log64(x, y, N);
        for (size_t i = 0; i < N; i++) {
            double exact = dm_log(x[i]);
            wrong += memcmp(&exact, &y[i], sizeof exact) == 0 ? 0 : 1;
        }
    }
    ok(wrong == 0, "%s: exp64 and log64 give the bits of dm_exp and dm_log (%zu differ)", k->name,
       wrong);
}

static XXH64_hash_t
run_all(const struct kernel *k)
{
    static float x[POINTS], y[POINTS];
    XXH64_hash_t hash = 0;
    for (uint64_t i = 0; i < 24; i++)
        hash = run_gates_back(k, i, run_gates(k, i, run_products(k, i, hash)));
    fill_points(x, 100);
    k->exp(x, y, POINTS);
    hash = hash_rows(y, 1, POINTS, 0, hash);
    k->tanh(x, y, POINTS);
    return hash_rows(y, 1, POINTS, 0, hash);
}

/* Its vfnmadd makes -0 of an exact 0. */
static bool
under_valgrind(void)
{
    const char *variant = getenv("VARIANT");
    return variant != NULL && strcmp(variant, "valgrind") == 0;
}

int
main(void)
{
    struct err e = {0};
    XXH64_hash_t first = run_all(kernel_select("baseline", &e));
    for (int i = 0; i < VARIANTS; i++) {
        struct err none = {0};
        const struct kernel *k = kernel_select(names[i], &none);
        if (k == NULL) {
            ok(none.code == ERR_USAGE, "%s: # SKIP not on this machine", names[i]);
            continue;
        }
        test_functions(k);
        test_fma(k);
        test_doubles(k);
        bool same = run_all(k) == first;
        if (under_valgrind())
            tap_skip(names[i], "valgrind gives 1 - 1 * 1 the wrong sign");
        else
            ok(same, "%s: the same bits as baseline", names[i]);
    }
    ok(kernel_select("BaseLine", &e) == kernel_select("baseline", &e), "names in any case");
    ok(kernel_select("mmx", &e) == NULL && strstr(e.text, "'mmx'") != NULL, "an unknown name: %s",
       e.text);
    return tap_done();
}

/* SPDX-License-Identifier: MIT
 *
 * kernel_body: the text of all kernels, included by one file for each
 * instruction set, which defines KERNEL_TABLE (the table's name), KERNEL_NAME and
 * the tile sizes that its registers allow.
 *
 *     PRODUCT_ROWS  rows at a time in a matrix product, with 2 vectors of sums each
 *     WIDE_ROWS     with 4 vectors each, for a matrix of few rows
 *
 * and PRODUCT_HEIGHTS: HEIGHT(1) up to HEIGHT(PRODUCT_ROWS).
 */
#include <float.h>

#include "core/dmath.h"
#include "lstm/kernel.h"
#include "lstm/simd.h"

#define PANEL (2 * LANES) /* columns of a packed matrix's panel */

enum { GATES_ROWS = 48 }; /* of a block in `gates` */

#if defined __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define TILE static inline __attribute__((always_inline))

/* Doubles, as many as a vector holds. */
enum { WIDE = LANES / 2 };
typedef double vd __attribute__((vector_size(8 * WIDE)));
typedef int64_t vl __attribute__((vector_size(8 * WIDE)));
typedef uint64_t vu __attribute__((vector_size(8 * WIDE)));

static const float *
row_of(const struct kernel_rows *m, size_t i)
{
    return m->base + m->stride * (m->index != NULL ? m->index[i] : i);
}

static size_t
at_most(size_t n, size_t bound)
{
    return n < bound ? n : bound;
}

/* out[r][0 .. vecs*LANES) (+)= sum over k of a[r][k] b[k]; the a[r] advance by
 * a_step, b by PANEL floats; vectors 2 and 3 are in the next panel. */
TILE void
product_tile(size_t rows, size_t vecs, size_t inner, const float *const *a, size_t a_step,
             const float *b, float *const *out, bool add)
{
    const size_t panel = inner * PANEL;
    vf sum[PRODUCT_ROWS][4];
    UNROLL
    for (size_t r = 0; r < rows; r++)
        UNROLL
    for (size_t v = 0; v < vecs; v++)
        sum[r][v] = add ? v_load(out[r] + v * LANES) : v_set1(0);
    for (size_t k = 0; k < inner; k++, b += PANEL) {
        vf y[4];
        UNROLL
        for (size_t v = 0; v < vecs; v++)
            y[v] = v_load(b + v / 2 * panel + v % 2 * LANES);
        UNROLL
        for (size_t r = 0; r < rows; r++) {
            vf x = v_set1(a[r][k * a_step]);
            UNROLL
            for (size_t v = 0; v < vecs; v++)
                sum[r][v] = v_fma(x, y[v], sum[r][v]);
        }
    }
    UNROLL
    for (size_t r = 0; r < rows; r++)
        UNROLL
    for (size_t v = 0; v < vecs; v++)
        v_store(out[r] + v * LANES, sum[r][v]);
}

typedef void product_function(size_t inner, const float *const *a, size_t a_step, const float *b,
                              float *const *out, bool add);

#define PRODUCT(name, rows, vecs)                                                                  \
    static __attribute__((noinline)) void name(size_t inner, const float *const *a, size_t a_step, \
                                               const float *b, float *const *out, bool add)        \
    {                                                                                              \
        product_tile(rows, vecs, inner, a, a_step, b, out, add);                                   \
    }
#define HEIGHT(n)                                                                                  \
    PRODUCT(narrow_##n, n, 1)                                                                      \
    PRODUCT(product_##n, n, 2) PRODUCT(wide_##n, n <= WIDE_ROWS ? n : 1, 4)
PRODUCT_HEIGHTS
#undef HEIGHT

/* The tile for this number of rows, of one vector at the right edge, two, or four. */
static product_function *
product_of(size_t rows, size_t vecs)
{
#define HEIGHT(n) {narrow_##n, product_##n, wide_##n},
    static product_function *const tile[][3] = {PRODUCT_HEIGHTS};
#undef HEIGHT
    return tile[rows - 1][vecs / 2];
}

/* Vectors of the next tile, of a matrix of this number of rows and remaining columns. */
static size_t
tile_vectors(size_t rows, size_t columns)
{
    if (columns <= LANES)
        return 1;
    return rows <= WIDE_ROWS && columns > PANEL + LANES ? 4 : 2;
}

/* Rows of the next tile.  The last two tiles share the remaining rows: a tile with few rows
 * has too few sums to keep the multipliers busy. */
static size_t
tile_rows(size_t left)
{
    if (left > PRODUCT_ROWS && left < 2 * PRODUCT_ROWS)
        return (left + 1) / 2;
    return at_most(left, PRODUCT_ROWS);
}

static void
product(const struct kernel_product *t)
{
    for (size_t column = 0, vecs; column < t->columns; column += vecs * LANES) {
        const float *b = t->b + column * t->inner;
        vecs = tile_vectors(t->rows, t->columns - column);
        for (size_t row = 0, rows; row < t->rows; row += rows) {
            const float *a[PRODUCT_ROWS];
            float *out[PRODUCT_ROWS];
            rows = tile_rows(t->rows - row);
            for (size_t r = 0; r < rows; r++) {
                a[r] = row_of(&t->a, row + r);
                out[r] = t->out + (row + r) * t->out_stride + column;
            }
            product_of(rows, vecs)(t->inner, a, 1, b, out, t->add);
        }
    }
}

/* ---- gates */

/* bias + scale * table[symbol], for the four gates of LANES units. */
TILE void
gates_start(const struct kernel_gates *t, size_t row, size_t unit, float *sum)
{
    const float *table = NULL;
    vf scale = v_set1(1);
    if (t->table != NULL) {
        table = t->table + t->symbol[row] * 4 * t->stride + unit;
        if (t->scale != NULL)
            scale = v_set1(t->scale[row]);
    }
    UNROLL
    for (size_t g = 0; g < 4; g++) {
        vf bias = v_load(t->bias + g * t->stride + unit);
        v_store(sum + g * LANES,
                table == NULL ? bias : v_fma(scale, v_load(table + g * t->stride), bias));
    }
}

/* c, and in place of the sum of o its gate. */
TILE void
gates_cell(const struct kernel_gates *t, size_t row, size_t unit, float *sum)
{
    vf i = v_sigmoid(v_load(sum)), f = v_sigmoid(v_load(sum + LANES));
    vf g = v_tanh(v_load(sum + 2 * LANES)), o = v_sigmoid(v_load(sum + 3 * LANES));
    vf c = i * g;
    if (t->c.base != NULL)
        c = v_fma(f, v_load(row_of(&t->c, row) + unit), c);
    v_store(t->c_out + row * t->out_stride + unit, c);
    v_store(sum + 3 * LANES, o);
    if (t->gates == NULL)
        return;
    float *to = t->gates + row * KERNEL_PLANES * t->stride + unit;
    v_store(to, i);
    v_store(to + t->stride, f);
    v_store(to + 2 * t->stride, g);
    v_store(to + 3 * t->stride, o);
}

TILE void
gates_output(const struct kernel_gates *t, size_t row, size_t unit, const float *sum)
{
    const size_t at = row * t->out_stride + unit;
    vf tanh_c = v_tanh(v_load(t->c_out + at)), h = v_load(sum + 3 * LANES) * tanh_c;
    v_store(t->h_out + at, h);
    if (t->mask != NULL)
        v_store(t->y_out + at, h * v_load(t->mask + at));
    if (t->gates != NULL)
        v_store(t->gates + (row * KERNEL_PLANES + 4) * t->stride + unit, tanh_c);
}

/* sum[rows][4][LANES] += A W, where A begins at row `first` of `a` and W at `unit` of the
 * gates' weights; does nothing if there is no such matrix. */
static void
gates_add(struct kernel_rows a, size_t first, size_t rows, const float *w, size_t unit,
          size_t inner, float *sum)
{
    if (a.base == NULL)
        return;
    if (a.index != NULL)
        a.index += first;
    else
        a.base += first * a.stride;
    struct kernel_product p = {.rows = rows,
                               .inner = inner,
                               .columns = 4 * LANES,
                               .a = a,
                               .b = w + unit * 4 * inner,
                               .out = sum,
                               .out_stride = 4 * LANES,
                               .add = true};
    product(&p);
}

/* The four gates of LANES units at a time, for as many rows that their sums fit into the
 * first-level cache beside half of a panel's weights. */
static void
gates(const struct kernel_gates *t)
{
    float sum[GATES_ROWS * 4 * LANES];
    const size_t blocks = (t->rows + GATES_ROWS - 1) / GATES_ROWS;
    for (size_t unit = 0; unit < t->hidden; unit += LANES) {
        for (size_t block = 0; block < blocks; block++) {
            size_t first = t->rows * block / blocks;
            size_t rows = t->rows * (block + 1) / blocks - first;
            for (size_t r = 0; r < rows; r++)
                gates_start(t, first + r, unit, sum + r * 4 * LANES);
            gates_add(t->x, first, rows, t->wx, unit, t->inputs, sum);
            gates_add(t->h, first, rows, t->wh, unit, t->hidden, sum);
            for (size_t r = 0; r < rows; r++)
                gates_cell(t, first + r, unit, sum + r * 4 * LANES);
            for (size_t r = 0; r < rows; r++)
                gates_output(t, first + r, unit, sum + r * 4 * LANES);
        }
    }
}

/* One vector of a row, and children first .. end - 1. */
TILE void
gates_back_vector(const struct kernel_gates_back *t, size_t row, size_t u, size_t first, size_t end)
{
    const vf one = v_set1(1);
    const size_t at = row * t->stride + u;
    float *gate = t->gates + row * KERNEL_PLANES * t->stride + u;
    vf i = v_load(gate), f = v_load(gate + t->stride), g = v_load(gate + 2 * t->stride);
    vf o = v_load(gate + 3 * t->stride), tc = v_load(gate + 4 * t->stride);
    vf h = v_load(t->dh + at), c = v_set1(0);
    if (t->mask != NULL)
        h = h * v_load(t->mask + at);
    for (size_t child = first; child < end; child++) {
        h = h + v_load(t->child_dh + child * t->stride + u);
        c = c + v_load(t->child_dc + child * t->stride + u);
    }
    c = v_fma(h * o, v_fma(-tc, tc, one), c);
    /* A missing parent has c = 0.  c - c equals c * 0 except for the sign: 0, or NaN
     * if c has overflowed, which must be kept. */
    vf df = t->c.base != NULL ? c * v_load(row_of(&t->c, row) + u) : c - c;
    v_store(gate, c * g * (i * (one - i)));
    v_store(gate + t->stride, df * (f * (one - f)));
    v_store(gate + 2 * t->stride, c * i * v_fma(-g, g, one));
    v_store(gate + 3 * t->stride, h * tc * (o * (one - o)));
    v_store(t->dc + at, c * f);
}

static void
gates_back(const struct kernel_gates_back *t)
{
    for (size_t row = 0, first = 0, end = 0; row < t->rows; row++, first = end) {
        while (end < t->children && t->parent[end] == t->number + row)
            end++;
        for (size_t u = 0; u < t->hidden; u += LANES)
            gates_back_vector(t, row, u, first, end);
    }
}

/* `vecs` vectors of the rows, from `column` on. */
TILE void
sum_columns(const struct kernel_sum *t, size_t vecs, size_t column)
{
    const float *from = t->a + column;
    vf sum[4];
    UNROLL
    for (size_t v = 0; v < vecs; v++)
        sum[v] = v_set1(0);
    for (size_t row = 0; row < t->rows; row++, from += t->a_stride) {
        UNROLL
        for (size_t v = 0; v < vecs; v++)
            sum[v] = sum[v] + v_load(from + v * LANES);
        if (t->table == NULL)
            continue;
        float *to = t->table + t->symbol[row] * t->n + column;
        vf scale = v_set1(t->scale != NULL ? t->scale[row] : 1);
        UNROLL
        for (size_t v = 0; v < vecs; v++)
            v_store(to + v * LANES, v_fma(scale, v_load(from + v * LANES), v_load(to + v * LANES)));
    }
    UNROLL
    for (size_t v = 0; v < vecs; v++)
        v_store(t->sum + column + v * LANES, sum[v]);
}

static void
sum_rows(const struct kernel_sum *t)
{
    size_t column = 0;
    for (; column + 4 * LANES <= t->n; column += 4 * LANES)
        sum_columns(t, 4, column);
    for (; column < t->n; column += LANES)
        sum_columns(t, 1, column);
}

/* Rows of B as panels of columns. */
static void
outer_pack(const struct kernel_outer *t, size_t start, size_t rows, float *to)
{
    for (size_t row = 0; row < rows; row++, to += PANEL) {
        const float *from = row_of(&t->b, start + row);
        float *panel = to;
        for (size_t column = 0; column < t->n; column += PANEL, panel += rows * PANEL) {
            v_store(panel, v_load(from + column));
            if (t->n - column > LANES)
                v_store(panel + LANES, v_load(from + column + LANES));
        }
    }
}

/* One panel of columns against a matrix A, for a chunk of rows; adds to what the chunks before
 * gave. */
static void
outer_panel(const struct kernel_outer *t, size_t start, size_t rows, const float *from,
            const float *packed, float *to, size_t vecs)
{
    for (size_t m = 0, width; m < t->m; m += width) {
        const float *a[PRODUCT_ROWS];
        float *out[PRODUCT_ROWS];
        width = tile_rows(t->m - m);
        for (size_t r = 0; r < width; r++) {
            a[r] = from + start * t->a_stride + m + r;
            out[r] = to + (m + r) * t->out_stride;
        }
        product_of(width, vecs)(rows, a, t->a_stride, packed, out, start > 0);
    }
}

static void
outer(const struct kernel_outer *t)
{
    const size_t chunks = t->rows / KERNEL_CHUNK + 1;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t start = t->rows * chunk / chunks, rows = t->rows * (chunk + 1) / chunks - start;
        outer_pack(t, start, rows, t->scratch);
        for (size_t i = 0; i < t->count; i++)
            for (size_t column = 0; column < t->n; column += PANEL)
                outer_panel(t, start, rows, t->a + i * t->a_next, t->scratch + column * rows,
                            t->out + i * t->out_next + column, t->n - column <= LANES ? 1 : 2);
    }
}

/* Lanes past the end process copies, so counts need no padding. */
static void
adam_vector(const struct kernel_adam *t, const float *g, float *w, float *m, float *v,
            float *average)
{
    const vf b1 = v_set1(t->beta1), b2 = v_set1(t->beta2);
    vf grad = v_load(g) * v_set1(t->clip);
    vf first = v_fma(b1, v_load(m), (v_set1(1) - b1) * grad);
    vf second = v_fma(b2, v_load(v), (v_set1(1) - b2) * (grad * grad));
    vf size = v_fma(v_sqrt(second), v_set1(t->correction), v_set1(t->epsilon));
    v_store(m, first);
    v_store(v, second);
    vf moved = v_load(w) - v_set1(t->rate) * first / size;
    v_store(w, moved);
    if (average != NULL) {
        vf mean = v_load(average);
        v_store(average, v_fma(v_set1(t->share), moved - mean, mean));
    }
}

static void
adam(const struct kernel_adam *t)
{
    size_t i = 0;
    for (; i + LANES <= t->count; i += LANES)
        adam_vector(t, t->g + i, t->w + i, t->m + i, t->v + i,
                    t->average != NULL ? t->average + i : NULL);
    size_t bytes = (t->count - i) * sizeof(float);
    if (bytes == 0)
        return;
    float g[LANES] = {0}, w[LANES] = {0}, m[LANES] = {0}, v[LANES] = {0}, average[LANES] = {0};
    memcpy(g, t->g + i, bytes);
    memcpy(w, t->w + i, bytes);
    memcpy(m, t->m + i, bytes);
    memcpy(v, t->v + i, bytes);
    if (t->average != NULL)
        memcpy(average, t->average + i, bytes);
    adam_vector(t, g, w, m, v, average);
    if (t->average != NULL)
        memcpy(t->average + i, average, bytes);
    memcpy(t->w + i, w, bytes);
    memcpy(t->m + i, m, bytes);
    memcpy(t->v + i, v, bytes);
}

/* n is a multiple of KERNEL_PAD. */
static void
mask(float *to, const uint32_t *bits, uint32_t threshold, float keep, size_t n)
{
    vi factor, bound = (vi){0} + (int32_t)threshold;
    const vf kept = v_set1(keep);
    memcpy(&factor, &kept, sizeof factor);
    for (size_t i = 0; i < n; i += LANES) {
        vi x;
        memcpy(&x, bits + i / (2 * KERNEL_PAD) * KERNEL_PAD + i % KERNEL_PAD, sizeof x);
        x = (i & KERNEL_PAD) == 0 ? x & 0xffff : x >> 16 & 0xffff;
        x = factor & (x >= bound);
        memcpy(to + i, &x, sizeof x);
    }
}

/* Floats as doubles.  The compiler would convert 8 of them by halves. */
TILE vd
d_widen(const float *p)
{
#if defined __AVX512F__
    return (vd)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#else
    typedef float vh __attribute__((vector_size(4 * WIDE)));
    vh x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vd);
#endif
}

/* Eight sums in step, for vectors of any width. */
static double
squares(const float *x, size_t n)
{
    enum { VECTORS = 8 / WIDE };
    vd part[VECTORS] = {{0}};
    double sum[8];
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        UNROLL
    for (size_t v = 0; v < VECTORS; v++) {
        vd wide = d_widen(x + i + v * WIDE);
        part[v] += wide * wide;
    }
    for (size_t v = 0; v < VECTORS; v++)
        memcpy(sum + v * WIDE, &part[v], sizeof part[v]);
    for (size_t j = 0; i < n; i++, j++)
        sum[j] += (double)x[i] * (double)x[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* exp64 and log64 are dm_exp and dm_log of core/dmath.c, operation by operation, where no case
 * is special. */
TILE vd
d_load(const double *p)
{
    vd v;
    memcpy(&v, p, sizeof v);
    return v;
}

TILE void
d_store(double *p, vd v)
{
    memcpy(p, &v, sizeof v);
}

TILE vl
d_bits(vd x)
{
    vl bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TILE vd
d_of(vl bits)
{
    vd x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whether any lane is not 0. */
static bool
d_any(vl bits)
{
    int64_t all[WIDE], any = 0;
    memcpy(all, &bits, sizeof all);
    for (size_t i = 0; i < WIDE; i++)
        any |= all[i];
    return any != 0;
}

TILE vd
d_exp(vd x)
{
    vd shifted = x * (1 / DM_LN2) + 0x1.8p52, k = shifted - 0x1.8p52;
    vd high = x - k * DM_LN2_HIGH, low = k * DM_LN2_LOW;
    vd r = high - low, rest = (high - r) - low, z = r * r;
    vd even = z * (1.0 / 479001600) + 1.0 / 3628800, odd = z * (1.0 / 6227020800) + 1.0 / 39916800;
    even = even * z + 1.0 / 40320, odd = odd * z + 1.0 / 362880;
    even = even * z + 1.0 / 720, odd = odd * z + 1.0 / 5040;
    even = even * z + 1.0 / 24, odd = odd * z + 1.0 / 120;
    even = even * z + 1.0 / 2, odd = odd * z + 1.0 / 6;
    vd y = 1 + (r + (r * r * (even + r * odd) + rest));
    vu power = ((vu)d_bits(shifted) << 52) + (UINT64_C(1023) << 52); /* the low bits are k */
    return y * d_of((vl)power);
}

static void
exp64(const double *x, double *y, size_t n)
{
    vl special = {0};
    for (size_t i = 0; i < n; i += WIDE) {
        vd v = d_load(x + i);
        special |= ~((v > -707) & (v < 707));
        d_store(y + i, d_exp(v));
    }
    for (size_t i = 0; d_any(special) && i < n; i++)
        y[i] = dm_exp(x[i]);
}

TILE vd
d_log(vd x)
{
    const vl bits = d_bits(x), mantissa = (bits & ((INT64_C(1) << 52) - 1)) | INT64_C(1022) << 52;
    const vl small_m = d_of(mantissa) < 0.70710678118654752440; /* -1 where true */
    vd m = d_of(mantissa + (small_m & INT64_C(1) << 52));       /* doubled there */
    vl exponent = (bits >> 52) - 1022 + small_m;
    const vd magic = (vd){0} + 0x1.8p52;
    vd k = d_of(d_bits(magic) + exponent) - magic;
    vd f = m - 1, s = f / (2 + f), half = 0.5 * f * f, z = s * s, p = (vd){0} + 2.0 / 25;
    UNROLL
    for (int n = 23; n >= 3; n -= 2)
        p = p * z + 2.0 / n;
    vd small = s * (half + p * z) + k * DM_LN2_LOW;
    return k * DM_LN2_HIGH - ((half - small) - f);
}

static void
log64(const double *x, double *y, size_t n)
{
    vl special = {0};
    for (size_t i = 0; i < n; i += WIDE) {
        vd v = d_load(x + i);
        special |= ~((v >= 0x1p-1022) & (v <= DBL_MAX));
        d_store(y + i, d_log(v));
    }
    for (size_t i = 0; d_any(special) && i < n; i++)
        y[i] = dm_log(x[i]);
}

static void
map_exp(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        v_store(y + i, v_exp(v_load(x + i)));
}

static void
map_sigmoid(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        v_store(y + i, v_sigmoid(v_load(x + i)));
}

static void
map_tanh(const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        v_store(y + i, v_tanh(v_load(x + i)));
}

static void
map_fma(const float *a, const float *b, const float *c, float *y, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        v_store(y + i, v_fma(v_load(a + i), v_load(b + i), v_load(c + i)));
}

extern const struct kernel KERNEL_TABLE;
const struct kernel KERNEL_TABLE = {
    .name = KERNEL_NAME,
    .lanes = LANES,
    .gates = gates,
    .gates_back = gates_back,
    .product = product,
    .outer = outer,
    .adam = adam,
    .sum_rows = sum_rows,
    .mask = mask,
    .squares = squares,
    .exp64 = exp64,
    .log64 = log64,
    .exp = map_exp,
    .sigmoid = map_sigmoid,
    .tanh = map_tanh,
    .fma = map_fma,
};

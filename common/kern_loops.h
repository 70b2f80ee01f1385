/* SPDX-License-Identifier: MIT
 *
 * kern_loops: the text of all kernels, included by one file for each
 * instruction set, which defines KERN_TABLE (the table's name), KERN_NAME and
 * the tile sizes that its registers allow.
 *
 *     GATES_ROWS    prefixes at a time in `gates`, with 4 sums each
 *     PRODUCT_ROWS  rows at a time in `product` and `outer`, with 2 sums each
 *
 * and GATES_HEIGHTS, PRODUCT_HEIGHTS: HEIGHT(1) up to HEIGHT(that number).
 */
#include "kern.h"
#include "simd.h"

#define PANEL (2 * LANES) /* columns of a packed matrix's panel */

#if defined __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define TILE static inline __attribute__((always_inline))

static const float *
row_of(const struct kern_rows *m, size_t i)
{
    return m->base + m->stride * (m->index != NULL ? m->index[i] : i);
}

static size_t
at_most(size_t n, size_t bound)
{
    return n < bound ? n : bound;
}

/* sum[r][g] += a[r][k] * w[k][g], for k < inner: a tile of `rows` prefixes by
 * the four gates of LANES units. */
TILE void
gates_inner(int rows, vf sum[][4], const float *const *a, const float *w, size_t inner)
{
    for (size_t k = 0; k < inner; k++, w += 4 * LANES) {
        vf x[GATES_ROWS];
        UNROLL
        for (int r = 0; r < rows; r++)
            x[r] = v_set1(a[r][k]);
        UNROLL
        for (int g = 0; g < 4; g++) {
            vf wg = v_load(w + g * LANES);
            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r][g] = v_fma(x[r], wg, sum[r][g]);
        }
    }
}

TILE void
gates_start(const struct kern_gates *t, size_t row, size_t unit, vf sum[4])
{
    const float *table = NULL;
    vf scale = v_set1(1);
    if (t->table != NULL) {
        table = t->table + t->symbol[row] * 4 * t->stride + unit;
        if (t->scale != NULL)
            scale = v_set1(t->scale[row]);
    }
    UNROLL
    for (int g = 0; g < 4; g++) {
        sum[g] = v_load(t->bias + (size_t)g * t->stride + unit);
        if (table != NULL)
            sum[g] = v_fma(scale, v_load(table + (size_t)g * t->stride), sum[g]);
    }
}

TILE void
gates_finish(const struct kern_gates *t, size_t row, size_t unit, const vf sum[4])
{
    vf i = v_sigmoid(sum[0]), f = v_sigmoid(sum[1]), g = v_tanh(sum[2]), o = v_sigmoid(sum[3]);
    vf c = i * g;
    if (t->c.base != NULL)
        c = v_fma(f, v_load(row_of(&t->c, row) + unit), c);
    vf tanh_c = v_tanh(c);
    v_store(t->c_out + row * t->out_stride + unit, c);
    v_store(t->h_out + row * t->out_stride + unit, o * tanh_c);
    if (t->gates == NULL)
        return;
    float *to = t->gates + row * KERN_PLANES * t->stride + unit;
    v_store(to, i);
    v_store(to + t->stride, f);
    v_store(to + 2 * t->stride, g);
    v_store(to + 3 * t->stride, o);
    v_store(to + 4 * t->stride, tanh_c);
}

TILE void
gates_tile(int rows, const struct kern_gates *t, size_t row, size_t panel)
{
    vf sum[GATES_ROWS][4];
    const float *a[GATES_ROWS];
    UNROLL
    for (int r = 0; r < rows; r++)
        gates_start(t, row + (size_t)r, panel * LANES, sum[r]);
    if (t->x.base != NULL) {
        for (int r = 0; r < rows; r++)
            a[r] = row_of(&t->x, row + (size_t)r);
        gates_inner(rows, sum, a, t->wx + panel * t->inputs * 4 * LANES, t->inputs);
    }
    if (t->h.base != NULL) {
        for (int r = 0; r < rows; r++)
            a[r] = row_of(&t->h, row + (size_t)r);
        gates_inner(rows, sum, a, t->wh + panel * t->hidden * 4 * LANES, t->hidden);
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        gates_finish(t, row + (size_t)r, panel * LANES, sum[r]);
}

/* A function for every height of a tile, so that all its sums stay in
 * registers. */
#define HEIGHT(n)                                                                                  \
    static __attribute__((noinline)) void gates_##n(const struct kern_gates *t, size_t row,        \
                                                    size_t panel)                                  \
    {                                                                                              \
        gates_tile(n, t, row, panel);                                                              \
    }
GATES_HEIGHTS
#undef HEIGHT

/* A panel's weights stay in the first cache while all rows pass by. */
static void
gates(const struct kern_gates *t)
{
#define HEIGHT(n) gates_##n,
    static void (*const tile[])(const struct kern_gates *, size_t, size_t) = {GATES_HEIGHTS};
#undef HEIGHT
    for (size_t panel = 0; panel * LANES < t->hidden; panel++)
        for (size_t row = 0; row < t->rows; row += GATES_ROWS)
            tile[at_most(t->rows - row, GATES_ROWS) - 1](t, row, panel);
}

static void
gates_back(const struct kern_gates_back *t)
{
    const vf one = v_set1(1);
    for (size_t row = 0; row < t->rows; row++) {
        float *gate = t->gates + row * KERN_PLANES * t->stride;
        const float *dh = t->dh + row * t->stride;
        float *dc = t->dc + row * t->stride;
        const float *parent = t->c.base != NULL ? row_of(&t->c, row) : NULL;
        for (size_t u = 0; u < t->hidden; u += LANES, gate += LANES) {
            vf i = v_load(gate), f = v_load(gate + t->stride), g = v_load(gate + 2 * t->stride);
            vf o = v_load(gate + 3 * t->stride), tc = v_load(gate + 4 * t->stride);
            vf h = v_load(dh + u);
            vf c = v_fma(h * o, v_fma(-tc, tc, one), v_load(dc + u));
            vf df = parent != NULL ? c * v_load(parent + u) : c - c;
            v_store(gate, c * g * (i * (one - i)));
            v_store(gate + t->stride, df * (f * (one - f)));
            v_store(gate + 2 * t->stride, c * i * v_fma(-g, g, one));
            v_store(gate + 3 * t->stride, h * tc * (o * (one - o)));
            v_store(dc + u, c * f);
        }
    }
}

/* out[r][0 .. vecs*LANES) (+)= sum over k of a[r][k] b[k]; the a[r] advance by
 * a_step, b by PANEL floats. */
TILE void
product_tile(int rows, int vecs, size_t inner, const float *const *a, size_t a_step, const float *b,
             float *const *out, bool add)
{
    vf sum[PRODUCT_ROWS][2];
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
    for (int v = 0; v < vecs; v++)
        sum[r][v] = add ? v_load(out[r] + v * LANES) : v_set1(0);
    for (size_t k = 0; k < inner; k++, b += PANEL) {
        vf y[2];
        UNROLL
        for (int v = 0; v < vecs; v++)
            y[v] = v_load(b + v * LANES);
        UNROLL
        for (int r = 0; r < rows; r++) {
            vf x = v_set1(a[r][k * a_step]);
            UNROLL
            for (int v = 0; v < vecs; v++)
                sum[r][v] = v_fma(x, y[v], sum[r][v]);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
    for (int v = 0; v < vecs; v++)
        v_store(out[r] + v * LANES, sum[r][v]);
}

typedef void product_function(size_t inner, const float *const *a, size_t a_step, const float *b,
                              float *const *out, bool add);

#define HEIGHT(n)                                                                                  \
    static __attribute__((noinline)) void product_##n(size_t inner, const float *const *a,         \
                                                      size_t a_step, const float *b,               \
                                                      float *const *out, bool add)                 \
    {                                                                                              \
        product_tile(n, 2, inner, a, a_step, b, out, add);                                         \
    }                                                                                              \
    static __attribute__((noinline)) void narrow_##n(size_t inner, const float *const *a,          \
                                                     size_t a_step, const float *b,                \
                                                     float *const *out, bool add)                  \
    {                                                                                              \
        product_tile(n, 1, inner, a, a_step, b, out, add);                                         \
    }
PRODUCT_HEIGHTS
#undef HEIGHT

/* The tile for so many rows, two vectors wide or, at the right edge, one. */
static product_function *
product_of(size_t rows, size_t columns)
{
#define HEIGHT(n) {product_##n, narrow_##n},
    static product_function *const tile[][2] = {PRODUCT_HEIGHTS};
#undef HEIGHT
    return tile[rows - 1][columns <= LANES];
}

static void
product(const struct kern_product *t)
{
    for (size_t column = 0; column < t->columns; column += PANEL) {
        const float *b = t->b + column * t->inner;
        for (size_t row = 0; row < t->rows; row += PRODUCT_ROWS) {
            const float *a[PRODUCT_ROWS];
            float *out[PRODUCT_ROWS];
            size_t rows = at_most(t->rows - row, PRODUCT_ROWS);
            for (size_t r = 0; r < rows; r++) {
                a[r] = row_of(&t->a, row + r);
                out[r] = t->out + (row + r) * t->out_stride + column;
            }
            product_of(rows, t->columns - column)(t->inner, a, 1, b, out, t->add);
        }
    }
}

/* scratch[tile][row][PRODUCT_ROWS]: columns of A side by side. */
static void
outer_pack_a(const struct kern_outer *t, size_t start, size_t rows, float *to)
{
    for (size_t m = 0; m < t->m; m += PRODUCT_ROWS) {
        size_t width = at_most(t->m - m, PRODUCT_ROWS);
        for (size_t row = 0; row < rows; row++, to += PRODUCT_ROWS) {
            const float *from = row_of(&t->a, start + row) + m;
            if (width == PRODUCT_ROWS) /* a size that the compiler knows */
                memcpy(to, from, PRODUCT_ROWS * sizeof *to);
            else
                memcpy(to, from, width * sizeof *to);
        }
    }
}

static void
outer_pack_b(const struct kern_outer *t, size_t start, size_t rows, size_t offset, size_t columns,
             float *to)
{
    for (size_t row = 0; row < rows; row++, to += PANEL) {
        const float *from = t->b + (start + row) * t->b_stride + offset;
        v_store(to, v_load(from));
        if (columns > LANES)
            v_store(to + LANES, v_load(from + LANES));
    }
}

/* One panel of columns against all of A, for a chunk of rows. */
static void
outer_panel(const struct kern_outer *t, size_t rows, const float *packed_a, const float *packed_b,
            size_t offset, size_t columns)
{
    const size_t out_stride = t->planes * t->plane;
    for (size_t m = 0; m < t->m; m += PRODUCT_ROWS) {
        const float *a[PRODUCT_ROWS];
        float *out[PRODUCT_ROWS];
        size_t width = at_most(t->m - m, PRODUCT_ROWS);
        for (size_t r = 0; r < width; r++) {
            a[r] = packed_a + m * rows + r;
            out[r] = t->out + (m + r) * out_stride + offset;
        }
        product_of(width, columns)(rows, a, PRODUCT_ROWS, packed_b, out, true);
    }
}

static void
outer(const struct kern_outer *t)
{
    float *packed_b = t->scratch, *packed_a = t->scratch + KERN_CHUNK * PANEL;
    for (size_t start = 0; start < t->rows; start += KERN_CHUNK) {
        size_t rows = at_most(t->rows - start, KERN_CHUNK);
        outer_pack_a(t, start, rows, packed_a);
        for (size_t plane = 0; plane < t->planes; plane++) {
            for (size_t n = 0; n < t->n; n += PANEL) {
                size_t offset = plane * t->plane + n;
                outer_pack_b(t, start, rows, offset, t->n - n, packed_b);
                outer_panel(t, rows, packed_a, packed_b, offset, t->n - n);
            }
        }
    }
}

/* Lanes past the end work on copies, so that counts need no padding. */
static void
adam_vector(const struct kern_adam *t, const float *g, float *w, float *m, float *v)
{
    const vf b1 = v_set1(t->beta1), b2 = v_set1(t->beta2);
    vf grad = v_load(g) * v_set1(t->clip);
    vf first = v_fma(b1, v_load(m), (v_set1(1) - b1) * grad);
    vf second = v_fma(b2, v_load(v), (v_set1(1) - b2) * (grad * grad));
    vf size = v_fma(v_sqrt(second), v_set1(t->correction), v_set1(t->epsilon));
    v_store(m, first);
    v_store(v, second);
    v_store(w, v_load(w) - v_set1(t->rate) * first / size);
}

static void
adam(const struct kern_adam *t)
{
    size_t i = 0;
    for (; i + LANES <= t->count; i += LANES)
        adam_vector(t, t->g + i, t->w + i, t->m + i, t->v + i);
    size_t bytes = (t->count - i) * sizeof(float);
    if (bytes == 0)
        return;
    float g[LANES] = {0}, w[LANES] = {0}, m[LANES] = {0}, v[LANES] = {0};
    memcpy(g, t->g + i, bytes);
    memcpy(w, t->w + i, bytes);
    memcpy(m, t->m + i, bytes);
    memcpy(v, t->v + i, bytes);
    adam_vector(t, g, w, m, v);
    memcpy(t->w + i, w, bytes);
    memcpy(t->m + i, m, bytes);
    memcpy(t->v + i, v, bytes);
}

/* The rest work on whole vectors: n is a multiple of KERN_PAD. */
static void
add(float *to, const float *from, float factor, size_t n)
{
    const vf f = v_set1(factor);
    for (size_t i = 0; i < n; i += LANES)
        v_store(to + i, v_fma(f, v_load(from + i), v_load(to + i)));
}

static void
multiply(float *to, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        v_store(to + i, v_load(a + i) * v_load(b + i));
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

extern const struct kern KERN_TABLE;
const struct kern KERN_TABLE = {
    .name = KERN_NAME,
    .lanes = LANES,
    .gates = gates,
    .gates_back = gates_back,
    .product = product,
    .outer = outer,
    .adam = adam,
    .add = add,
    .multiply = multiply,
    .exp = map_exp,
    .sigmoid = map_sigmoid,
    .tanh = map_tanh,
    .fma = map_fma,
};

/* SPDX-License-Identifier: MIT
 *
 * kernel: the loops in which training and scoring spend their time, compiled once per
 * instruction set and selected at run time.
 *
 * All variants give the same bits: every sum adds its terms one after the other, by fused
 * multiply-add, and vector lanes hold different sums.  The environment variable GAMUT_CPU
 * forces a variant: baseline, avx2, avx512.
 *
 * Vectors of H numbers are stored in rows of `stride` floats, H rounded up to KERNEL_PAD; the
 * padding is zero.  The gates of a layer are five such rows: i, f, g, o and tanh(c).
 */

#ifndef GAMUT_KERNEL_H
#define GAMUT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum {
    KERNEL_PAD = 16,   /* floats; the widest vector */
    KERNEL_PLANES = 5, /* rows of a node's gates */
    KERNEL_CHUNK = 128 /* rows per pass of `outer` */
};

static inline size_t
kernel_padded(size_t n)
{
    return (n + KERNEL_PAD - 1) / KERNEL_PAD * KERNEL_PAD;
}

/* Row i of a matrix is base + stride * (index ? index[i] : i). */
struct kernel_rows {
    const float *base;
    size_t stride;
    const uint32_t *index;
};

/* One LSTM layer for `rows` prefixes:
 *     a = bias + scale * table[symbol] + Wx x + Wh h'
 *     c = sigma(a_f) c' + sigma(a_i) tanh(a_g),  h = sigma(a_o) tanh(c)
 * Layer 0 has a table, the others have an x. */
struct kernel_gates {
    size_t rows, hidden, stride;
    const float *bias;       /* [4][stride] */
    const float *table;      /* [V+1][4][stride] or NULL */
    const uint8_t *symbol;   /* [rows], with a table */
    const float *scale;      /* [rows], with a table; NULL = all 1 */
    struct kernel_rows x;    /* base NULL if there is none */
    size_t inputs;           /* numbers in a row of x */
    const float *wx;         /* kernel_pack_gates */
    struct kernel_rows h, c; /* of the parents; base NULL if these are zero */
    const float *wh;         /* kernel_pack_gates */
    float *gates;            /* [rows][KERNEL_PLANES][stride], or NULL if not wanted */
    float *h_out, *c_out;
    const float *mask; /* dropout factors of h, or NULL */
    float *y_out;      /* with a mask: mask * h */
    size_t out_stride; /* of the last four */
};

/* The backward pass of the same: gates become the gradients of a (planes 0 to 3), from the
 * gradients of the loss by h of the layer above and of the children.  These are in the order of
 * their parents. */
struct kernel_gates_back {
    size_t rows, hidden, stride;
    float *gates;
    struct kernel_rows c; /* of the parents; base NULL if these are zero */
    const float *dh;      /* [rows][stride]: by the layer above */
    const float *mask;    /* [rows][stride]: factors of dh, or NULL */
    float *dc;            /* [rows][stride], set: by c' */
    size_t children;
    const uint32_t *parent; /* [children]: that of row i is number + i */
    size_t number;
    const float *child_dh, *child_dc; /* [children][stride]: by h' and c' of the children */
};

/* sum = the sum of the rows of A; table[symbol] += scale times each of them. */
struct kernel_sum {
    size_t rows, n; /* n is a multiple of KERNEL_PAD */
    const float *a; /* [rows][a_stride] */
    size_t a_stride;
    float *sum;            /* [n] */
    float *table;          /* [symbols][n], or NULL */
    const uint8_t *symbol; /* [rows], with a table */
    const float *scale;    /* [rows], with a table; NULL = all 1 */
};

/* out = A B, or += with `add`; A is [rows x inner], B [inner x columns]. */
struct kernel_product {
    size_t rows, inner, columns;
    struct kernel_rows a;
    const float *b; /* kernel_pack */
    float *out;
    size_t out_stride;
    bool add;
};

/* out = transposed(A) B: [m x rows] [rows x n], for `count` matrices A and the same B. */
struct kernel_outer {
    size_t rows, m, n;
    size_t count;
    const float *a; /* [rows][a_stride]; the next A is a_next floats away */
    size_t a_stride, a_next;
    struct kernel_rows b;        /* [rows x n] */
    float *out;                  /* [m][out_stride]; the next one is out_next floats away */
    size_t out_stride, out_next; /* multiples of KERNEL_PAD */
    float *scratch;              /* kernel_outer_scratch floats */
};

/* Adam's update with gradient clip * g (Kingma & Ba 2015, algorithm 1). */
struct kernel_adam {
    size_t count;
    float *w, *m, *v;
    const float *g;
    float clip; /* factor of the gradient */
    float beta1, beta2, epsilon;
    float rate;       /* learning rate / (1 - beta1^t) */
    float correction; /* 1 / sqrt(1 - beta2^t) */
    float *average;   /* += share (w - average) with the new w; NULL: none */
    float share;
};

struct kernel {
    const char *name;
    unsigned lanes;
    void (*gates)(const struct kernel_gates *);
    void (*gates_back)(const struct kernel_gates_back *);
    void (*product)(const struct kernel_product *);
    void (*outer)(const struct kernel_outer *);
    void (*adam)(const struct kernel_adam *);
    void (*sum_rows)(const struct kernel_sum *);
    /* Factors of units: 0 if 16 random bits are below `threshold`, else `keep`.  Of 16 words,
     * the low halves are for 16 units, the high halves for the next 16.  Here and below, if not
     * said otherwise, n is a multiple of KERNEL_PAD. */
    void (*mask)(float *to, const uint32_t *bits, uint32_t threshold, float keep, size_t n);
    /* The sum of squares of any n numbers: that of number i goes to sum i mod 8. */
    double (*squares)(const float *x, size_t n);
    /* y = dm_exp(x), y = dm_log(x): the same bits. */
    void (*exp64)(const double *x, double *y, size_t n);
    void (*log64)(const double *x, double *y, size_t n);
    /* y = f(x), for tests of the error bounds in simd.h. */
    void (*exp)(const float *x, float *y, size_t n);
    void (*sigmoid)(const float *x, float *y, size_t n);
    void (*tanh)(const float *x, float *y, size_t n);
    void (*fma)(const float *a, const float *b, const float *c, float *y, size_t n);
};

/* The fastest variant that this machine can run, or the one that `force` names (NULL: getenv
 * GAMUT_CPU; empty: none), in upper or lower case.  NULL and ERR_USAGE, with the available
 * names, if there is none. */
const struct kernel *kernel_select(const char *force, struct err *e);

/* Packed weights: the floats needed, and panel `panel` of `kernel_panels`; panels can be
 * packed by different threads.  `gates` packs [4H x inputs] with the gates of a unit side by
 * side; `pack` takes element (k, n) of an [inner x columns] matrix from from[k * row + n *
 * column], and `to` is where the panel begins. */
size_t kernel_gates_size(const struct kernel *k, size_t hidden, size_t inputs);
size_t kernel_gates_panels(const struct kernel *k, size_t hidden);
void kernel_pack_gates(const struct kernel *k, const float *from, size_t hidden, size_t inputs,
                       size_t panel, float *to);
size_t kernel_size(const struct kernel *k, size_t inner, size_t columns);
size_t kernel_panel_size(const struct kernel *k, size_t inner);
size_t kernel_panels(const struct kernel *k, size_t columns);
void kernel_pack(const struct kernel *k, const float *from, size_t row, size_t column, size_t inner,
                 size_t columns, size_t panel, float *to);

size_t kernel_outer_scratch(size_t n);

/* ---- parts of one block of floats, each aligned for the kernels.  The first pass,
 * with a NULL base, only measures; then the block is allocated, and the second pass returns
 * the parts. */

struct float_arena {
    float *base; /* NULL: only measures */
    size_t used; /* floats */
};

static inline float *
arena_take(struct float_arena *c, size_t count)
{
    float *part = c->base == NULL ? NULL : c->base + c->used;
    c->used += kernel_padded(count);
    return part;
}

#endif

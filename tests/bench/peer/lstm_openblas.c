/* SPDX-License-Identifier: MIT
 *
 * An LSTM by hand over OpenBLAS: one matrix product per layer and time for the four gates of all
 * strings, and one per layer for the gradients of its weights.
 */
#include <cblas.h>

#include "peer.h"

static float *gates[LAYERS_MAX];                              /* [T][B][4H] */
static float *c[LAYERS_MAX], *h[LAYERS_MAX], *tc[LAYERS_MAX]; /* [T][B][H] */
static float *dgates, *dh, *dc;                               /* [T][B][4H], [B][H] */
static float *zero;                                           /* [B][H] */
static float *table;                           /* [V + 1][4H]: weights of the symbols */
static float *bias[LAYERS_MAX];                /* [4H] */
static float *tx[LAYERS_MAX], *th[LAYERS_MAX]; /* [H][4H]: weights, transposed */

void openblas_set_num_threads(int);

void
peer_product(int rows, int columns, int inner, const float *a, int trans_a, const float *b,
             int trans_b, float beta, float *to)
{
    cblas_sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                trans_b ? CblasTrans : CblasNoTrans, rows, columns, inner, 1, a,
                trans_a ? rows : inner, b, trans_b ? inner : columns, beta, to, columns);
}

void
peer_reserve(struct net *n, int T, int B, int train)
{
    const size_t H = (size_t)n->H, nodes = (size_t)T * (size_t)B;
    openblas_set_num_threads(peer_threads());
    for (int k = 0; k < n->layers; k++) {
        gates[k] = TAKE(nodes * 4 * H);
        c[k] = TAKE(nodes * H);
        h[k] = TAKE(nodes * H);
        tc[k] = TAKE(nodes * H);
        bias[k] = TAKE(4 * H);
        tx[k] = TAKE(4 * H * H);
        th[k] = TAKE(4 * H * H);
    }
    dgates = TAKE(nodes * 4 * H);
    dh = TAKE((size_t)B * H);
    dc = TAKE((size_t)B * H);
    zero = TAKE((size_t)B * H);
    table = TAKE((V + 1) * 4 * H);
    if (!train)
        peer_weights_changed(n);
}

static void
transpose(const float *from, int rows, int columns, float *to)
{
    cblas_somatcopy(CblasRowMajor, CblasTrans, rows, columns, 1, from, columns, to, rows);
}

/* Products with transposed weights would be packed in each time step. */
void
peer_weights_changed(struct net *n)
{
    const size_t G = 4 * (size_t)n->H;
    if (table == NULL)
        return;
    for (int k = 0; k < n->layers; k++) {
        for (size_t i = 0; i < G; i++)
            bias[k][i] = n->bx[k][i] + n->bh[k][i];
        if (k > 0)
            transpose(n->wx[k], 4 * n->H, n->H, tx[k]);
        transpose(n->wh[k], 4 * n->H, n->H, th[k]);
    }
    for (size_t s = 0; s < V; s++)
        for (size_t i = 0; i < G; i++)
            table[s * G + i] = n->wx[0][i * V + s];
}

/* Gates of all strings at time t begin with the bias and the symbol or the layer below. */
static void
start_gates(struct net *n, int k, int rows, const unsigned char *given, float *to)
{
    const int G = 4 * n->H;
    for (int i = 0; i < rows; i++) {
        const float *row = table + given[i] * G;
        for (int j = 0; j < G; j++)
            to[i * G + j] = k == 0 ? bias[k][j] + row[j] : bias[k][j];
    }
    if (k > 0)
        peer_product(rows, G, n->H, n->y[k - 1], 0, tx[k], 0, 1, to);
}

static void
activate(int H, int B, float *restrict g, const float *before, float *now, float *restrict tanh_c,
         float *restrict out)
{
    for (int b = 0; b < B; b++, g += 4 * H, now += H, tanh_c += H, out += H) {
        for (int j = 0; j < H; j++)
            g[j] = peer_sigmoid(g[j]);
        for (int j = H; j < 2 * H; j++)
            g[j] = peer_sigmoid(g[j]);
        for (int j = 2 * H; j < 3 * H; j++)
            g[j] = peer_tanh(g[j]);
        for (int j = 3 * H; j < 4 * H; j++)
            g[j] = peer_sigmoid(g[j]);
        for (int j = 0; j < H; j++) {
            float kept = before != NULL ? g[H + j] * before[b * H + j] : 0;
            now[j] = g[j] * g[2 * H + j] + kept; /* can be the same place as before */
            tanh_c[j] = peer_tanh(now[j]);
            out[j] = g[3 * H + j] * tanh_c[j];
        }
    }
}

void
peer_forward(struct net *n, int T, int B, int train)
{
    const int H = n->H, row = B * H;
    for (int k = 0; k < n->layers; k++) {
        start_gates(n, k, T * B, n->given, gates[k]);
        for (int t = 0; t < T; t++) {
            float *g = gates[k] + t * 4 * row;
            const float *before = t > 0 ? h[k] + (t - 1) * row : NULL;
            if (t > 0)
                peer_product(B, 4 * H, H, before, 0, th[k], 0, 1, g);
            activate(H, B, g, t > 0 ? c[k] + (t - 1) * row : NULL, c[k] + t * row, tc[k] + t * row,
                     h[k] + t * row);
        }
        for (int i = 0; i < T * row; i++)
            n->y[k][i] = train ? h[k][i] * n->mask[k][i] : h[k][i];
    }
}

/* One time of a layer: dgates from dh and dc, which become those of the time before. */
static __attribute__((noinline)) void
activate_back(int H, int B, const float *restrict g, const float *restrict tanh_c,
              const float *restrict before, float *restrict d)
{
    float *restrict to_c = dc, *restrict to_h = dh;
    for (int b = 0; b < B; b++, g += 4 * H, d += 4 * H) {
        for (int j = 0; j < H; j++) {
            const int at = b * H + j;
            float i = g[j], f = g[H + j], u = g[2 * H + j], o = g[3 * H + j], x = tanh_c[at];
            float through = to_c[at] + to_h[at] * o * (1 - x * x);
            d[j] = through * u * i * (1 - i);
            d[H + j] = through * before[at] * f * (1 - f);
            d[2 * H + j] = through * i * (1 - u * u);
            d[3 * H + j] = to_h[at] * x * o * (1 - o);
            to_c[at] = through * f;
        }
    }
}

/* sum[group of row i, or 0] += row i of dgates */
static __attribute__((noinline)) void
sum_rows(int rows, int G, const unsigned char *group, float *sum)
{
    const float *restrict d = dgates;
    for (int i = 0; i < rows; i++, d += G) {
        float *restrict to = sum + (group != NULL ? group[i] * G : 0);
        for (int j = 0; j < G; j++)
            to[j] += d[j];
    }
}

static void
layer_grads(struct net *n, int k, int T, int B)
{
    const int H = n->H, G = 4 * H, rows = T * B;
    float *b = peer_grad(n, n->bx[k]), *x = peer_grad(n, n->wx[k]);
    peer_product(G, H, rows - B, dgates + B * G, 1, h[k], 0, 0, peer_grad(n, n->wh[k]));
    memset(b, 0, (size_t)G * sizeof *b);
    sum_rows(rows, G, NULL, b);
    memcpy(peer_grad(n, n->bh[k]), b, (size_t)G * sizeof *b);
    if (k > 0) {
        peer_product(G, H, rows, dgates, 1, n->y[k - 1], 0, 0, x);
        peer_product(rows, H, G, dgates, 0, n->wx[k], 0, 0, n->dy);
        return;
    }
    float *sum = table; /* of the gradients by symbol; set anew before it is read */
    memset(sum, 0, (size_t)((V + 1) * G) * sizeof *sum);
    sum_rows(rows, G, n->given, sum);
    for (int j = 0; j < G; j++)
        for (int s = 0; s < V; s++)
            x[j * V + s] = sum[s * G + j];
    memset(sum + V * G, 0, (size_t)G * sizeof *sum);
}

void
peer_backward(struct net *n, int T, int B)
{
    const int H = n->H, row = B * H;
    for (int k = n->layers; k-- > 0;) {
        memset(dc, 0, (size_t)row * sizeof *dc);
        memset(dh, 0, (size_t)row * sizeof *dh);
        for (int t = T; t-- > 0;) {
            for (int i = 0; i < row; i++)
                dh[i] += n->dy[t * row + i] * n->mask[k][t * row + i];
            float *d = dgates + t * 4 * row;
            activate_back(H, B, gates[k] + t * 4 * row, tc[k] + t * row,
                          t > 0 ? c[k] + (t - 1) * row : zero, d);
            if (t > 0)
                peer_product(B, H, 4 * H, d, 0, n->wh[k], 0, 0, dh);
        }
        layer_grads(n, k, T, B);
    }
}

void
peer_step(struct net *n, int B, int first)
{
    const int H = n->H;
    for (int k = 0; k < n->layers; k++) {
        start_gates(n, k, B, n->given, gates[k]);
        if (!first)
            peer_product(B, 4 * H, H, n->y[k], 0, th[k], 0, 1, gates[k]);
        activate(H, B, gates[k], first ? NULL : c[k], c[k], tc[k], n->y[k]);
    }
}

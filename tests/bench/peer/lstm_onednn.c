/* SPDX-License-Identifier: MIT
 *
 * The LSTM of oneDNN, one primitive per layer, since dropout is between the layers.  The weights
 * are reordered as the primitives prefer after each update.  Set OMP_NUM_THREADS=1.
 */
#include <dnnl.h>

#include "peer.h"

/* A memory of the user's order, or that of a primitive. */
struct layer {
    dnnl_primitive_desc_t forward_desc, backward_desc;
    dnnl_primitive_t forward, backward;
    dnnl_memory_t src, h0, c0, dst, h1, c1, wx, wh, bias, work; /* as the primitive has them */
    dnnl_memory_t user_wx, user_wh;
    dnnl_memory_t bwx, bwh; /* weights for the backward pass */
    dnnl_memory_t dsrc, dh0, dc0, ddst, dh1, dc1, dwx, dwh, dbias, user_dwx, user_dwh;
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static struct layer layer[LAYERS_MAX];
static float *one_hot; /* [T][B][V] */
static int T_now, B_now, trains;

static void
check(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success) {
        fprintf(stderr, "peer: %s: status %d\n", what, (int)status);
        exit(1);
    }
}

static dnnl_memory_desc_t
shape(int n, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t d;
    check(dnnl_memory_desc_init_by_tag(&d, n, dims, dnnl_f32, tag), "shape");
    return d;
}

static dnnl_memory_t
memory(const dnnl_memory_desc_t *d, void *at)
{
    dnnl_memory_t m;
    if (at == NULL)
        at = TAKE(dnnl_memory_desc_get_size(d) / sizeof(float) + 64);
    check(dnnl_memory_create(&m, d, engine, at), "memory");
    return m;
}

static dnnl_memory_t
memory_of(dnnl_primitive_desc_t p, dnnl_query_t what, int i, void *at)
{
    return memory(dnnl_primitive_desc_query_md(p, what, i), at);
}

static void *
floats(dnnl_memory_t m)
{
    void *p;
    check(dnnl_memory_get_data_handle(m, &p), "data");
    return p;
}

static void
reorder(dnnl_memory_t from, dnnl_memory_t to)
{
    dnnl_primitive_desc_t p;
    dnnl_primitive_t r;
    const dnnl_memory_desc_t *a, *b;
    dnnl_memory_get_memory_desc(from, &a);
    dnnl_memory_get_memory_desc(to, &b);
    if (dnnl_memory_desc_equal(a, b)) {
        memcpy(floats(to), floats(from), dnnl_memory_desc_get_size(a));
        return;
    }
    check(dnnl_reorder_primitive_desc_create(&p, a, engine, b, engine, NULL), "reorder");
    check(dnnl_primitive_create(&r, p), "reorder"); /* found in the cache of primitives */
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    check(dnnl_primitive_execute(r, stream, 2, args), "reorder");
    dnnl_primitive_destroy(r);
    dnnl_primitive_desc_destroy(p);
}

void
peer_product(int rows, int columns, int inner, const float *a, int trans_a, const float *b,
             int trans_b, float beta, float *to)
{
    check(dnnl_sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', rows, columns, inner, 1, a,
                     trans_a ? rows : inner, b, trans_b ? inner : columns, beta, to, columns),
          "sgemm");
}

/* Descriptors of layer k: [0..8] src, h0, c0, weights, weights, bias, dst, h1, c1. */
static void
describe(const struct net *n, int k, int T, int B, dnnl_memory_desc_t *d)
{
    const dnnl_dim_t I = (dnnl_dim_t)peer_inputs(n, k), H = n->H;
    d[0] = shape(3, (dnnl_dims_t){T, B, I}, dnnl_tnc);
    d[1] = d[2] = d[7] = d[8] = shape(4, (dnnl_dims_t){1, 1, B, H}, dnnl_ldnc);
    d[3] = shape(5, (dnnl_dims_t){1, 1, I, 4, H}, dnnl_format_tag_any);
    d[4] = shape(5, (dnnl_dims_t){1, 1, H, 4, H}, dnnl_format_tag_any);
    d[5] = shape(4, (dnnl_dims_t){1, 1, 4, H}, dnnl_ldgo);
    d[6] = shape(3, (dnnl_dims_t){T, B, H}, dnnl_tnc);
}

static void
make_forward(struct net *n, int k, dnnl_memory_desc_t *d, dnnl_prop_kind_t kind)
{
    struct layer *y = &layer[k];
    const dnnl_dim_t I = (dnnl_dim_t)peer_inputs(n, k), H = n->H;
    dnnl_rnn_desc_t r;
    check(dnnl_lstm_forward_desc_init(&r, kind, dnnl_unidirectional_left2right, &d[0], &d[1], &d[2],
                                      &d[3], &d[4], &d[5], &d[6], &d[7], &d[8], 0),
          "forward");
    check(dnnl_primitive_desc_create(&y->forward_desc, &r, NULL, engine, NULL), "forward");
    check(dnnl_primitive_create(&y->forward, y->forward_desc), "forward");
    y->src = memory(&d[0], k == 0 ? one_hot : n->y[k - 1]);
    y->h0 = memory(&d[1], NULL);
    y->c0 = memory(&d[2], NULL);
    y->dst = memory(&d[6], NULL);
    y->h1 = memory(&d[7], NULL);
    y->c1 = memory(&d[8], NULL);
    y->bias = memory(&d[5], NULL);
    y->wx = memory_of(y->forward_desc, dnnl_query_weights_md, 0, NULL);
    y->wh = memory_of(y->forward_desc, dnnl_query_weights_md, 1, NULL);
    dnnl_memory_desc_t x = shape(5, (dnnl_dims_t){1, 1, I, 4, H}, dnnl_ldgoi);
    dnnl_memory_desc_t h = shape(5, (dnnl_dims_t){1, 1, H, 4, H}, dnnl_ldgoi);
    y->user_wx = memory(&x, n->wx[k]);
    y->user_wh = memory(&h, n->wh[k]);
    y->user_dwx = memory(&x, peer_grad(n, n->wx[k]));
    y->user_dwh = memory(&h, peer_grad(n, n->wh[k]));
}

static void
make_backward(struct net *n, int k, dnnl_memory_desc_t *d)
{
    struct layer *y = &layer[k];
    dnnl_rnn_desc_t r;
    check(dnnl_lstm_backward_desc_init(&r, dnnl_backward, dnnl_unidirectional_left2right, &d[0],
                                       &d[1], &d[2], &d[3], &d[4], &d[5], &d[6], &d[7], &d[8],
                                       &d[0], &d[1], &d[2], &d[3], &d[4], &d[5], &d[6], &d[7],
                                       &d[8], 0),
          "backward");
    check(dnnl_primitive_desc_create(&y->backward_desc, &r, NULL, engine, y->forward_desc),
          "backward");
    check(dnnl_primitive_create(&y->backward, y->backward_desc), "backward");
    y->work = memory_of(y->forward_desc, dnnl_query_workspace_md, 0, NULL);
    y->bwx = memory_of(y->backward_desc, dnnl_query_weights_md, 0, NULL);
    y->bwh = memory_of(y->backward_desc, dnnl_query_weights_md, 1, NULL);
    y->dwx = memory_of(y->backward_desc, dnnl_query_diff_weights_md, 0, NULL);
    y->dwh = memory_of(y->backward_desc, dnnl_query_diff_weights_md, 1, NULL);
    y->dbias = memory(&d[5], peer_grad(n, n->bx[k]));
    y->dsrc = memory(&d[0], NULL);
    y->dh0 = memory(&d[1], NULL);
    y->dc0 = memory(&d[2], NULL);
    y->ddst = memory(&d[6], NULL);
    y->dh1 = memory(&d[7], NULL);
    y->dc1 = memory(&d[8], NULL);
}

/* For T times and B strings; the layers of an earlier size are forgotten. */
static void
resize(struct net *n, int T, int B)
{
    dnnl_memory_desc_t d[9];
    if (T == T_now && B == B_now)
        return;
    T_now = T, B_now = B;
    for (int k = 0; k < n->layers; k++) {
        describe(n, k, T, B, d);
        make_forward(n, k, d, trains ? dnnl_forward_training : dnnl_forward_inference);
        if (trains)
            make_backward(n, k, d);
    }
    peer_weights_changed(n);
}

void
peer_reserve(struct net *n, int T, int B, int train)
{
    trains = train;
    check(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine");
    check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "stream");
    one_hot = TAKE((size_t)T * (size_t)B * V);
    resize(n, T, B);
}

void
peer_weights_changed(struct net *n)
{
    for (int k = 0; T_now > 0 && k < n->layers; k++) {
        float *bias = floats(layer[k].bias);
        reorder(layer[k].user_wx, layer[k].wx);
        reorder(layer[k].user_wh, layer[k].wh);
        for (int i = 0; i < 4 * n->H; i++)
            bias[i] = n->bx[k][i] + n->bh[k][i];
    }
}

static void
run_forward(struct net *n, int k)
{
    struct layer *y = &layer[k];
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC_LAYER, y->src},   {DNNL_ARG_SRC_ITER, y->h0},
                              {DNNL_ARG_SRC_ITER_C, y->c0},   {DNNL_ARG_WEIGHTS_LAYER, y->wx},
                              {DNNL_ARG_WEIGHTS_ITER, y->wh}, {DNNL_ARG_BIAS, y->bias},
                              {DNNL_ARG_DST_LAYER, y->dst},   {DNNL_ARG_DST_ITER, y->h1},
                              {DNNL_ARG_DST_ITER_C, y->c1},   {DNNL_ARG_WORKSPACE, y->work}};
    (void)n;
    check(dnnl_primitive_execute(y->forward, stream, trains ? 10 : 9, args), "forward");
}

static void
put_one_hot(const struct net *n, int rows)
{
    memset(one_hot, 0, (size_t)(rows * V) * sizeof *one_hot);
    for (int i = 0; i < rows; i++)
        if (n->given[i] < V)
            one_hot[i * V + n->given[i]] = 1;
}

void
peer_forward(struct net *n, int T, int B, int train)
{
    const int size = T * B * n->H;
    resize(n, T, B);
    put_one_hot(n, T * B);
    for (int k = 0; k < n->layers; k++) {
        run_forward(n, k);
        const float *restrict h = floats(layer[k].dst);
        float *restrict y = n->y[k];
        for (int i = 0; i < size; i++)
            y[i] = train ? h[i] * n->mask[k][i] : h[i];
    }
}

void
peer_backward(struct net *n, int T, int B)
{
    const size_t size = (size_t)(T * B * n->H), gates = 4 * (size_t)n->H;
    for (int k = n->layers; k-- > 0;) {
        struct layer *y = &layer[k];
        float *restrict d = floats(y->ddst);
        const float *restrict from = k == n->layers - 1 ? n->dy : floats(layer[k + 1].dsrc);
        for (size_t i = 0; i < size; i++)
            d[i] = from[i] * n->mask[k][i];
        reorder(y->user_wx, y->bwx);
        reorder(y->user_wh, y->bwh);
        memset(floats(y->dwx), 0, gates * peer_inputs(n, k) * sizeof(float));
        memset(floats(y->dwh), 0, gates * (size_t)n->H * sizeof(float));
        memset(floats(y->dbias), 0, gates * sizeof(float));
        dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC_LAYER, y->src},         {DNNL_ARG_SRC_ITER, y->h0},
            {DNNL_ARG_SRC_ITER_C, y->c0},         {DNNL_ARG_WEIGHTS_LAYER, y->bwx},
            {DNNL_ARG_WEIGHTS_ITER, y->bwh},      {DNNL_ARG_BIAS, y->bias},
            {DNNL_ARG_DST_LAYER, y->dst},         {DNNL_ARG_DST_ITER, y->h1},
            {DNNL_ARG_DST_ITER_C, y->c1},         {DNNL_ARG_WORKSPACE, y->work},
            {DNNL_ARG_DIFF_SRC_LAYER, y->dsrc},   {DNNL_ARG_DIFF_SRC_ITER, y->dh0},
            {DNNL_ARG_DIFF_SRC_ITER_C, y->dc0},   {DNNL_ARG_DIFF_WEIGHTS_LAYER, y->dwx},
            {DNNL_ARG_DIFF_WEIGHTS_ITER, y->dwh}, {DNNL_ARG_DIFF_BIAS, y->dbias},
            {DNNL_ARG_DIFF_DST_LAYER, y->ddst},   {DNNL_ARG_DIFF_DST_ITER, y->dh1},
            {DNNL_ARG_DIFF_DST_ITER_C, y->dc1}};
        check(dnnl_primitive_execute(y->backward, stream, 19, args), "backward");
        reorder(y->dwx, y->user_dwx);
        reorder(y->dwh, y->user_dwh);
        memcpy(peer_grad(n, n->bh[k]), peer_grad(n, n->bx[k]), gates * sizeof(float));
    }
}

void
peer_step(struct net *n, int B, int first)
{
    const size_t bytes = (size_t)(B * n->H) * sizeof(float);
    put_one_hot(n, B);
    for (int k = 0; k < n->layers; k++) {
        if (first) {
            memset(floats(layer[k].h0), 0, bytes);
            memset(floats(layer[k].c0), 0, bytes);
        } else {
            memcpy(floats(layer[k].h0), floats(layer[k].h1), bytes);
            memcpy(floats(layer[k].c0), floats(layer[k].c1), bytes);
        }
        run_forward(n, k);
        memcpy(n->y[k], floats(layer[k].dst), bytes);
    }
}

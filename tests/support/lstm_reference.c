/* SPDX-License-Identifier: MIT */
#include "support/lstm_reference.h"

#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"

/* What one layer remembers of one node, H numbers each. */
enum { I, F, G, O, C, TANH_C, H_OUT, PER_UNIT };

struct ref {
    const struct lstm_layout *l;
    const double *w;
    const struct prefix_tree *tree;
    const struct lstm_masks *masks;
    size_t H, V;
    double *act;  /* [layers][nodes][PER_UNIT][H] */
    double *dh;   /* [layers][nodes][H]: loss by h, filled on the way back */
    double *dc;   /* [layers][nodes][H]: loss by c, through the children only */
    double *p;    /* [nodes][V]: next-symbol probabilities */
    double *x;    /* [max(V, H)]: a layer's input */
    double *dx;   /* [max(V, H)] */
    double *gate; /* [4H]: pre-activations, or their gradient */
};

static double *
unit(const struct ref *r, unsigned k, size_t node, int what)
{
    return r->act + ((k * r->tree->nodes + node) * PER_UNIT + (size_t)what) * r->H;
}

static double *
at(const struct ref *r, double *array, unsigned k, size_t node)
{
    return array + (k * r->tree->nodes + node) * r->H;
}

static double
factor(const struct ref *r, unsigned k, size_t node, size_t j)
{
    const struct lstm_masks *m = r->masks;
    if (m == NULL || m->output[k] == NULL)
        return 1;
    return (double)m->output[k][node * m->stride + j];
}

static double
input_factor(const struct ref *r, size_t node)
{
    return r->masks == NULL || r->masks->input == NULL ? 1 : (double)r->masks->input[node];
}

/* x = the one-hot symbol for layer 0, else the masked h of the layer below. */
static void
layer_input(const struct ref *r, unsigned k, size_t node)
{
    if (k > 0) {
        for (size_t j = 0; j < r->H; j++)
            r->x[j] = factor(r, k - 1, node, j) * unit(r, k - 1, node, H_OUT)[j];
        return;
    }
    memset(r->x, 0, r->V * sizeof *r->x);
    if (node > 0)
        r->x[r->tree->symbol[node]] = input_factor(r, node);
}

static double
sigma(double x)
{
    return 1 / (1 + exp(-x));
}

/* gate = W_ih x + b_ih + W_hh h' + b_hh;  c = f c' + i g;  h = o tanh(c). */
static void
layer_forward(const struct ref *r, unsigned k, size_t node)
{
    const struct lstm_layer *y = &r->l->layer[k];
    const size_t H = r->H, parent = r->tree->parent[node];
    const double *h = node == 0 ? NULL : unit(r, k, parent, H_OUT);
    const double *c = node == 0 ? NULL : unit(r, k, parent, C);
    layer_input(r, k, node);
    for (size_t row = 0; row < 4 * H; row++) {
        double sum = r->w[y->bias_ih + row] + r->w[y->bias_hh + row];
        for (size_t j = 0; j < y->inputs; j++)
            sum += r->w[y->weight_ih + row * y->inputs + j] * r->x[j];
        for (size_t j = 0; h != NULL && j < H; j++)
            sum += r->w[y->weight_hh + row * H + j] * h[j];
        r->gate[row] = sum;
    }
    for (size_t j = 0; j < H; j++) {
        double i = sigma(r->gate[j]), f = sigma(r->gate[H + j]);
        double g = tanh(r->gate[2 * H + j]), o = sigma(r->gate[3 * H + j]);
        double cell = (c == NULL ? 0 : f * c[j]) + i * g;
        unit(r, k, node, I)[j] = i;
        unit(r, k, node, F)[j] = f;
        unit(r, k, node, G)[j] = g;
        unit(r, k, node, O)[j] = o;
        unit(r, k, node, C)[j] = cell;
        unit(r, k, node, TANH_C)[j] = tanh(cell);
        unit(r, k, node, H_OUT)[j] = o * tanh(cell);
    }
}

/* dh and dc of this node are complete: gives the parameters, the layer below
 * and the parent their shares. */
static void
layer_backward(const struct ref *r, unsigned k, size_t node, double *grad)
{
    const struct lstm_layer *y = &r->l->layer[k];
    const size_t H = r->H, parent = r->tree->parent[node];
    const double *dh = at(r, r->dh, k, node);
    for (size_t j = 0; j < H; j++) {
        double i = unit(r, k, node, I)[j], f = unit(r, k, node, F)[j];
        double g = unit(r, k, node, G)[j], o = unit(r, k, node, O)[j];
        double t = unit(r, k, node, TANH_C)[j];
        double c = node == 0 ? 0 : unit(r, k, parent, C)[j];
        double dc = at(r, r->dc, k, node)[j] + dh[j] * o * (1 - t * t);
        r->gate[j] = dc * g * i * (1 - i);
        r->gate[H + j] = dc * c * f * (1 - f);
        r->gate[2 * H + j] = dc * i * (1 - g * g);
        r->gate[3 * H + j] = dh[j] * t * o * (1 - o);
        if (node > 0)
            at(r, r->dc, k, parent)[j] += dc * f;
    }
    const double *h = node == 0 ? NULL : unit(r, k, parent, H_OUT);
    layer_input(r, k, node);
    memset(r->dx, 0, (size_t)y->inputs * sizeof *r->dx);
    for (size_t row = 0; row < 4 * H; row++) {
        double d = r->gate[row];
        grad[y->bias_ih + row] += d;
        grad[y->bias_hh + row] += d;
        for (size_t j = 0; j < y->inputs; j++) {
            grad[y->weight_ih + row * y->inputs + j] += d * r->x[j];
            r->dx[j] += d * r->w[y->weight_ih + row * y->inputs + j];
        }
        for (size_t j = 0; h != NULL && j < H; j++) {
            grad[y->weight_hh + row * H + j] += d * h[j];
            at(r, r->dh, k, parent)[j] += d * r->w[y->weight_hh + row * H + j];
        }
    }
    for (size_t j = 0; k > 0 && j < H; j++)
        at(r, r->dh, k - 1, node)[j] += factor(r, k - 1, node, j) * r->dx[j];
}

/* p = softmax(W masked_h + b); returns the node's part of the loss. */
static double
decode_forward(const struct ref *r, size_t node)
{
    const unsigned top = r->l->layers - 1;
    const float *next_weight = r->tree->next_weight + node * r->V;
    double *p = r->p + node * r->V, peak = -INFINITY, sum = 0, loss = 0;
    for (size_t s = 0; s < r->V; s++) {
        p[s] = r->w[r->l->decoder_bias + s];
        for (size_t j = 0; j < r->H; j++)
            p[s] += r->w[r->l->decoder_weight + s * r->H + j] * factor(r, top, node, j) *
                    unit(r, top, node, H_OUT)[j];
        peak = fmax(peak, p[s]);
    }
    for (size_t s = 0; s < r->V; s++)
        sum += exp(p[s] - peak);
    for (size_t s = 0; s < r->V; s++) {
        double logp = p[s] - peak - log(sum);
        loss -= (double)next_weight[s] * logp;
        p[s] = exp(logp);
    }
    return loss;
}

/* d loss / d logit_s = (all weight here) p_s - follow_s. */
static void
decode_backward(const struct ref *r, size_t node, double *grad)
{
    const unsigned top = r->l->layers - 1;
    const float *next_weight = r->tree->next_weight + node * r->V;
    double total = 0;
    for (size_t s = 0; s < r->V; s++)
        total += (double)next_weight[s];
    for (size_t s = 0; s < r->V; s++) {
        double d = total * r->p[node * r->V + s] - (double)next_weight[s];
        grad[r->l->decoder_bias + s] += d;
        for (size_t j = 0; j < r->H; j++) {
            double mask = factor(r, top, node, j);
            size_t w = r->l->decoder_weight + s * r->H + j;
            grad[w] += d * mask * unit(r, top, node, H_OUT)[j];
            at(r, r->dh, top, node)[j] += d * mask * r->w[w];
        }
    }
}

static int
ref_alloc(struct ref *r, struct err *e)
{
    const size_t cells = (size_t)r->l->layers * r->tree->nodes * r->H;
    const size_t widest = r->V > r->H ? r->V : r->H;
    r->act = mem_zero(cells, PER_UNIT * sizeof *r->act, e);
    r->dh = mem_zero(cells, sizeof *r->dh, e);
    r->dc = mem_zero(cells, sizeof *r->dc, e);
    r->p = mem_zero(r->tree->nodes * r->V, sizeof *r->p, e);
    r->x = mem_zero(widest, sizeof *r->x, e);
    r->dx = mem_zero(widest, sizeof *r->dx, e);
    r->gate = mem_zero(4 * r->H, sizeof *r->gate, e);
    return r->act && r->dh && r->dc && r->p && r->x && r->dx && r->gate ? 0 : ERR_NOMEM;
}

static void
ref_clear(struct ref *r)
{
    mem_free(r->act);
    mem_free(r->dh);
    mem_free(r->dc);
    mem_free(r->p);
    mem_free(r->x);
    mem_free(r->dx);
    mem_free(r->gate);
}

int
lstm_reference_loss(const struct lstm_layout *l, const double *params,
                    const struct prefix_tree *tree, const struct lstm_masks *masks, double *loss,
                    double *grad, struct err *e)
{
    struct ref r = {.l = l, .w = params, .tree = tree, .masks = masks};
    r.H = l->hidden;
    r.V = l->symbols;
    int rc = ref_alloc(&r, e);
    if (rc != 0)
        goto out;
    *loss = 0;
    for (size_t node = 0; node < tree->nodes; node++) { /* parents before children */
        for (unsigned k = 0; k < l->layers; k++)
            layer_forward(&r, k, node);
        *loss += decode_forward(&r, node);
    }
    for (size_t node = tree->nodes; grad != NULL && node-- > 0;) { /* children first */
        decode_backward(&r, node, grad);
        for (unsigned k = l->layers; k-- > 0;)
            layer_backward(&r, k, node, grad);
    }
out:
    ref_clear(&r);
    return rc;
}
